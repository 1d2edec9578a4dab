// changes and gate --against-history over an embedded store that was filled by imports.
#include <gmock/gmock.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "storage/archive/archive.hpp"
#include "storage/calibration/calibration_document.hpp"
#include "tests/ci/verbs/shared_store.hpp"

namespace steelyard::ci::history_store_test {
namespace {

using nlohmann::json;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

class HistoryStore : public SharedStore {
 protected:
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
  static void import_day(const std::string& project, int day, double a, double b, const std::string& branch = "main") {
    write("day.json", taken(day, a, b));
    const Outcome imported = run(
        {"import", "google-benchmark", "day.json", "--commit", commit(day), "--branch", branch, "--project", project});
    ASSERT_EQ(imported.status, 0) << imported.err;
  }
  // The only one that the project has; its id.
  static std::string accept_the_alert_of(const std::string& project, const std::string& by) {
    const json alerts = json::parse(run({"alerts", "--project", project, "--json"}).out)["alerts"];
    EXPECT_EQ(alerts.size(), 1U) << alerts;
    const std::string alert = alerts.at(0)["id"].get<std::string>();
    const Outcome accepted = run({"alerts", "accept", alert, "--commit", by, "--note", "the checks cost that"});
    EXPECT_EQ(accepted.status, 0) << accepted.err;
    return alert;
  }
  static std::string newest_run_of(const std::string& project) {
    const json history = json::parse(run({"history", "BM_a", "--project", project, "--branch", "main", "--json"}).out);
    return history["series"].at(0)["points"].back()["run"].get<std::string>();
  }
  static Outcome with(std::vector<std::string> arguments, const std::vector<std::string>& more) {
    arguments.insert(arguments.end(), more.begin(), more.end());
    return run(arguments);
  }
  static double wobble(int day) { return 1 + 0.01 * ((day * 7) % 5 - 2); }
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

TEST_F(HistoryStore, ABranchIsASeriesOfItsOwnAndOneChangeIsFoundOnce) {
  for (int day = 1; day <= 14; ++day) import_day("mixed", day, 100 * wobble(day), 50 * wobble(day));
  for (int day = 15; day <= 20; ++day) import_day("mixed", day, 150 * wobble(day), 50 * wobble(day), "feature");
  const auto look = [](std::vector<std::string> more) {
    more.insert(more.end(), {"--project", "mixed", "--json"});
    return json::parse(with({"changes"}, more).out);
  };
  const auto alerts = [] { return json::parse(run({"alerts", "--project", "mixed", "--json"}).out)["alerts"]; };
  const json apart = look({});
  ASSERT_EQ(apart["series"].size(), 4U) << apart;
  EXPECT_EQ(apart["series"][0]["branch"], "feature");
  EXPECT_EQ(apart["series"][0]["points"], 6);
  EXPECT_EQ(apart["series"][2]["branch"], "main");
  EXPECT_TRUE(apart["findings"].empty()) << "no commit of either branch changed anything: " << apart;
  EXPECT_TRUE(alerts().empty());

  for (int day = 21; day <= 27; ++day) import_day("mixed", day, 130 * wobble(day), 50 * wobble(day));
  const json found = look({});
  ASSERT_EQ(found["findings"].size(), 1U) << found;
  EXPECT_EQ(found["findings"][0]["commit"], commit(21));
  EXPECT_EQ(found["series"][2]["change_points"].size(), 1U);
  EXPECT_EQ(look({"--branch", "main"})["series"][0]["change_points"][0]["id"],
            found["series"][2]["change_points"][0]["id"]);
  ASSERT_EQ(alerts().size(), 1U) << "of two looks at one change";
  EXPECT_EQ(alerts()[0]["branch"], "main");
  EXPECT_THAT(run({"changes", "--project", "mixed"}).out,
              AllOf(HasSubstr(" on main\n"), HasSubstr("on main: BM_a"), HasSubstr("4 series: 1 regression")));
}

TEST_F(HistoryStore, AChangeThatTwoMachinesSawIsOneOfEachAndWhatWasAcceptedOfBothStays) {
  for (int day = 1; day <= 20; ++day) {
    for (const char* cpus : {"2", "4"}) {
      const double level = (day > 10 ? 120 : 100) * (cpus[0] == '2' ? 1 : 0.7);
      write("day.json", taken(day, level * wobble(day), 50 * wobble(day), cpus));
      ASSERT_EQ(run({"import", "google-benchmark", "day.json", "--commit", commit(day), "--branch", "main", "--project",
                     "twice"})
                    .status,
                0);
    }
  }
  const auto look = [] { return run({"changes", "--project", "twice", "--fail-on-regression"}); };
  ASSERT_EQ(look().status, 1);
  const auto alerts = [] {
    return json::parse(run({"alerts", "--project", "twice", "--all", "--json"}).out)["alerts"];
  };
  const json found = alerts();
  ASSERT_EQ(found.size(), 2U) << found;
  EXPECT_NE(found[0]["change_point"], found[1]["change_point"]);
  const std::string listed = run({"alerts", "--project", "twice"}).out;
  for (const json& one : found) {
    const std::string machine = ", machine " + one["fingerprint"].get<std::string>().substr(0, 9);
    EXPECT_THAT(listed, HasSubstr(machine));
    const std::string id = one["id"].get<std::string>();
    EXPECT_THAT(run({"alerts", "show", id}).out, HasSubstr(machine));
    ASSERT_EQ(run({"alerts", "accept", id, "--commit", commit(11)}).status, 0);
  }
  for (int again = 0; again < 2; ++again) {
    const Outcome seen = look();
    EXPECT_EQ(seen.status, 0) << seen.out;
    EXPECT_THAT(seen.out, Not(HasSubstr("not seen any more")));
  }
  ASSERT_EQ(alerts().size(), 2U);
  for (const json& one : alerts()) EXPECT_EQ(one["state"], "accepted") << one;
}

TEST_F(HistoryStore, AChangeOfRunsWithoutACommitIsFoundAndSaidNotToBeKept) {
  for (int day = 1; day <= 20; ++day) {
    write("day.json", taken(day, (day > 10 ? 120 : 100) * wobble(day), 50 * wobble(day)));
    ASSERT_EQ(run({"import", "google-benchmark", "day.json", "--project", "nameless"}).status, 0);
  }
  const Outcome found = run({"changes", "--project", "nameless", "--fail-on-regression"});
  EXPECT_EQ(found.status, 1) << found.out;
  EXPECT_THAT(found.err, HasSubstr("1 change of runs without a commit is not kept and opens no alert"));
  EXPECT_EQ(run({"alerts", "--project", "nameless"}).out, "no alerts\n");
  EXPECT_THAT(run({"changes", "--project", "nameless", "--no-store"}).err, Not(HasSubstr("without a commit")));
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
  write("c.json", report.dump());
  const std::string newest = "run:" + report["baseline"]["id"].get<std::string>();
  const Outcome by_name = run({"verify", "c.json", "--baseline", newest, "--candidate", "new.json"});
  EXPECT_EQ(by_name.status, 0) << by_name.out << by_name.err;
  EXPECT_EQ(run({"verify", "c.json"}).status, 2) << "the candidate is nowhere but in its file";
  const Outcome explained = with(gate, {"--explain", "BM_a", "--archive-dir", "kept", "--flame-dir", "flames"});
  EXPECT_EQ(explained.status, 1) << explained.err;
  EXPECT_THAT(explained.out, AllOf(HasSubstr("test: Student's t"), HasSubstr("14 occasions")));
  EXPECT_TRUE(std::filesystem::exists("kept/candidate.syrun"));
  EXPECT_TRUE(std::filesystem::exists("kept/baseline.syrun"));
  const Outcome verified = run({"verify", "kept"});
  EXPECT_EQ(verified.status, 0) << verified.out << verified.err;
  EXPECT_THAT(verified.out, AllOf(HasSubstr("kept: verified"), HasSubstr("rules      history-")));
  json forged = json::parse(text_of("kept/comparison.json"));
  forged["history"]["series"][0]["values"][3] = 120;
  write("kept/comparison.json", forged.dump());
  EXPECT_EQ(run({"verify", "kept"}).status, 1) << "another history gives another verdict";
  forged.erase("history");
  write("kept/comparison.json", forged.dump());
  const Outcome older = run({"verify", "kept"});
  EXPECT_EQ(older.status, 2) << older.out;
  EXPECT_THAT(older.out, HasSubstr("an older steelyard judged it against a history"));
  Calibration failed;
  failed.fingerprint = report["candidate"]["fingerprint"].get<std::string>();
  failed.failed = true;
  failed.reason = "3 of 10 gates";
  ASSERT_TRUE(storage::write_calibration("failed.json", failed));
  const json refused = json::parse(with(gate, {"--calibration", "failed.json", "--json"}).out);
  EXPECT_EQ(refused["comparisons"][0]["verdict"], "inconclusive") << "a machine that failed gets no verdicts";
  EXPECT_EQ(with(gate, {"--explain", "BM_z"}).status, 3);
  EXPECT_EQ(with(gate, {"--head", "HEAD"}).status, 3) << "a run and what to measure";
}

TEST_F(HistoryStore, ALevelThatACommitAcceptedFailsNoGateUntilMoreIsLost) {
  const auto gate = [](int day, double time, const std::vector<std::string>& more) {
    import_day("accepted", day, time, 50, "work");
    return with({"gate", "--against-history", "--run", "commit:" + commit(day), "--project", "accepted",
                 "--history-branch", "main"},
                more);
  };
  for (int day = 1; day <= 14; ++day) import_day("accepted", day, 100 * wobble(day), 50 * wobble(day));
  const Outcome failed = gate(15, 140, {});
  ASSERT_EQ(failed.status, 1) << failed.out << failed.err;
  accept_the_alert_of("accepted", commit(15));
  const Outcome accepted = gate(16, 141, {"--archive-dir", "kept"});
  EXPECT_EQ(accepted.status, 0) << accepted.out << accepted.err;
  EXPECT_THAT(accepted.out, AllOf(HasSubstr("regression"), HasSubstr("does not gate: commit aaaaaaaaa accepted")));
  const Outcome verified = run({"verify", "kept"});
  EXPECT_EQ(verified.status, 0) << verified.out << verified.err;
  EXPECT_EQ(gate(17, 300, {"--no-store"}).status, 1) << "more than was accepted";
}

TEST_F(HistoryStore, AChangePointThatACommitAcceptedDoesNotGateUntilThatIsTakenBackAndFollowsARename) {
  for (int day = 1; day <= 20; ++day) {
    import_day("agreed", day, (day > 14 ? 140 : 100) * wobble(day), 50 * wobble(day));
  }
  const auto changes = [] {
    return run({"changes", "--project", "agreed", "--branch", "main", "--fail-on-regression"});
  };
  ASSERT_EQ(changes().status, 1);
  const std::string alert = accept_the_alert_of("agreed", commit(15));
  const Outcome told = changes();
  EXPECT_EQ(told.status, 0) << told.out;
  EXPECT_THAT(told.out, AllOf(HasSubstr("1 regression"), HasSubstr("confirmed, accepted by aaaaaaaaa")));
  const json report = json::parse(run({"changes", "--project", "agreed", "--branch", "main", "--json"}).out);
  EXPECT_EQ(report["series"][0]["change_points"][0]["accepted_by"], commit(15));
  ASSERT_EQ(run({"alerts", "reopen", alert}).status, 0);
  EXPECT_EQ(changes().status, 1) << "who takes it back has not accepted it";

  write("steelyard.toml", "[rename]\n\"BM_a\" = \"BM_z\"\n");
  const std::string shown = alert.substr(0, 12);
  const auto told_of = [](const std::vector<std::string>& arguments) {
    return with(arguments, {"--project", "agreed"}).out;
  };
  for (const std::string& text : {told_of({"alerts", "--benchmark", "BM_z"}), told_of({"alerts", "show", shown})}) {
    EXPECT_THAT(text, AllOf(HasSubstr(shown), HasSubstr("BM_z  real_time"), Not(HasSubstr("BM_a"))));
  }
  EXPECT_EQ(told_of({"alerts", "--benchmark", "BM_a"}), "no alerts\n") << "it is called so no more";
  EXPECT_THAT(told_of({"history", "BM_z"}), HasSubstr("alert " + shown)) << "at the commit that it came with";
  const std::string range = commit(10) + ".." + commit(20);
  EXPECT_THAT(told_of({"history", "--changed-in", range, "--branch", "main"}),
              AllOf(HasSubstr("BM_z"), Not(HasSubstr("BM_a"))));
  EXPECT_THAT(told_of({"history", "--top-movers", range, "--branch", "main"}),
              AllOf(HasSubstr("BM_z"), Not(HasSubstr("BM_a"))));
  std::filesystem::remove("steelyard.toml");
}

TEST_F(HistoryStore, WhoAsksForAnEarlierNameIsShownTodays) {
  for (int day = 1; day <= 14; ++day) import_day("before", day, (day > 7 ? 140 : 100) * wobble(day), 50 * wobble(day));
  write("steelyard.toml", "[rename]\n\"BM_a\" = \"BM_z\"\n");
  for (const std::vector<std::string>& verb :
       {{"history"}, {"history", "--branch", "main"}, std::vector<std::string>{"changes"}}) {
    const Outcome shown = with(verb, {"BM_a", "--project", "before"});
    EXPECT_THAT(shown.out, AllOf(HasSubstr("BM_z"), Not(HasSubstr("BM_b")), Not(HasSubstr("did you mean"))));
    EXPECT_THAT(shown.err, HasSubstr("BM_a is called BM_z today"));
  }
  EXPECT_THAT(run({"history", "BM_zz", "--branch", "main", "--project", "before"}).out,
              HasSubstr("no run of \"BM_zz\" that fits. Did you mean BM_z?"))
      << "nobody is sent to a name that is no more";
  std::filesystem::remove("steelyard.toml");
}

TEST_F(HistoryStore, ARenamedBenchmarkIsHeldAgainstTheHistoryOfItsEarlierName) {
  for (int day = 1; day <= 14; ++day) import_day("moved", day, 100 * wobble(day), 50 * wobble(day));
  std::string renamed = taken(20, 140, 50);
  renamed.replace(renamed.find("BM_a"), 4, "BM_z");
  write("new.json", renamed);
  const std::vector<std::string> gate{"gate",  "--against-history", "--run", "new.json", "--project",
                                      "moved", "--history-branch",  "main",  "--json",   "--archive-dir",
                                      "kept",  "--no-store"};
  const auto verdict_of = [](const Outcome& outcome, const std::string& benchmark) -> std::string {
    const json report = json::parse(outcome.out);
    for (const json& row : report["comparisons"]) {
      if (row["benchmark"] == benchmark && row["metric"] == "real_time") return row["verdict"];
    }
    return "no row";
  };
  EXPECT_EQ(verdict_of(run(gate), "BM_z"), "incomparable") << "it has no history";
  write("steelyard.toml", "[rename]\n\"BM_a\" = \"BM_z\"\n");
  const Outcome held = run(gate);
  EXPECT_EQ(held.status, 1) << held.err;
  EXPECT_EQ(verdict_of(held, "BM_z"), "regression");
  EXPECT_EQ(verdict_of(held, "BM_a"), "no row");
  const Outcome verified = run({"verify", "kept"});
  EXPECT_EQ(verified.status, 0) << verified.out << verified.err;

  write("steelyard.toml", "[rename]\n\"BM_b\" = \"BM_a\"\n");
  for (const std::vector<std::string>& asked : {gate, {"history", "BM_a", "--project", "moved"}}) {
    const Outcome both = run(asked);
    EXPECT_EQ(both.status, asked == gate ? 3 : 0) << "a run is refused, in a history series stay apart";
    EXPECT_THAT(both.err, AllOf(HasSubstr("[rename] \"BM_b\""), HasSubstr("both in run:")));
  }
  std::filesystem::remove("steelyard.toml");
}

TEST_F(HistoryStore, AnAlertGoesOnAndEndsUnderTheNameThatItsBenchmarkHasToday) {
  for (int day = 1; day <= 14; ++day) import_day("called", day, 100 * wobble(day), 50 * wobble(day));
  const auto gate = [](int day, double value, const std::string& name) {
    std::string results = taken(day, value, 50);
    results.replace(results.find("BM_a"), 4, name);
    write("new.json", results);
    return run({"gate", "--against-history", "--run", "new.json", "--project", "called", "--history-branch", "main"})
        .status;
  };
  const auto alerts = [] { return json::parse(run({"alerts", "--project", "called", "--json"}).out)["alerts"]; };
  ASSERT_EQ(gate(20, 140, "BM_a"), 1);
  ASSERT_EQ(alerts().size(), 1U);
  const std::string id = alerts()[0]["id"];
  write("steelyard.toml", "[rename]\n\"BM_a\" = \"BM_z\"\n");
  EXPECT_EQ(gate(21, 145, "BM_z"), 1);
  ASSERT_EQ(alerts().size(), 1U) << alerts();
  EXPECT_EQ(alerts()[0]["id"], id);
  EXPECT_EQ(alerts()[0]["benchmark"], "BM_z");
  EXPECT_NEAR(alerts()[0]["candidate"].get<double>(), 145, 0.1);
  EXPECT_EQ(gate(22, 60, "BM_z"), 0);
  EXPECT_EQ(alerts().size(), 0U);
  std::filesystem::remove("steelyard.toml");
}

TEST_F(HistoryStore, OfAMisspeltBenchmarkNamesTheNearest) {
  import_day("misspelt", 3, 100, 50);
  const Outcome outcome = run({"history", "BN_a", "--project", "misspelt"});
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_THAT(outcome.out, HasSubstr("knows no run of \"BN_a\" that fits. Did you mean BM_a?"));
}

TEST_F(HistoryStore, WhereNoMetricIsAUsualOneThoseThatThereAreAreNamed) {
  for (int day = 1; day <= 14; ++day) {
    write("rates/day.csv", "benchmark,unit,value,metric\nthroughput,1/s," +
                               std::to_string((day > 7 ? 70 : 100) * wobble(day)) +
                               ",requests_per_second\nmem,bytes,4096,heap_bytes\n");
    ASSERT_EQ(run({"import", "rates/day.csv", "--commit", commit(day), "--branch", "main", "--project", "rate",
                   "--date", "2026-01-" + std::string(day < 10 ? "0" : "") + std::to_string(day) + "T03:04:05Z",
                   "--output", "rates/" + std::to_string(day) + ".syrun"})
                  .status,
              0);
  }
  const std::string both = "heap_bytes and requests_per_second: --metric NAME";
  EXPECT_THAT(run({"history", "--project", "rate"}).out, AllOf(HasSubstr(both), Not(HasSubstr("no run of"))));
  EXPECT_THAT(run({"history", "mem", "--project", "rate", "--branch", "main"}).out,
              AllOf(HasSubstr("heap_bytes: --metric NAME"), Not(HasSubstr("requests_per_second"))));
  EXPECT_THAT(run({"history", "--project", "rate", "--branch", "mian"}).out, HasSubstr("did you mean main?"));
  EXPECT_THAT(run({"history", "--archives", "rates", "--project", "rate"}).out, HasSubstr(both));
  EXPECT_THAT(run({"changes", "--project", "rate"}).out, HasSubstr("the store has " + both));
  EXPECT_THAT(run({"changes", "--project", "rate", "--branch", "main", "--json", "--fail-on-regression"}).err,
              HasSubstr(both))
      << "who reads the exit status alone is told as well";
  EXPECT_THAT(run({"changes", "--archives", "rates", "--project", "rate"}).out, HasSubstr("the archives have " + both));
  EXPECT_THAT(run({"changes", "--project", "rate", "--metric", "requests_per_second"}).out, HasSubstr("1 regression"));
}

TEST_F(HistoryStore, AGateOfAProjectWithoutHistorySaysWhichProjectsThereAre) {
  for (const char* project : {"a twin", "another twin"}) import_day(project, 3, 100, 50);
  write("new.json", taken(20, 100, 50));
  const Outcome outcome =
      run({"gate", "--against-history", "--run", "new.json", "--history-branch", "main", "--json", "--no-store"});
  EXPECT_EQ(outcome.status, 2) << "neither twin's history says anything of it: " << outcome.out;
  const std::string warnings = json::parse(outcome.out)["warnings"].dump();
  EXPECT_THAT(warnings, AllOf(HasSubstr("a twin"), HasSubstr("another twin"), HasSubstr("--project")));
}

TEST_F(HistoryStore, AVerdictOnAFolderIsVerifiedFromWhatWasKept) {
  for (int day = 1; day <= 14; ++day) import_day("folder", day, 100 * wobble(day), 50 * wobble(day));
  write("fresh/one.json", taken(20, 140, 50));
  const Outcome gate =
      run({"gate", "--against-history", "--run", "fresh", "--project", "folder", "--history-branch", "main"});
  ASSERT_EQ(gate.status, 1) << gate.out << gate.err;
  const std::size_t at = gate.err.find("comparison:");
  ASSERT_NE(at, std::string::npos) << gate.err;
  const std::string comparison = gate.err.substr(at, std::string("comparison:").size() + 12);
  EXPECT_EQ(run({"verify", comparison, "--baseline", "run:" + newest_run_of("folder"), "--candidate", "fresh"}).status,
            0)
      << "the files themselves are the run that was judged";
  std::filesystem::remove_all("fresh");
  const Outcome verified = run({"verify", comparison});
  EXPECT_EQ(verified.status, 0) << verified.out << verified.err;
  EXPECT_THAT(verified.out, HasSubstr(comparison + ": verified"));
  EXPECT_EQ(json::parse(run({"alerts", "--project", "folder", "--json"}).out)["alerts"].size(), 1U)
      << "what it opened is the project's";
}

TEST_F(HistoryStore, AnArchiveThatNamesNoProjectIsJudgedAndKeptAsTheFolders) {
  for (int day = 1; day <= 14; ++day) import_day("named here", day, 100 * wobble(day), 50 * wobble(day));
  write("new.json", taken(20, 140, 50));
  ASSERT_EQ(run({"import", "google-benchmark", "new.json", "--commit", commit(20), "--branch", "main", "--no-store",
                 "--output", "nobodys.syrun"})
                .status,
            0);
  Result<steelyard::Run> archive = storage::read_archive("nobodys.syrun");
  ASSERT_TRUE(archive) << archive.error().text();
  archive->header.project.clear();
  storage::seal(*archive);
  ASSERT_TRUE(storage::write_archive("nobodys.syrun", *archive));
  const std::string before = newest_run_of("named here");
  const Outcome gate = run(
      {"gate", "--against-history", "--run", "nobodys.syrun", "--project", "named here", "--history-branch", "main"});
  ASSERT_EQ(gate.status, 1) << gate.out << gate.err;
  const std::size_t at = gate.err.find("comparison:");
  ASSERT_NE(at, std::string::npos) << gate.err;
  const std::string comparison = gate.err.substr(at, std::string("comparison:").size() + 12);
  const std::string newest = newest_run_of("named here");
  EXPECT_EQ(json::parse(run({"export", "run:" + newest}).out)["run"]["project"], "named here");
  EXPECT_NE(newest, archive->header.id) << "of the project it is another run";
  const json history = json::parse(run({"history", "BM_a", "--project", "named here", "--json"}).out);
  EXPECT_EQ(history["series"].at(0)["points"].size(), 15U);
  EXPECT_EQ(run({"verify", comparison}).status, 0);
  EXPECT_EQ(run({"verify", comparison, "--baseline", "run:" + before, "--candidate", "nobodys.syrun"}).status, 0)
      << "the archive itself is the run that was judged";
}

TEST_F(HistoryStore, NoArchivePassesForARunThatItIsNotWhateverReadsIt) {
  for (int day = 1; day <= 8; ++day) import_day("forged", day, 100 * wobble(day), 50 * wobble(day));
  write("new.json", taken(20, 100, 50));
  ASSERT_EQ(run({"import", "google-benchmark", "new.json", "--commit", commit(20), "--branch", "main", "--project",
                 "forged", "--no-store", "--output", "true.syrun"})
                .status,
            0);
  Result<steelyard::Run> archive = storage::read_archive("true.syrun");
  ASSERT_TRUE(archive) << archive.error().text();
  const steelyard::Run truth = *archive;
  for (double& value : archive->measurements.at(0).invocations.at(0).values) value *= 2;
  ASSERT_TRUE(storage::write_archive("forged.syrun", *archive)) << "with the id of the other";
  json unnamed = json::parse(run({"compare", "true.syrun", "true.syrun", "--json"}).out);
  unnamed["baseline"]["id"] = unnamed["candidate"]["id"] = "";
  write("unnamed.json", unnamed.dump());
  const auto gate = [](const std::string& archived) {
    return run({"gate", "--against-history", "--run", archived, "--project", "forged", "--history-branch", "main"});
  };
  for (const Outcome& refused :
       {gate("forged.syrun"), run({"compare", "true.syrun", "forged.syrun"}),
        run({"export", "forged.syrun", "--output", "again.syrun"}),
        run({"verify", "unnamed.json", "--baseline", "true.syrun", "--candidate", "forged.syrun", "--keep"})}) {
    EXPECT_EQ(refused.status, 3) << refused.out << refused.err;
    EXPECT_THAT(refused.err, HasSubstr("forged.syrun: found a run whose id is not that of its content"));
  }
  const std::string id = "run:" + truth.header.id;
  EXPECT_EQ(run({"export", id, "--output", "kept.syrun"}).status, 3) << "it is in no store and no spool";
  const Outcome kept = gate("true.syrun");
  EXPECT_EQ(kept.status, 0) << kept.out << kept.err;
  ASSERT_EQ(run({"export", id, "--output", "kept.syrun"}).status, 0);
  const Result<steelyard::Run> stored = storage::read_archive("kept.syrun");
  ASSERT_TRUE(stored) << stored.error().text();
  EXPECT_EQ(stored->measurements.at(0).invocations, truth.measurements.at(0).invocations);
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

TEST_F(HistoryStore, RetentionTakesNoRunWithoutADateForOneOf1970) {
  write("undated.csv", "benchmark,unit,value\nsort,ns,1\n");
  const Outcome imported = run({"import", "undated.csv", "--project", "undated", "--json"});
  ASSERT_EQ(imported.status, 0) << imported.err;
  const std::string id = json::parse(imported.out)["runs"].at(0)["run"];
  const std::filesystem::path archive =
      shared_ / "state/runs" / (std::string(19, '0') + '-' + id.substr(0, 16) + ".syrun");
  ASSERT_TRUE(std::filesystem::exists(archive));
  const Outcome pruned = run({"db", "prune", "--keep-runs", "50years", "--archives"});
  EXPECT_EQ(pruned.status, 0) << pruned.err;
  EXPECT_TRUE(std::filesystem::exists(archive)) << pruned.out;
  const Outcome exported = run({"export", "run:" + id});
  EXPECT_EQ(exported.status, 0) << exported.err;
  EXPECT_THAT(exported.err, Not(HasSubstr("is taken from its archive"))) << "the store has it";
}

TEST_F(HistoryStore, ARunWithoutADateIsOfNoneAndNotOf1970) {
  write("no_date.csv", "benchmark,unit,value\nsort,ns,1\n");
  ASSERT_EQ(run({"import", "no_date.csv", "--project", "undated too"}).status, 0);
  const std::string text = run({"history", "--project", "undated too"}).out;
  EXPECT_THAT(text, AllOf(HasSubstr("no date"), Not(HasSubstr("1970"))));
  const json history = json::parse(run({"history", "--project", "undated too", "--json"}).out);
  EXPECT_TRUE(history["series"].at(0)["points"].at(0)["at"].is_null());
}

TEST_F(HistoryStore, PointsComeAsATableOfCommaSeparatedValues) {
  for (int day = 1; day <= 25; ++day) import_day("table", day, 100 + day, 50);
  const std::vector<std::string> asked{"history", "BM_a", "--project", "table", "--branch", "main"};
  const Outcome all = with(asked, {"--table-format", "csv"});
  ASSERT_EQ(all.status, 0) << all.err;
  const std::string header =
      "project,benchmark,metric,unit,better,fingerprint,branch,commit,subject,run,at,value,samples,invocations,"
      "off_branch\r\n";
  EXPECT_TRUE(all.out.starts_with(header + "table,BM_a,real_time,ns,lower,")) << all.out;
  EXPECT_EQ(std::count(all.out.begin(), all.out.end(), '\n'), 26) << "and none that the table would not list";
  const json point = json::parse(with(asked, {"--json"}).out)["series"].at(0)["points"].back();
  EXPECT_THAT(all.out, HasSubstr(",main," + commit(25) + ",," + point["run"].get<std::string>() +
                                 ",2026-01-25T03:04:05Z,125,1,1,false\r\n"));
  const Outcome newest = with(asked, {"--table-format", "csv", "--limit", "1"});
  EXPECT_EQ(std::count(newest.out.begin(), newest.out.end(), '\n'), 2);
  EXPECT_THAT(newest.err, HasSubstr("older points: --after "));
  const Outcome none = run({"history", "BM_none", "--project", "table", "--table-format", "csv"});
  EXPECT_EQ(none.out, header);
  EXPECT_THAT(none.err, HasSubstr("BM_none"));
  EXPECT_EQ(with(asked, {"--table-format", "csv", "--json"}).status, 3);
  EXPECT_EQ(run({"history", "--top-movers", "--table-format", "csv"}).status, 3);
}

TEST_F(HistoryStore, AWrongRunGoesAloneWithWhatHangsOnItAndDoesNotComeBackWithTheArchives) {
  for (int day = 1; day <= 14; ++day) import_day("wrong", day, 100 * wobble(day), 50 * wobble(day));
  write("new.json", taken(20, 300, 50));
  ASSERT_EQ(
      run({"import", "google-benchmark", "new.json", "--commit", commit(20), "--branch", "main", "--project", "wrong"})
          .status,
      0);
  const std::string id = newest_run_of("wrong");
  ASSERT_EQ(
      run({"gate", "--against-history", "--run", "run:" + id, "--project", "wrong", "--history-branch", "main"}).status,
      1);
  const auto alerts = [] { return json::parse(run({"alerts", "--project", "wrong", "--json"}).out)["alerts"].size(); };
  ASSERT_EQ(alerts(), 1U);

  const Outcome would = run({"db", "prune", "--run", id.substr(0, 8), "--archives", "--dry-run"});
  EXPECT_EQ(would.status, 0) << would.err;
  EXPECT_THAT(would.out, AllOf(HasSubstr("would go, nothing is changed:\nrun:" + id.substr(0, 12) + " of " +
                                         commit(20).substr(0, 9) + " on main, project wrong, taken 2026-01-20T"),
                               HasSubstr(", with 1 comparison\n"), HasSubstr("whole runs: 1 run, "),
                               HasSubstr("archives: 1 run, 2 files")));
  EXPECT_EQ(newest_run_of("wrong"), id);
  const Outcome gone = run({"db", "prune", "--run", "run:" + id, "--archives", "--json"});
  ASSERT_EQ(gone.status, 0) << gone.err;
  const json told = json::parse(gone.out);
  EXPECT_EQ(told["named"].at(0)["run"], id);
  EXPECT_EQ(told["named"].at(0)["comparisons"].size(), 1U);
  EXPECT_EQ(told["runs"]["runs"], 1);
  EXPECT_NE(newest_run_of("wrong"), id);
  EXPECT_EQ(alerts(), 0U);
  EXPECT_EQ(run({"db", "rebuild"}).status, 0);
  EXPECT_NE(newest_run_of("wrong"), id);
  EXPECT_EQ(alerts(), 0U);
  const Outcome again = run({"db", "prune", "--run", id});
  EXPECT_EQ(again.status, 3);
  EXPECT_THAT(again.err, HasSubstr("dropped on"));
}

// The last one of this store: its samples are gone afterwards.
TEST_F(HistoryStore, WhatRetentionDroppedIsTakenFromItsArchiveInTheStateFolder) {
  for (int day = 1; day <= 14; ++day) import_day("pruned", day, 100 * wobble(day), 50 * wobble(day));
  const std::string run_id = "run:" + newest_run_of("pruned");
  ASSERT_EQ(run({"db", "prune", "--keep-samples", "1day"}).status, 0);
  const Outcome exported = run({"export", run_id});
  EXPECT_EQ(exported.status, 0) << exported.err;
  EXPECT_THAT(exported.err, HasSubstr("is taken from its archive " + (shared_ / "state").string()));
  EXPECT_EQ(run({"export", run_id.substr(0, 12)}).status, 0);
  EXPECT_EQ(run({"export", "commit:" + commit(14), "--project", "pruned"}).status, 0);
  write("new.json", taken(20, 140, 50));
  const Outcome gate =
      run({"gate", "--against-history", "--run", "new.json", "--project", "pruned", "--history-branch", "main"});
  EXPECT_EQ(gate.status, 1) << gate.out << gate.err;
  std::filesystem::rename(shared_ / "state/runs", shared_ / "state/aside");
  const Outcome nowhere = run({"export", run_id});
  std::filesystem::rename(shared_ / "state/aside", shared_ / "state/runs");
  EXPECT_EQ(nowhere.status, 3);
  EXPECT_THAT(nowhere.err, HasSubstr("dropped on"));
}

}  // namespace
}  // namespace steelyard::ci::history_store_test
