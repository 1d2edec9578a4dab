// Commits of the past, measured afterwards and kept; their history by ratios; and the bisect that an alert offers.
#include <gmock/gmock.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "storage/history_store.hpp"
#include "storage/place/store_address.hpp"
#include "storage/store.hpp"
#include "tests/ci/git/temporary_repository.hpp"
#include "tests/ci/verbs/shared_store.hpp"

namespace steelyard::ci::backfill_verb_test {
namespace {

using nlohmann::json;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

class Backfilled : public SharedStore {
 protected:
  void SetUp() override {
    SharedStore::SetUp();
    std::filesystem::current_path(made_.root());
    // As in measured_history_test.cpp: noise cannot decide thirty times the work in a process's own time.
    made_.write(
        "steelyard.toml",
        "[project]\nname = \"backfilled\"\n[build]\ncommand = \"sh build.sh\"\n[[program]]\nname = \"bench\"\n"
        "command = \"out/bench\"\n[run]\nmin_time = \"1ms\"\nrounds = 12\nfilter = \"varied\"\n"
        "layout = \"interleaved\"\ncounts = \"never\"\n[policy]\nminimum_effect = 0.5\nmetrics = [\"cpu_time\"]\n");
    for (const char* program : {"fast", "fast", "slow", "slow", "slow"}) commit("spanned_" + std::string(program));
  }
  void commit(const std::string& program) {
    made_.write("build.sh",
                "mkdir -p out && cp '" + fixture(program) + "' out/bench\n# " + std::to_string(++number_) + '\n');
    made_.commit("commit " + std::to_string(number_));
  }
  TemporaryRepository made_;

 private:
  int number_ = 0;
};

TEST_F(Backfilled, IsAChainOfRatiosThatHistoryDrawsAndThatGoesOn) {
  const Outcome short_of_time = run({"backfill", "HEAD~4..HEAD", "--within", "1ms", "--json"});
  EXPECT_EQ(short_of_time.status, 0) << short_of_time.err;
  EXPECT_TRUE(json::parse(short_of_time.out)["budget_spent"].get<bool>());
  const Outcome outcome = run({"backfill", "HEAD~4..HEAD", "--json"});
  EXPECT_EQ(outcome.status, 0) << outcome.out << outcome.err;
  const json report = json::parse(outcome.out);
  EXPECT_EQ(report["commits"], 5);
  EXPECT_EQ(report["linked"], 5);
  ASSERT_EQ(report["changes"].size(), 1U) << outcome.out;
  EXPECT_EQ(report["changes"][0]["commits_between"], 0);
  EXPECT_GT(report["changes"][0]["ratio"], 5);
  const Outcome again = run({"backfill", "HEAD~4..HEAD", "--json"});
  EXPECT_TRUE(json::parse(again.out)["steps"].empty()) << "all of it is in the store";

  const Outcome history = run({"history", "varied", "--metric", "cpu_time", "--chained", "--json"});
  ASSERT_EQ(history.status, 0) << history.err;
  const json series = json::parse(history.out)["series"];
  ASSERT_EQ(series.size(), 1U) << history.out;
  const json& points = series[0]["points"];
  ASSERT_EQ(points.size(), 5U);
  EXPECT_NEAR(points[1]["value"].get<double>() / points[0]["value"].get<double>(), 1, 0.5);
  EXPECT_GT(points[2]["value"].get<double>(), 5 * points[1]["value"].get<double>());
  EXPECT_NEAR(points[4]["value"].get<double>() / points[2]["value"].get<double>(), 1, 0.5);
  const Outcome of_any = run({"history", "varied", "--metric", "*", "--chained", "--json"});
  ASSERT_EQ(of_any.status, 0) << of_any.err;
  const json all = json::parse(of_any.out)["series"];
  const auto of_cpu_time =
      std::find_if(all.begin(), all.end(), [](const json& one) { return one["metric"] == "cpu_time"; });
  ASSERT_TRUE(of_cpu_time != all.end()) << of_any.out << of_any.err;
  EXPECT_EQ((*of_cpu_time)["points"], points) << "* is each metric, and no name of one";
}

TEST_F(Backfilled, AnAlertOverSeveralCommitsOffersTheBisectThatFindsItsOwn) {
  EXPECT_EQ(run({"gate", "--base", "HEAD~3", "--project", "offering"}).status, 1);
  const json alerts = json::parse(run({"alerts", "--json", "--project", "offering"}).out)["alerts"];
  ASSERT_FALSE(alerts.empty());
  const std::string id = alerts[0]["id"];
  const Outcome shown = run({"alerts", "show", id, "--project", "offering"});
  EXPECT_THAT(shown.out,
              AllOf(HasSubstr("find the commit: steelyard bisect "), HasSubstr("'BM_varied' --metric cpu_time")));
  made_.git("reset --quiet --hard HEAD~2");
  EXPECT_EQ(run({"gate", "--project", "single"}).status, 1);
  const json single = json::parse(run({"alerts", "--json", "--project", "single"}).out)["alerts"];
  ASSERT_FALSE(single.empty());
  EXPECT_THAT(run({"alerts", "show", single[0]["id"], "--project", "single"}).out, Not(HasSubstr("bisect")))
      << "between a commit and its parent there is nothing to search";
}

// An older version kept the changes of two machines at one commit under one id.
TEST_F(Backfilled, AnAlertOffersTheBisectOfItsOwnMachine) {
  std::vector<storage::ChangePointEvent> events;
  for (const char* machine : {"several", "single"}) {
    const std::string last_good = machine == std::string("several") ? "HEAD~3" : "HEAD~1";
    const storage::KeptChangePoint point{"shared",  "offered", "BM_offered", "cpu_time", machine, "main", "HEAD",
                                         last_good, 1,         1.5,          1.5,        1e-9,    true};
    events.push_back({storage::ChangeEvent::confirmed, point, ""});
  }
  {
    auto store = storage::Store::open(storage::StoreAddress{}, shared_ / "state");
    ASSERT_TRUE(store) << store.error().text();
    ASSERT_TRUE(storage::HistoryStore(*store).put_change_points(events));
  }
  const json alerts =
      json::parse(run({"alerts", "--json", "--project", "all", "--benchmark", "BM_offered"}).out)["alerts"];
  ASSERT_EQ(alerts.size(), 2U) << alerts;
  for (const json& alert : alerts) {
    const std::string shown = run({"alerts", "show", alert["id"].get<std::string>()}).out;
    const bool is_offered = shown.find("find the commit: steelyard bisect ") != std::string::npos;
    EXPECT_EQ(is_offered, alert["fingerprint"] == "several") << shown;
  }
}

TEST_F(Backfilled, RefusesWhatIsNoRange) {
  for (const char* range : {"HEAD", "HEAD..HEAD~1", "..HEAD", "HEAD..", "HEAD...HEAD~1"}) {
    EXPECT_EQ(run({"backfill", range}).status, 3) << range;
  }
  EXPECT_EQ(run({"backfill", "HEAD~1..HEAD", "--within", "soon"}).status, 3);
  EXPECT_EQ(run({"history", "--chained", "--archives", "."}).status, 3);
}

}  // namespace
}  // namespace steelyard::ci::backfill_verb_test
