// What is asked of a part of the store's series: by pages, by a branch, by a metric.
#include <gmock/gmock.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "storage/history_store.hpp"
#include "storage/place/store_address.hpp"
#include "storage/store.hpp"
#include "tests/ci/verbs/shared_store.hpp"

namespace steelyard::ci::stored_parts_test {
namespace {

using nlohmann::json;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

class StoredParts : public SharedStore {
 protected:
  static std::string commit(int day) { return std::string(38, 'c') + std::to_string(10 + day); }
  static void import_day(const std::string& project, int day, const std::vector<std::pair<std::string, double>>& all,
                         const std::string& branch = "main") {
    json taken{{"context",
                {{"date", "2026-01-" + std::to_string(10 + day) + "T03:04:05+00:00"},
                 {"host_name", "h"},
                 {"num_cpus", 2},
                 {"mhz_per_cpu", 2000}}},
               {"benchmarks", json::array()}};
    for (const auto& [name, value] : all) {
      taken["benchmarks"].push_back({{"name", name},
                                     {"run_type", "iteration"},
                                     {"iterations", 10},
                                     {"real_time", value},
                                     {"cpu_time", 1},
                                     {"time_unit", "ns"}});
    }
    write("day.json", taken.dump());
    const Outcome imported = run(
        {"import", "google-benchmark", "day.json", "--commit", commit(day), "--branch", branch, "--project", project});
    ASSERT_EQ(imported.status, 0) << imported.err;
  }
  // The program's answer, in the form of JSON.
  static json ask(std::vector<std::string> words) {
    words.emplace_back("--json");
    const Outcome answer = run(words);
    EXPECT_EQ(answer.status, 0) << answer.err;
    return answer.status == 0 ? json::parse(answer.out) : json();
  }
};

TEST_F(StoredParts, APageIsNotEmptyWhereALaterSeriesFits) {
  import_day("pages", 1, {{"BM_a", 1}, {"BM_b", 1}});
  import_day("pages", 2, {{"BM_c", 1}, {"BM_d", 1}}, "side");
  const std::vector<std::string> asked{"history", "--series", "1", "--branch", "side", "--project", "pages"};
  const json first = ask(asked);
  ASSERT_EQ(first["series"].size(), 1U) << first;
  EXPECT_EQ(first["series"][0]["benchmark"], "BM_c");
  ASSERT_TRUE(first["next"].is_string()) << first;
  std::vector<std::string> more = asked;
  more.insert(more.end(), {"--after", first["next"].get<std::string>()});
  const json second = ask(more);
  ASSERT_EQ(second["series"].size(), 1U) << second;
  EXPECT_EQ(second["series"][0]["benchmark"], "BM_d");
  EXPECT_THAT(run(asked).out, Not(HasSubstr("--metric NAME")));
}

TEST_F(StoredParts, ALookAtEachMetricIsNoneAtAPart) {
  for (int day = 1; day <= 14; ++day) {
    const double wobble = 1 + 0.01 * ((day * 7) % 5 - 2);
    import_day("whole", day, {{"BM_a", (day > 7 ? 130 : 100) * wobble}, {"BM_b", 50 * wobble}});
  }
  storage::KeptChangePoint point;
  point.id = "0123456789abcdef";
  point.project = "whole";
  point.benchmark = "BM_a";
  point.metric = "real_time";
  point.fingerprint = ask({"history", "BM_a", "--project", "whole"})["series"].at(0)["fingerprint"].get<std::string>();
  point.branch = "main";
  point.commit = commit(8);
  point.last_good = commit(7);
  point.before = 100;
  point.after = 130;
  point.ratio = 1.3;
  point.p = 0.0001;
  point.regression = true;
  point.cause = ChangeCause::machine;
  {
    auto store = storage::Store::open(storage::StoreAddress{}, shared_ / "state");
    ASSERT_TRUE(store) << store.error().text();
    ASSERT_TRUE(storage::HistoryStore(*store).put_change_points({{storage::ChangeEvent::confirmed, point, ""}}));
  }
  const auto cause = [](std::vector<std::string> more) {
    more.insert(more.begin(), "changes");
    more.insert(more.end(), {"--project", "whole", "--branch", "main", "--no-store"});
    const json found = ask(more);
    for (const json& series : found["series"]) {
      if (series["name"] == "BM_a" && series["metric"] == "real_time" && series["change_points"].size() == 1) {
        return series["change_points"][0]["cause"].get<std::string>();
      }
    }
    return "none in " + found.dump();
  };
  EXPECT_EQ(cause({"BM_a"}), "machine") << "a part keeps what was found of all";
  EXPECT_EQ(cause({"--metric", "real_time"}), "machine");
  EXPECT_EQ(cause({}), "commit");
  EXPECT_EQ(cause({"--metric", "*"}), "commit");

  const std::string range = commit(1) + ".." + commit(14);
  for (const char* what : {"--changed-in", "--top-movers"}) {
    const std::string told = run({"history", what, range, "--project", "whole"}).out;
    EXPECT_THAT(told, AllOf(HasSubstr("BM_a"), HasSubstr(point.fingerprint.substr(0, 9))))
        << "as every report names it";
  }
}

TEST_F(StoredParts, OfMoreRunsOfACommitThanAreNamedTheNumberIsSaid) {
  for (int i = 0; i < 21; ++i) import_day("often", 1, {{"BM_a", 100.0 + i}});
  const std::string said = run({"export", "commit:" + commit(1), "--project", "often"}).err;
  EXPECT_THAT(said, AllOf(HasSubstr("has 21 runs: run:"), HasSubstr(" and 10 more"), Not(HasSubstr("or more"))));
}

}  // namespace
}  // namespace steelyard::ci::stored_parts_test
