// Who asks, what they may, and how often: tokens of the store, the key of whoever started the service, and everybody
// else. There are no cookies and no sessions: whoever may do something sends it with each request, so that no page of
// someone else's can do it in their name.
#pragma once

#include <chrono>
#include <map>
#include <mutex>
#include <set>
#include <string>
#include <string_view>

#include "bench/model/result.hpp"
#include "ci/service/job_tokens.hpp"
#include "storage/store.hpp"

namespace steelyard::ci {

struct Caller {
  enum class Kind { local, anybody, token, job };
  Kind kind = Kind::anybody;
  std::string id;       // of the token; empty: none
  std::string name;     // what it is for
  std::string project;  // the only one that they see; empty: all
  std::set<std::string, std::less<>> scopes;
  // Of a CI job (job_tokens.hpp): which branch's runs it may send, and whether they are of a request.
  std::string branch{};
  bool is_request = false;
  std::string request{};  // its number; empty: not known

  bool may(std::string_view scope) const { return scope.empty() || scopes.contains(scope); }
  std::string who() const;  // for the audit trail
};

struct Admission {
  bool is_public = false;  // anybody may read
  std::string key;         // what the one who started it sends, where it listens for this machine alone; empty: none
};

// authorization: the request's field. Error (input): it is no token that is good now, without saying why. Error
// (store): the store cannot say.
// used: tokens whose use was noted in this hour, and is not noted again.
class KnownTokens;
Result<Caller> identify(std::string_view authorization, const Admission& admission, JobTokens& jobs,
                        storage::Store& store, KnownTokens& used);

// How often somebody may ask: so many at once, and so many a second in the long run. Bounded: where too many are known,
// those that have all of theirs left are forgotten, and of others the half that has most.
class RateLimit {
 public:
  using Clock = std::chrono::steady_clock;
  RateLimit(double a_second, double at_once) : a_second_(a_second), at_once_(at_once) {}
  // False: not now. who: address or token. From any thread.
  bool take(const std::string& who, Clock::time_point now = Clock::now());
  // Whether take() would take one.
  bool has(const std::string& who, Clock::time_point now = Clock::now());

 private:
  struct Bucket {
    double left = 0;
    Clock::time_point at;
  };
  double left_at(const Bucket& bucket, Clock::time_point now) const;
  void forget_fullest(Clock::time_point now);

  double a_second_;
  double at_once_;
  std::mutex mutex_;
  std::map<std::string, Bucket> buckets_;
};

// Digests of what was a good token when it was looked at last: says whose guess it is not, and lets nobody in. Bounded;
// where there are too many all are forgotten. From any thread.
class KnownTokens {
 public:
  bool holds(const std::string& digest);
  void keep(const std::string& digest);
  void forget(const std::string& digest);

 private:
  std::mutex mutex_;
  std::set<std::string> digests_;
};

}  // namespace steelyard::ci
