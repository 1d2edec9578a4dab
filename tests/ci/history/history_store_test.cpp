// changes and gate --against-history over an embedded store that was filled by imports.
#include <gmock/gmock.h>

#include <cstdlib>
#include <nlohmann/json.hpp>

#include "tests/ci/cli/program_under_test.hpp"
#include "tests/promised.hpp"

namespace steelyard {
namespace {

using nlohmann::json;
using ::testing::AllOf;
using ::testing::HasSubstr;

class HistoryStore : public ProgramUnderTest {
 protected:
  static void SetUpTestSuite() {
    std::string name = (std::filesystem::temp_directory_path() / "steelyard-history-XXXXXX").string();
    ASSERT_NE(mkdtemp(name.data()), nullptr);
    shared_ = name;
    std::filesystem::permissions(name, std::filesystem::perms(0711));
    use_state(shared_ / "state");
    const Outcome started = run({"db", "init"});
    available_ = started.status == 0;
    why_ = started.err;
  }
  static void TearDownTestSuite() {
    use_state(shared_ / "state");
    run({"db", "stop", "--quiet"});
    std::error_code ignored;
    std::filesystem::remove_all(shared_, ignored);
  }
  void SetUp() override {
    ProgramUnderTest::SetUp();
    const bool is_missing = !available_ && why_.find("install") != std::string::npos;
    STEELYARD_SKIP_WITHOUT("postgresql", !is_missing, "no PostgreSQL server: " + why_);
    ASSERT_TRUE(available_) << why_;
    use_state(shared_ / "state");
  }

  // A file of two processes' worth of BM_a and BM_b, taken on the given day.
  static std::string taken(int day, double a, double b, const std::string& cpus = "2") {
    const auto record = [](const char* name, double value) {
      return R"({"name":")" + std::string(name) + R"(","run_type":"iteration","iterations":10,"real_time":)" +
             std::to_string(value) + R"(,"cpu_time":1,"time_unit":"ns"})";
    };
    return R"({"context":{"date":"2026-01-)" + std::string(day < 10 ? "0" : "") + std::to_string(day) +
           R"(T03:04:05+00:00","host_name":"h","num_cpus":)" + cpus + R"(,"mhz_per_cpu":2000},"benchmarks":[)" +
           record("BM_a", a) + "," + record("BM_b", b) + "]}";
  }
  static std::string commit(int day) { return std::string(38, 'a') + std::to_string(10 + day); }
  static void import_day(const std::string& project, int day, double a, double b) {
    write("day.json", taken(day, a, b));
    const Outcome imported = run(
        {"import", "google-benchmark", "day.json", "--commit", commit(day), "--branch", "main", "--project", project});
    ASSERT_EQ(imported.status, 0) << imported.err;
  }
  static double wobble(int day) { return 1 + 0.01 * ((day * 7) % 5 - 2); }

  static inline std::filesystem::path shared_;
  static inline bool available_ = false;
  static inline std::string why_;
};

TEST_F(HistoryStore, ChangesAreFoundInTheStoreAndKeepTheirIdentity) {
  const auto look = [&](int status) {
    const Outcome outcome = run({"changes", "--project", "steps", "--json", "--fail-on-regression"});
    EXPECT_EQ(outcome.status, status) << outcome.err;
    return json::parse(outcome.out);
  };
  for (int day = 1; day <= 16; ++day) import_day("steps", day, (day > 10 ? 120 : 100) * wobble(day), 50 * wobble(day));
  const json first = look(1);
  ASSERT_EQ(first["series"].size(), 2U);
  ASSERT_EQ(first["series"][0]["change_points"].size(), 1U);
  const json point = first["series"][0]["change_points"][0];
  EXPECT_EQ(point["commit"], commit(11));
  EXPECT_EQ(point["status"], "confirmed");
  EXPECT_EQ(first["series"][0]["project"], "steps");
  EXPECT_EQ(first["findings"][0]["last_good"], commit(10));
  for (int day = 17; day <= 24; ++day) import_day("steps", day, 120 * wobble(day), 50 * wobble(day));
  const json second = look(1);
  EXPECT_EQ(second["series"][0]["change_points"][0]["id"], point["id"]);
  EXPECT_FALSE(second.contains("log")) << second["log"];
  EXPECT_THAT(run({"changes", "BM_a", "--project", "steps"}).out,
              AllOf(HasSubstr("1 regression"), HasSubstr("+20"), HasSubstr("BM_a")));
}

TEST_F(HistoryStore, TheGateHoldsARunAgainstTheHistory) {
  for (int day = 1; day <= 14; ++day) import_day("gate", day, 100 * wobble(day), 50 * wobble(day));
  const std::vector<std::string> gate{"gate", "--against-history", "--run", "new.json",  "--project",
                                      "gate", "--history-branch",  "main",  "--no-store"};
  write("new.json", taken(20, 101, 50.5));
  const Outcome same = run(gate);
  EXPECT_EQ(same.status, 0) << same.out << same.err;
  EXPECT_THAT(same.err, HasSubstr("the history of branch main"));
  write("new.json", taken(20, 140, 50));
  const Outcome slower = run(gate);
  EXPECT_EQ(slower.status, 1) << slower.out << slower.err;
  EXPECT_THAT(slower.out, AllOf(HasSubstr("BM_a"), HasSubstr("regression")));
  std::vector<std::string> as_json = gate;
  as_json.emplace_back("--json");
  const json report = json::parse(run(as_json).out);
  EXPECT_EQ(report["comparisons"][0]["test"], "history");
  EXPECT_EQ(report["comparisons"][0]["layout"], "separate");
}

TEST_F(HistoryStore, AGateWithoutAHistoryIsLoud) {
  for (int day = 1; day <= 10; ++day) import_day("elsewhere", day, 100 * wobble(day), 50 * wobble(day));
  const auto gate = [&](const std::string& branch) {
    return run({"gate", "--against-history", "--run", "new.json", "--project", "elsewhere", "--history-branch", branch,
                "--no-store"});
  };
  write("new.json", taken(20, 100, 50));
  const Outcome no_branch = gate("another");
  EXPECT_EQ(no_branch.status, 2) << no_branch.out << no_branch.err;
  EXPECT_THAT(no_branch.out, AllOf(HasSubstr("incomparable"), HasSubstr("no baseline")));
  write("new.json", taken(20, 100, 50, "8"));
  const Outcome machine = gate("main");
  EXPECT_EQ(machine.status, 2) << machine.out << machine.err;
  EXPECT_THAT(machine.out, HasSubstr("other machines only"));
  EXPECT_EQ(run({"gate", "--run", "new.json"}).status, 3) << "--run without --against-history";
  EXPECT_EQ(run({"gate", "--against-history", "--run", "new.json", "--base", "main"}).status, 3);
  EXPECT_EQ(run({"gate", "--against-history", "--run", "new.json", "--store", "postgresql://x@127.0.0.1:1/y"}).status,
            2);
}

}  // namespace
}  // namespace steelyard
