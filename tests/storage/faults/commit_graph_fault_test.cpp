// A history with merges and force-pushes is told while whoever tells it, or the server, is killed: told again to its
// end, every question about its order is answered as by a store that nothing ever happened to.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <thread>

#include "bench/model/sha256.hpp"
#include "storage/embedded/cluster.hpp"
#include "storage/history_store.hpp"
#include "storage/run_store.hpp"
#include "storage/upkeep.hpp"
#include "tests/promised.hpp"
#include "tests/storage/faults/fault_runs.hpp"
#include "tests/storage/faults/killed_server.hpp"
#include "tests/storage/postgres/test_server.hpp"

namespace steelyard::storage::commit_graph_fault_test {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;

std::string sha_of(const std::string& name) { return sha256_hex(name).substr(0, 40); }

// One thing that a store is told: who a commit's parents are, or a run of the commit on a branch.
struct Event {
  std::string commit;
  std::vector<std::string> parents{};
  std::string branch{};  // empty: the parents
};

// main: a b c, then m, a merge of feature's f1 f2 into c, then d; a force-push takes d away and puts e after m. feature
// is force-pushed too, from f2 to g2, after f2 was measured and merged. p comes without its parents, which come last.
const std::vector<Event>& events() {
  static const std::vector<Event> all{
      {"a"},          {"b", {"a"}},          {"a", {}, "main"},  {"b", {}, "main"},
      {"f1", {"b"}},  {"f1", {}, "feature"}, {"f2", {"f1"}},     {"f2", {}, "feature"},
      {"c", {"b"}},   {"c", {}, "main"},     {"m", {"c", "f2"}}, {"m", {}, "main"},
      {"g2", {"f1"}}, {"g2", {}, "feature"}, {"d", {"m"}},       {"d", {}, "main"},
      {"e", {"m"}},   {"e", {}, "main"},     {"p", {}, "main"},  {"o", {"e"}},
      {"p", {"o"}},
  };
  return all;
}

steelyard::Run run_of(const std::string& project, std::size_t number, const Event& event) {
  steelyard::Run run;
  run.header.id = sha256_hex(project + " run " + std::to_string(number));
  run.header.created_at_unix_ns = 1'700'000'000'000'000'000 + static_cast<std::int64_t>(number) * 3'600'000'000'000;
  run.header.project = project;
  run.header.commit = {sha_of(event.commit), "", event.branch, event.commit, 1'699'000'000, false};
  run.environment.facts = {{"cpu.model", "a CPU", true}};
  run.invocations = {{0, 0, -1, run.header.created_at_unix_ns, 1000}};
  Measurement measurement;
  measurement.benchmark.name = "BM_x";
  measurement.metric = *well_known_metric(kRealTime);
  measurement.invocations = {{0, {100.0 + static_cast<double>(number)}, {1}}};
  run.measurements = {measurement};
  return run;
}

Result<void> tell(Store& store, const std::string& project, std::size_t number) {
  const Event& event = events()[number];
  if (!event.branch.empty()) {
    STEELYARD_CHECK(RunStore(store).put(run_of(project, number, event)));
    return {};
  }
  CommitParents commit{sha_of(event.commit), {}};
  for (const std::string& parent : event.parents) commit.parents.push_back(sha_of(parent));
  STEELYARD_CHECK(HistoryStore(store).put_commit_graph({project, {commit}}));
  return {};
}
void tell_all(Store& store, const std::string& project) {
  for (std::size_t number = 0; number < events().size(); ++number) {
    const auto told = tell(store, project, number);
    ASSERT_TRUE(told) << told.error().text();
  }
}

// Histories by branch with what is off it in brackets, then the baseline of every commit.
std::vector<std::string> answers(Store& store, const std::string& project) {
  std::vector<std::string> all;
  std::string fingerprint;
  for (const char* branch : {"main", "feature"}) {
    HistoryQuery query;
    query.project = project;
    query.branch = branch;
    const auto series = HistoryStore(store).series(query);
    EXPECT_TRUE(series) << series.error().text();
    if (!series || series->size() != 1) return {"no history"};
    std::string text = std::string(branch) + ':';
    for (const HistoryPoint& point : series->front().points) {
      text += ' ' + (point.is_off_branch ? '(' + point.subject + ')' : point.subject);
    }
    all.push_back(text);
    fingerprint = series->front().fingerprint;
  }
  for (const char* commit : {"a", "b", "c", "f1", "f2", "g2", "m", "d", "e", "o", "p"}) {
    const auto found = HistoryStore(store).latest_baseline({project, fingerprint, sha_of(commit), "main"});
    EXPECT_TRUE(found) << found.error().text();
    std::string text = std::string(commit) + " after ";
    for (const Event& event : events()) {
      if (found && *found && (*found)->commit == sha_of(event.commit) && !event.branch.empty()) {
        text += event.commit + ' ' + std::to_string((*found)->distance) + ((*found)->is_ancestor ? "" : "?");
      }
    }
    all.push_back(text);
  }
  return all;
}

class CommitGraphFault : public ::testing::Test {
 protected:
  void SetUp() override {
    STEELYARD_SKIP_WITHOUT("postgresql", storage_test::fresh_database(), storage_test::kNoServer);
    state_ = storage_test::fresh_state_folder();
    data_ = ensure_embedded_running(state_).value().data;
    Store store = Store::open({}, state_).value();
    const double begin = storage_test::now_in_seconds();
    tell_all(store, "undisturbed");
    usual_s_ = storage_test::now_in_seconds() - begin;
    wanted_ = answers(store, "undisturbed");
    ASSERT_THAT(wanted_, Contains("main: a b c m (d) e p")) << "else the test would show nothing";
    ASSERT_THAT(wanted_, Contains("e after m 1"));
    ASSERT_THAT(wanted_, Contains("p after e 2"));
  }
  void TearDown() override {
    if (state_.empty()) return;
    EXPECT_TRUE(stop_embedded(state_));
  }
  // What was cut off is told again, and told whole.
  void expect_the_same(const std::string& project) {
    auto store = Store::open({}, state_);
    ASSERT_TRUE(store) << store.error().text();
    tell_all(*store, project);
    EXPECT_EQ(answers(*store, project), wanted_) << project;
    const auto rebuilt = Upkeep(*store).rebuild_commit_order();
    ASSERT_TRUE(rebuilt) << rebuilt.error().text();
    EXPECT_EQ(answers(*store, project), wanted_) << project << ", put in order anew";
  }
  std::filesystem::path state_;
  std::filesystem::path data_;
  double usual_s_ = 0;
  std::vector<std::string> wanted_;
  std::mt19937_64 engine_{20261123};
};

TEST_F(CommitGraphFault, AWriterKilledBetweenMergesAndForcePushesLeavesAnOrderThatGoesOn) {
  const int kills = storage_test::times(3, 40);
  for (int kill_number = 1; kill_number <= kills; ++kill_number) {
    const std::string project = "writer" + std::to_string(kill_number);
    const pid_t writer = fork();
    if (writer == 0) {
      auto store = Store::open({}, state_);
      for (std::size_t number = 0; store && number < events().size(); ++number) {
        if (!tell(*store, project, number)) break;
      }
      _exit(0);
    }
    storage_test::sleep_for_seconds(storage_test::moment(engine_, 1.2 * usual_s_));
    kill(writer, SIGKILL);
    waitpid(writer, nullptr, 0);
    expect_the_same(project);
  }
}

TEST_F(CommitGraphFault, AServerKilledBetweenMergesAndForcePushesLeavesAnOrderThatGoesOn) {
  const int kills = storage_test::times(1, 15);
  for (int kill_number = 1; kill_number <= kills; ++kill_number) {
    const std::string project = "server" + std::to_string(kill_number);
    const double at_s = storage_test::moment(engine_, usual_s_);
    Store store = Store::open({}, state_).value();
    std::thread killer([&] {
      storage_test::sleep_for_seconds(at_s);
      storage_test::kill_server(data_);
    });
    // A refused step is left out, as by a job that ended there; later ones come all the same.
    for (std::size_t number = 0; number < events().size(); ++number) static_cast<void>(tell(store, project, number));
    killer.join();
    expect_the_same(project);
  }
}

}  // namespace
}  // namespace steelyard::storage::commit_graph_fault_test
