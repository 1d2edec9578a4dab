// kill -9 of who delivers comparisons: each is in the store whole or not at all, and after the next delivery exactly
// once, as the document in the spool had it.
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <map>

#include "storage/comparison/comparison_document.hpp"
#include "storage/comparison/comparison_identity.hpp"
#include "storage/comparison_store.hpp"
#include "storage/delivery.hpp"
#include "storage/postgres/session/session.hpp"
#include "storage/spool/spool.hpp"
#include "tests/promised.hpp"
#include "tests/storage/comparison/random_comparison.hpp"
#include "tests/storage/faults/fault_runs.hpp"
#include "tests/storage/postgres/test_server.hpp"

namespace steelyard::storage::comparison_kill_test {
namespace {

namespace fs = std::filesystem;

constexpr int kComparisons = 12;

// Wide enough that writing it takes some milliseconds.
Comparison wide_comparison(int number) {
  storage_test::RandomComparison random(static_cast<std::uint64_t>(number));
  Comparison comparison = random.draw(true);
  comparison.candidate.created_at_unix_ns = number;
  while (comparison.rows.size() < 300) {
    const Comparison more = random.draw(false);
    comparison.rows.insert(comparison.rows.end(), more.rows.begin(), more.rows.end());
  }
  return comparison;
}

class ComparisonKill : public ::testing::Test {
 protected:
  void SetUp() override {
    const auto url = storage_test::migrated_database();
    STEELYARD_SKIP_WITHOUT("postgresql", url, storage_test::kNoServer);
    address_ = {false, *url};
    state_ = storage_test::fresh_state_folder();
    const auto store = Store::open(address_, state_);
    ASSERT_TRUE(store) << store.error().text();
    for (int number = 1; number <= kComparisons; ++number) {
      const Comparison comparison = wide_comparison(number);
      documents_[comparison_id(comparison)] = comparison_document(comparison);
      ASSERT_TRUE(Spool(state_).keep(comparison));
    }
    ASSERT_EQ(documents_.size(), static_cast<std::size_t>(kComparisons));
  }
  // Of all comparisons of the store, each read back; one that is there in part fails the test.
  std::size_t whole_comparisons() const {
    Store store = Store::open(address_, state_).value();
    auto session = Session::connect(address_.url, "test");
    auto transaction = Transaction::begin(*session);
    const auto ids = transaction->run("select id from steelyard.comparisons");
    EXPECT_TRUE(ids) << ids.error().text();
    for (std::int64_t row = 0; ids && row < ids->size(); ++row) {
      const auto comparison = ComparisonStore(store).get(ids->text(row, 0));
      EXPECT_TRUE(comparison) << comparison.error().text();
      const auto document = documents_.find(ids->text(row, 0));
      EXPECT_TRUE(comparison && document != documents_.end() && comparison_document(*comparison) == document->second);
    }
    return ids ? static_cast<std::size_t>(ids->size()) : 0;
  }
  StoreAddress address_;
  fs::path state_;
  std::map<std::string, std::string> documents_;  // by id
  std::mt19937_64 engine_{20261122};
};

TEST_F(ComparisonKill, OfWhoDeliversLeavesEachWholeOrNotAtAllAndThenExactlyOnce) {
  const int kills = storage_test::times(6, 60);
  std::size_t there = 0;
  for (int i = 0; i < kills; ++i) {
    const pid_t deliverer = fork();
    ASSERT_GE(deliverer, 0);
    if (deliverer == 0) {
      auto store = Store::open(address_, state_);
      if (store) (void)Spool(state_).deliver(destination(*store));
      _exit(0);
    }
    storage_test::sleep_for_seconds(storage_test::moment(engine_, 0.15));
    kill(deliverer, SIGKILL);
    waitpid(deliverer, nullptr, 0);
    const std::size_t now = whole_comparisons();
    EXPECT_GE(now, there) << "what was there stays";
    there = now;
  }
  Store store = Store::open(address_, state_).value();
  const auto rest = Spool(state_).deliver(destination(store));
  ASSERT_TRUE(rest) << rest.error().text();
  EXPECT_TRUE(rest->bad.empty());
  EXPECT_EQ(whole_comparisons(), documents_.size());
  EXPECT_TRUE(Spool(state_).waiting().empty());
  const fs::path delivered = Spool(state_).delivered_comparisons();
  EXPECT_EQ(std::distance(fs::directory_iterator(delivered), fs::directory_iterator()), kComparisons);
}

}  // namespace
}  // namespace steelyard::storage::comparison_kill_test
