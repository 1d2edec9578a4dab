#include "ci/http/service_api.hpp"

#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <optional>
#include <string_view>
#include <thread>
#include <utility>

#include "bench/model/elapsed.hpp"
#include "bench/model/parse_number.hpp"
#include "bench/model/random.hpp"
#include "bench/model/text.hpp"
#include "storage/document/json.hpp"

namespace steelyard::ci {
namespace {

constexpr std::size_t kMaxMessageColumns = 200;
constexpr Nanoseconds kMinRequestTime = milliseconds(20);  // in less no service answers

std::optional<std::int64_t> whole_number(const HttpAnswer& answer, const std::string& header) {
  const auto found = answer.headers.find(header);
  if (found == answer.headers.end()) return std::nullopt;
  const auto value = parse_as<std::int64_t>(found->second);
  return value && *value >= 0 ? value : std::nullopt;
}

// GitHub, "Rate limits for the REST API": 403 and 429 with retry-after, or with x-ratelimit-remaining 0 and the second
// at which it is refilled. GitLab, "Rate limits": 429 with Retry-After and RateLimit-Reset. Absent: no rate limit.
std::optional<Nanoseconds> wait_for_rate_limit(const HttpAnswer& answer, std::int64_t now_unix_s) {
  if (answer.status != 429 && answer.status != 403) return std::nullopt;
  if (const auto after = whole_number(answer, "retry-after")) {
    return seconds(static_cast<double>(std::max<std::int64_t>(*after, 1)));
  }
  const bool is_spent = whole_number(answer, "x-ratelimit-remaining") == 0 || answer.status == 429;
  for (const char* header : {"x-ratelimit-reset", "ratelimit-reset"}) {
    const auto reset = whole_number(answer, header);
    if (is_spent && reset) return seconds(static_cast<double>(std::max<std::int64_t>(*reset - now_unix_s, 1)));
  }
  if (answer.status == 429) return seconds(1);
  return std::nullopt;
}

// What answers may be told in a job's log, and may repeat what they were sent.
std::string without_token(std::string text, std::string_view header) {
  constexpr std::size_t kShortestToken = 8;
  const std::string_view token = header.substr(header.find_last_of(' ') + 1);
  if (token.size() < kShortestToken || text.find(token) == std::string::npos) return text;
  std::string shown;
  std::size_t begin = 0;
  for (std::size_t at; (at = text.find(token, begin)) != std::string::npos; begin = at + token.size()) {
    shown.append(text, begin, at - begin).append("***");
  }
  return shown.append(text, begin);
}

// What the service says of it: "message" and the codes or sentences of "errors" (GitHub), "message" or "error"
// (GitLab), "detail" (RFC 9457).
std::string message_of(const std::string& body, std::string_view token_header) {
  constexpr std::size_t kMaxErrors = 50;
  const Result<storage::JsonDocument> document = storage::JsonDocument::parse(body, "answer");
  if (!document) return "";
  std::string text;
  const auto add = [&text](const storage::JsonValue& value) {
    if (value.is_text()) text += (text.empty() ? "" : "; ") + value.text();
  };
  const storage::JsonValue root = document->root();
  for (const char* name : {"message", "error", "detail"}) add(root.at(name));
  if (!root.at("errors").is_null()) {
    for (const storage::JsonValue& error : root.at("errors").items(kMaxErrors)) {
      add(error);
      if (error.is_text()) continue;
      for (const char* name : {"message", "field", "code"}) add(error.at(name));
    }
  }
  return shortened(printable_line(without_token(text, token_header), true), kMaxMessageColumns, true);
}

bool has_next_page(const HttpAnswer& answer) {
  const auto link = answer.headers.find("link");
  if (link != answer.headers.end()) return link->second.find("rel=\"next\"") != std::string::npos;
  const auto next = answer.headers.find("x-next-page");
  return next != answer.headers.end() && !next->second.empty();
}

}  // namespace

// Not by std::random_device: see measuring_configuration().
std::uint64_t drawn_wait_seed() {
  std::uint64_t seed = 1;
  return ::getentropy(&seed, sizeof seed) == 0 ? seed : 1;
}

ApiTransport network_transport() {
  return {[](const HttpRequest& request) { return send(request); },
          [](Nanoseconds duration) {
            std::this_thread::sleep_for(std::chrono::duration<double, std::nano>(duration.count()));
          }};
}

ServiceApi::ServiceApi(std::string address, bench::Secret token_header, std::vector<std::string> headers,
                       ApiPatience patience, ApiTransport transport)
    : address_(std::move(address)),
      token_header_(std::move(token_header)),
      headers_(std::move(headers)),
      patience_(std::move(patience)),
      transport_(std::move(transport)),
      random_(patience_.seed) {
  // libcurl would wait for a "100 Continue" that some servers never send.
  headers_.emplace_back("Expect:");
}

// 0.5 s, 1 s, 2 s, ..., each of them half of it to one and a half, so that jobs that failed together do not come back
// together.
Nanoseconds ServiceApi::backoff(int tries_so_far) {
  const double part = static_cast<double>(next_split_mix(random_) >> 11U) * 0x1p-53;
  const int doublings = std::clamp(tries_so_far - 1, 0, 10);
  return milliseconds(500.0 * static_cast<double>(1U << static_cast<unsigned>(doublings)) * (0.5 + part));
}

Nanoseconds ServiceApi::left() const { return begin_ ? patience_.total - since(*begin_) : patience_.total; }

bool ServiceApi::wait_within_bounds(Nanoseconds duration) {
  if (duration > left()) return false;
  transport_.wait(duration);
  return true;
}

bool ServiceApi::may_try_again(int tries_so_far) {
  return tries_so_far < patience_.tries && wait_within_bounds(backoff(tries_so_far));
}

ServiceApi::Attempt ServiceApi::attempt_of(const HttpAnswer& answer, const std::string& what, bool is_repeatable) {
  ApiOutcome outcome{ApiOutcome::Kind::done, answer.status, without_token(answer.body, token_header_.text()),
                     has_next_page(answer)};
  if (answer.status >= 200 && answer.status < 300) return {std::move(outcome)};
  const std::string message = message_of(answer.body, token_header_.text());
  outcome.why = what + ": status " + std::to_string(answer.status) + (message.empty() ? "" : ", \"" + message + '"');
  if (const auto wait = wait_for_rate_limit(answer, now_unix_s())) {
    outcome.kind = ApiOutcome::Kind::unavailable;
    outcome.why += "; it asks to wait " + to_text(*wait);
    // The call was not taken: the same may follow, whatever it does.
    if (wait_within_bounds(*wait)) return {std::move(outcome), Next::at_once};
    outcome.why += ", and at most " + to_text(patience_.total) + " are waited in all";
    return {std::move(outcome)};
  }
  const bool is_lost = answer.status >= 500;
  outcome.kind = is_lost ? ApiOutcome::Kind::lost : ApiOutcome::Kind::refused;
  return {std::move(outcome), is_lost && is_repeatable ? Next::after_backoff : Next::nothing};
}

ServiceApi::Attempt ServiceApi::attempt(const ApiCall& call) {
  if (!begin_) begin_ = std::chrono::steady_clock::now();
  const std::string what = call.method + (call.path.empty() ? "" : " ") + call.path.substr(0, call.path.find('?'));
  const Nanoseconds rest = left();
  ApiOutcome outcome;
  if (rest < kMinRequestTime) {
    outcome.why = what + ": not sent, as " + to_text(patience_.total) + " have passed with what came before it";
    return {std::move(outcome)};
  }
  HttpRequest request{
      call.method,           address_ + call.path, headers_, call.body, std::min(patience_.request, rest),
      call.most_answer_bytes};
  request.longest_silence = patience_.silence;
  if (!token_header_.empty()) request.headers.push_back(token_header_.text());
  if (!call.body.empty()) request.headers.push_back("Content-Type: " + call.type);
  const HttpOutcome sent = transport_.send(request);
  for (std::string& header : request.headers) bench::wipe(header);
  if (const auto* answer = std::get_if<HttpAnswer>(&sent)) return attempt_of(*answer, what, call.is_repeatable);
  const auto& failure = std::get<HttpFailure>(sent);
  outcome.why = what + ": " + without_token(failure.text, token_header_.text());
  switch (failure.kind) {
    case HttpFailure::Kind::not_sent:
      return {std::move(outcome), Next::after_backoff};
    case HttpFailure::Kind::cut:
      outcome.kind = ApiOutcome::Kind::lost;
      return {std::move(outcome), call.is_repeatable ? Next::after_backoff : Next::nothing};
    case HttpFailure::Kind::refused:
      break;
  }
  return {std::move(outcome)};
}

ApiOutcome ServiceApi::call(const ApiCall& call) {
  for (int tries = 1;; ++tries) {
    Attempt made = attempt(call);
    const bool again =
        made.next == Next::at_once ? tries < patience_.tries : made.next == Next::after_backoff && may_try_again(tries);
    if (again) continue;
    // What could be sent again and was not: it is the patience that is at its end.
    if (made.next != Next::nothing) made.outcome.kind = ApiOutcome::Kind::unavailable;
    return std::move(made.outcome);
  }
}

void read_answer(ApiOutcome& outcome, const std::string& name,
                 const std::function<void(const storage::JsonValue&)>& take) {
  if (!outcome.is_done()) return;
  const Result<storage::JsonDocument> document = storage::JsonDocument::parse(outcome.body, name);
  if (document) take(document->root());
  const Result<void> checked = document ? document->check() : document.error();
  if (checked) return;
  outcome.kind = ApiOutcome::Kind::refused;
  outcome.why = checked.error().text();
}

ApiListing list_items(ServiceApi& api, const std::string& path, const std::string& query,
                      const std::function<void(const storage::JsonValue&)>& take) {
  constexpr std::size_t kPageSize = 100;
  ApiListing listing;
  for (std::size_t page = 1;; ++page) {
    const std::string pages = "?per_page=" + std::to_string(kPageSize) + "&page=" + std::to_string(page);
    listing.outcome = api.call({"GET", path + pages + query});
    read_answer(listing.outcome, "GET " + path, [&take](const storage::JsonValue& root) {
      for (const storage::JsonValue& item : root.items(kPageSize)) take(item);
    });
    if (!listing.outcome.is_done() || !listing.outcome.has_next) return listing;
    if (page * kPageSize == kMaxListedItems) return listing.is_whole = false, listing;
  }
}

Result<std::string> check_api_address(const std::string& address, const std::string& where, const std::string& wanted) {
  std::string_view rest = address;
  const bool is_https = rest.starts_with("https://");
  const bool is_http = rest.starts_with("http://");
  if (!is_https && !is_http) return input_error(where, '"' + address + '"', wanted);
  rest.remove_prefix(is_https ? 8 : 7);
  const std::string_view host = rest.substr(0, rest.find('/'));
  const bool is_odd =
      host.empty() || address.find_first_of("@?#\\ ") != std::string::npos || printable_line(address, false) != address;
  if (is_odd) return input_error(where, '"' + address + '"', wanted);
  const bool is_bracketed = host.starts_with('[');
  const std::string_view name = host.substr(0, is_bracketed ? host.find(']') + 1 : host.find(':'));
  if (is_http && name != "127.0.0.1" && name != "localhost" && name != "[::1]") {
    return input_error(where, '"' + address + '"', "https: over http the token could be read on its way", wanted);
  }
  std::string checked = address;
  while (checked.ends_with('/')) checked.pop_back();
  return checked;
}

}  // namespace steelyard::ci
