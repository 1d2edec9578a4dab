// Regressions of a history that later changes took back: what fails, and what becomes of their alerts, over an embedded
// store that was filled by imports.
#include <gmock/gmock.h>

#include <nlohmann/json.hpp>

#include "tests/ci/verbs/shared_store.hpp"

namespace steelyard::ci::taken_back_test {
namespace {

using nlohmann::json;
using ::testing::HasSubstr;
using ::testing::Not;

constexpr int kDays = 10;  // at each level

class TakenBack : public SharedStore {
 protected:
  static std::string commit(int day) { return std::string(38, 'a') + std::to_string(10 + day); }
  static std::string two_digits(int number) { return (number < 10 ? "0" : "") + std::to_string(number); }
  static void import_day(const std::string& project, int day, double level, const std::string& cpus,
                         const std::string& host = "h", const std::string& branch = "main") {
    const double time = level * (1 + 0.001 * ((day * 7) % 5 - 2));
    write("day.json", R"({"context":{"date":"2026-)" + two_digits(1 + day / 28) + "-" + two_digits(1 + day % 28) +
                          R"(T03:04:05+00:00","host_name":")" + host + R"(","num_cpus":)" + cpus +
                          R"(,"mhz_per_cpu":2000},"benchmarks":[{"name":"BM_a","run_type":"iteration",)" +
                          R"("iterations":10,"real_time":)" + std::to_string(time) +
                          R"(,"cpu_time":1,"time_unit":"ns"}]})");
    const Outcome imported = run(
        {"import", "google-benchmark", "day.json", "--commit", commit(day), "--branch", branch, "--project", project});
    ASSERT_EQ(imported.status, 0) << imported.err;
  }
  // Days at each of the levels, behind as many levels as there are.
  static void import_levels(const std::string& project, const std::vector<double>& levels, int behind = 0,
                            const std::string& cpus = "2") {
    for (int i = 0; i < static_cast<int>(levels.size()) * kDays; ++i) {
      import_day(project, behind * kDays + i + 1, levels[static_cast<std::size_t>(i / kDays)], cpus);
    }
  }
  static std::string first_at_level(int level) { return commit(level * kDays + 1); }
  static Outcome look(const std::string& project) {
    return run({"changes", "--project", project, "--fail-on-regression"});
  }
  static json alerts(const std::string& project) {
    return json::parse(run({"alerts", "--project", project, "--all", "--json"}).out)["alerts"];
  }
};

TEST_F(TakenBack, ARegressionIsOpenAndFailsUntilItsLevelIsTakenBack) {
  import_levels("mended", {100, 110, 107});
  for (int again = 0; again < 2; ++again) {
    const Outcome partly = look("mended");
    EXPECT_EQ(partly.status, 1) << partly.out;
    EXPECT_THAT(partly.out, Not(HasSubstr("taken back")));
  }
  ASSERT_EQ(alerts("mended").size(), 1U);
  EXPECT_EQ(alerts("mended")[0]["state"], "open");

  import_levels("mended", {100}, 3);
  const Outcome mended = look("mended");
  EXPECT_EQ(mended.status, 0) << mended.out;
  EXPECT_THAT(mended.out, HasSubstr("confirmed, taken back by aaaaaaaaa"));
  EXPECT_THAT(mended.out, HasSubstr("note: BM_a real_time: the regression at aaaaaaaaa was taken back by aaaaaaaaa"));
  const json ended = alerts("mended");
  ASSERT_EQ(ended.size(), 1U) << ended;
  EXPECT_EQ(ended[0]["state"], "resolved");
  EXPECT_EQ(ended[0]["commit"], first_at_level(1));
  EXPECT_EQ(ended[0]["life"].back()["by"], "change point");
  EXPECT_EQ(ended[0]["life"].back()["commit"], first_at_level(3));
  const Outcome again = look("mended");
  EXPECT_EQ(again.status, 0) << again.out;
  EXPECT_THAT(again.out, Not(HasSubstr("note: "))) << "told once";
  EXPECT_EQ(alerts("mended"), ended) << "nothing is added by another look";
  EXPECT_EQ(run({"alerts", "--project", "mended"}).out, "no alerts\n");

  import_levels("mended", {110}, 4);
  EXPECT_EQ(look("mended").status, 1) << "a change of its own";
  const json both = alerts("mended");
  ASSERT_EQ(both.size(), 2U) << both;
  for (const json& one : both) {
    const bool is_new = one["commit"] == first_at_level(4);
    EXPECT_EQ(one["state"], is_new ? "open" : "resolved") << one;
  }
}

TEST_F(TakenBack, AnImportedHistoryWithMendedStepsBeginsWithoutAlerts) {
  import_levels("imported", {100, 110, 100});
  for (int again = 0; again < 2; ++again) {
    const Outcome looked = look("imported");
    EXPECT_EQ(looked.status, 0) << looked.out;
    EXPECT_THAT(looked.out, HasSubstr("confirmed, taken back by"));
    EXPECT_TRUE(alerts("imported").empty()) << alerts("imported");
  }
}

TEST_F(TakenBack, AnotherMachineTakesNothingBack) {
  import_levels("moved", {100, 110});
  import_levels("moved", {90, 80}, 2, "4");
  const Outcome looked = look("moved");
  EXPECT_EQ(looked.status, 1) << looked.out;
  EXPECT_THAT(looked.out, Not(HasSubstr("taken back")));
  ASSERT_EQ(alerts("moved").size(), 1U);
  EXPECT_EQ(alerts("moved")[0]["state"], "open");
}

class HostsOfAMachine : public TakenBack {
 protected:
  static std::string looked() { return run({"changes", "--project", "hosts", "--branch", "main"}).out; }
};

TEST_F(HostsOfAMachine, AreToldOfTheBranchThatIsLookedAtWhereTheyAreSeveral) {
  import_levels("hosts", {100});
  import_day("hosts", kDays + 1, 100, "2", "elsewhere", "side");
  EXPECT_THAT(looked(), Not(HasSubstr(" hosts (")));
  import_day("hosts", kDays + 2, 100, "2", "elsewhere");
  EXPECT_THAT(looked(), HasSubstr(" is 2 hosts (elsewhere, h); what else their results say"));
}

}  // namespace
}  // namespace steelyard::ci::taken_back_test
