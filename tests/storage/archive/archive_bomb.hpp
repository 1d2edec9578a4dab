// An archive of some kilobytes whose content would take gigabytes of memory.
#pragma once

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <string>

#include "storage/archive/archive.hpp"
#include "storage/archive/container.hpp"

namespace steelyard::storage_test {

// 17 bytes of payload become one fact; zstd packs the same one a million times into nothing.
inline std::string archive_bomb() {
  steelyard::Run run;
  run.header.id = std::string(64, 'a');
  std::string payload = storage::encode_payload(run);
  const std::string facts(8, '\0');  // the count of the environment's facts: the first list behind the header
  const std::size_t at = payload.size() - 5 * 8;
  EXPECT_EQ(payload.substr(at - 8, 8), facts);
  constexpr std::uint64_t kFacts = 10'000'000;
  for (std::size_t i = 0; i < 8; ++i) payload[at - 8 + i] = static_cast<char>((kFacts >> (8 * i)) & 0xffU);
  payload.insert(at, std::string(kFacts * 17, '\0'));
  std::string bytes = storage::pack_container(payload, storage::PayloadKind::run, storage::payload_version());
  EXPECT_LT(bytes.size(), 64U << 10U);
  return bytes;
}

}  // namespace steelyard::storage_test
