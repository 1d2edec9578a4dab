#include "tests/ci/service/served_store.hpp"

#include "bench/model/benchmark_id.hpp"
#include "ci/service/assets.hpp"
#include "storage/archive/archive.hpp"
#include "storage/comparison_store.hpp"
#include "storage/history_store.hpp"
#include "storage/run_store.hpp"
#include "tests/ci/service/schema_check.hpp"
#include "tests/promised.hpp"
#include "tests/storage/postgres/example_run.hpp"
#include "tests/storage/postgres/test_server.hpp"

namespace steelyard::ci {
namespace {

using nlohmann::json;

void fill(storage::Store& store) {
  storage::RunStore runs(store);
  ASSERT_TRUE(runs.put(sealed_run(1)));
  ASSERT_TRUE(runs.put(sealed_run(2)));
  ASSERT_TRUE(runs.put(sealed_run(3, "hidden")));
  ASSERT_TRUE(storage::ComparisonStore(store).put(storage_test::example_comparison()));
  storage::ChangePointEvent event;
  event.event = storage::ChangeEvent::confirmed;
  event.point.id = "p1";
  event.point.project = "demo";
  event.point.benchmark = "BM_sort/1024 [suite=cpu]";
  event.point.metric = "instructions";
  event.point.branch = "main";
  event.point.commit = sealed_run(2).header.commit.sha;
  event.point.before = 100;
  event.point.after = 107;
  event.point.ratio = 1.07;
  event.point.regression = true;
  ASSERT_TRUE(storage::HistoryStore(store).put_change_points({event}));
  TargetRow target;
  target.benchmark = "BM_sort/1024";
  target.metric = "bandwidth";
  target.target.text = "0.6 of bandwidth";
  target.target.of = Target::Of::bandwidth;
  target.target.least = 0.6;
  target.achieved = 5e9;
  target.reason = "no ceiling is known";
  ASSERT_TRUE(runs.put_target_verdicts(sealed_run(2).header.id, {target}));
}

}  // namespace

Run sealed_run(int number, const std::string& project) {
  Run run = storage_test::example_run(number);
  run.header.project = project;
  run.header.id.clear();
  run.header.commit.dirty = false;
  storage::seal(run);
  return run;
}

Run run_of_benchmarks(int number, const std::string& project, const std::string& branch,
                      const std::vector<std::string>& names) {
  Run run = sealed_run(number, project);
  run.header.commit.branch = branch;
  const Measurement example = run.measurements.front();
  run.measurements.clear();
  run.profiles.clear();
  for (const std::string& name : names) {
    run.measurements.emplace_back(example).benchmark = parse_google_benchmark_name(name);
  }
  storage::seal(run);
  return run;
}

RunningService::RunningService(ServingOptions options, WebOptions http) : service_(options) {
  http.workers = options.workers;
  http.folder = ::testing::TempDir();
  const auto prepared = service_.prepare();
  if (!prepared) throw std::runtime_error(prepared.error().text());
  auto listening = WebServer::listen(http, service_);
  if (!listening) throw std::runtime_error(listening.error().text());
  server_.emplace(std::move(listening).value());
  port_ = port_of(server_->address());
  service_.attach(*server_);
  thread_ = std::thread([this] { static_cast<void>(server_->run(&stop_)); });
}

RunningService::~RunningService() {
  stop_ = true;
  thread_.join();
  service_.detach();
}

void ServedStore::SetUpTestSuite() {
  url_ = storage_test::migrated_database();
  if (!url_) return;
  state_ = storage_test::fresh_state_folder();
  storage::Store store = open();
  fill(store);
  service_ = std::make_unique<RunningService>(options());
}

void ServedStore::TearDownTestSuite() { service_.reset(); }

void ServedStore::SetUp() { STEELYARD_SKIP_WITHOUT("postgresql", url_, storage_test::kNoServer); }

ServingOptions ServedStore::options() {
  ServingOptions options;
  options.store = {false, *url_};
  options.state = state_;
  options.admission.key = kKey;
  options.workers = 2;
  options.requests_a_second = 100'000;
  options.requests_at_once = 100'000;
  return options;
}

Fields ServedStore::with_token(Fields fields) {
  for (const auto& [name, value] : fields) {
    if (name == "Authorization") return fields;
  }
  fields.emplace_back("Authorization", std::string("Bearer ") + kKey);
  return fields;
}

storage::Store ServedStore::open() {
  auto store = storage::Store::open({false, *url_}, state_);
  if (!store) throw std::runtime_error(store.error().text());
  return std::move(store).value();
}

std::string ServedStore::issue(const std::vector<std::string>& scopes, const std::string& project) {
  storage::Store store = open();
  const auto issued = storage::AccessStore(store).issue_token({"a test", project, scopes, 1, "ada"});
  if (!issued) throw std::runtime_error(issued.error().text());
  return issued->secret;
}

const json& ServedStore::document() {
  static const json document = json::parse(openapi_document());
  return document;
}

json ServedStore::checked(const std::string& path, const std::string& target, int status, const Fields& fields) {
  const HttpReply reply = get(target, fields);
  EXPECT_EQ(reply.status, status) << target << ": " << reply.body;
  const auto type = reply.fields.find("content-type");
  EXPECT_EQ(
      answer_fault(document(), path, "get", reply.status, type == reply.fields.end() ? "" : type->second, reply.body),
      "")
      << target;
  return json::parse(reply.body, nullptr, false);
}

json ServedStore::posted(const std::string& path, const std::string& target, const json& body, int status,
                         const Fields& fields) {
  Fields all = fields;
  all.emplace_back("Content-Type", "application/json");
  const HttpReply reply = ask(port(), "POST", target, all, body.dump());
  EXPECT_EQ(reply.status, status) << target << ": " << reply.body;
  EXPECT_EQ(answer_fault(document(), path, "post", reply.status, reply.fields.at("content-type"), reply.body), "");
  json answer = json::parse(reply.body, nullptr, false);
  constexpr int kNotAsWanted = 422;
  if (reply.status == kNotAsWanted) {
    for (const char* part : {"where", "found", "wanted"}) {
      EXPECT_TRUE(answer.contains(part) && !answer[part].get<std::string>().empty()) << part << ": " << reply.body;
    }
  }
  return answer;
}

}  // namespace steelyard::ci
