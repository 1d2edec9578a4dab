#include "ci/service/service.hpp"

#include <unistd.h>

#include <algorithm>
#include <cassert>
#include <cstdio>
#include <exception>
#include <fstream>
#include <utility>

#include "bench/model/elapsed.hpp"
#include "bench/model/sha256.hpp"
#include "ci/judging/bisect.hpp"
#include "ci/service/assets.hpp"
#include "ci/service/packing.hpp"
#include "ci/service/sent_body.hpp"
#include "ci/service/status_phrase.hpp"
#include "storage/alert_store.hpp"
#include "storage/catalog_store.hpp"
#include "storage/document/json.hpp"

namespace steelyard::ci {
namespace {

using storage::JsonWriter;

constexpr std::chrono::milliseconds kVersionHolds{100};  // how late one process hears what another one wrote
constexpr std::chrono::seconds kStoreRest{1};            // between tries to reach a store that is away
constexpr std::chrono::seconds kLook{1};                 // for what is new
constexpr std::chrono::minutes kBetweenTriesToEnd{10};   // what was accepted until yesterday
// Of the store, but for putting a run: less than the time that the service takes to end (WebOptions::stop_time).
constexpr std::chrono::seconds kLongestStatement{15};
// Of putting: it may wait for others that put, and would take as long again when it is sent again.
constexpr std::chrono::seconds kLongestPut{60};
constexpr double kFailuresASecond = 1.0 / 6;  // of one address, with tokens that are none: docs' table
constexpr double kFailuresAtOnce = 20;
constexpr std::size_t kWorthPacking = 1024;  // bytes
constexpr int kPackingEffort = 1;            // of 9: of a long history packing takes as long as reading it
constexpr int kPackingEffortOnce = 9;        // of the service's own files
constexpr std::string_view kApi = "/api/";
constexpr const char* kAssetVersion = "build";

// Nothing but the service's own files, and no script that stands in a page.
constexpr const char* kPagePolicy =
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; font-src 'self'; "
    "connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors ";
std::string page_policy(const std::vector<std::string>& embedders) {
  std::string policy = kPagePolicy;
  if (embedders.empty()) return policy + "'none'";
  for (const std::string& one : embedders) policy += one + ' ';
  return policy;
}
constexpr const char* kDataPolicy = "default-src 'none'; frame-ancestors 'none'; sandbox";

const char* type_of(std::string_view name) {
  static const std::vector<std::pair<std::string_view, const char*>> types{{".html", "text/html; charset=utf-8"},
                                                                           {".js", "text/javascript; charset=utf-8"},
                                                                           {".css", "text/css; charset=utf-8"},
                                                                           {".svg", "image/svg+xml"},
                                                                           {".png", "image/png"},
                                                                           {".json", "application/json"},
                                                                           {".txt", "text/plain; charset=utf-8"}};
  for (const auto& [end, type] : types) {
    if (name.ends_with(end)) return type;
  }
  return "application/octet-stream";
}

std::string etag_of(std::string_view body) { return "W/\"" + sha256_hex(body).substr(0, 32) + '"'; }
std::string etag_of(const std::vector<AnswerPiece>& pieces) {
  std::string digests;
  for (const AnswerPiece& piece : pieces) digests += piece.digest;
  return etag_of(digests);
}

bool has_etag(std::string_view sent, const std::string& etag) {
  return sent == "*" || sent.find(etag) != sent.npos ||
         (sent.starts_with('"') && sent.find(etag.substr(2)) != sent.npos);
}

WebFields common_fields(bool is_encrypted) {
  WebFields fields{{"X-Content-Type-Options", "nosniff"}, {"Referrer-Policy", "no-referrer"}};
  if (is_encrypted) fields.emplace_back("Strict-Transport-Security", "max-age=31536000");
  return fields;
}

// What is an option where it is typed is a parameter here.
Error of_parameter(Error error, const ApiOperation& operation) {
  for (const ApiParameter& parameter : operation.parameters) {
    if (error.where == "--" + parameter.name) error.where = parameter.name;
  }
  return error;
}

}  // namespace

Service::Service(ServingOptions options)
    : options_(std::move(options)),
      seats_(options_.workers),
      cache_(options_.cache_bytes),
      pieces_(options_.packed_bytes, kPackingEffort),
      jobs_(options_.trusted, options_.audience, options_.fetch),
      requests_(options_.requests_a_second, options_.requests_at_once),
      failures_(kFailuresASecond, kFailuresAtOnce) {
  add_reading(operations_);
  add_series_reading(operations_);
  add_bisects(operations_, bisect_folder(options_.state));
  const auto large = std::make_shared<std::mutex>();
  add_writing(operations_, large);
  add_store_answers(operations_, large);
}

Service::~Service() { detach(); }

void Service::detach() {
  is_ending_ = true;
  if (watcher_.joinable()) watcher_.join();
}

Result<void> Service::prepare() {
  STEELYARD_TRY(description_, ApiDescription::parse(openapi_document()));
  return {};
}

void Service::attach(WebServer& server) {
  server_ = &server;
  watcher_ = std::thread([this] { watch(); });
}

WebAnswer Service::problem(int status, const std::string& detail, const std::string& fix, const std::string& id) {
  Error error;
  error.fix = fix;
  error.found = detail;
  return problem(status, error, id);
}

WebAnswer Service::problem(int status, const Error& error, const std::string& id, Blame blame) {
  const bool is_parted = !error.where.empty();
  Error without_fix = error;
  without_fix.fix.clear();
  JsonWriter writer;
  writer("type", std::string("about:blank"));
  writer("title", std::string(status_phrase(status)));
  writer("status", status);
  writer("detail", is_parted ? without_fix.text() : error.found);
  writer("fix", error.fix, {.omitted = true});
  if (is_parted) {
    writer("where", error.where);
    writer("found", error.found);
    writer("wanted", error.wanted);
    // What was sent is at fault as it is, and no other try will do: whoever sent it may set it aside.
    if (blame == Blame::content) writer("content", true);
  }
  writer("request", id);
  WebAnswer answer{status, common_fields(options_.is_encrypted),
                   std::make_shared<std::string>(writer.one_line() + '\n')};
  answer.fields.emplace_back("Content-Type", "application/problem+json");
  answer.fields.emplace_back("Cache-Control", "no-store");
  answer.fields.emplace_back("Content-Security-Policy", kDataPolicy);
  if (status == 401) answer.fields.emplace_back("WWW-Authenticate", "Bearer realm=\"steelyard\"");
  return answer;
}

WebAnswer Service::refusal(int status, const std::string& detail, const std::string& id) {
  count("none", status, {});
  constexpr int kTooLarge = 413;
  constexpr int kTooLong = 414;
  const char* const fix = status == kTooLarge  ? "send less at once"
                          : status == kTooLong ? "a benchmark's name may be too long for a link: give a part of it "
                                                 "that no other name has, and of a list that goes on behind it (after) "
                                                 "ask for more at once (limit)"
                                               : "";
  return problem(status, detail, fix, id);
}

WebAnswer Service::problem_of(const Error& error, int input_status, const std::string& id) {
  if (error.kind == ErrorKind::input) {
    constexpr int kNotAsWanted = 422;
    return problem(input_status, error, id, input_status == kNotAsWanted ? Blame::content : Blame::none);
  }
  // What a server says of itself is for whoever runs it.
  std::fprintf(stderr, "steelyard: request %s: %s\n", id.c_str(), printable_line(error.text(), false).c_str());
  if (error.kind != ErrorKind::store)
    return problem(500, "a mistake of the service's", "report it with this request's id", id);
  WebAnswer answer = problem(503, "the store cannot be reached, or refused", "try again in a moment", id);
  answer.fields.emplace_back("Retry-After", "2");
  return answer;
}

void Service::count(const std::string& operation, int status, Clock::duration took) {
  const double seconds = std::chrono::duration<double>(took).count();
  const auto place = std::lower_bound(kSeconds.begin(), kSeconds.end(), seconds) - kSeconds.begin();
  const std::lock_guard lock(counts_mutex_);
  ++answered_[{operation, status}];
  ++within_[static_cast<std::size_t>(place)];
  seconds_ += seconds;
}

Result<storage::Store*> Service::store_of(std::size_t worker) {
  assert(worker < seats_.size() && "as many as the server's");
  Seat& seat = seats_[worker];
  if (!seat.store) {
    if (Clock::now() - seat.tried_at < kStoreRest) {
      return store_error("store " + options_.store.safe_text(), "no answer a moment ago");
    }
    seat.tried_at = Clock::now();
    Result<storage::Store> opened = storage::Store::open(options_.store, options_.state);
    if (!opened) {
      store_is_up_ = false;
      return opened.error();
    }
    seat.store.emplace(std::move(opened).value());
    seat.store->remember_values(options_.remembered_bytes / seats_.size());
    store_is_up_ = true;
  }
  seat.store->limit_statements(kLongestStatement);
  STEELYARD_CHECK(seat.store->see_only(""));
  return &*seat.store;
}

Result<std::string> Service::version(storage::Store& store) {
  {
    const std::lock_guard lock(version_mutex_);
    if (Clock::now() - version_at_ < kVersionHolds) return version_;
  }
  const Clock::time_point now = Clock::now();
  STEELYARD_TRY(std::string newest, storage::CatalogStore(store).version());
  const std::lock_guard lock(version_mutex_);
  version_ = newest;
  version_at_ = now;
  return newest;
}

// A mistake in one answer, or memory that there is too little of, ends that answer and not the service.
std::pair<BodyPlan, WebAnswer> Service::admit(std::size_t worker, const WebRequest& head) {
  try {
    return plan(worker, head);
  } catch (const std::exception& exception) {
    return {{}, problem_of(bug_error("admit", exception.what()), 500, head.id)};
  }
}

WebAnswer Service::answer(std::size_t worker, const WebRequest& request) {
  try {
    return answered(worker, request);
  } catch (const std::exception& exception) {
    return problem_of(bug_error("answer", exception.what()), 500, request.id);
  }
}

WebAnswer Service::answered(std::size_t worker, const WebRequest& request) {
  const Clock::time_point begin = Clock::now();
  const std::string_view path = path_of(request.target);
  if (description_.find(request.method, path).allowed.empty() && !path.starts_with(kApi)) {
    WebAnswer page = answer_page(request);
    count("page", page.status, Clock::now() - begin);
    return page;
  }
  Outcome outcome = admitted(worker, request);
  if (!outcome.admitted) {
    count("none", outcome.refusal.status, Clock::now() - begin);
    return std::move(outcome.refusal);
  }
  WebAnswer answer = outcome.admitted->act == nullptr ? answer_own(worker, request, *outcome.admitted)
                                                      : answer_operation(worker, request, *outcome.admitted);
  count(outcome.admitted->operation->id, answer.status, Clock::now() - begin);
  return answer;
}

WebAnswer Service::conditional(const WebRequest& request, AnswerCache::Answer answer, const std::string& key) {
  WebAnswer http{200, common_fields(options_.is_encrypted)};
  const bool is_page = answer.type.starts_with("text/html");
  http.fields.emplace_back("Content-Security-Policy", is_page ? page_policy(options_.embedders) : kDataPolicy);
  // A badge that anybody may see stands in other places' pages.
  const bool is_for_others = options_.admission.is_public && std::string_view(answer.type) == "image/svg+xml";
  http.fields.emplace_back("Cross-Origin-Resource-Policy", is_for_others ? "cross-origin" : "same-origin");
  http.fields.emplace_back("ETag", answer.etag);
  http.fields.emplace_back("Cache-Control", options_.admission.is_public || is_page ? "no-cache" : "private, no-cache");
  http.fields.emplace_back("Vary", "Accept-Encoding, Authorization");
  if (const std::string_view sent = request.field("if-none-match"); !sent.empty() && has_etag(sent, answer.etag)) {
    http.status = 304;
    return http;
  }
  http.fields.emplace_back("Content-Type", answer.type);
  http.body = answer.plain;
  if (answer.plain->size() < kWorthPacking || !takes_gzip(request.field("accept-encoding"))) return http;
  if (!answer.packed) {
    answer.packed = answer.pieces
                        ? pieces_.packed(*answer.plain, *answer.pieces)
                        : packed(*answer.plain, answer.version == kAssetVersion ? kPackingEffortOnce : kPackingEffort);
    if (!key.empty()) cache_.keep(key, answer);
  }
  if (!answer.packed) return http;
  http.body = answer.packed;
  http.fields.emplace_back("Content-Encoding", "gzip");
  return http;
}

WebAnswer Service::answer_page(const WebRequest& request) {
  if (request.method != "GET" && request.method != "HEAD") {
    return problem(405, request.method.substr(0, 20) + " is not for this path", "", request.id);
  }
  std::string name(path_of(request.target).substr(1));
  // The page's own places: what it shows there it asks for itself.
  if (name.find('.') == std::string::npos) name = "index.html";
  for (const Asset& asset : page_assets()) {
    if (asset.name != name) continue;
    const std::string key = "asset " + name;
    if (const auto known = cache_.find(key, kAssetVersion)) return conditional(request, *known, key);
    AnswerCache::Answer answer{kAssetVersion, etag_of(asset.bytes), type_of(name),
                               std::make_shared<const std::string>(asset.bytes), nullptr};
    cache_.keep(key, answer);
    return conditional(request, std::move(answer), key);
  }
  return problem(404, "no such page",
                 name == "index.html" ? "this build has no page; /api/v1/openapi.json is there" : "", request.id);
}

WebAnswer Service::ready(std::size_t worker, const WebRequest& request, const Caller& caller) {
  if (server_ != nullptr && server_->is_stopping()) return problem(503, "the service is ending", "", request.id);
  const Result<storage::Store*> store = store_of(worker);
  if (!store) return problem_of(store.error(), 503, request.id);
  const Result<int> schema = storage::CatalogStore(**store).schema_version();
  store_is_up_ = static_cast<bool>(schema);
  if (!schema) return problem_of(schema.error(), 503, request.id);
  JsonWriter writer;
  writer("status", std::string("ready"));
  writer("schema_version", *schema);
  // Where it is, is for whoever may see all of it.
  const bool is_known = caller.kind != Caller::Kind::anybody && caller.may("read") && caller.project.empty();
  if (is_known) writer("store", options_.store.safe_text());
  WebAnswer answer{200, common_fields(options_.is_encrypted), std::make_shared<std::string>(writer.one_line() + '\n')};
  answer.fields.emplace_back("Content-Type", "application/json");
  return answer;
}

WebAnswer Service::answer_own(std::size_t worker, const WebRequest& request, const Admitted& admitted) {
  const std::string& id = admitted.operation->id;
  if (id == "ready") return ready(worker, request, admitted.caller);
  if (id == "openapi") {
    AnswerCache::Answer answer{kAssetVersion, etag_of(openapi_document()), "application/json",
                               std::make_shared<const std::string>(openapi_document()), nullptr};
    return conditional(request, std::move(answer), "");
  }
  WebAnswer answer{200, common_fields(options_.is_encrypted)};
  answer.fields.emplace_back("Cache-Control", "no-store");
  if (id == "events") {
    answer.is_event_stream = true;
    answer.audience = admitted.caller.project.empty() ? admitted.values.at("project") : admitted.caller.project;
    answer.fields.emplace_back("Content-Type", "text/event-stream");
    answer.body = std::make_shared<std::string>("retry: 3000\n\n");
    return answer;
  }
  const bool is_health = id == "health";
  answer.fields.emplace_back(
      "Content-Type", is_health ? "application/json" : "application/openmetrics-text; version=1.0.0; charset=utf-8");
  answer.body = std::make_shared<std::string>(is_health ? "{\"status\":\"ok\"}\n" : metrics_text());
  return answer;
}

WebAnswer Service::answer_operation(std::size_t worker, const WebRequest& request, const Admitted& admitted) {
  const ApiOperation& operation = *admitted.operation;
  const Result<storage::Store*> found = store_of(worker);
  if (!found) return problem_of(found.error(), 500, request.id);
  storage::Store& store = **found;
  const Caller& caller = admitted.caller;
  const std::string key = operation.is_conditional ? caller.project + '\n' + request.target : "";
  std::string made_from;
  std::shared_ptr<std::mutex> turn;
  std::unique_lock<std::mutex> making;
  while (operation.is_conditional) {
    const Result<std::string> now = version(store);
    if (!now) return problem_of(now.error(), 500, request.id);
    if (const auto known = cache_.find(key, *now, std::exchange(made_from, *now))) {
      ++from_cache_;
      if (making) making.unlock();
      return conditional(request, *known, key);
    }
    if (making) break;  // nobody made it meanwhile
    turn = cache_.turn_to_make(key);
    making = std::unique_lock(*turn);
  }
  const bool writes = operation.scope == "submit" || operation.scope == "report" || operation.scope == "admin";
  if (!caller.project.empty() && operation.scope != "admin") {
    const Result<void> limited = store.see_only(caller.project, writes);
    if (!limited) return problem_of(limited.error(), 500, request.id);
  }
  if (operation.scope == "submit") store.limit_statements(kLongestPut);
  // One at a time: as values in memory a long answer takes many times its bytes.
  const std::unique_lock<std::mutex> large =
      turn_of(large_answer_, !writes && length_of(request) == Workers::Length::large);
  Result<Reply> reply = admitted.act->act({request, admitted.values, caller, store, options_.configuration});
  if (!reply) return problem_of(of_parameter(reply.error(), operation), admitted.act->input_status, request.id);
  if (reply->why) return problem(reply->status, *reply->why, request.id);
  if (reply->status >= 400) return problem(reply->status, reply->body, "", request.id);
  if (operation.is_conditional) {
    reply->body.shrink_to_fit();  // it is kept
    AnswerCache::Answer answer{made_from, "", reply->type, std::make_shared<const std::string>(std::move(reply->body)),
                               nullptr};
    if (!reply->cuts.empty()) {
      answer.pieces = std::make_shared<const std::vector<AnswerPiece>>(pieces_of(*answer.plain, reply->cuts));
    }
    answer.etag = answer.pieces ? etag_of(*answer.pieces) : etag_of(*answer.plain);
    cache_.keep(key, answer);
    return conditional(request, std::move(answer), key);
  }
  if (operation.method != "GET" && writes) {
    const std::lock_guard lock(version_mutex_);
    version_at_ = {};
  }
  WebAnswer answer{reply->status, common_fields(options_.is_encrypted),
                   std::make_shared<const std::string>(std::move(reply->body))};
  answer.fields.emplace_back("Cache-Control", "no-store");
  answer.fields.emplace_back("Content-Security-Policy", kDataPolicy);
  if (*reply->type != '\0') answer.fields.emplace_back("Content-Type", reply->type);
  return answer;
}

namespace {

std::int64_t resident_bytes() {
  std::ifstream file("/proc/self/statm");
  std::int64_t all = 0, resident = 0;
  file >> all >> resident;
  return resident * sysconf(_SC_PAGESIZE);
}

void add_metric(std::string& text, const std::string& name, const std::string& kind, const std::string& help,
                double value) {
  text += "# TYPE " + name + ' ' + kind + "\n# HELP " + name + ' ' + help + '\n' + name +
          (kind == "counter" ? "_total " : " ") + std::to_string(value) + '\n';
}

}  // namespace

std::string Service::metrics_text() {
  const WebCounts http = server_ == nullptr ? WebCounts{} : server_->counts();
  std::string text = "# TYPE steelyard_http_requests counter\n# HELP steelyard_http_requests Answers by operation.\n";
  {
    const std::lock_guard lock(counts_mutex_);
    for (const auto& [which, count] : answered_) {
      text += "steelyard_http_requests_total{operation=\"" + which.first + "\",status=\"" +
              std::to_string(which.second) + "\"} " + std::to_string(count) + '\n';
    }
    text +=
        "# TYPE steelyard_http_request_seconds histogram\n# UNIT steelyard_http_request_seconds seconds\n"
        "# HELP steelyard_http_request_seconds Time to make an answer.\n";
    std::uint64_t sum = 0;
    for (std::size_t i = 0; i < within_.size(); ++i) {
      sum += within_[i];
      const std::string end = i < kSeconds.size() ? std::to_string(kSeconds[i]) : "+Inf";
      text += "steelyard_http_request_seconds_bucket{le=\"" + end + "\"} " + std::to_string(sum) + '\n';
    }
    text += "steelyard_http_request_seconds_count " + std::to_string(sum) + "\nsteelyard_http_request_seconds_sum " +
            std::to_string(seconds_) + '\n';
  }
  const auto number = [](std::uint64_t count) { return static_cast<double>(count); };
  add_metric(text, "steelyard_http_connections", "counter", "Connections ever.", number(http.connections));
  add_metric(text, "steelyard_http_connections_open", "gauge", "Connections now.", number(http.open));
  add_metric(text, "steelyard_http_refused", "counter", "Beyond what is taken at once.", number(http.refused));
  add_metric(text, "steelyard_http_malformed", "counter", "What was no request.", number(http.malformed));
  add_metric(text, "steelyard_http_timed_out", "counter", "Clients that took too long.", number(http.timed_out));
  add_metric(text, "steelyard_event_streams", "gauge", "Streams of events now.", number(http.streams));
  add_metric(text, "steelyard_answers_from_cache", "counter", "Answers that were there.", number(from_cache_));
  add_metric(text, "steelyard_cache_bytes", "gauge", "Of kept answers.", static_cast<double>(cache_.bytes()));
  add_metric(text, "steelyard_store_up", "gauge", "Whether the store answered last.", store_is_up_ ? 1 : 0);
  add_metric(text, "process_resident_memory_bytes", "gauge", "Of this process.", static_cast<double>(resident_bytes()));
  return text + "# EOF\n";
}

// Tells what is new since the marks; absent: there was none to tell it from, or the store is away.
void Service::look_for_news(std::optional<storage::Store>& store, std::optional<storage::NewsMarks>& marks) {
  if (!store) {
    Result<storage::Store> opened = storage::Store::open(options_.store, options_.state);
    if (!opened) return;
    store.emplace(std::move(opened).value());
    store->limit_statements(kLongestStatement);
  }
  storage::CatalogStore catalog(*store);
  if (!marks) {
    const Result<storage::NewsMarks> newest = catalog.newest();
    if (!newest) return store.reset();
    marks = *newest;
    return;
  }
  const Result<std::vector<storage::NewsEntry>> news = catalog.news(*marks);
  if (!news) return store.reset();
  for (const storage::NewsEntry& one : *news) {
    JsonWriter data;
    data("project", one.project, {.null = Null::written});
    server_->publish({one.project, "event: " + one.kind + "\ndata: " + data.one_line() + "\n\n"});
  }
}

// A search is written anew whenever it knows more, by a file that takes the place of the one before.
void Service::look_for_bisects(std::filesystem::file_time_type& newest) {
  std::error_code trouble;
  const auto written = std::filesystem::last_write_time(bisect_folder(options_.state), trouble);
  if (trouble || written == newest) return;
  newest = written;
  server_->publish({"", "event: bisect\ndata: {\"project\":null}\n\n"});
}

// What was accepted until a day that is over is open again, whoever looks. False: the store is away, or its login may
// not write.
bool Service::end_what_is_over() {
  Result<storage::Store> opened = storage::Store::open(options_.store, options_.state);
  if (!opened) return false;
  opened->limit_statements(kLongestStatement);
  return static_cast<bool>(storage::AlertStore(*opened).end_accepted("", today(), now_unix_ns()));
}

void Service::watch() {
  std::optional<storage::Store> store;
  std::string ended_on;  // the day
  Clock::time_point next_end = Clock::now();
  std::optional<storage::NewsMarks> marks;
  std::filesystem::file_time_type bisects{};
  for (Clock::time_point next = Clock::now(); !is_ending_; std::this_thread::sleep_for(std::chrono::milliseconds(50))) {
    if (Clock::now() < next) continue;
    next = Clock::now() + kLook;
    try {
      if (Clock::now() >= next_end && ended_on != today()) {
        next_end = Clock::now() + kBetweenTriesToEnd;
        if (end_what_is_over()) ended_on = today();
      }
      if (server_->counts().streams == 0) {
        store.reset();
        marks.reset();
        continue;
      }
      look_for_bisects(bisects);
      look_for_news(store, marks);
    } catch (const std::exception& exception) {
      std::fprintf(stderr, "steelyard: events: %s\n", printable_line(exception.what(), false).c_str());
      store.reset();
    }
  }
}

}  // namespace steelyard::ci
