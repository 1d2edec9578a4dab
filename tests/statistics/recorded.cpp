#include "tests/statistics/recorded.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <map>
#include <utility>

namespace steelyard::judging {

const Recording& recorded(const std::string& name) {
  static std::map<std::string, Recording> read;
  if (!read.contains(name)) {
    auto recording = read_recording(std::filesystem::path(STEELYARD_NOISE_FOLDER) / name);
    if (!recording) ADD_FAILURE() << recording.error().text();
    read[name] = std::move(recording).value();
  }
  return read[name];
}

}  // namespace steelyard::judging
