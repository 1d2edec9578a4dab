// A window as two folders of Google Benchmark JSON, one file for each process: what somebody would have who measured it
// with a script of their own and then asks `steelyard compare`.
#pragma once

#include <filesystem>

#include "bench/model/result.hpp"
#include "tests/studies/judging/window.hpp"

namespace steelyard::judging {

struct FolderOptions {
  bool with_layout = true;  // steelyard_layout and steelyard_round
  bool with_order = true;   // steelyard_order
};

// Writes folder/baseline and folder/candidate, which must not exist. All benchmarks of a round are one process, so a
// window of several is refused where their sides lie in different slots.
Result<void> write_folders(const Window& window, const std::filesystem::path& folder, const FolderOptions& options);

}  // namespace steelyard::judging
