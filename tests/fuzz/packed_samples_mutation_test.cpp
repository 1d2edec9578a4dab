// Seeded mutations of packed samples.
#include <gtest/gtest.h>

#include <random>

#include "tests/fuzz/claims.hpp"
#include "tests/storage/packing/example_samples.hpp"

namespace steelyard::packed_samples_mutation_test {
namespace {

using testkit::broken_claim_about_packed_samples;

TEST(PackedSamplesFuzzTest, ClaimsHoldForMutations) {
  std::mt19937_64 engine(7);
  for (std::uint64_t seed = 0; seed < 1'500; ++seed) {
    const auto sections = storage_test::example_samples(seed);
    const std::string packed = storage_test::pack_samples(sections.judged, sections.excluded);
    for (int change = 0; change < 20; ++change) {
      std::string bytes = packed;
      for (std::uint64_t left = engine() % 3 + 1; left > 0 && !bytes.empty(); --left) {
        const std::size_t at = engine() % bytes.size();
        switch (engine() % 4) {
          case 0:
            bytes[at] = static_cast<char>(engine());
            break;
          case 1:
            bytes[at] = static_cast<char>(bytes[at] ^ (1 << engine() % 8));
            break;
          case 2:
            bytes.erase(at, engine() % 4 + 1);
            break;
          default:
            bytes.insert(at, std::string(engine() % 4 + 1, static_cast<char>(engine())));
        }
      }
      ASSERT_EQ(broken_claim_about_packed_samples(bytes), std::nullopt) << seed << ", " << change;
    }
  }
}

}  // namespace
}  // namespace steelyard::packed_samples_mutation_test
