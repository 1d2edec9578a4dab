// What a CI service says to a job that tells it of a judgement, and a service in a store's place to whoever asks it.
#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <string_view>
#include <vector>

#include "bench/model/text.hpp"
#include "ci/app/store_client.hpp"
#include "ci/publish/github.hpp"
#include "ci/publish/gitlab.hpp"
#include "storage/alert_store.hpp"
#include "storage/archive/archive.hpp"
#include "storage/comparison_store.hpp"
#include "storage/document/json.hpp"
#include "storage/history_store.hpp"
#include "storage/run_store.hpp"
#include "tests/fuzz/claims.hpp"

namespace steelyard::testkit {
namespace {

constexpr std::string_view kAddress = "https://api.example";
constexpr std::string_view kToken = "Authorization: Bearer a-secret-token";
constexpr std::string_view kSecret = "a-secret-token";
// A list of comments has 50 pages, each asked for four times at most, in four tries; a check a few requests a try.
constexpr std::size_t kMaxRequests = 1000;

// "200 Link: <x>; rel=\"next\"\n\n[]"; a status that is none is a connection that was cut, or never made.
ci::HttpOutcome answer_of(std::string_view part) {
  ci::HttpAnswer answer;
  const auto [end, code] = std::from_chars(part.data(), part.data() + part.size(), answer.status);
  if (code != std::errc() || answer.status < 100 || answer.status > 999) {
    using Kind = ci::HttpFailure::Kind;
    const Kind kind = part.starts_with('c') ? Kind::cut : part.starts_with('r') ? Kind::refused : Kind::not_sent;
    return ci::HttpFailure{kind, printable_line(part.substr(0, 100), true)};
  }
  part.remove_prefix(static_cast<std::size_t>(end - part.data()));
  while (!part.empty()) {
    const std::size_t line = std::min(part.find('\n'), part.size());
    const std::string_view header = part.substr(0, line);
    part.remove_prefix(std::min(line + 1, part.size()));
    if (header.empty()) break;
    ci::take_header(header, answer);
  }
  answer.body = part;
  return answer;
}

// What is asked of GitHub and GitLab begins so, and what is asked of a service in a store's place.
using Paths = std::vector<std::string_view>;
const Paths kPathsOfARequest{"/repos/acme/shop/", "/projects/acme%2Fshop/merge_requests/7"};
const Paths kPathsOfAStore{"/api/v1/"};

// Answers in turn, the last one again and again.
class AnsweringService {
 public:
  AnsweringService(std::vector<std::string_view> answers, const Paths& paths)
      : answers_(std::move(answers)), paths_(paths) {}

  ci::ApiTransport transport() {
    return {[this](const ci::HttpRequest& request) { return answer(request); }, [](Nanoseconds) {}};
  }
  const BrokenClaim& broken() const { return broken_; }
  bool has_changed_anything() const { return has_changed_; }
  // To a new question, the answers from that one on.
  void begin_at(std::size_t answer) {
    requests_ = 0;
    first_ = answer;
    may_have_acted_ = false;
  }

 private:
  ci::HttpOutcome answer(const ci::HttpRequest& request) {
    if (!broken_) broken_ = broken_claim_about(request);
    has_changed_ = has_changed_ || request.method != "GET";
    const std::string_view part =
        answers_.empty() ? "500" : answers_[std::min(first_ + requests_, answers_.size() - 1)];
    ++requests_;
    ci::HttpOutcome outcome = answer_of(part);
    const auto* const failure = std::get_if<ci::HttpFailure>(&outcome);
    may_have_acted_ = is_act(request) && failure != nullptr && failure->kind == ci::HttpFailure::Kind::cut;
    return outcome;
  }
  // What is done to an alert: a second time is a second line of its life.
  static bool is_act(const ci::HttpRequest& request) { return request.url.find("/alerts/") != std::string::npos; }

  BrokenClaim broken_claim_about(const ci::HttpRequest& request) const {
    if (requests_ > kMaxRequests) return "there is an end to requests";
    if (!request.url.starts_with(kAddress)) return "requests go to the API's address: " + request.url;
    const std::string path = request.url.substr(kAddress.size());
    if (may_have_acted_ && is_act(request)) return "what may have been done is not asked for again";
    const auto begins = [&path](std::string_view known) { return path.starts_with(known); };
    const bool is_known = path == "/user" || std::any_of(paths_.begin(), paths_.end(), begins);
    if (!is_known) return "requests are of one repository, or of one API: " + path;
    const bool is_odd = path.find("..") != std::string::npos || path.find_first_of("#\\ \"<>") != std::string::npos ||
                        printable_line(path, false) != path;
    if (is_odd) return "no answer bends a path: " + path;
    const bool has_token = std::find(request.headers.begin(), request.headers.end(), kToken) != request.headers.end();
    if (!has_token || request.body.find(kSecret) != std::string::npos) return "the token is in its header alone";
    const bool is_archive = std::find(request.headers.begin(), request.headers.end(),
                                      "Content-Type: application/vnd.steelyard.run") != request.headers.end();
    const bool is_json = !is_archive && !request.body.empty();
    if (is_json && !storage::JsonDocument::parse(request.body, "body")) return "what is sent is JSON";
    return std::nullopt;
  }

  std::vector<std::string_view> answers_;
  const Paths& paths_;
  std::size_t first_ = 0;
  std::size_t requests_ = 0;
  bool may_have_acted_ = false;
  bool has_changed_ = false;
  BrokenClaim broken_;
};

BrokenClaim broken_claim_about_part(const ci::WrittenPart& part, const AnsweringService& service) {
  using State = ci::WrittenPart::State;
  if (service.broken()) return service.broken();
  if (part.text.find(kSecret) != std::string::npos) return "the token is not told";
  const bool says_why = part.state == State::failed || part.state == State::away || part.state == State::left;
  if (says_why && part.text.empty()) return "what was not written says why";
  if (part.state == State::written && !service.has_changed_anything()) return "what is written was sent";
  return std::nullopt;
}

ci::Publication publication_at(const std::string& head) {
  ci::Publication publication;
  publication.key = "shop";
  publication.head = head;
  publication.run = "5";
  publication.status = 1;
  publication.headline = "1 regression";
  publication.report = "### one regression\n";
  for (int line = 1; line <= 120; ++line) {
    publication.annotations.push_back({"a.cpp", line, ci::Annotation::Level::failure, "a title", "a message"});
  }
  return publication;
}

template <class Place, class Write>
BrokenClaim broken_claim_about_publishing(const Place& place, const std::vector<std::string_view>& answers,
                                          Write write) {
  AnsweringService service(answers, kPathsOfARequest);
  ci::ServiceApi api(std::string(kAddress), bench::Secret(std::string(kToken)), {}, {}, service.transport());
  const std::optional<ci::WrittenPart> part = write(api, place);
  return part ? broken_claim_about_part(*part, service) : service.broken();
}

}  // namespace

BrokenClaim broken_claim_about_service(const std::string& text) {
  const std::vector<std::string_view> parts = parts_of(text);
  const std::vector<std::string_view> answers(parts.begin() + 1, parts.end());
  const std::string head(40, 'a');
  const MemoryFile event{std::string(parts.front())};
  ::setenv("GITHUB_EVENT_PATH", event.path().c_str(), 1);
  ci::NamedPlace named;
  named.repository = "acme/shop";
  named.head = head;
  const Result<ci::GithubPlace> told = ci::github_place(named);
  ::unsetenv("GITHUB_EVENT_PATH");
  ci::GithubPlace place;
  if (told) {
    place = *told;
  } else {
    if (const auto broken = broken_claim_about_error(told.error(), "")) return broken;
    place.repository = named.repository;
    place.head = head;
    place.head_owner = "eve";
    place.head_branch = "a/b c";
  }
  const ci::Publication publication = publication_at(head);
  const auto find = [](ci::ServiceApi& api, ci::GithubPlace found) { return ci::find_pull(api, found); };
  if (const auto broken = broken_claim_about_publishing(place, answers, find)) return broken;
  place.pull = place.pull.value_or(7);
  const auto comment = [&](ci::ServiceApi& api, const ci::GithubPlace& at) {
    return std::optional(ci::write_github_comment(api, at, publication));
  };
  if (const auto broken = broken_claim_about_publishing(place, answers, comment)) return broken;
  const auto check = [&](ci::ServiceApi& api, const ci::GithubPlace& at) {
    return std::optional(ci::write_check(api, at, publication));
  };
  if (const auto broken = broken_claim_about_publishing(place, answers, check)) return broken;
  ci::GitlabPlace gitlab;
  gitlab.project = "acme/shop";
  gitlab.request = 7;
  gitlab.head = head;
  const auto note = [&](ci::ServiceApi& api, const ci::GitlabPlace& at) {
    return std::optional(ci::write_gitlab_note(api, at, publication));
  };
  return broken_claim_about_publishing(gitlab, answers, note);
}

namespace {

template <class T>
BrokenClaim broken_claim_about_outcome(const Result<T>& outcome) {
  if (outcome) return std::nullopt;
  const Error& error = outcome.error();
  const bool is_told = error.kind == ErrorKind::store || error.kind == ErrorKind::input;
  if (!is_told || error.where.empty()) return "an error says where, and is the store's or the input's: " + error.text();
  if (error.text().find(kSecret) != std::string::npos) return "the token is not told";
  return std::nullopt;
}

// Each question that the command line asks, as if the answers from the second on were to it; what it puts and does.
BrokenClaim broken_claim_about_asking(storage::Store& store, AnsweringService& service) {
  BrokenClaim broken;
  const auto look = [&](const auto& outcome) {
    if (!broken) broken = service.broken() ? service.broken() : broken_claim_about_outcome(outcome);
    service.begin_at(1);
  };
  service.begin_at(1);
  storage::HistoryStore history(store);
  storage::AlertStore alerts(store);
  storage::RunStore runs(store);
  look(history.projects("shop"));
  look(history.page({}));
  const auto baseline = history.latest_baseline({});
  look(baseline);
  if (baseline && *baseline) look(runs.get((*baseline)->run));
  look(history.complete_range({}));
  look(history.changed_in({}));
  look(history.top_movers({}));
  look(history.steps({}));
  look(history.change_points("shop", "main"));
  look(history.put_commit_graph(storage::CommitGraph{"shop", {{std::string(40, 'a'), {}}}}));
  look(alerts.list({}));
  look(alerts.accepted({}));
  storage::AlertAct act;
  act.alert = "abcdef";
  act.who = "me";
  look(alerts.act(act));
  look(runs.of_commit(std::string(40, 'a')));
  look(runs.get("abcdef"));
  look(runs.put_target_verdicts(std::string(64, 'a'), {}));
  Run run;
  storage::seal(run);
  look(runs.put(run));
  look(storage::ComparisonStore(store).get("abcdef"));
  look(storage::ComparisonStore(store).put(Comparison{}));
  return broken;
}

}  // namespace

BrokenClaim broken_claim_about_store_answer(const std::string& text) {
  if (text.find(kSecret) != std::string::npos) return std::nullopt;  // who knows it may say it
  AnsweringService service(parts_of(text), kPathsOfAStore);
  ::setenv("STEELYARD_TOKEN", std::string(kSecret).c_str(), 1);
  auto client = ci::connect_to_service(std::string(kAddress), service.transport());
  ::unsetenv("STEELYARD_TOKEN");
  if (service.broken()) return service.broken();
  if (!client) return broken_claim_about_outcome(client);
  storage::Store store = storage::Store::over(std::move(*client), "/nowhere");
  return broken_claim_about_asking(store, service);
}

}  // namespace steelyard::testkit
