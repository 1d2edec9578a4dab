// SQL reads what the program packed: the functions of migration 0010 against storage/packing.

#include <gtest/gtest.h>

#include <bit>
#include <cmath>

#include "storage/packing/packed_samples.hpp"
#include "storage/postgres/session/session.hpp"
#include "tests/promised.hpp"
#include "tests/storage/packing/example_samples.hpp"
#include "tests/storage/postgres/test_server.hpp"

namespace steelyard::storage::packed_samples_db_test {
namespace {

using storage_test::example_samples;
using storage_test::pack_samples;

constexpr std::uint64_t kPayloads = 2'000;

class PackedSamplesDbTest : public ::testing::Test {
 protected:
  void SetUp() override {
    const auto url = storage_test::migrated_database();
    STEELYARD_SKIP_WITHOUT("postgresql", url, storage_test::kNoServer);
    session_.emplace(Session::connect(*url, "test").value());
    transaction_.emplace(Transaction::begin(*session_).value());
    ASSERT_TRUE(transaction_->run("create table public.packed (seed bigint, packed bytea)"));
    const auto copied = transaction_->copy({"public.packed", {"seed", "packed"}}, kPayloads, [](std::size_t i) {
      const auto sections = example_samples(i);
      return SqlValues().integer(static_cast<std::int64_t>(i)).bytes(pack_samples(sections.judged, sections.excluded));
    });
    ASSERT_TRUE(copied) << copied.error().text();
  }
  // Bits of a sample as SQL can know them: it has one NaN.
  static std::int64_t bits_in_sql(double value) {
    return std::bit_cast<std::int64_t>(std::isnan(value) ? std::numeric_limits<double>::quiet_NaN() : value);
  }
  std::optional<Session> session_;
  std::optional<Transaction> transaction_;
};

TEST_F(PackedSamplesDbTest, SqlUnpacksTheSameBits) {
  for (const bool excluded : {false, true}) {
    const auto rows = transaction_->run(
        std::string("select p.seed, u.invocation, u.sample, steelyard.bits_of_double(u.value), u.iterations from "
                    "public.packed p, ") +
        (excluded ? "steelyard.unpack_set_aside" : "steelyard.unpack") +
        "(p.packed) with ordinality as u(invocation, sample, value, iterations, place) order by p.seed, u.place");
    ASSERT_TRUE(rows) << rows.error().text();
    std::int64_t row = 0;
    for (std::uint64_t seed = 0; seed < kPayloads; ++seed) {
      const auto sections = example_samples(seed);
      for (const InvocationSamples& taken : excluded ? sections.excluded : sections.judged) {
        for (std::size_t i = 0; i < taken.values.size(); ++i, ++row) {
          ASSERT_LT(row, rows->size());
          ASSERT_EQ(rows->integer(row, 0), static_cast<std::int64_t>(seed));
          ASSERT_EQ(rows->integer(row, 1), taken.invocation);
          ASSERT_EQ(rows->integer(row, 2), static_cast<std::int64_t>(i + 1));
          ASSERT_EQ(rows->integer(row, 3), bits_in_sql(taken.values[i])) << seed << ": " << taken.values[i];
          ASSERT_EQ(rows->is_null(row, 4), taken.iterations.empty());
          if (!taken.iterations.empty()) {
            ASSERT_EQ(rows->integer(row, 4), taken.iterations[i]);
          }
        }
      }
    }
    EXPECT_EQ(row, rows->size());
  }
}

TEST_F(PackedSamplesDbTest, SqlKnowsTheValuesTheInvocationsAndWhatRetentionLeaves) {
  const auto rows = transaction_->run(
      "select cardinality(steelyard.unpacked_values(packed)), steelyard.packed_invocations(packed), "
      "steelyard.without_samples(packed), steelyard.has_samples(packed) from public.packed order by seed");
  ASSERT_TRUE(rows) << rows.error().text();
  for (std::uint64_t seed = 0; seed < kPayloads; ++seed) {
    const auto sections = example_samples(seed);
    const auto row = static_cast<std::int64_t>(seed);
    std::size_t samples = 0;
    for (const InvocationSamples& taken : sections.judged) samples += taken.values.size();
    ASSERT_EQ(rows->integer(row, 0), static_cast<std::int64_t>(samples));
    ASSERT_EQ(rows->integer(row, 1), static_cast<std::int64_t>(sections.judged.size()));
    const std::string left = bytes_of_text(rows->raw(row, 2));
    ASSERT_LE(left.size(), pack_samples(sections.judged, sections.excluded).size());
    const auto unpacked = unpack_samples(left, "test");
    ASSERT_TRUE(unpacked) << unpacked.error().text();
    ASSERT_TRUE(unpacked->dropped);
    ASSERT_TRUE(rows->boolean(row, 3));
  }
  const auto again = transaction_->run(
      "select count(*) filter (where steelyard.without_samples(left_over) = left_over "
      "and not steelyard.has_samples(left_over) and steelyard.unpacked_values(left_over) = '{}' "
      "and steelyard.packed_invocations(left_over) = steelyard.packed_invocations(packed)) "
      "from (select packed, steelyard.without_samples(packed) from public.packed) as p(packed, left_over)");
  ASSERT_TRUE(again) << again.error().text();
  EXPECT_EQ(again->integer(0, 0), static_cast<std::int64_t>(kPayloads));
}

}  // namespace
}  // namespace steelyard::storage::packed_samples_db_test
