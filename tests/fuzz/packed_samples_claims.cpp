#include "tests/fuzz/claims.hpp"

#include <string_view>
#include <vector>

#include "storage/packing/packed_samples.hpp"
#include "tests/storage/packing/bitwise_equal.hpp"

namespace steelyard::testkit {
namespace {

using storage_test::bitwise_equal;
using Section = std::vector<InvocationSamples>;

// A block of no bits holds so many numbers at most, any other a number a bit.
constexpr std::size_t kFree = 4096;

std::size_t numbers_in(const Section& section) {
  std::size_t count = section.size();
  for (const InvocationSamples& taken : section) count += taken.values.size() + taken.iterations.size();
  return count;
}

}  // namespace

BrokenClaim broken_claim_about_packed_samples(const std::string& bytes) {
  const auto unpacked = storage::unpack_samples(bytes, "fuzz");
  if (!unpacked) {
    if (unpacked.error().kind != ErrorKind::store) return "bytes that cannot be read are an error of the store";
    return std::nullopt;
  }
  // Invocations count as well: of those without samples each takes three bytes.
  const std::size_t numbers = numbers_in(unpacked->invocations) + numbers_in(unpacked->excluded);
  if (numbers > 9 * bytes.size() + 6 * kFree) return "memory is in proportion to the bytes";
  if (unpacked->dropped && numbers > 0) return "what was dropped has no samples";
  storage::SamplePacker packer;
  const std::string_view packed = packer.pack(unpacked->invocations, unpacked->excluded);
  if (packed.size() > 64 + 9 * numbers) return "packing takes no more than the samples as they are";
  const auto again = storage::unpack_samples(packed, "fuzz");
  if (!again) return "what was packed can be read";
  if (!bitwise_equal(again->invocations, unpacked->invocations)) return "samples come back to the last bit";
  if (!bitwise_equal(again->excluded, unpacked->excluded)) return "what was excluded comes back to the last bit";
  return std::nullopt;
}

}  // namespace steelyard::testkit
