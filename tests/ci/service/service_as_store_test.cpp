// The command line with a service in place of a store: the same verbs, the same words.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <thread>
#include <utility>

#include "ci/app/store_client.hpp"
#include "ci/run_program.hpp"
#include "storage/alert_store.hpp"
#include "storage/archive/archive.hpp"
#include "storage/comparison/comparison_document.hpp"
#include "storage/document/json.hpp"
#include "storage/history_store.hpp"
#include "storage/place/files.hpp"
#include "storage/run_store.hpp"
#include "storage/spool/spool.hpp"
#include "storage/store_service.hpp"
#include "tests/ci/service/served_store.hpp"
#include "tests/storage/postgres/example_run.hpp"
#include "tests/storage/postgres/test_server.hpp"

namespace steelyard::ci::service_as_store_test {
namespace {

using nlohmann::json;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

struct Said {
  int status = 0;
  std::string out;
  std::string err;
};

Said said_of(const std::vector<std::string>& arguments) {
  std::istringstream in;
  std::ostringstream out, err;
  const int status = run_program(arguments, in, out, err);
  return {status, out.str(), err.str()};
}

class ServiceAsStore : public ServedStore {
 protected:
  void SetUp() override {
    ServedStore::SetUp();
    if (IsSkipped()) return;
    own_state_ = storage_test::fresh_state_folder();
    setenv("STEELYARD_STATE", own_state_.c_str(), 1);
    unsetenv("STEELYARD_TOKEN_FILE");
    before_ = std::filesystem::current_path();
    std::filesystem::current_path(own_state_);
  }
  void TearDown() override {
    if (!before_.empty()) std::filesystem::current_path(before_);
    for (const char* name : {"STEELYARD_STATE", "STEELYARD_STORE", "STEELYARD_TOKEN", "STEELYARD_TOKEN_FILE"}) {
      unsetenv(name);
    }
  }
  std::string address() const { return "http://127.0.0.1:" + std::to_string(port()); }
  // token: empty for none.
  Said over_service(const std::vector<std::string>& arguments, const std::string& token) const {
    return at(address(), arguments, token);
  }
  static Said at(const std::string& store, const std::vector<std::string>& arguments, const std::string& token) {
    setenv("STEELYARD_STORE", store.c_str(), 1);
    setenv("STEELYARD_TOKEN", token.c_str(), 1);
    return said_of(arguments);
  }
  static Said over_store(const std::vector<std::string>& arguments) { return at(*url_, arguments, ""); }
  static void expect_same(const Said& service, const Said& store, const std::vector<std::string>& arguments) {
    std::string command;
    for (const std::string& word : arguments) command += ' ' + word;
    EXPECT_EQ(service.status, store.status) << command << '\n' << service.err << store.err;
    EXPECT_EQ(std::pair(service.out, service.err), std::pair(store.out, store.err)) << command;
  }
  static std::string id(int number) { return sealed_run(number).header.id; }
  static std::string first_alert() {
    storage::Store store = open();
    storage::AlertQuery query;
    query.project = "demo";
    query.resolved_too = true;
    const auto found = storage::AlertStore(store).list(query);
    EXPECT_TRUE(found && !found->empty());
    return found->front().id;
  }

 private:
  std::filesystem::path own_state_;
  std::filesystem::path before_;
};

TEST_F(ServiceAsStore, SaysOfEachVerbWhatTheStoreItselfSays) {
  const std::string token = issue({"read"});
  const std::string alert = first_alert();
  const std::string sha = sealed_run(1).header.commit.sha;
  const std::vector<std::vector<std::string>> commands{
      {"history", "--project", "demo"},
      {"history", "--project", "demo", "--json"},
      {"history", "--project", "demo", "--branch", "main", "--series", "1", "--json"},
      {"history", "sort", "--project", "all", "--metric", "instructions", "--limit", "1"},
      {"history", "--project", "demo", "--machine", "cpu.model=CPU", "--parameter", "order=desc,ending {}"},
      {"history", "--project", "demo", "--chained", "--json"},
      {"history", "--project", "demo", "--changed-in", sha + ".." + sealed_run(2).header.commit.sha, "--json"},
      {"history", "--project", "demo", "--branch", "main", "--top-movers"},
      {"history", "--project", "demo", "--changed-in", "aaaaaaa..bbbbbbb"},
      {"history", "no such benchmark", "--project", "demo"},
      {"history", "--project", "none"},
      {"changes", "--project", "demo", "--no-store", "--json"},
      {"compare", "run:" + id(1), "run:" + id(2), "--seed", "1"},
      {"compare", "commit:" + sha.substr(0, 9), "run:" + id(2), "--seed", "1", "--json"},
      {"compare", "ancestor:main", "run:" + id(2), "--seed", "1"},
      {"compare", "run:ffffffff", "run:" + id(2)},
      {"compare", "commit:ffffffff", "run:" + id(2)},
      {"alerts", "--project", "demo"},
      {"alerts", "--project", "demo", "--all", "--json"},
      {"alerts", "show", alert.substr(0, 9)},
      {"alerts", "show", "ffffffff"},
      {"gate", "--against-history", "--run", "run:" + id(2), "--project", "demo", "--seed", "1", "--no-store"},
      {"gate", "--against-history", "--run", "run:" + id(2), "--project", "demo", "--seed", "1", "--no-store",
       "--json"}};
  for (const std::vector<std::string>& command : commands) {
    expect_same(over_service(command, token), over_store(command), command);
  }
}

TEST_F(ServiceAsStore, GivesAHistoryOfMoreThanOneAnswerHoldsAsAWhole) {
  const std::string token = issue({"read"});
  setenv("STEELYARD_TOKEN", token.c_str(), 1);
  auto service = connect_to_service(address());
  ASSERT_TRUE(service) << service.error().text();
  storage::HistoryQuery query;
  query.limit = storage::kMaxPointsOverService;  // of one series: every series is an answer
  const auto asked = storage::ask_history(**service, query);
  ASSERT_TRUE(asked) << asked.error().text();
  storage::Store store = open();
  const auto all = storage::HistoryStore(store).page(query);
  ASSERT_TRUE(all);
  ASSERT_EQ(asked->items.size(), all->items.size());
  EXPECT_GT(asked->items.size(), 1U);
  for (std::size_t i = 0; i < all->items.size(); ++i) {
    EXPECT_EQ(asked->items[i].benchmark, all->items[i].benchmark);
    EXPECT_EQ(asked->items[i].points.size(), all->items[i].points.size());
  }
}

TEST_F(ServiceAsStore, TakesAGateWithItsComparisonByWhichAlertsCome) {
  steelyard::Run run = sealed_run(4);
  ASSERT_TRUE(storage::write_archive("new.syrun", run));
  const std::vector<std::string> gate{
      "gate", "--against-history", "--run", "new.syrun", "--project", "demo", "--seed", "1", "--json"};
  const Said service = over_service(gate, issue({"read", "submit"}));
  EXPECT_THAT(service.err, AllOf(HasSubstr("kept in the store: " + address()), HasSubstr("as comparison:")));
  storage::Store store = open();
  EXPECT_TRUE(storage::RunStore(store).get(run.header.id));
  const Said again = over_store(gate);
  EXPECT_EQ(std::pair(again.status, again.out), std::pair(service.status, service.out));
}

TEST_F(ServiceAsStore, KeepsWhatARunMeasuredOnceHoweverOftenItIsSent) {
  const std::string token = issue({"submit"}, "of a job");
  const Said measured = over_service({"run", "--command", "true", "--project", "of a job", "--budget", "2s"}, token);
  EXPECT_EQ(measured.status, 0) << measured.err;
  EXPECT_THAT(measured.err, HasSubstr("kept in the store: " + address()));
  const json runs = checked("/api/v1/runs", "/api/v1/runs?project=of%20a%20job");
  EXPECT_EQ(runs["items"].size(), 1U);
}

TEST_F(ServiceAsStore, KeepsARunInTheSpoolWhileTheServiceIsAwayAndDeliversItLater) {
  steelyard::Run run = sealed_run(5);
  ASSERT_TRUE(storage::write_archive("late.syrun", run));
  const std::vector<std::string> gate{"gate", "--against-history", "--run", "late.syrun", "--project", "demo"};
  // A port that nobody listens at.
  const Said away = at("http://127.0.0.1:9", gate, issue({"read", "submit"}));
  EXPECT_EQ(away.status, 2) << away.err;
  EXPECT_THAT(away.err, HasSubstr("http://127.0.0.1:9"));
  const Said another = over_service({"history", "--project", "demo"}, issue({"read", "submit"}));
  EXPECT_THAT(another.err, AllOf(HasSubstr("in the spool for other stores: 1 run for http://127.0.0.1:9;"),
                                 Not(HasSubstr("delivered from the spool"))));
  // As if it had been meant for the service that is there.
  const std::filesystem::path spool = storage::state_folder() / "spool";
  std::filesystem::rename(spool / storage::percent_encode("http://127.0.0.1:9"),
                          spool / storage::percent_encode(address()));
  const Said refused = over_service({"history", "--project", "demo"}, issue({"read"}));
  EXPECT_EQ(refused.status, 0);
  EXPECT_THAT(refused.err, AllOf(HasSubstr("\"this needs a token with the scope submit\""), HasSubstr("read,submit")));
  const Said later = over_service({"history", "--project", "demo"}, issue({"read", "submit"}));
  EXPECT_THAT(later.err, HasSubstr("delivered from the spool: 1 run"));
  storage::Store store = open();
  EXPECT_TRUE(storage::RunStore(store).get(run.header.id));
}

TEST_F(ServiceAsStore, LeavesAComparisonAboveTheLimitWaitingAndDeliversWhatComesAfterIt) {
  steelyard::Comparison large = storage_test::example_comparison();
  large.candidate.created_at_unix_ns = 1;  // it is the first to be sent
  large.rows.at(0).reason = std::string(std::size_t{16} << 20, 'x');
  const steelyard::Run run = sealed_run(6);
  storage::Spool spool(storage::state_folder());
  ASSERT_TRUE(spool.keep(large));
  ASSERT_TRUE(spool.keep(run));
  const Said said = over_service({"history", "--project", "demo"}, issue({"read", "submit"}));
  EXPECT_EQ(said.status, 0);
  EXPECT_THAT(said.err, AllOf(HasSubstr("delivered from the spool: 1 run"), HasSubstr("found a document of 1678"),
                              HasSubstr(" bytes, wanted at most 16777216 bytes; it waits for a database")));
  EXPECT_EQ(spool.count_waiting(), (storage::Spool::Count{0, 1}));
  storage::Store store = open();
  EXPECT_TRUE(storage::RunStore(store).get(run.header.id));
}

TEST_F(ServiceAsStore, SaysWhatIsWrongWithTheTokenTheServiceOrTheAddress) {
  const std::vector<std::string> history{"history", "--project", "demo"};
  const Said none = over_service(history, "");
  EXPECT_EQ(none.status, 5);
  EXPECT_THAT(none.err, AllOf(HasSubstr("no token"), HasSubstr("$STEELYARD_TOKEN"), HasSubstr("serve token")));
  const Said foreign = over_service(history, "steelyard_" + std::string(32, 'a') + '_' + std::string(64, 'b'));
  EXPECT_EQ(foreign.status, 5);
  EXPECT_THAT(foreign.err, AllOf(HasSubstr("unknown, expired or revoked"), Not(HasSubstr("bbbb"))));
  const Said scope = over_service(history, issue({"submit"}));
  EXPECT_THAT(scope.err, AllOf(HasSubstr("scope read"), HasSubstr("--scopes read,submit")));
  const Said act = over_service({"alerts", "acknowledge", first_alert().substr(0, 10)}, issue({"read"}, "demo"));
  EXPECT_EQ(std::pair(scope.status, act.status), std::pair(3, 3)) << "asking again helps nobody";
  EXPECT_THAT(act.err, AllOf(HasSubstr("scope report"), HasSubstr("--scopes read,report --project 'demo'")));
  const Said odd = over_service(history, "two\nlines");
  EXPECT_EQ(odd.status, 3);
  EXPECT_THAT(odd.err, AllOf(HasSubstr("$STEELYARD_TOKEN"), Not(HasSubstr("two"))));
  EXPECT_THAT(at("http://steelyard.example", history, "").err, HasSubstr("https"));
  const Said user = at("https://ada:secret@steelyard.example", history, "");
  EXPECT_EQ(user.status, 3);
  EXPECT_THAT(user.err, AllOf(HasSubstr("STEELYARD_TOKEN"), Not(HasSubstr("secret@"))));

  std::ofstream("token") << issue({"read"}) << '\n';
  setenv("STEELYARD_TOKEN_FILE", "token", 1);
  EXPECT_EQ(over_service(history, "").status, 0) << "of the file";
  setenv("STEELYARD_TOKEN_FILE", "no such file", 1);
  EXPECT_EQ(over_service(history, "").status, 3);
}

TEST_F(ServiceAsStore, TellsAnOlderServiceAndAnotherServerApart) {
  const auto answering = [](int status, const std::string& body) {
    return ApiTransport{[=](const HttpRequest&) -> HttpOutcome {
                          return HttpAnswer{status, {}, body};
                        },
                        [](Nanoseconds) {}};
  };
  const auto older = connect_to_service("https://a.example", answering(200, R"({"version":"steelyard 0.0.9"})"));
  ASSERT_FALSE(older);
  EXPECT_EQ(older.error().kind, ErrorKind::store);
  EXPECT_THAT(older.error().text(), AllOf(HasSubstr("steelyard 0.0.9"), HasSubstr("a newer one")));
  const auto other = connect_to_service("https://a.example", answering(200, "<html>"));
  ASSERT_FALSE(other);
  EXPECT_THAT(other.error().text(), HasSubstr("another server's answer"));
  const auto missing = connect_to_service("https://a.example", answering(404, ""));
  ASSERT_FALSE(missing);
  EXPECT_THAT(missing.error().text(), HasSubstr("status 404"));
}

// Answers the greeting as a service of today, and everything else as it is told.
ApiTransport answering_rest(int status, const std::string& body) {
  return {[=](const HttpRequest& request) -> HttpOutcome {
            if (!request.url.ends_with("/session")) return HttpAnswer{status, {}, body};
            return HttpAnswer{200, {}, R"({"version":"steelyard 9","questions":1,"scopes":["read","submit"]})"};
          },
          [](Nanoseconds) {}};
}

TEST_F(ServiceAsStore, SetsAsideWhatIsAtFaultItselfAloneAndLeavesTheRestWaiting) {
  using Piece = storage::StoreService::Piece;
  const std::string fault = R"({"detail":"x","where":"submission","found":"f","wanted":"w","request":"1")";
  const auto faulty = connect_to_service("https://a.example", answering_rest(422, fault + R"(,"content":true})"));
  ASSERT_TRUE(faulty) << faulty.error().text();
  const auto aside = (*faulty)->put(Piece::run, "bytes");
  ASSERT_FALSE(aside);
  EXPECT_EQ(aside.error().kind, ErrorKind::input);
  for (const auto& [status, body] : std::vector<std::pair<int, std::string>>{
           {422, fault + '}'}, {413, "<html>nginx</html>"}, {413, fault + '}'}, {415, fault + '}'}, {400, "no"}}) {
    const auto service = connect_to_service("https://a.example", answering_rest(status, body));
    ASSERT_TRUE(service) << service.error().text();
    for (const Piece piece : {Piece::run, Piece::comparison}) {
      const auto waits = (*service)->put(piece, "bytes");
      ASSERT_FALSE(waits);
      EXPECT_EQ(waits.error().kind, ErrorKind::store) << status;
      EXPECT_TRUE((*service)->refused_login()) << status << ": what comes after it goes on";
    }
  }
}

TEST_F(ServiceAsStore, TakesAnAnswerThatItCannotReadForTheServicesFault) {
  const auto service = connect_to_service("https://a.example", answering_rest(200, R"({"schema":"of tomorrow"})"));
  ASSERT_TRUE(service) << service.error().text();
  EXPECT_EQ(storage::ask_run(**service, "0123456789").error().kind, ErrorKind::store);
  EXPECT_EQ(storage::ask_comparison(**service, "0123456789").error().kind, ErrorKind::store);
  EXPECT_EQ(storage::ask_steps(**service, {"demo"}).error().kind, ErrorKind::store);
}

TEST_F(ServiceAsStore, GivesAPutLongerThanTheServicesOwnStatementAndAnAnswerTimeByItsLength) {
  HttpRequest last;
  ApiTransport transport = answering_rest(200, R"({"is_new":true})");
  transport.send = [&last, inner = transport.send](const HttpRequest& request) {
    last = request;
    return inner(request);
  };
  const auto service = connect_to_service("https://a.example", transport);
  ASSERT_TRUE(service) << service.error().text();
  EXPECT_TRUE((*service)->put(storage::StoreService::Piece::run, "bytes"));
  EXPECT_GT(last.timeout, seconds(60)) << "a statement that puts may take a minute";
  EXPECT_TRUE((*service)->ask("steps", "{}"));
  EXPECT_GT(last.timeout, seconds(256)) << "256 MiB at a MiB a second";
  EXPECT_EQ(last.longest_silence, seconds(30));
}

TEST_F(ServiceAsStore, SaysOfAnActWhoseAnswerIsLostThatItMayBeDone) {
  const auto service = connect_to_service("https://a.example", answering_rest(502, ""));
  ASSERT_TRUE(service) << service.error().text();
  storage::AlertAct act;
  act.alert = std::string(64, 'a');
  const auto lost = (*service)->act(act);
  ASSERT_FALSE(lost);
  EXPECT_THAT(lost.error().fix, AllOf(HasSubstr("may have been done"), HasSubstr("alerts show aaaaaaaaaaaa")));
}

TEST_F(ServiceAsStore, SendsTheTokenToNoAddressThatAFileAloneNames) {
  std::ofstream("steelyard.toml") << "[store]\naddress = \"" << address() << "\"\n";
  const std::vector<std::string> history{"history", "--project", "demo"};
  const std::string token = issue({"read"});
  setenv("STEELYARD_TOKEN", token.c_str(), 1);
  unsetenv("STEELYARD_STORE");
  const Said refused = said_of(history);
  EXPECT_EQ(refused.status, 3);
  EXPECT_THAT(refused.err, AllOf(HasSubstr("steelyard.toml:2"), HasSubstr("STEELYARD_STORE"), Not(HasSubstr(token))));
  std::vector<std::string> named = history;
  named.insert(named.end(), {"--store", address()});
  EXPECT_EQ(said_of(named).status, 0) << "who types it means it";
  EXPECT_EQ(over_service(history, token).status, 0) << "of the variable";
  unsetenv("STEELYARD_STORE");
  unsetenv("STEELYARD_TOKEN");
  EXPECT_EQ(said_of(history).status, 5) << "without a token nothing can be taken";
}

TEST_F(ServiceAsStore, ShowsNothingOfAnAddressThatMayHoldASecret) {
  for (const char* mark : {"?", "#", "/?"}) {
    const Said refused = at("https://steelyard.example" + std::string(mark) + "token=hunter2", {"config", "show"}, "");
    EXPECT_THAT(refused.out + refused.err, Not(HasSubstr("hunter2"))) << mark;
  }
  const Said history = at("https://steelyard.example?token=hunter2", {"history", "--project", "demo"}, "");
  EXPECT_EQ(history.status, 3);
  EXPECT_THAT(history.err, AllOf(HasSubstr("STEELYARD_TOKEN"), Not(HasSubstr("hunter2"))));
}

TEST_F(ServiceAsStore, RefusesInWordsWhatTakesTheDatabaseItself) {
  const std::string token = issue({"read", "submit", "report", "admin"});
  for (const std::vector<std::string>& command : std::vector<std::vector<std::string>>{{"db", "status"},
                                                                                       {"db", "shell"},
                                                                                       {"db", "backup", "folder"},
                                                                                       {"db", "migrate"},
                                                                                       {"serve"},
                                                                                       {"serve", "tokens"}}) {
    const Said refused = over_service(command, token);
    EXPECT_EQ(refused.status, 3) << command[0] << ' ' << command.back();
    EXPECT_THAT(refused.err, AllOf(HasSubstr(address()), HasSubstr("database itself"))) << command.back();
  }
}

TEST_F(ServiceAsStore, DoesToAnAlertWhatAPersonSaysInTheirNameAndTheTokens) {
  const std::string alert = first_alert();
  const std::string token = issue({"read", "report"});
  const Said done =
      over_service({"alerts", "acknowledge", alert.substr(0, 10), "--who", "ada", "--note", "mine"}, token);
  EXPECT_EQ(done.status, 0) << done.err;
  EXPECT_THAT(done.out, AllOf(HasSubstr("ada (token a test)"), HasSubstr("mine")));
  const Said reader = over_service({"alerts", "resolve", alert, "--who", "eve"}, issue({"read"}));
  EXPECT_NE(reader.status, 0);
  EXPECT_THAT(reader.err, HasSubstr("scope report"));
  EXPECT_THAT(over_service({"alerts", "assign", alert, "--to", "bert", "--who", "ada"}, token).out,
              AllOf(HasSubstr(", assigned to bert\n"), HasSubstr(" by ada (token a test)\n")));
  const std::vector<std::string> show{"alerts", "show", alert};
  expect_same(over_service(show, token), over_store(show), show);
  EXPECT_THAT(over_service({"alerts", "unassign", alert}, token).out, Not(HasSubstr("assigned")));
  const std::vector<std::string> reopen{"alerts", "reopen", alert, "--who", "ada"};
  EXPECT_EQ(over_service(reopen, token).status, 0);
  const Said twice = over_service(reopen, token);
  EXPECT_EQ(twice.status, 3);
  expect_same(twice, over_store(reopen), reopen);
}

TEST_F(ServiceAsStore, ShowsATokenOfOneProjectThatProjectAlone) {
  const std::string token = issue({"read", "submit"}, "demo");
  EXPECT_EQ(over_service({"history", "--project", "demo"}, token).status, 0);
  EXPECT_THAT(over_service({"history", "--project", "all", "--json"}, token).out, Not(HasSubstr("hidden")));
  EXPECT_EQ(over_service({"compare", "run:" + id(3), "run:" + id(1)}, token).status, 3) << "hidden's run";
  steelyard::Comparison comparison = storage_test::example_comparison();
  comparison.baseline.project = comparison.candidate.project = "hidden";
  Fields fields = bearer(token);
  posted("/api/v1/comparisons", "/api/v1/comparisons", json::parse(storage::comparison_document(comparison)), 403,
         fields);
  posted("/api/v1/commits", "/api/v1/commits", json::parse(storage::graph_document({"hidden", {}})), 403, fields);
}

TEST_F(ServiceAsStore, AnswersTheQuestionsOfItsDescriptionWithinBounds) {
  const json& parameter =
      document()["paths"]["/api/v1/questions/{question}"]["post"]["parameters"][0]["schema"]["enum"];
  EXPECT_EQ(parameter.get<std::vector<std::string>>(), storage::question_names());
  const Fields fields = bearer(issue({"read"}));
  const std::string path = "/api/v1/questions/{question}";
  const auto ask_for = [&](const std::string& question, const json& body, int status) {
    return posted(path, "/api/v1/questions/" + question, body, status, fields);
  };
  EXPECT_EQ(ask_for("projects", {{"first", "hidden"}, {"second", ""}}, 200)["items"][0], "hidden") << "in front";
  storage::JsonWriter writer;
  const storage::HistoryQuery usual;
  storage::HistoryQuery::fields(writer, usual);
  json query = json::parse(writer.one_line());
  EXPECT_THAT(ask_for("history", query, 422)["detail"].get<std::string>(), HasSubstr("series of one answer"));
  query["series_limit"] = 1000;
  EXPECT_THAT(ask_for("history", query, 422)["found"].get<std::string>(), HasSubstr("200000"));
  query["series_limit"] = 10;
  EXPECT_EQ(ask_for("history", query, 200)["schema"], "steelyard.answer/1");
  query["benchmark"] = std::string("a\0b", 3);
  ask_for("history", query, 422);
  query["benchmark"] = 17;
  ask_for("history", query, 422);
  ask_for("secrets", query, 400);
  storage::StepQuery line{"demo"};
  line.limit = storage::kMaxStepsOverService;
  line.commits.assign(5001, std::string(64, 'a'));  // as many as backfill goes through
  storage::JsonWriter steps;
  storage::StepQuery::fields(steps, std::as_const(line));
  EXPECT_EQ(ask_for("steps", json::parse(steps.one_line()), 200)["items"].size(), 0U);
  ++line.limit;
  storage::JsonWriter beyond;
  storage::StepQuery::fields(beyond, std::as_const(line));
  ask_for("steps", json::parse(beyond.one_line()), 422);
  ask_for("steps", json::array(), 422);
  // What is not as wanted is shown, which would take as deep a stack.
  const std::string deep = "{\"first\":" + std::string(30'000, '[') + std::string(30'000, ']') + '}';
  Fields with_type = fields;
  with_type.emplace_back("Content-Type", "application/json");
  const HttpReply refused = ask(port(), "POST", "/api/v1/questions/projects", with_type, deep);
  EXPECT_EQ(refused.status, 422);
  EXPECT_THAT(refused.body, HasSubstr("more than 64 levels"));
  EXPECT_EQ(posted(path, "/api/v1/questions/projects", json::object(), 403, bearer(issue({"submit"})))["status"], 403);
}

TEST_F(ServiceAsStore, OpensAgainWhatWasAcceptedUntilADayThatIsOver) {
  const std::string alert = first_alert();
  storage::Store store = open();
  const auto now = std::chrono::system_clock::now().time_since_epoch();
  const storage::AlertAct act{storage::AlertAct::Kind::accept,
                              alert,
                              "ada",
                              "for now",
                              sealed_run(2).header.commit.sha,
                              std::chrono::duration_cast<std::chrono::nanoseconds>(now).count(),
                              "2020-01-01"};
  ASSERT_TRUE(storage::AlertStore(store).act(act));
  const RunningService another(options());
  std::string state;
  for (int tries = 0; tries < 200 && state != "reopened"; ++tries) {
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
    state = checked("/api/v1/alerts/{id}", "/api/v1/alerts/" + alert)["state"];
  }
  EXPECT_EQ(state, "reopened");
}

TEST_F(ServiceAsStore, KeepsTargetsAndTheOrderOfCommitsOnceAsTheStoreDoes) {
  setenv("STEELYARD_TOKEN", issue({"read", "submit"}).c_str(), 1);
  auto service = connect_to_service(address());
  ASSERT_TRUE(service) << service.error().text();
  storage::Store over = storage::Store::over(std::move(*service), std::filesystem::current_path());
  TargetRow row;
  row.benchmark = "BM_sort/1024";
  row.metric = "bandwidth";
  row.target.text = "60% of bandwidth";
  row.target.least = 0.6;
  row.target.threads = 2;
  row.achieved = 5e9;
  row.achieved_interval = Interval{4e9, 6e9};
  row.ceiling.emplace().value = 1e10;
  row.utilization = 0.5;
  row.invocations = 3;
  row.verdict = TargetVerdict::missed;
  row.reason = "the interval lies below";
  const auto first = storage::RunStore(over).put_target_verdicts(id(1), {row});
  ASSERT_TRUE(first) << first.error().text();
  EXPECT_TRUE(*first);
  EXPECT_FALSE(storage::RunStore(over).put_target_verdicts(id(1), {row}).value()) << "twice is once";
  const json kept = checked("/api/v1/targets", "/api/v1/targets?run=" + id(1))["items"].at(0);
  EXPECT_EQ(kept["verdict"], "missed");
  EXPECT_EQ(kept["achieved_high"], 6e9);
  EXPECT_EQ(kept["ceiling"], 1e10);
  EXPECT_FALSE(storage::RunStore(over).put_target_verdicts(std::string(64, 'f'), {row})) << "no such run";

  const std::string base = sealed_run(1).header.commit.sha, head = sealed_run(2).header.commit.sha;
  const storage::CommitGraph graph{"demo", {{head, {base}}, {base, {}}}};
  const auto told = storage::HistoryStore(over).put_commit_graph(graph);
  ASSERT_TRUE(told) << told.error().text();
  EXPECT_FALSE(storage::HistoryStore(over).put_commit_graph(graph).value());
  storage::BaselineQuery query{"demo", sealed_run(2).environment.fingerprint(), head, "main"};
  const auto found = storage::HistoryStore(over).latest_baseline(query);
  ASSERT_TRUE(found && *found);
  EXPECT_TRUE((*found)->is_ancestor);
  EXPECT_EQ((*found)->commit, base);
}

TEST_F(ServiceAsStore, TakesTheResultsOfAToolAsJsonOnce) {
  const std::string results =
      R"({"context":{"date":"2026-01-02T03:04:05+00:00","host_name":"h","executable":"./b","num_cpus":2,)"
      R"("mhz_per_cpu":2000,"caches":[],"library_build_type":"release"},"benchmarks":[{"name":"BM_x",)"
      R"("run_type":"iteration","iterations":10,"real_time":5,"cpu_time":5,"time_unit":"ns"}]})";
  Fields fields = bearer(issue({"submit"}, "json"));
  const std::string target = "/api/v1/runs?commit=" + std::string(40, 'c') + "&branch=main";
  const json first = posted("/api/v1/runs", target, json::parse(results), 201, fields);
  const json second = posted("/api/v1/runs", target, json::parse(results), 200, fields);
  EXPECT_EQ(first["id"], second["id"]);
  const json run = checked("/api/v1/runs/{id}", "/api/v1/runs/" + first["id"].get<std::string>());
  EXPECT_EQ(run["run"]["project"], "json");
  EXPECT_THAT(run.dump(), Not(HasSubstr("/proc/")));
  // nanobench, hyperfine and others say no time.
  json undated = json::parse(results);
  undated["context"].erase("date");
  const std::string dated = target + "&committed_at=2026-01-02T03:04:05Z";
  EXPECT_THAT(posted("/api/v1/runs", target, undated, 422, fields)["fix"].get<std::string>(),
              HasSubstr("committed_at"));
  posted("/api/v1/runs", target + "&committed_at=yesterday", undated, 422, fields);
  const std::string parent = "&parent=" + std::string(40, 'b');
  EXPECT_EQ(posted("/api/v1/runs", dated + "&parent=main", undated, 422, fields)["where"], "parent");
  EXPECT_EQ(posted("/api/v1/runs", "/api/v1/runs?branch=main" + parent, json::parse(results), 422, fields)["where"],
            "parent");
  const json of_commit = posted("/api/v1/runs", dated + parent, undated, 201, fields);
  storage::Store store = open();
  const auto kept = storage::RunStore(store).get(of_commit["id"]);
  ASSERT_TRUE(kept) << kept.error().text();
  EXPECT_EQ(kept->header.commit.parent, std::string(40, 'b'));
  EXPECT_EQ(kept->header.commit.committed_at_unix_s, 1'767'323'045);
  EXPECT_EQ(kept->header.created_at_unix_ns, 1'767'323'045'000'000'000);
  Fields with_type = fields;
  with_type.emplace_back("Content-Type", "application/json");
  const HttpReply cut = ask(port(), "POST", target, with_type, results.substr(0, results.size() / 2));
  EXPECT_EQ(cut.status, 422);
  EXPECT_THAT(cut.body, AllOf(HasSubstr("submission"), Not(HasSubstr("/proc/"))));
  posted("/api/v1/runs", "/api/v1/runs?project=demo", json::parse(results), 403, fields);
  posted("/api/v1/runs", "/api/v1/runs", json::parse(results), 422, bearer(issue({"submit"})));
  fields.emplace_back("Content-Type", "application/vnd.steelyard.run");
  EXPECT_EQ(ask(port(), "POST", target, fields, storage::encode_run(sealed_run(1, "json"))).status, 422)
      << "an archive says itself what it is of";
  HttpClient client(port());
  client.send("POST /api/v1/runs HTTP/1.1\r\nHost: localhost\r\n" + fields[0].first + ": " + fields[0].second +
              "\r\nContent-Type: application/json\r\nContent-Length: 16777217\r\n\r\n");
  const HttpReply large = client.receive();
  EXPECT_EQ(large.status, 413);
  EXPECT_THAT(large.body, HasSubstr(R"("found":"16777217 bytes","wanted":"at most 16777216 bytes")"));
}

TEST_F(ServiceAsStore, RotatesATokenAndLeavesTheOldOneItsGraceOrNone) {
  const std::string admin = issue({"admin"});
  const auto id_of = [](const std::string& token) { return token.substr(10, 32); };
  const auto rotated = [&](const std::string& token, const json& body, int status = 201) {
    return posted("/api/v1/tokens/{id}/rotate", "/api/v1/tokens/" + id_of(token) + "/rotate", body, status,
                  bearer(admin));
  };
  const auto reads = [&](const std::string& token) { return get("/api/v1/runs", bearer(token)).status; };
  const std::string first = issue({"read"}, "demo");
  const json second = rotated(first, {{"grace_hours", 1}});
  EXPECT_EQ(second["token"]["project"], "demo");
  EXPECT_EQ(second["token"]["scopes"], json::array({"read"}));
  EXPECT_EQ(reads(first), 200) << "for an hour yet";
  EXPECT_LT(second["old_expires_at"], second["token"]["expires_at"]);
  EXPECT_EQ(reads(second["secret"]), 200);
  for (const json& again : {json::object(), json{{"grace_hours", 1}}}) {
    EXPECT_THAT(rotated(first, again, 422)["detail"].get<std::string>(), HasSubstr("was rotated"));
  }
  EXPECT_EQ(reads(first), 200) << "its grace is what it was";
  const json third = rotated(second["secret"], json::object());
  EXPECT_EQ(reads(second["secret"]), 401) << "at once";
  EXPECT_FALSE(third.contains("old_expires_at"));
  EXPECT_EQ(reads(third["secret"]), 200);
  EXPECT_THAT(rotated(second["secret"], json::object(), 422)["detail"].get<std::string>(),
              HasSubstr("no token that is good now"));
  rotated(third["secret"], {{"grace_hours", 721}}, 422);
  const std::string of_other = issue({"admin"}, "hidden");
  posted("/api/v1/tokens/{id}/rotate", "/api/v1/tokens/" + id_of(third["secret"]) + "/rotate", json::object(), 404,
         bearer(of_other));
  const json trail = checked("/api/v1/audit", "/api/v1/audit", 200, bearer(admin));
  EXPECT_THAT(trail.dump(), testing::AllOf(HasSubstr("token rotated"), HasSubstr("the old one good for 1 hour\"")));

  const Said typed = over_store({"serve", "rotate", id_of(third["secret"]), "--grace-hours", "1"});
  EXPECT_EQ(typed.status, 0) << typed.err;
  EXPECT_EQ(reads(typed.out.substr(0, typed.out.size() - 1)), 200);
  EXPECT_THAT(typed.err, HasSubstr("is good for 1 hour yet"));
}

}  // namespace
}  // namespace steelyard::ci::service_as_store_test
