// Parts of callgrind.out files: the corpus's, and texts written down in a test.
#pragma once

#include <filesystem>
#include <string>

#include "bench/counting/reader/callgrind_reader.hpp"
#include "tests/promised.hpp"

namespace steelyard::bench {

inline CallgrindPart golden_part(const std::string& file) {
  const auto parts = read_callgrind(std::filesystem::path(STEELYARD_GOLDEN_CALLGRIND) / file);
  EXPECT_TRUE(parts) << (parts ? "" : parts.error().text());
  return parts ? parts->front() : CallgrindPart{};
}

inline CallgrindPart part_of(const std::string& text) {
  const auto parts = parse_callgrind(text, "profile");
  EXPECT_TRUE(parts) << (parts ? "" : parts.error().text());
  return parts ? parts->front() : CallgrindPart{};
}

}  // namespace steelyard::bench
