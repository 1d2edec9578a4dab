// A store that is filled from the documents of delivered comparisons holds what the first one held, byte for byte.
#include <gtest/gtest.h>

#include "storage/comparison_store.hpp"
#include "storage/delivery.hpp"
#include "storage/postgres/upkeep/table_contents.hpp"
#include "storage/spool/rebuild.hpp"
#include "storage/spool/spool.hpp"
#include "tests/promised.hpp"
#include "tests/storage/comparison/random_comparison.hpp"
#include "tests/storage/postgres/test_server.hpp"

namespace steelyard::storage::comparison_rebuild_test {
namespace {

std::vector<TableContent> comparisons_in(const StoreAddress& address) {
  ContentOptions options;
  options.arrival_times = false;
  options.tables = {"calibrations",         "comparisons",          "comparison_sides",
                    "comparison_rows",      "comparison_functions", "comparison_solo_checks",
                    "comparison_histories", "comparison_drifts",    "comparison_creeps",
                    "comparison_policies"};
  Session session = Session::connect(address.url, "test").value();
  Transaction transaction = Transaction::begin(session).value();
  return table_contents(transaction, options).value();
}

TEST(ComparisonRebuild, FillsAnEmptyStoreToTheSameBytes) {
  const auto url = storage_test::migrated_database();
  STEELYARD_SKIP_WITHOUT("postgresql", url, storage_test::kNoServer);
  const auto state = storage_test::fresh_state_folder();
  const StoreAddress first{false, *url};
  const Spool spool(state);
  {
    auto opened = Store::open(first, state);
    ASSERT_TRUE(opened) << opened.error().text();
    Store store = std::move(opened).value();
    for (std::uint64_t seed = 1; seed <= 30; ++seed) {
      ASSERT_TRUE(Spool(state).keep(storage_test::RandomComparison(seed).draw_with_later_fields(seed % 2 == 0)));
    }
    const auto delivery = Spool(state).deliver(destination(store));
    ASSERT_TRUE(delivery) << delivery.error().text();
    ASSERT_EQ(delivery->comparisons, 30);
  }
  const auto contents = comparisons_in(first);
  const StoreAddress second{false, *storage_test::migrated_database()};  // the first one is gone
  auto opened = Store::open(second, state);
  ASSERT_TRUE(opened) << opened.error().text();
  Store store = std::move(opened).value();
  Rebuild done;
  const auto put = [&store](const Comparison& comparison) { return ComparisonStore(store).put(comparison); };
  ASSERT_TRUE(rebuild_comparisons(spool.delivered_comparisons(), put, done));
  EXPECT_EQ(done.comparisons, 30);
  EXPECT_TRUE(done.bad.empty());
  EXPECT_EQ(differences(contents, comparisons_in(second)), std::vector<std::string>{});
  for (const TableContent& table : contents) EXPECT_GT(table.rows, 0) << table.table;
}

}  // namespace
}  // namespace steelyard::storage::comparison_rebuild_test
