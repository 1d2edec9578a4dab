// A service in a store's place: what it is asked, what it answers and what it is sent (storage/store_service.hpp), the
// requests that carry it, and the tokens by which a CI job proves itself to it.
#include <algorithm>
#include <charconv>
#include <fstream>
#include <iterator>
#include <memory>
#include <string_view>
#include <utility>
#include <vector>

#include "bench/model/text.hpp"
#include "ci/service/description.hpp"
#include "ci/service/job_tokens.hpp"
#include "storage/document/json.hpp"
#include "storage/store_service.hpp"
#include "tests/ci/service/token_issuer.hpp"
#include "tests/fuzz/claims.hpp"

namespace steelyard::testkit {
namespace {

constexpr std::string_view kAnswerSchema = "steelyard.answer/1";
constexpr std::int64_t kNow = 1'800'000'000;  // of the tokens in the corpus
constexpr std::int64_t kLongestLife = 86'400;
constexpr std::int64_t kClocksDiffer = 60;
constexpr const char* kAudience = "https://steelyard.example";

using Asked = std::vector<std::pair<std::string, std::string>>;  // questions, by name and text

// Answers in turn, and is away behind the last.
class RecordedService : public storage::StoreService {
 public:
  RecordedService(std::vector<std::string> answers, Asked& asked) : answers_(std::move(answers)), asked_(asked) {}

  std::string name() const override { return "https://store.example"; }
  Result<std::string> ask(const std::string& question, const std::string& text) override {
    asked_.emplace_back(question, text);
    if (asked_.size() <= answers_.size()) return answers_[asked_.size() - 1];
    return store_error(name(), "no answer");
  }
  Result<std::string> archive_of(const std::string& run) override { return ask("archive", run); }
  Result<bool> put(Piece, const std::string&) override { return false; }
  Result<void> act(const storage::AlertAct&) override { return {}; }
  bool refused_login() const override { return false; }

 private:
  std::vector<std::string> answers_;
  Asked& asked_;
};

// As a service answers that has another in place of its database.
struct Relay {
  Asked asked{};
  Result<std::string> answer;
};
Relay relayed(const std::string& question, const std::string& text, std::vector<std::string> answers) {
  Relay relay{{}, std::string()};
  storage::Store store =
      storage::Store::over(std::make_unique<RecordedService>(std::move(answers), relay.asked), "/nowhere");
  relay.answer = storage::answer_question(store, question, text);
  return relay;
}

BrokenClaim broken_claim_about_answer(const std::string& question, const Relay& first) {
  const std::string& text = *first.answer;
  const Relay again = relayed(question, first.asked.front().second, {text});
  if (again.asked.front() != first.asked.front()) return "a question is asked in one way: " + again.asked[0].second;
  // A list whose end is not on this page is asked for further.
  if (again.asked.size() > 1) return std::nullopt;
  if (!again.answer) return "what is answered can be read: " + again.answer.error().text();
  if (*again.answer != text) return "an answer is the same after it was read";
  if (question != "comparison" && !storage::JsonDocument::parse(text, "answer", kAnswerSchema)) {
    return "an answer says that it is one";
  }
  return std::nullopt;
}

}  // namespace

BrokenClaim broken_claim_about_store_question(const std::string& text) {
  const std::vector<std::string_view> parts = parts_of(text);
  const std::size_t line = std::min(parts.front().find('\n'), parts.front().size());
  const std::string question(parts.front().substr(0, line));
  const std::string asked(parts.front().substr(std::min(line + 1, parts.front().size())));
  const Relay relay = relayed(question, asked, {parts.begin() + 1, parts.end()});
  if (relay.answer) return broken_claim_about_answer(question, relay);
  const Error& error = relay.answer.error();
  if (relay.asked.empty()) return broken_claim_about_error(error, "");
  // Whoever asked is not to blame for it, and what waits for the service goes on waiting.
  if (error.kind != ErrorKind::store || error.where.empty()) return "a bad answer is the store's: " + error.text();
  return std::nullopt;
}

BrokenClaim broken_claim_about_submitted_json(const std::string& text) {
  const Result<storage::CommitGraph> graph = storage::read_graph(text);
  if (!graph) {
    if (const auto broken = broken_claim_about_error(graph.error(), "commits")) return broken;
  } else {
    const Result<storage::CommitGraph> again = storage::read_graph(storage::graph_document(*graph));
    if (!again || again->project != graph->project || again->commits != graph->commits) {
      return "commits are the same after they were sent";
    }
  }
  const Result<storage::RunTargets> targets = storage::read_targets(text);
  if (!targets) return broken_claim_about_error(targets.error(), "targets");
  const std::string written = storage::targets_document(*targets);
  const Result<storage::RunTargets> again = storage::read_targets(written);
  if (!again) return "verdicts on targets that were sent can be read: " + again.error().text();
  if (storage::targets_document(*again) != written || again->rows.size() != targets->rows.size()) {
    return "verdicts on targets are the same after they were sent";
  }
  return std::nullopt;
}

namespace {

const ci::ApiDescription& api_description() {
  static const ci::ApiDescription description = [] {
    std::ifstream file(STEELYARD_OPENAPI, std::ios::binary);
    return ci::ApiDescription::parse(std::string{std::istreambuf_iterator<char>(file), {}}).value();
  }();
  return description;
}

bool is_text_of_a_store(std::string_view text) {
  for (std::size_t at = 0; at < text.size();) {
    const CodePoint point = code_point_at(text, at);
    if (point.value == kBrokenCodePoint || point.value == 0) return false;
    at += point.bytes;
  }
  return true;
}

BrokenClaim broken_claim_about_parameter(const ci::ApiParameter& parameter, const ci::ApiValues& values) {
  const auto given = values.find(parameter.name);
  if (given == values.end()) return "every parameter has a value, if an empty one: " + parameter.name;
  const std::string& value = given->second;
  if (value.empty()) return parameter.is_required ? BrokenClaim("a required one is there") : std::nullopt;
  if (!is_text_of_a_store(value)) return "a value is UTF-8 without a zero byte: " + parameter.name;
  if (parameter.is_number) {
    double number = 0;
    const auto [end, code] = std::from_chars(value.data(), value.data() + value.size(), number);
    const bool is_within = number >= parameter.minimum.value_or(number) &&
                           number <= parameter.maximum.value_or(number) &&
                           (!parameter.below || number < *parameter.below);
    if (code != std::errc() || end != value.data() + value.size() || !is_within) return "a number is one: " + value;
    return std::nullopt;
  }
  if (value.size() > parameter.longest) return "a value is no longer than it may be: " + parameter.name;
  const bool is_known = parameter.words.empty() ||
                        std::find(parameter.words.begin(), parameter.words.end(), value) != parameter.words.end();
  return is_known ? std::nullopt : BrokenClaim("a word is one of those there are: " + value);
}

}  // namespace

BrokenClaim broken_claim_about_api_request(const std::string& text) {
  const std::size_t blank = std::min(text.find(' '), text.size());
  const std::string_view target = std::string_view(text).substr(std::min(blank + 1, text.size()));
  const std::size_t mark = std::min(target.find('?'), target.size());
  const ci::ApiDescription::Match match = api_description().find(text.substr(0, blank), target.substr(0, mark));
  if (match.operation == nullptr) return std::nullopt;
  if (match.allowed.empty()) return "what is found is allowed";
  const std::string_view query = target.substr(std::min(mark + 1, target.size()));
  const Result<ci::ApiValues> values = ci::ApiDescription::read(*match.operation, match.path, query);
  if (!values) return broken_claim_about_error(values.error(), "");
  if (values->size() != match.operation->parameters.size()) return "there is no parameter but those that are described";
  for (const ci::ApiParameter& parameter : match.operation->parameters) {
    if (const auto broken = broken_claim_about_parameter(parameter, *values)) return broken;
  }
  return std::nullopt;
}

BrokenClaim broken_claim_about_job_token(const std::string& text) {
  const std::vector<std::string_view> parts = parts_of(text);
  const auto encoded = [&](std::size_t part) { return ci::base64url(std::string(parts[part])); };
  const bool is_in_parts = parts.size() == 4;
  const std::string token =
      is_in_parts ? encoded(0) + '.' + encoded(1) + '.' + std::string(parts[2]) : std::string(parts.front());
  const std::string keys(parts.size() > 1 ? parts.back() : R"({"keys":[]})");
  std::vector<std::string> asked;
  ci::JobTokens tokens({ci::parse_trust("github:owner/name@main=demo").value(),
                        ci::parse_trust("gitlab:https://gitlab.example.org/group/name=other").value()},
                       kAudience, [&](const std::string& url) -> Result<std::string> {
                         asked.push_back(url);
                         return keys;
                       });
  const Result<std::optional<ci::JobIdentity>> job = tokens.identify(token, kNow);
  if (asked.size() > 1) return "an issuer is asked once";
  for (const std::string& url : asked) {
    const bool is_trusted = url == "https://token.actions.githubusercontent.com/.well-known/jwks" ||
                            url == "https://gitlab.example.org/oauth/discovery/keys";
    if (!is_trusted) return "nobody is asked whom the service was not told to trust: " + url;
  }
  if (!job) {
    if (job.error().kind != ErrorKind::store) return "that there are no keys is the store's: " + job.error().text();
    return asked.empty() ? BrokenClaim("a token alone is no trouble of the service") : std::nullopt;
  }
  if (!*job) return std::nullopt;
  const ci::JobIdentity& found = **job;
  const bool is_demo = found.repository == "owner/name" && found.project == "demo";
  const bool is_other = found.repository == "group/name" && found.project == "other";
  if (asked.empty() || !(is_demo || is_other)) return "a job is one of those that are trusted, by its issuer's keys";
  if (!found.is_request && (found.branch.empty() || (is_demo && found.branch != "main"))) {
    return "what adds to a history is of its branch";
  }
  const auto later = tokens.identify(token, kNow + kLongestLife + 2 * kClocksDiffer + 1);
  if (later && *later) return "no token is good for longer than a day";
  return std::nullopt;
}

}  // namespace steelyard::testkit
