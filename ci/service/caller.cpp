#include "ci/service/caller.hpp"

#include <algorithm>
#include <ctime>
#include <optional>
#include <utility>
#include <vector>

#include "bench/model/sha256.hpp"
#include "storage/access_store.hpp"

namespace steelyard::ci {
namespace {

constexpr std::size_t kMaxBuckets = 10'000;
constexpr std::string_view kBearer = "bearer ";

bool is_bearer(std::string_view text) {
  if (text.size() <= kBearer.size()) return false;
  for (std::size_t i = 0; i < kBearer.size(); ++i) {
    const char c = text[i];
    if ((c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c) != kBearer[i]) return false;
  }
  return true;
}

Error no_token() {
  return input_error("Authorization", "no token that is good now", "Bearer and a token of this store",
                     "an owner issues one: steelyard serve token NAME --scopes read");
}

}  // namespace

std::string Caller::who() const {
  if (kind == Kind::job) return name;
  if (kind == Kind::token) return "token " + name;
  return kind == Kind::local ? "the service's own user" : "anybody";
}

Result<Caller> identify(std::string_view authorization, const Admission& admission, JobTokens& jobs,
                        storage::Store& store, KnownTokens& used) {
  Caller caller;
  if (authorization.empty()) {
    if (admission.is_public) caller.scopes = {"read"};
    return caller;
  }
  if (!is_bearer(authorization)) return no_token();
  const std::string_view sent = authorization.substr(kBearer.size());
  if (!admission.key.empty() && equal_in_constant_time(sent, admission.key)) {
    caller.kind = Caller::Kind::local;
    caller.scopes = {"read", "submit", "report"};
    return caller;
  }
  if (!jobs.is_empty() && sent.find('.') != sent.npos) {
    STEELYARD_TRY(const std::optional<JobIdentity> job, jobs.identify(sent, std::time(nullptr)));
    if (!job) return no_token();
    caller.kind = Caller::Kind::job;
    caller.id = "job of " + job->repository;
    caller.name = caller.id + (job->branch.empty() ? "" : ", branch " + job->branch);
    caller.project = job->project;
    caller.scopes = {"submit"};
    caller.branch = job->branch;
    caller.is_request = job->is_request;
    caller.request = job->request;
    return caller;
  }
  STEELYARD_TRY(const std::optional<storage::Token> token, storage::AccessStore(store).find_token(std::string(sent)));
  if (!token) return no_token();
  caller.kind = Caller::Kind::token;
  caller.id = token->id;
  caller.name = token->name;
  caller.project = token->project;
  caller.scopes = {token->scopes.begin(), token->scopes.end()};
  // The store keeps days, by its own clock. That it cannot be noted costs nobody the answer.
  constexpr std::time_t kHour = 3600;
  const std::string use = token->id + ' ' + std::to_string(std::time(nullptr) / kHour);
  if (!used.holds(use) && storage::AccessStore(store).note_use(token->id)) used.keep(use);
  return caller;
}

double RateLimit::left_at(const Bucket& bucket, Clock::time_point now) const {
  const double passed = std::chrono::duration<double>(now - bucket.at).count();
  return std::min(at_once_, bucket.left + passed * a_second_);
}

// Half of all, so that it is seldom done. Whoever has none left is not let in by others' being many.
void RateLimit::forget_fullest(Clock::time_point now) {
  using Entry = std::pair<double, std::map<std::string, Bucket>::iterator>;
  std::vector<Entry> all;
  for (auto at = buckets_.begin(); at != buckets_.end(); ++at) all.emplace_back(left_at(at->second, now), at);
  const auto middle = all.begin() + static_cast<std::ptrdiff_t>(all.size() / 2);
  std::nth_element(all.begin(), middle, all.end(), [](const Entry& a, const Entry& b) { return a.first > b.first; });
  std::for_each(all.begin(), middle, [this](const Entry& one) { buckets_.erase(one.second); });
}

bool RateLimit::take(const std::string& who, Clock::time_point now) {
  const std::lock_guard lock(mutex_);
  if (buckets_.size() >= kMaxBuckets) {
    std::erase_if(buckets_, [&](const auto& one) { return left_at(one.second, now) >= at_once_; });
    if (buckets_.size() >= kMaxBuckets) forget_fullest(now);
  }
  const auto [at, is_new] = buckets_.try_emplace(who, Bucket{at_once_, now});
  Bucket& bucket = at->second;
  if (!is_new) bucket = {left_at(bucket, now), now};
  if (bucket.left < 1) return false;
  bucket.left -= 1;
  return true;
}

bool RateLimit::has(const std::string& who, Clock::time_point now) {
  const std::lock_guard lock(mutex_);
  const auto at = buckets_.find(who);
  return (at == buckets_.end() ? at_once_ : left_at(at->second, now)) >= 1;
}

bool KnownTokens::holds(const std::string& digest) {
  const std::lock_guard lock(mutex_);
  return digests_.contains(digest);
}

void KnownTokens::keep(const std::string& digest) {
  const std::lock_guard lock(mutex_);
  if (digests_.size() >= kMaxBuckets) digests_.clear();
  digests_.insert(digest);
}

void KnownTokens::forget(const std::string& digest) {
  const std::lock_guard lock(mutex_);
  digests_.erase(digest);
}

}  // namespace steelyard::ci
