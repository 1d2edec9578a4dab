// Builds one side of a comparison in its work tree with the project's own command. The output is kept back unless the
// build fails; then its last lines are what the error shows.
#pragma once

#include <atomic>
#include <filesystem>
#include <string>

#include "bench/model/quantity.hpp"
#include "bench/model/result.hpp"

namespace steelyard {

struct BuildRequest {
  std::filesystem::path tree;
  std::string command;  // for /bin/sh; empty: nothing to build
  Nanoseconds timeout;
  std::string side;  // "the baseline (1a2b3c4)", for messages
};

// The command has the caller's environment, less STEELYARD_STORE and PGPASSWORD. Error (program): the command failed,
// with the last 40 lines of its output; it ran past its limit or was cancelled.
Result<void> build(const BuildRequest& request, const std::atomic<bool>* cancelled);

}  // namespace steelyard
