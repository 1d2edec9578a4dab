// The tables that rows go to are gone, as after a hand's slip or a restore of a part: the next writer makes them.
#include <gtest/gtest.h>

#include "storage/postgres/session/session.hpp"
#include "storage/store.hpp"
#include "tests/promised.hpp"
#include "tests/storage/faults/child_program.hpp"
#include "tests/storage/faults/fault_runs.hpp"
#include "tests/storage/postgres/test_server.hpp"

#include <fstream>

namespace steelyard::storage::missing_partition_test {
namespace {

TEST(MissingPartition, IsMadeByTheNextWriterAndNoRunIsLost) {
  const auto url = storage_test::migrated_database();
  STEELYARD_SKIP_WITHOUT("postgresql", url, storage_test::kNoServer);
  const StoreAddress address{false, *url};
  const std::filesystem::path state = storage_test::fresh_state_folder();
  {
    const auto store = Store::open(address, state);
    ASSERT_TRUE(store) << store.error().text();
    auto session = Session::connect(*url, "test");
    auto transaction = Transaction::begin(*session);
    const auto gone = transaction->run_script(
        "do $$ declare part regclass; begin for part in select inhrelid::regclass from pg_inherits "
        "where inhparent = 'steelyard.measurements'::regclass loop execute 'drop table ' || part; end loop; end $$");
    ASSERT_TRUE(gone) << gone.error().text();
    ASSERT_TRUE(transaction->commit());
  }
  const std::filesystem::path file = state / "a.json";
  std::ofstream(file) << storage_test::wide_json(1, 3);
  const auto end = storage_test::run_program_apart({"import", "google-benchmark", file.string()},
                                                   {{"STEELYARD_STATE", state.string()}, {"STEELYARD_STORE", *url}});
  EXPECT_EQ(end.status, 0) << end.err;
  EXPECT_EQ(storage_test::whole_runs(address).size(), 1U);
}

}  // namespace
}  // namespace steelyard::storage::missing_partition_test
