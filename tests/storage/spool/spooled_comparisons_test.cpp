// Comparisons in the spool and in a rebuild: the same rules as for runs, and after the runs that they are of.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <sstream>

#include "storage/archive/archive.hpp"
#include "storage/comparison/comparison_document.hpp"
#include "storage/spool/rebuild.hpp"
#include "storage/spool/spool.hpp"
#include "tests/storage/archive/sample_run.hpp"
#include "tests/storage/comparison/random_comparison.hpp"

namespace steelyard::storage::spooled_comparisons_test {
namespace {

namespace fs = std::filesystem;
using storage_test::RandomComparison;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

steelyard::Run run_at(std::int64_t created_at_unix_ns) {
  auto run = sample_run();
  run.header.created_at_unix_ns = created_at_unix_ns;
  seal(run);
  return run;
}

// A comparison whose candidate was measured then.
Comparison comparison_at(std::int64_t created_at_unix_ns, const std::string& rule_version = "1") {
  Comparison comparison = RandomComparison(7).draw(true);
  comparison.rule_version = rule_version;
  comparison.candidate.id = run_at(created_at_unix_ns).header.id;
  comparison.candidate.created_at_unix_ns = created_at_unix_ns;
  return comparison;
}

class SpooledComparisons : public testing::Test {
 protected:
  void SetUp() override {
    std::string pattern = fs::temp_directory_path() / "steelyard_spooled_XXXXXX";
    ASSERT_NE(mkdtemp(pattern.data()), nullptr);
    state_ = pattern;
  }
  void TearDown() override { fs::remove_all(state_); }

  // Take everything once, as a store does, and remember in what order.
  Spool::PutRun put_run() {
    return
        [this](const steelyard::Run& run) { return take("run at " + std::to_string(run.header.created_at_unix_ns)); };
  }
  Spool::PutComparison put_comparison() {
    return [this](const Comparison& comparison) -> Result<bool> {
      comparisons_.push_back(comparison);
      return take("comparison at " + std::to_string(comparison.candidate.created_at_unix_ns) + " by " +
                  comparison.rule_version);
    };
  }
  Result<bool> take(const std::string& what) {
    if (std::find(taken_.begin(), taken_.end(), what) != taken_.end()) return false;
    taken_.push_back(what);
    return true;
  }

  fs::path state_;
  std::vector<std::string> taken_;
  std::vector<Comparison> comparisons_;
};

TEST_F(SpooledComparisons, AreDeliveredBitForBitAfterTheRunsThatCameBefore) {
  Spool spool(state_);
  for (const std::int64_t time : {30, 10, 20}) {
    ASSERT_TRUE(spool.keep(comparison_at(time)));
    ASSERT_TRUE(spool.keep(run_at(time)));
  }
  EXPECT_EQ(spool.count_waiting(), (Spool::Count{3, 3}));
  const auto delivery = spool.deliver({put_run(), put_comparison()});
  ASSERT_TRUE(delivery) << delivery.error().text();
  EXPECT_EQ(delivery->delivered, 3);
  EXPECT_EQ(delivery->comparisons, 3);
  EXPECT_THAT(taken_, ElementsAre("run at 10", "comparison at 10 by 1", "run at 20", "comparison at 20 by 1",
                                  "run at 30", "comparison at 30 by 1"));
  EXPECT_TRUE(comparisons_[0] == comparison_at(10));
  EXPECT_THAT(spool.waiting(), IsEmpty());
  for (const auto& entry : fs::directory_iterator(spool.delivered_comparisons())) {
    EXPECT_TRUE(read_comparison(entry.path()));
  }
  EXPECT_EQ(std::distance(fs::directory_iterator(state_ / "comparisons"), fs::directory_iterator()), 3);
}

TEST_F(SpooledComparisons, WaitOnceHoweverOftenTheyAreKept) {
  Spool spool(state_);
  ASSERT_TRUE(spool.keep(comparison_at(1)));
  ASSERT_TRUE(spool.keep(comparison_at(1)));
  ASSERT_TRUE(spool.keep(comparison_at(1, "2")));
  EXPECT_EQ(spool.count_waiting(), (Spool::Count{0, 2}));
  ASSERT_TRUE(spool.deliver({put_run(), put_comparison()}));
  ASSERT_TRUE(spool.keep(comparison_at(1)));
  const auto again = spool.deliver({put_run(), put_comparison()});
  ASSERT_TRUE(again);
  EXPECT_EQ(again->comparisons, 0);
  EXPECT_EQ(again->comparisons_already_there, 1);
  EXPECT_EQ(std::distance(fs::directory_iterator(state_ / "comparisons"), fs::directory_iterator()), 2);
}

TEST_F(SpooledComparisons, AtHandAreHandedOnAsTheyWereKept) {
  Spool spool(state_);
  Comparison odd = comparison_at(1);
  odd.warnings = {"no UTF-8: \xff"};
  const auto kept = spool.keep(odd);
  ASSERT_TRUE(kept) << kept.error().text();
  EXPECT_TRUE(kept->comparison == *as_kept(odd));
  const Comparison* given = nullptr;
  const auto take = [&given](const Comparison& one) -> Result<bool> {
    given = &one;
    return true;
  };
  const auto delivery = spool.deliver({put_run(), take}, {{}, &*kept});
  ASSERT_TRUE(delivery) << delivery.error().text();
  EXPECT_EQ(delivery->comparisons, 1);
  EXPECT_EQ(given, &kept->comparison);
  EXPECT_TRUE(fs::exists(spool.delivered_comparisons() / kept->path.filename()));
}

TEST_F(SpooledComparisons, StoreThatFailsLeavesThemWaitingInOrder) {
  Spool spool(state_);
  for (const std::int64_t time : {1, 2}) {
    ASSERT_TRUE(spool.keep(run_at(time)));
    ASSERT_TRUE(spool.keep(comparison_at(time)));
  }
  const auto away = [](const Comparison&) -> Result<bool> { return store_error("store", "the link was lost"); };
  ASSERT_FALSE(spool.deliver({put_run(), away}));
  EXPECT_EQ(spool.count_waiting(), (Spool::Count{1, 2}));
  EXPECT_THAT(taken_, ElementsAre("run at 1"));
  ASSERT_TRUE(spool.deliver({put_run(), put_comparison()}));
  EXPECT_THAT(taken_, ElementsAre("run at 1", "comparison at 1 by 1", "run at 2", "comparison at 2 by 1"));
}

TEST_F(SpooledComparisons, ThatCannotBeReadOrAreRefusedAreSetAsideAndTheRestDelivered) {
  Spool spool(state_);
  for (const std::int64_t time : {2, 3}) ASSERT_TRUE(spool.keep(comparison_at(time)));
  const std::string good = comparison_document(comparison_at(1));
  std::ofstream(state_ / "spool/0000000000000000001-damaged.json") << good.substr(0, good.size() / 2);
  const auto take = put_comparison();
  const auto delivery = spool.deliver({put_run(), [&](const Comparison& comparison) -> Result<bool> {
                                         if (comparison.candidate.created_at_unix_ns == 2)
                                           return input_error("store main", "invalid byte sequence");
                                         return take(comparison);
                                       }});
  ASSERT_TRUE(delivery) << delivery.error().text();
  EXPECT_EQ(delivery->comparisons, 1);
  ASSERT_THAT(delivery->bad, SizeIs(2));
  EXPECT_THAT(delivery->bad[0].text(), HasSubstr("damaged.json"));
  EXPECT_THAT(delivery->bad[1].text(), HasSubstr("invalid byte sequence"));
  EXPECT_THAT(spool.waiting(), IsEmpty());
  EXPECT_EQ(std::distance(fs::directory_iterator(state_ / "spool/bad"), fs::directory_iterator()), 4)
      << "two documents, two reasons";
}

TEST_F(SpooledComparisons, OfANewerVersionKeepWaiting) {
  Spool spool(state_);
  ASSERT_TRUE(spool.keep(comparison_at(2)));
  const fs::path newer = state_ / "spool/0000000000000000001-newer.json";
  std::ofstream(newer) << R"({"schema": "steelyard.comparison/2", "what": "nobody knows"})";
  const auto delivery = spool.deliver({put_run(), put_comparison()});
  ASSERT_TRUE(delivery);
  EXPECT_EQ(delivery->comparisons, 1);
  ASSERT_THAT(delivery->bad, SizeIs(1));
  EXPECT_THAT(delivery->bad[0].text(), HasSubstr("a newer steelyard wrote it"));
  EXPECT_THAT(spool.waiting(), ElementsAre(newer));
}

TEST_F(SpooledComparisons, KeepWaitingWhereOnlyRunsAreTaken) {
  Spool spool(state_);
  ASSERT_TRUE(spool.keep(comparison_at(1)));
  ASSERT_TRUE(spool.keep(run_at(1)));
  ASSERT_TRUE(spool.deliver({put_run()}));
  EXPECT_EQ(spool.count_waiting(), (Spool::Count{0, 1}));
}

TEST_F(SpooledComparisons, AreKeptAsTheyReadBackHoweverTheyWere) {
  Spool spool(state_);
  Comparison odd = comparison_at(1);
  odd.warnings = {"no UTF-8: \xff"};
  ASSERT_TRUE(spool.keep(odd));
  ASSERT_TRUE(spool.keep(*as_kept(odd)));
  EXPECT_EQ(spool.count_waiting(), (Spool::Count{0, 1})) << "the same, as every reader has it";
}

TEST_F(SpooledComparisons, ComeBackFromTheirFolderOldestFirst) {
  const fs::path folder = state_ / "evidence";
  const auto write = [&](const std::string& name, const std::string& text) {
    fs::create_directories((folder / name).parent_path());
    std::ofstream(folder / name) << text;
  };
  write("a/comparison.json", comparison_document(comparison_at(30)));
  write("b/comparison.json", comparison_document(comparison_at(10)));
  write("copy of b.json", comparison_document(comparison_at(10)));
  write("google.json", R"({"context": {}, "benchmarks": []})");
  write("half.json", comparison_document(comparison_at(20)).substr(0, 400));
  write("notes.txt", comparison_document(comparison_at(40)));
  Rebuild done;
  done.runs = 5;
  const auto rebuilt = rebuild_comparisons(folder, put_comparison(), done);
  ASSERT_TRUE(rebuilt) << rebuilt.error().text();
  EXPECT_THAT(taken_, ElementsAre("comparison at 10 by 1", "comparison at 30 by 1"));
  EXPECT_TRUE(comparisons_.back() == comparison_at(30));
  EXPECT_EQ(done.runs, 5) << "it adds to what was done before";
  EXPECT_EQ(done.comparisons, 3);
  EXPECT_EQ(done.comparisons_already_there, 1);
  ASSERT_THAT(done.bad, SizeIs(1));
  EXPECT_THAT(done.bad[0].text(), HasSubstr("half.json"));
}

TEST_F(SpooledComparisons, StandInTheOrderOfTheNamesThatTheSpoolGaveThem) {
  const fs::path folder = state_ / "comparisons";
  fs::create_directories(folder);
  std::ofstream(folder / "0000000000000000010-0123456789abcdef.json") << comparison_document(comparison_at(30));
  std::ofstream(folder / "20.json") << comparison_document(comparison_at(20));
  std::ofstream(folder / "0000000000000000005-0123456789abcdeX.json") << comparison_document(comparison_at(40));
  Rebuild done;
  ASSERT_TRUE(rebuild_comparisons(folder, put_comparison(), done));
  EXPECT_THAT(taken_, ElementsAre("comparison at 30 by 1", "comparison at 20 by 1", "comparison at 40 by 1"))
      << "another's name says nothing";
}

TEST_F(SpooledComparisons, RebuildStopsWhereTheStoreFailsAndGoesOnWhereItRefuses) {
  const fs::path folder = state_ / "evidence";
  fs::create_directories(folder);
  for (const std::int64_t time : {1, 2}) {
    std::ofstream(folder / (std::to_string(time) + ".json")) << comparison_document(comparison_at(time));
  }
  Rebuild done;
  const auto away = [](const Comparison&) -> Result<bool> { return store_error("store", "the link was lost"); };
  const auto stopped = rebuild_comparisons(folder, away, done);
  ASSERT_FALSE(stopped);
  EXPECT_EQ(stopped.error().kind, ErrorKind::store);
  const auto refuses = [](const Comparison&) -> Result<bool> { return input_error("store", "no"); };
  ASSERT_TRUE(rebuild_comparisons(folder, refuses, done));
  EXPECT_THAT(done.bad, SizeIs(2));
  EXPECT_EQ(done.comparisons, 0);
  const auto absent = rebuild_comparisons(folder / "absent", refuses, done);
  ASSERT_FALSE(absent);
  EXPECT_EQ(absent.error().kind, ErrorKind::input);
}

}  // namespace
}  // namespace steelyard::storage::spooled_comparisons_test
