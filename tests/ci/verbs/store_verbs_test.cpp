// The verbs that keep and fetch, with the embedded store: nothing that was measured is lost, nothing is kept twice.
#include <gmock/gmock.h>
#include <sys/mount.h>
#include <unistd.h>

#include <cstdlib>
#include <nlohmann/json.hpp>
#include <optional>

#include "storage/comparison_store.hpp"
#include "storage/embedded/cluster.hpp"
#include "storage/history_store.hpp"
#include "storage/place/store_address.hpp"
#include "storage/postgres/session/session.hpp"
#include "storage/store.hpp"
#include "tests/ci/publish/mail_server.hpp"
#include "tests/ci/publish/service_server.hpp"
#include "tests/ci/verbs/shared_store.hpp"
#include "tests/promised.hpp"
#include "tests/storage/postgres/example_run.hpp"

namespace steelyard::ci::store_verbs_test {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

// Port 1 of the machine itself: refused at once, whatever the network.
constexpr const char* kUnreachable = "postgresql://someone:hunter2@127.0.0.1:1/steelyard";

class StoreVerbs : public SharedStore {
 protected:
  static int number_in_status(const std::string& name) {
    const std::string json = run({"db", "status", "--json", "--quiet"}).out;
    const std::string member = '"' + name + "\": ";
    const std::size_t at = json.find(member);
    return at == std::string::npos ? -1 : std::stoi(json.substr(at + member.size()));
  }
  static int runs_in_store() { return number_in_status("runs"); }
  static std::size_t runs_in_spool() {
    std::size_t count = 0;
    std::error_code ignored;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(shared_ / "state/spool", ignored)) {
      count += entry.path().extension() == ".syrun" ? 1 : 0;
    }
    return count;
  }
  // As if what waits for that address had been kept for the embedded store while that was away.
  static void mean_the_embedded_store(const std::string& away) {
    const std::filesystem::path spool = shared_ / "state/spool";
    const storage::StoreAddress address = *storage::parse_store_address(away, "");
    std::filesystem::remove(spool / "embedded");  // empty
    std::filesystem::rename(spool / storage::percent_encode(address.place()), spool / "embedded");
  }
  static std::vector<std::string> quick_ab(const std::string& baseline, const std::string& candidate) {
    return {
        "ab",    fixture(baseline), fixture(candidate), "--min-time",       "1ms", "--rounds", "12",         "--counts",
        "never", "--filter",        "varied",           "--minimum-effect", "50%", "--layout", "interleaved"};
  }

  // "comparison:" and the id by which a command says that it keeps its verdict.
  static std::string comparison_in(const Outcome& outcome) {
    const std::string prefix = "comparison:";
    const std::size_t at = outcome.err.find(prefix);
    return at == std::string::npos ? "none" : outcome.err.substr(at, prefix.size() + 12);
  }
};

TEST_F(StoreVerbs, ARunWaitsWhileTheStoreIsAwayAndIsDeliveredOnceByTheNextCommandThatReachesIt) {
  const int before = runs_in_store();
  write("a.json", google_json(100));
  const Outcome away = run({"import", "google-benchmark", "a.json", "--store", kUnreachable});
  EXPECT_EQ(away.status, 5) << away.err;
  EXPECT_THAT(away.err, AllOf(HasSubstr("1 run waits in the spool at"), HasSubstr((shared_ / "state").string())));
  EXPECT_THAT(away.err, Not(HasSubstr("hunter2")));
  EXPECT_EQ(runs_in_spool(), 1U);
  const Outcome another = run({"db", "status"});
  EXPECT_EQ(another.status, 0) << another.err;
  EXPECT_THAT(another.err,
              AllOf(HasSubstr("in the spool for other stores: 1 run for postgresql://127.0.0.1:1/steelyard;"),
                    Not(HasSubstr("delivered")), Not(HasSubstr("hunter2"))));
  EXPECT_EQ(runs_in_spool(), 1U);
  EXPECT_EQ(runs_in_store(), before) << "it was not meant for this one";
  EXPECT_EQ(number_in_status("spooled"), 1);
  mean_the_embedded_store(kUnreachable);
  const Outcome reached = run({"history"});
  EXPECT_EQ(reached.status, 0) << reached.err;
  EXPECT_THAT(reached.err, HasSubstr("delivered from the spool: 1 run"));
  EXPECT_EQ(runs_in_spool(), 0U);
  EXPECT_EQ(runs_in_store(), before + 1);
  EXPECT_THAT(run({"import", "google-benchmark", "a.json", "--branch", "main"}).out, HasSubstr("; kept in project "));
  const Outcome known = run({"import", "google-benchmark", "a.json"});
  EXPECT_EQ(known.status, 0);
  EXPECT_THAT(known.out, HasSubstr("; known already, in project "));
  EXPECT_EQ(runs_in_store(), before + 2) << "the same run twice is one run";
}

TEST_F(StoreVerbs, AStoreThatIsAwayHidesNoVerdictAndLosesNone) {
  const int comparisons = number_in_status("comparisons");
  std::vector<std::string> slower = quick_ab("fast", "slow");
  slower.insert(slower.end(), {"--store", kUnreachable});
  const Outcome regression = run(slower);
  EXPECT_EQ(regression.status, 1) << regression.err;
  EXPECT_THAT(regression.out, HasSubstr("1 regression"));
  EXPECT_THAT(regression.err, HasSubstr("2 runs and 1 comparison wait in the spool"));
  EXPECT_EQ(run({"verify", comparison_in(regression), "--store", kUnreachable}).status, 0);
  std::vector<std::string> faster = quick_ab("slow", "fast");
  faster.insert(faster.end(), {"--store", kUnreachable});
  const Outcome improvement = run(faster);
  EXPECT_EQ(improvement.status, 5) << improvement.err;
  EXPECT_THAT(improvement.out, HasSubstr("1 improvement"));
  mean_the_embedded_store(kUnreachable);
  const Outcome reached = run({"history"});
  EXPECT_EQ(reached.status, 0) << reached.err;
  EXPECT_THAT(reached.err, HasSubstr("delivered from the spool: 4 runs and 2 comparisons"));
  EXPECT_EQ(runs_in_spool(), 0U);
  EXPECT_EQ(number_in_status("comparisons"), comparisons + 2);
}

TEST_F(StoreVerbs, AComparisonIsVerifiedFromTheStoreAlone) {
  const Outcome measured = run(quick_ab("fast", "slow"));
  const std::string name = comparison_in(measured);
  const std::filesystem::path state = shared_ / "state";
  for (const char* folder : {"runs", "comparisons"}) {
    std::filesystem::rename(state / folder, state / (std::string("aside-") + folder));
  }
  const Outcome verified = run({"verify", name});
  for (const char* folder : {"runs", "comparisons"}) {
    std::filesystem::rename(state / (std::string("aside-") + folder), state / folder);
  }
  EXPECT_EQ(verified.status, 0) << verified.out << verified.err;
  EXPECT_THAT(verified.out, AllOf(HasSubstr(name + ": verified\n"), HasSubstr(", the store\n")));
  const Outcome without = run({"verify", name, "--store", kUnreachable});
  EXPECT_EQ(without.status, 0) << "the state folder has all of it: " << without.out << without.err;
  EXPECT_EQ(run({"verify", "comparison:abcdef", "--store", kUnreachable}).status, 5);
}

TEST_F(StoreVerbs, AnImportIsFoundInTheHistoryAndByItsCommit) {
  write("old.json", google_json(200));
  write("new.json", google_json(260));
  const std::string old_commit(40, 'a');
  const std::string new_commit(40, 'b');
  ASSERT_EQ(run({"import", "google-benchmark", "old.json", "--commit", old_commit, "--project", "shop"}).status, 0);
  ASSERT_EQ(run({"import", "google-benchmark", "new.json", "--commit", new_commit, "--project", "shop"}).status, 0);
  const Outcome history = run({"history", "BM_x", "--project", "shop", "--json"});
  EXPECT_EQ(history.status, 0) << history.err;
  EXPECT_THAT(history.out, AllOf(HasSubstr("steelyard.history/1"), HasSubstr(old_commit), HasSubstr(new_commit)));
  const Outcome compared =
      run({"compare", "commit:" + old_commit, "commit:" + new_commit, "--project", "shop", "--json"});
  EXPECT_THAT(compared.out, HasSubstr("\"benchmark\": \"BM_x\"")) << compared.err;
  EXPECT_EQ(run({"compare", "commit:" + std::string(40, 'c'), "commit:" + new_commit}).status, 3);
  EXPECT_EQ(run({"export", "run:ffffffffffffffff"}).status, 3);
}

void run_in(const std::filesystem::path& state, const std::string& database,
            const std::vector<std::string>& statements) {
  const auto server = storage::ensure_embedded_running(state);
  ASSERT_TRUE(server) << server.error().text();
  std::string url = server->url;
  url.replace(url.find("/steelyard?"), std::string("/steelyard").size(), '/' + database);
  auto session = storage::Session::connect(url, "test");
  ASSERT_TRUE(session) << session.error().text();
  for (const std::string& statement : statements) {
    const auto done = session->run_alone(statement);
    ASSERT_TRUE(done) << done.error().text();
  }
}

// By way of another database of the same server: none can be dropped from inside.
void drop_database(const std::filesystem::path& state) {
  run_in(state, "postgres", {"drop database steelyard with (force)", "create database steelyard"});
}

TEST_F(StoreVerbs, AHistoryIsNotSaidToBeKeptWhereTheStoreRefusesARunThatAnotherOneTook) {
  write("data.js", R"(window.BENCHMARK_DATA = {"repoUrl": "https://a.example", "entries": {"Benchmark": [
      {"commit": {"id": "1111111"}, "tool": "go", "date": 1793527200000,
       "benches": [{"name": "BenchmarkSort", "value": 5, "unit": "ns/op"}]},
      {"commit": {"id": "2222222"}, "tool": "go", "date": 1793613600000,
       "benches": [{"name": "BenchmarkSort", "value": 4, "unit": "ns/op"}]}]}})");
  const std::vector<std::string> command{"import", "data.js", "--project", "refused"};
  const Outcome taken = run(command);
  ASSERT_EQ(taken.status, 0) << taken.err;
  EXPECT_THAT(taken.err, HasSubstr("kept in the store"));
  drop_database(shared_ / "state");
  ASSERT_EQ(runs_in_store(), 0);
  run_in(shared_ / "state", "steelyard",
         {"alter table steelyard.runs add constraint not_this check (created_at_unix_ns <> 1793527200000000000)"});
  const Outcome refused = run(command);
  EXPECT_EQ(refused.status, 5) << refused.err;
  EXPECT_THAT(refused.err, AllOf(HasSubstr("not_this"), Not(HasSubstr("kept in the store"))));
  EXPECT_EQ(runs_in_store(), 1) << "the other one";
  run_in(shared_ / "state", "steelyard", {"alter table steelyard.runs drop constraint not_this"});
  EXPECT_EQ(run({"db", "rebuild"}).status, 0) << "what the other tests had in it";
}

TEST_F(StoreVerbs, RebuildFillsALostDatabaseFromTheArchivesSoThatTheHistoryIsTheSame) {
  for (const double time : {200.0, 210.0, 190.0}) {
    const std::string name = std::to_string(static_cast<int>(time)) + ".json";
    write(name, google_json(time));
    const std::string commit(40, time < 200 ? 'd' : time > 200 ? 'e' : 'f');
    ASSERT_EQ(run({"import", "google-benchmark", name, "--commit", commit, "--project", "rebuilt"}).status, 0);
  }
  const Outcome judged = run(quick_ab("fast", "slow"));
  const std::string kept = comparison_in(judged);
  const std::string before = run({"history", "--project", "rebuilt", "--json"}).out;
  EXPECT_THAT(before, HasSubstr(std::string(40, 'e')));
  const int runs = runs_in_store();
  const int comparisons = number_in_status("comparisons");
  drop_database(shared_ / "state");
  ASSERT_EQ(runs_in_store(), 0);
  const Outcome rebuilt = run({"db", "rebuild"});
  EXPECT_EQ(rebuilt.status, 0) << rebuilt.err;
  EXPECT_EQ(rebuilt.out, std::to_string(runs) + " runs, 0 were there already, " +
                             (comparisons == 1 ? "1 comparison, " : std::to_string(comparisons) + " comparisons, ") +
                             "0 were there already, 0 could not be read\n");
  EXPECT_EQ(rebuilt.err, "") << "no progress in a pipe";
  EXPECT_EQ(runs_in_store(), runs);
  EXPECT_EQ(number_in_status("comparisons"), comparisons);
  EXPECT_EQ(run({"verify", kept}).status, 0) << "under the same id";
  EXPECT_EQ(run({"history", "--project", "rebuilt", "--json"}).out, before);
  const Outcome again = run({"db", "rebuild", "--json"});
  EXPECT_EQ(again.status, 0) << again.err;
  EXPECT_THAT(again.out, AllOf(HasSubstr("\"schema\": \"steelyard.rebuild/1\""), HasSubstr("\"kept_counts\": 0,"),
                               HasSubstr("\"already_there\": " + std::to_string(runs)), HasSubstr("\"bad\": []")));
}

TEST_F(StoreVerbs, RebuildFromAFolderNamesTheArchiveThatCannotBeReadAndTakesTheRest) {
  write("a.json", google_json(3000));
  ASSERT_EQ(run({"export", "a.json", "--output", "old/a.syrun"}).status, 3) << "no such folder yet";
  std::filesystem::create_directory("old");
  ASSERT_EQ(run({"export", "a.json", "--output", "old/a.syrun"}).status, 0);
  write("old/b.syrun", "damaged");
  const int before = runs_in_store();
  const Outcome outcome = run({"db", "rebuild", "--from", "old"});
  EXPECT_EQ(outcome.status, 3);
  EXPECT_EQ(outcome.out, "1 run, 0 were there already, 1 could not be read\n");
  EXPECT_THAT(outcome.err, HasSubstr("old/b.syrun"));
  EXPECT_EQ(runs_in_store(), before + 1);
  EXPECT_EQ(run({"db", "rebuild", "--from", "absent"}).status, 3);
  EXPECT_EQ(run({"db", "rebuild", "--store", kUnreachable}).status, 5);
}

TEST_F(StoreVerbs, AbKeepsBothSidesInTheStore) {
  const auto before = std::pair(runs_in_store(), runs_in_spool());  // those that wait are of another store
  const Outcome outcome = run(quick_ab("fast", "slow"));
  EXPECT_EQ(outcome.status, 1) << outcome.err;
  EXPECT_EQ(std::pair(runs_in_store(), runs_in_spool()), std::pair(before.first + 2, before.second));
}

TEST_F(StoreVerbs, AStateFolderThatCannotBeMadeCostsNoReport) {
  write("in-the-way", "a file, not a folder\n");
  use_state(folder_ / "in-the-way/state");
  std::vector<std::string> arguments{"run", "--output", "kept.syrun", "--min-time", "1ms",          "--rounds",
                                     "2",   "--counts", "never",      "--",         fixture("fast")};
  const Outcome outcome = run(arguments);
  EXPECT_EQ(outcome.status, 5) << outcome.err;
  EXPECT_THAT(outcome.out, HasSubstr("BM_varied"));
  EXPECT_THAT(outcome.err, HasSubstr("in-the-way"));
  EXPECT_EQ(run({"export", "kept.syrun"}).status, 0);
}

// Sets $TMPDIR for one test.
class TemporaryFolder {
 public:
  explicit TemporaryFolder(const std::filesystem::path& folder) {
    if (const char* const before = std::getenv("TMPDIR")) before_ = before;
    setenv("TMPDIR", folder.c_str(), 1);
  }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  ~TemporaryFolder() { before_ ? setenv("TMPDIR", before_->c_str(), 1) : unsetenv("TMPDIR"); }

 private:
  std::optional<std::string> before_;
};

std::vector<std::filesystem::path> archives_in(const std::filesystem::path& folder) {
  std::vector<std::filesystem::path> found;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    if (entry.path().extension() == ".syrun") found.push_back(entry.path());
  }
  return found;
}

TEST_F(StoreVerbs, ARunThatNeitherSpoolNorStoreTakesIsWrittenToTheTemporaryFolder) {
  write("in-the-way", "a file, not a folder\n");
  use_state(folder_ / "in-the-way/state");
  std::filesystem::create_directory(folder_ / "tmp");
  const TemporaryFolder temporary(folder_ / "tmp");
  const Outcome outcome =
      run({"run", "--min-time", "1ms", "--rounds", "2", "--counts", "never", "--", fixture("fast")});
  EXPECT_EQ(outcome.status, 5) << outcome.err;
  EXPECT_THAT(outcome.err, Not(HasSubstr("kept in the store")));
  const auto kept = archives_in(folder_ / "tmp");
  ASSERT_EQ(kept.size(), 1U) << outcome.err;
  EXPECT_THAT(outcome.err, HasSubstr("the run is kept in " + kept.front().string()));
  EXPECT_EQ(run({"export", kept.front().string()}).status, 0);
}

TEST_F(StoreVerbs, ARunIsWrittenToTheCurrentFolderWhereThereIsNoTemporaryOne) {
  write("in-the-way", "a file, not a folder\n");
  write("a.json", google_json(100));
  use_state(folder_ / "in-the-way/state");
  const TemporaryFolder temporary(folder_ / "nowhere");
  const Outcome outcome = run({"import", "google-benchmark", "a.json"});
  EXPECT_EQ(outcome.status, 5) << outcome.err;
  const auto kept = archives_in(folder_);
  ASSERT_EQ(kept.size(), 1U) << outcome.err;
  EXPECT_EQ(run({"export", kept.front().string()}).status, 0);
}

TEST_F(StoreVerbs, ARunThatTheSpoolCannotTakeIsPutIntoTheStore) {
  const int before = runs_in_store();
  const std::filesystem::path spool = shared_ / "state/spool";
  std::filesystem::remove_all(spool);
  write(spool, "a file, not a folder\n");
  write("a.json", google_json(123.25));
  const Outcome outcome = run({"import", "google-benchmark", "a.json"});
  std::filesystem::remove(spool);
  EXPECT_EQ(outcome.status, 0) << "the store was reached: " << outcome.err;
  EXPECT_THAT(outcome.err, AllOf(HasSubstr("the store is asked all the same"), HasSubstr("kept in the store"),
                                 HasSubstr("rebuild will not have that"), Not(HasSubstr("run again"))));
  EXPECT_EQ(runs_in_store(), before + 1);
  EXPECT_TRUE(archives_in(folder_).empty());
}

TEST_F(StoreVerbs, AnImportSaysHowManyRecordsWereBadAndKeepsTheRest) {
  const int before = runs_in_store();
  std::string json = google_json(124.5);
  const std::string_view list = "\"benchmarks\":[";
  json.insert(json.find(list) + list.size(), "7,");
  write("bad.json", json);
  const Outcome outcome = run({"import", "google-benchmark", "bad.json", "--quiet"});
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_THAT(outcome.err, HasSubstr("bad.json: 1 bad record kept as failed"));
  EXPECT_THAT(outcome.out, HasSubstr("1 failed"));
  EXPECT_EQ(runs_in_store(), before + 1);
}

TEST_F(StoreVerbs, WhatIsBackedUpComesBackAndWhatIsOldIsToldBeforeItGoes) {
  write("old.json", google_json(140));
  ASSERT_EQ(run({"import", "google-benchmark", "old.json", "--quiet"}).status, 0);
  const int before = runs_in_store();
  const std::string backup = (shared_ / "backup").string();
  const Outcome saved = run({"db", "backup", backup});
  // Debian's package of the server brings its client along.
  STEELYARD_SKIP_WITHOUT("postgresql", saved.err.find("postgresql-client") == std::string::npos, saved.err);
  ASSERT_EQ(saved.status, 0) << saved.err;
  EXPECT_THAT(saved.out, HasSubstr("are backed up in " + backup));
  const Outcome twice = run({"db", "backup", backup});
  EXPECT_EQ(twice.status, 3);
  EXPECT_THAT(twice.err, HasSubstr("there already"));
  EXPECT_EQ(run({"db", "restore", backup}).status, 3) << "the store is not empty";

  const storage::EmbeddedServer server = storage::ensure_embedded_running(shared_ / "state").value();
  auto session = storage::Session::connect(server.url, "test");
  ASSERT_TRUE(session) << session.error().text();
  ASSERT_TRUE(session->run_alone("create database restored encoding 'UTF8' template template0"));
  std::string url = server.url;
  url.replace(url.find("/steelyard?"), std::string("/steelyard?").size(), "/restored?");
  const Outcome restored = run({"db", "restore", backup, "--store", url});
  EXPECT_EQ(restored.status, 0) << restored.err;
  EXPECT_THAT(restored.out, HasSubstr("every table with the content hash of " + backup));
  const std::string there = run({"db", "status", "--json", "--store", url}).out;
  EXPECT_THAT(there, AllOf(HasSubstr("\"runs\": " + std::to_string(before)), HasSubstr("\"partitions_ahead\": ")));

  const Outcome would = run({"db", "prune", "--keep-samples", "1day", "--dry-run", "--store", url});
  EXPECT_EQ(would.status, 0) << would.err;
  EXPECT_THAT(would.out, AllOf(HasSubstr("would go, nothing is changed"), HasSubstr("their summaries stay")));
  EXPECT_EQ(run({"db", "prune", "--store", url}).status, 3) << "without a policy nothing goes";
  const Outcome gone = run({"db", "prune", "--keep-samples", "1day", "--json", "--store", url});
  EXPECT_EQ(gone.status, 0) << gone.err;
  EXPECT_THAT(gone.out, HasSubstr("\"dry_run\": false"));
  EXPECT_EQ(runs_in_store(), before);
  const Outcome derived = run({"db", "rebuild", "--derived", "--store", url});
  EXPECT_EQ(derived.status, 0) << derived.err;
  EXPECT_THAT(derived.out, HasSubstr(" 0 of them changed"));
}

TEST_F(StoreVerbs, AnAlertIsShownAcceptedAndKept) {
  {
    auto store = storage::Store::open(storage::StoreAddress{}, shared_ / "state");
    ASSERT_TRUE(store) << store.error().text();
    ASSERT_TRUE(storage::ComparisonStore(*store).put(storage_test::example_comparison()));
  }
  const Outcome listed = run({"alerts", "--benchmark", "BM_sort/1024", "--project", "demo"});
  ASSERT_EQ(listed.status, 0) << listed.err;
  EXPECT_THAT(listed.out, AllOf(HasSubstr("open"), HasSubstr("BM_sort/1024  real_time"), HasSubstr("+7.21 %")));
  const std::string id = listed.out.substr(0, 12);
  const Outcome unknown = run({"alerts", "accept", id, "--commit", "no-such-commit"});
  EXPECT_EQ(unknown.status, 3);
  EXPECT_THAT(unknown.err, HasSubstr("--commit"));
  const Outcome assigned = run({"alerts", "assign", id, "--to", "bert \x1b[31m", "--note", "yours", "--who", "ada"});
  EXPECT_EQ(assigned.status, 0) << assigned.err;
  EXPECT_THAT(assigned.out, AllOf(HasSubstr(", assigned to bert ?[31m\n"), HasSubstr(" by ada: yours\n")));
  EXPECT_THAT(run({"alerts", "show", id, "--json"}).out, HasSubstr("\"to\": \"bert \\u001b[31m\""));
  EXPECT_EQ(run({"alerts", "assign", id, "--to", std::string(201, 'x')}).status, 3);
  EXPECT_THAT(run({"alerts", "unassign", id, "--json"}).out, HasSubstr("\"assignment\": null"));
  const Outcome accepted =
      run({"alerts", "accept", id, "--commit", "0123456789", "--note", "so be it", "--who", "ada"});
  EXPECT_EQ(accepted.status, 0) << accepted.err;
  EXPECT_THAT(accepted.out, AllOf(HasSubstr("accepted"), HasSubstr("by ada, commit 012345678: so be it")));
  EXPECT_THAT(run({"alerts", "show", id, "--json"}).out,
              AllOf(HasSubstr("\"schema\": \"steelyard.alerts/1\""), HasSubstr("\"accepted_commit\": \"0123456789\"")));
}

TEST_F(StoreVerbs, ChangesOfAlertsAreToldOnceToTheOwnersAndNeverFromARequestsJob) {
  ci_test::ServiceServer server;
  ci_test::MailServer mail;
  const auto notify = [&](const std::vector<std::string>& more = {}) {
    setenv("STEELYARD_WEBHOOK_URL", (server.address() + "/hooks/ours").c_str(), 1);
    setenv("STEELYARD_WEBHOOK_SECRET", "a key that nobody else has", 1);
    setenv("STEELYARD_SLACK_WEBHOOK_URL", (server.address() + "/hooks/chat").c_str(), 1);
    setenv("STEELYARD_SMTP_URL", mail.address().c_str(), 1);
    setenv("STEELYARD_MAIL_FROM", "ci@example.org", 1);
    std::vector<std::string> arguments{"alerts", "notify", "--project", "told"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return run(arguments);
  };
  write("steelyard.toml",
        "[[policy]]\nmatch = \"*\"\nowner = \"everybody@example.org\"\n\n"
        "[[policy]]\nmatch = \"sorting/*\"\nowner = \"sorters@example.org, @acme/sorters\"\n\n"
        "[rename]\n\"BM_sort/*\" = \"sorting/*\"\n");
  Comparison comparison = storage_test::example_comparison();
  comparison.candidate.project = "told";
  const auto put = [&] {
    auto store = storage::Store::open(storage::StoreAddress{}, shared_ / "state");
    ASSERT_TRUE(store) << store.error().text();
    ASSERT_TRUE(storage::ComparisonStore(*store).put(comparison));
  };
  put();
  for (const char* variable : {"GITHUB_BASE_REF", "CI_MERGE_REQUEST_IID"}) {
    setenv(variable, "7", 1);
    const Outcome request = notify();
    EXPECT_EQ(request.status, 0) << request.err;
    EXPECT_THAT(request.out, HasSubstr("this is a job of a pull or merge request"));
    unsetenv(variable);
  }
  EXPECT_THAT(server.requests(), ::testing::IsEmpty());
  EXPECT_EQ(notify({"--branch", "another"}).status, 0);
  EXPECT_THAT(server.requests(), ::testing::IsEmpty());

  server.plan({"POST", "/hooks/chat", ci_test::Trouble::How::answer, 410, {}, "no such chat"});
  const Outcome told = notify();
  EXPECT_EQ(told.status, 3) << told.out;
  EXPECT_THAT(told.err, AllOf(HasSubstr("slack was not told"), HasSubstr("no such chat"), Not(HasSubstr("/hooks"))));
  EXPECT_EQ(server.count("POST", "/hooks/ours"), 1);
  ASSERT_THAT(mail.mails(), ::testing::SizeIs(1));
  EXPECT_EQ(mail.mails()[0].to, "<sorters@example.org>")
      << "of the tables that match the last that names one, by today's name";
  EXPECT_THAT(server.requests().back().body, AllOf(HasSubstr("sorting/1024"), Not(HasSubstr("BM_sort"))));

  const Outcome again = notify();
  EXPECT_EQ(again.status, 0) << again.err;
  EXPECT_EQ(server.count("POST", "/hooks/chat"), 2) << "what failed is told now";
  EXPECT_EQ(server.count("POST", "/hooks/ours"), 1);
  EXPECT_THAT(mail.mails(), ::testing::SizeIs(1));
  EXPECT_THAT(notify().out, HasSubstr("nothing that was not told before"));

  comparison.candidate.created_at_unix_ns += 3'600'000'000'000;
  comparison.rows[0].verdict = Verdict::unchanged;
  comparison.rows[0].ratio = 1;
  put();
  const Outcome gone = notify({"--json"});
  EXPECT_EQ(gone.status, 0) << gone.err;
  EXPECT_THAT(gone.out, AllOf(HasSubstr("\"what\": \"slack\""), HasSubstr("1 resolved")));
  EXPECT_THAT(server.requests().back().body, HasSubstr("\"before\": \"open\""));
  EXPECT_THAT(mail.mails(), ::testing::SizeIs(2));
  const Outcome nobody = run({"alerts", "notify", "--project", "told"});
  EXPECT_EQ(nobody.status, 3);
  EXPECT_THAT(nobody.err, HasSubstr("set STEELYARD_WEBHOOK_URL"));
}

TEST_F(StoreVerbs, AlertsSayWhatWasSetAsideAsTheMachines) {
  {
    auto store = storage::Store::open(storage::StoreAddress{}, shared_ / "state");
    ASSERT_TRUE(store) << store.error().text();
    storage::KeptChangePoint point;
    point.id = "aside";
    point.project = "aside";
    point.benchmark = "BM_aside";
    point.metric = "real_time";
    point.fingerprint = "a machine";
    point.commit = "0123456789";
    point.before = 100;
    point.after = 130;
    point.ratio = 1.3;
    point.p = 0.001;
    point.regression = true;
    point.cause = ChangeCause::machine;
    ASSERT_TRUE(storage::HistoryStore(*store).put_change_points({{storage::ChangeEvent::confirmed, point, ""}}));
  }
  const Outcome listed = run({"alerts", "--project", "all", "--benchmark", "BM_aside"});
  EXPECT_EQ(listed.out,
            "no alerts\n1 regression opens no alert, as most of the machine's benchmarks moved alike there: "
            "`steelyard changes` shows it\n");
  EXPECT_THAT(run({"alerts", "--project", "all", "--benchmark", "BM_aside", "--json"}).out,
              AllOf(HasSubstr("\"alerts\": []"), HasSubstr("\"benchmark\": \"BM_aside\"")));
  EXPECT_EQ(run({"alerts", "--project", "all", "--benchmark", "BM_other"}).out, "no alerts\n");
}

TEST_F(StoreVerbs, AFullDiskUnderTheStateFolderIsNamedAndCostsNoReport) {
  const std::filesystem::path full = folder_ / "full";
  std::filesystem::create_directory(full);
  const bool is_mounted = mount("steelyard-test", full.c_str(), "tmpfs", 0, "size=16k,mode=0711") == 0;
  STEELYARD_SKIP_WITHOUT("mount", is_mounted, "no right to mount a small file system");
  std::ofstream(full / "filler") << std::string(std::size_t{64} << 10, 'x');
  use_state(full / "state");
  const Outcome outcome = run({"run", "--output", "kept.syrun", "--min-time", "1ms", "--rounds", "2", "--counts",
                               "never", "--", fixture("fast")});
  umount2(full.c_str(), MNT_DETACH);
  EXPECT_EQ(outcome.status, 5) << outcome.err;
  EXPECT_THAT(outcome.out, HasSubstr("BM_varied"));
  EXPECT_THAT(outcome.err, AllOf(HasSubstr(full.string()), HasSubstr("No space left")));
  EXPECT_EQ(run({"export", "kept.syrun"}).status, 0);
}

// The program itself, whose psql writes to our own pipe.
class ShellOfTheStore : public StoreVerbs {
 protected:
  struct Ended {
    int status = 0;
    std::string text;
  };
  static Ended shell(const std::string& command) {
    const std::string program = (std::filesystem::read_symlink("/proc/self/exe").parent_path() / "steelyard").string();
    std::FILE* const pipe = popen((program + " db shell " + command + " 2>&1").c_str(), "r");
    Ended ended;
    for (int c = std::fgetc(pipe); c != EOF; c = std::fgetc(pipe)) ended.text += static_cast<char>(c);
    ended.status = WEXITSTATUS(pclose(pipe));
    return ended;
  }
  void SetUp() override {
    StoreVerbs::SetUp();
    const bool has_psql = std::system("command -v psql > /dev/null") == 0;
    STEELYARD_SKIP_WITHOUT("postgresql", has_psql, "no psql");
  }
};

TEST_F(ShellOfTheStore, AsksTheEmbeddedStoreAndEndsAsPsqlDoes) {
  write("a.json", google_json(100));
  ASSERT_EQ(run({"import", "a.json", "--project", "shell"}).status, 0) << "a file tells its format itself";
  const Ended asked = shell("-- -At -c \"select distinct benchmark from steelyard.history where project = 'shell'\"");
  EXPECT_EQ(asked.status, 0) << asked.text;
  EXPECT_EQ(asked.text, "BM_x\n");
  write("question.sql", "select 'this is answered';\nselect nothing from nowhere;\nselect 'this is not';\n");
  const Ended failed = shell("< question.sql");
  EXPECT_EQ(failed.status, 3) << "a script that went wrong is no success";
  EXPECT_THAT(failed.text, AllOf(HasSubstr("this is answered"), HasSubstr("nowhere"), Not(HasSubstr("this is not"))));
  EXPECT_EQ(run({"db", "status", "--", "-c", "x"}).status, 3) << "only a shell takes psql's arguments";
}

TEST_F(ShellOfTheStore, IsNoSuperusersUnlessThatIsAsked) {
  const std::string who = " -- -Atc \"select session_user, usesuper from pg_user where usename = session_user\"";
  EXPECT_EQ(shell(who).text, "steelyard_daily|f\n");
  EXPECT_EQ(shell("--as owner" + who).text, "steelyard|t\n");
  const Ended program = shell("-- -c \"copy (select 1) to program 'cat'\"");
  EXPECT_EQ(program.status, 3);
  EXPECT_THAT(program.text, HasSubstr("must be superuser"));
  EXPECT_EQ(shell("-- -Atc \"select count(*) >= 0 from steelyard.history\"").text, "t\n");
  EXPECT_EQ(run({"db", "shell", "--as", "reader"}).status, 3);
  EXPECT_EQ(run({"db", "status", "--as", "owner"}).status, 3);
  const Outcome elsewhere = run({"db", "shell", "--as", "owner", "--store", "postgresql://nobody@127.0.0.1:1/x"});
  EXPECT_NE(elsewhere.status, 0);
}

TEST_F(ShellOfTheStore, GivesThePasswordByTheEnvironmentAloneAndTellsOtherClientsTheirSettings) {
  const Outcome settings = run({"db", "shell", "--json"});
  ASSERT_EQ(settings.status, 0) << settings.err;
  EXPECT_THAT(settings.out, AllOf(HasSubstr("\"schema\": \"steelyard.connection/1\""), HasSubstr("\"host\": \"/"),
                                  HasSubstr("\"port\": \"5432\""), HasSubstr("\"user\": \"steelyard_daily\""),
                                  HasSubstr("\"database\": \"steelyard\"")));
  // The same server by an address that has the password, its first character written as a URL may.
  std::string url = storage::ensure_embedded_running(shared_ / "state").value().daily_url;
  const auto json = nlohmann::json::parse(settings.out);
  std::string password = text_of(json["password_file"].get<std::string>());
  password.erase(password.find_last_not_of('\n') + 1);
  password.erase(0, password.rfind(':') + 1);
  ASSERT_FALSE(password.empty());
  constexpr const char* kHex = "0123456789ABCDEF";
  const auto first = static_cast<unsigned char>(password[0]);
  const std::string written = std::string("%") + kHex[first / 16] + kHex[first % 16] + password.substr(1);
  const std::string login = "steelyard_daily";
  url.replace(url.find(login + '@'), login.size(), login + ':' + written);
  write("bin/psql", "#!/bin/sh\necho \"arguments: $*\"\necho \"password: $PGPASSWORD\"\nexit 2\n");
  std::filesystem::permissions("bin/psql", std::filesystem::perms(0755));
  const std::string path = std::getenv("PATH");
  setenv("PATH", ((folder_ / "bin").string() + ':' + path).c_str(), 1);
  const Ended ended = shell("--store '" + url + "'");
  setenv("PATH", path.c_str(), 1);
  EXPECT_EQ(ended.status, 5) << "psql's own word for a store that is gone: " << ended.text;
  const std::string arguments = ended.text.substr(0, ended.text.find("password: "));
  EXPECT_THAT(arguments, AllOf(HasSubstr("arguments: --dbname=postgresql://steelyard_daily@"),
                               Not(HasSubstr(password.substr(1)))));
  EXPECT_THAT(ended.text, HasSubstr("password: " + password + "\n"));
}

}  // namespace
}  // namespace steelyard::ci::store_verbs_test
