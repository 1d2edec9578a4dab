// Which requests are let in: who asks, how often, whether they may, whether it is what openapi.json describes, and what
// body it may have.
#include <algorithm>
#include <array>
#include <cstdlib>

#include "bench/model/sha256.hpp"
#include "bench/model/text.hpp"
#include "ci/report/markup.hpp"
#include "ci/service/call.hpp"
#include "ci/service/service.hpp"

namespace steelyard::ci {

std::string_view path_of(const std::string& target) {
  return std::string_view(target).substr(0, std::min(target.find('?'), target.size()));
}
std::string_view query_of(const std::string& target) {
  const std::size_t at = target.find('?');
  return at == std::string::npos ? std::string_view{} : std::string_view(target).substr(at + 1);
}

std::optional<WebAnswer> Service::too_many(const WebRequest& request, const std::string& who) {
  if (requests_.take(who)) return std::nullopt;
  WebAnswer answer = problem(429, "more requests than are answered in a time", "wait a second", request.id);
  answer.fields.emplace_back("Retry-After", "1");
  return answer;
}

// What nobody was known by a moment ago is looked up no more often than an address may guess; whoever is known shares
// an address with who guesses, behind a proxy, and is not stopped by them.
std::optional<WebAnswer> Service::identify_caller(std::size_t worker, const WebRequest& request, Caller& caller) {
  const std::string_view authorization = request.field("authorization");
  const std::string digest = authorization.empty() ? "" : sha256_hex(authorization);
  if (!authorization.empty() && !known_.holds(digest)) {
    if (std::optional<WebAnswer> refusal = too_many(request, "stranger " + request.peer)) return refusal;
    if (!failures_.has(request.peer)) {
      return problem(429, "too many tokens that are none", "wait a minute", request.id);
    }
  }
  const Result<storage::Store*> store = store_of(worker);
  if (!store) return problem_of(store.error(), 500, request.id);
  Result<Caller> found = identify(authorization, options_.admission, jobs_, **store, used_);
  if (!found) {
    if (found.error().kind == ErrorKind::input) {
      static_cast<void>(failures_.take(request.peer));
      known_.forget(digest);
    }
    return problem_of(found.error(), 401, request.id);
  }
  if (!authorization.empty()) known_.keep(digest);
  caller = std::move(found).value();
  return std::nullopt;
}

// Large is what waits for others that put, is as long as somebody's run or history, or is answered by one worker at a
// time.
Workers::Length Service::length_of(const WebRequest& request) {
  using Length = Workers::Length;
  constexpr std::array<std::string_view, 9> kLargeOperations{"run",    "runArchive", "runProfile", "compare", "flame",
                                                             "movers", "changed",    "changes",    "commit"};
  constexpr std::int64_t kMaxSmallPoints = 20'000;
  const ApiDescription::Match match = description_.find(request.method, path_of(request.target));
  if (match.operation == nullptr) return Length::small;
  const std::string& id = match.operation->id;
  if (id.starts_with("submit")) return Length::large_put;
  const auto is = [](std::string_view name) { return [name](std::string_view one) { return one == name; }; };
  if (std::any_of(kLargeOperations.begin(), kLargeOperations.end(), is(id))) return Length::large;
  if (id == "ask") return may_be_large(match.path.at("question")) ? Length::large : Length::small;
  if (id != "points" && id != "history" && id != "series") return Length::small;
  const Result<ApiValues> values = ApiDescription::read(*match.operation, match.path, query_of(request.target));
  if (!values) return Length::small;
  if (id == "series") return values->at("branch").empty() ? Length::small : Length::large;
  const auto number = [&](const char* name) { return std::int64_t{std::atoi(values->at(name).c_str())}; };
  return number("points") * (id == "history" ? number("limit") : 1) > kMaxSmallPoints ? Length::large : Length::small;
}

namespace {

// How an owner lets the caller do what takes that scope too, and nothing less than they may now.
std::string scope_fix(const Caller& caller, const std::string& lacking) {
  std::string scopes;
  for (const char* const scope : {"read", "submit", "report", "admin"}) {
    if (scope == lacking || caller.may(scope)) scopes += (scopes.empty() ? "" : ",") + std::string(scope);
  }
  return "an owner issues one: steelyard serve token NAME --scopes " + scopes +
         (caller.project.empty() ? "" : " --project " + in_shell_quotes(caller.project));
}

std::string how_to_send_less(const Operation& act, bool is_archive) {
  if (is_archive) return "send the benchmarks in several runs";
  if (act.most_archive_bytes == 0) return "send less at once";
  return "send fewer results at once, or an archive of at most " + std::to_string(act.most_archive_bytes) +
         " bytes: steelyard import FILE --no-store --output RUN.syrun";
}

}  // namespace

Service::Outcome Service::admitted(std::size_t worker, const WebRequest& request) {
  const auto refused = [](WebAnswer answer) { return Outcome{std::nullopt, std::move(answer)}; };
  ApiDescription::Match match = description_.find(request.method, path_of(request.target));
  if (match.operation == nullptr) {
    if (match.allowed.empty()) return refused(problem(404, "no such path", "see /api/v1/openapi.json", request.id));
    WebAnswer answer = problem(405, request.method.substr(0, 20) + " is not for this path", "", request.id);
    const std::string allowed = joined_text(match.allowed, ", ");
    answer.fields.emplace_back("Allow", allowed);
    return refused(std::move(answer));
  }
  Admitted admitted;
  admitted.operation = match.operation;
  const auto act = operations_.find(match.operation->id);
  if (act != operations_.end()) admitted.act = &act->second;
  const std::string_view authorization = request.field("authorization");
  if (!authorization.empty() || admitted.act != nullptr) {
    if (std::optional<WebAnswer> refusal = identify_caller(worker, request, admitted.caller)) {
      return refused(std::move(*refusal));
    }
  } else if (options_.admission.is_public) {
    admitted.caller.scopes = {"read"};
  }
  const std::string& id = admitted.caller.id;
  if (std::optional<WebAnswer> limited = too_many(request, id.empty() ? "address " + request.peer : "token " + id)) {
    return refused(std::move(*limited));
  }
  if (!admitted.caller.may(match.operation->scope)) {
    const std::string& scope = match.operation->scope;
    const int status = authorization.empty() ? 401 : 403;
    const bool may_have_key = !options_.admission.key.empty() && authorization.empty() && scope != "admin";
    const std::string fix =
        (may_have_key ? "open the address that steelyard serve printed, or " : "") + scope_fix(admitted.caller, scope);
    return refused(problem(status, "this needs a token with the scope " + scope, fix, request.id));
  }
  Result<ApiValues> values = ApiDescription::read(*match.operation, match.path, query_of(request.target));
  if (!values) return refused(problem_of(values.error(), 400, request.id));
  admitted.values = std::move(values).value();
  return {std::move(admitted), {}};
}

std::pair<BodyPlan, WebAnswer> Service::plan(std::size_t worker, const WebRequest& head) {
  Outcome outcome = admitted(worker, head);
  if (!outcome.admitted) {
    count("none", outcome.refusal.status, {});
    return {{}, std::move(outcome.refusal)};
  }
  const Operation* act = outcome.admitted->act;
  if (act == nullptr || act->most_json_bytes + act->most_archive_bytes == 0) {
    return {{}, problem(413, "a body, where none is taken", "send none", head.id)};
  }
  const std::string_view type = head.field("content-type");
  const bool is_archive = type == "application/vnd.steelyard.run" || type == "application/octet-stream";
  const std::int64_t most = is_archive                             ? act->most_archive_bytes
                            : type.starts_with("application/json") ? act->most_json_bytes
                                                                   : 0;
  if (most == 0) {
    const bool takes_archives = act->most_archive_bytes > 0;
    return {{},
            problem(415, "Content-Type: " + std::string(type.substr(0, 100)),
                    takes_archives ? "send an archive as application/vnd.steelyard.run, and what a tool wrote, text "
                                     "too, as application/json"
                                   : "send application/json",
                    head.id)};
  }
  // Digits alone, as the server has seen. One that says no length is refused when it is beyond.
  const std::string length(head.field("content-length"));
  if (!length.empty() && std::strtoull(length.c_str(), nullptr, 10) > static_cast<std::uint64_t>(most)) {
    return {{},
            problem(413,
                    input_error("body", length + " bytes", "at most " + std::to_string(most) + " bytes",
                                how_to_send_less(*act, is_archive)),
                    head.id)};
  }
  WebAnswer go_on;
  go_on.status = 0;
  return {{most, act->body_into_file}, go_on};
}

}  // namespace steelyard::ci
