// What a CI service says to a job that tells it of a judgement.
#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <string_view>
#include <vector>

#include "bench/model/text.hpp"
#include "ci/publish/github.hpp"
#include "ci/publish/gitlab.hpp"
#include "storage/document/json.hpp"
#include "tests/fuzz/claims.hpp"

namespace steelyard::testkit {
namespace {

constexpr std::string_view kAddress = "https://api.example";
constexpr std::string_view kToken = "Authorization: Bearer a-secret-token";
constexpr std::string_view kSecret = "a-secret-token";
// A list of comments has 50 pages, each asked for four times at most, in four tries; a check a few requests a try.
constexpr std::size_t kMaxRequests = 1000;

std::vector<std::string_view> parts_of(std::string_view text) {
  std::vector<std::string_view> parts;
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find('\0', begin), text.size());
    parts.push_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  return parts;
}

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

// Answers in turn, the last one again and again.
class AnsweringService {
 public:
  explicit AnsweringService(std::vector<std::string_view> answers) : answers_(std::move(answers)) {}

  ci::ApiTransport transport() {
    return {[this](const ci::HttpRequest& request) { return answer(request); }, [](Nanoseconds) {}};
  }
  const BrokenClaim& broken() const { return broken_; }
  bool has_changed_anything() const { return has_changed_; }

 private:
  ci::HttpOutcome answer(const ci::HttpRequest& request) {
    if (!broken_) broken_ = broken_claim_about(request);
    has_changed_ = has_changed_ || request.method != "GET";
    const std::string_view part = answers_.empty() ? "500" : answers_[std::min(requests_, answers_.size() - 1)];
    ++requests_;
    return answer_of(part);
  }

  BrokenClaim broken_claim_about(const ci::HttpRequest& request) const {
    if (requests_ > kMaxRequests) return "there is an end to requests";
    if (!request.url.starts_with(kAddress)) return "requests go to the API's address: " + request.url;
    const std::string path = request.url.substr(kAddress.size());
    const bool is_known = path == "/user" || path.starts_with("/repos/acme/shop/") ||
                          path.starts_with("/projects/acme%2Fshop/merge_requests/7");
    if (!is_known) return "requests are of one repository: " + path;
    const bool is_odd = path.find("..") != std::string::npos || path.find_first_of("#\\ \"<>") != std::string::npos ||
                        printable_line(path, false) != path;
    if (is_odd) return "no answer bends a path: " + path;
    const bool has_token = std::find(request.headers.begin(), request.headers.end(), kToken) != request.headers.end();
    if (!has_token || request.body.find(kSecret) != std::string::npos) return "the token is in its header alone";
    if (!request.body.empty() && !storage::JsonDocument::parse(request.body, "body")) return "what is sent is JSON";
    return std::nullopt;
  }

  std::vector<std::string_view> answers_;
  std::size_t requests_ = 0;
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
  AnsweringService service(answers);
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

}  // namespace steelyard::testkit
