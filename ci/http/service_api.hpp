// Calls to the API of a CI service: which answers are final, which are worth another try, how long to wait for it, and
// what to tell where it came to nothing. All of it is bounded, in all as well: a service that answers byte by byte
// costs no more than one that is away. A request that may have been taken is never sent again by itself: who asks looks
// first.
//
//     ServiceApi api(address, std::move(token_header), patience);
//     const ApiOutcome outcome = api.call({"GET", "/repos/acme/shop/pulls/7"});
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "bench/model/quantity.hpp"
#include "bench/model/result.hpp"
#include "bench/runner/secrets.hpp"
#include "ci/http/http.hpp"
#include "storage/document/json.hpp"

namespace steelyard::ci {

struct ApiPatience {
  Nanoseconds request = seconds(30);     // one request
  Nanoseconds total = seconds(60);       // all requests and the waits between them, from the first one's beginning
  int tries = 4;                         // of one call
  std::uint64_t seed = 1;                // of the waits before a try
  Nanoseconds silence = Nanoseconds(0);  // of one request, without a byte; 0: no bound of its own
};

// Of the waits of one call, so that jobs that failed together do not come back together; 1 where the system has none.
std::uint64_t drawn_wait_seed();

struct ApiCall {
  std::string method;
  std::string path;  // behind the API's address, with its query
  std::string body = {};
  // Whether it may be sent again though it may have been taken: not what adds something.
  bool is_repeatable = true;
  std::string type = "application/json";  // of the body
  std::size_t most_answer_bytes = kMaxAnswerBytes;
};

struct ApiOutcome {
  enum class Kind {
    done,         // status 2xx
    refused,      // by the service, for good: `status` says why
    lost,         // it may have been taken; no answer says so
    unavailable,  // the service is away, asks for more patience than there is, or is not who it should be
  };
  Kind kind = Kind::unavailable;
  int status = 0;         // 0: no answer came
  std::string body = {};  // of the answer
  bool has_next = false;  // the answer has a further page
  std::string why = {};   // not done: what happened, in one line, without the token
  bool is_done() const { return kind == Kind::done; }
};

// How requests are sent and waits are spent: what a test puts in its place has no network and no time.
struct ApiTransport {
  std::function<HttpOutcome(const HttpRequest&)> send;
  std::function<void(Nanoseconds)> wait;
};
ApiTransport network_transport();

class ServiceApi {
 public:
  // address: as check_api_address() has it. token_header: "Authorization: Bearer ...".
  ServiceApi(std::string address, bench::Secret token_header, std::vector<std::string> headers, ApiPatience patience,
             ApiTransport transport = network_transport());

  ApiOutcome call(const ApiCall& call);
  // Before another try of what was lost; false: the patience is at its end.
  bool may_try_again(int tries_so_far);

 private:
  // Whether the same call may follow, if there is patience left for it.
  enum class Next { nothing, after_backoff, at_once };
  struct Attempt {
    ApiOutcome outcome;
    Next next = Next::nothing;
  };
  Attempt attempt(const ApiCall& call);
  Attempt attempt_of(const HttpAnswer& answer, const std::string& what, bool is_repeatable);
  Nanoseconds left() const;  // of the patience
  bool wait_within_bounds(Nanoseconds duration);
  Nanoseconds backoff(int tries_so_far);

  std::string address_;
  bench::Secret token_header_;
  std::vector<std::string> headers_;
  ApiPatience patience_;
  ApiTransport transport_;
  std::optional<std::chrono::steady_clock::time_point> begin_;  // of the first request
  std::uint64_t random_;
};

// Has `take` read what an answer that is done holds, under that name; one that is no JSON or not as wanted is refused.
void read_answer(ApiOutcome& outcome, const std::string& name,
                 const std::function<void(const storage::JsonValue&)>& take);

// What a service lists by pages, in its order: at most kMaxListedItems items, 100 a request.
inline constexpr std::size_t kMaxListedItems = 5000;
struct ApiListing {
  ApiOutcome outcome;    // of the page that could not be had or understood; done: there is none
  bool is_whole = true;  // false: there is more than was taken
};
// `query`: further parameters, "&sort=asc". `take` may read an item by its members: what is not as wanted ends it.
ApiListing list_items(ServiceApi& api, const std::string& path, const std::string& query,
                      const std::function<void(const storage::JsonValue&)>& take);

// Without the last '/'. Error (input): no https address; http is taken of this machine alone, as whoever listens to it
// has the token. `where` names the option or variable, `wanted` what it is to have.
inline constexpr const char* kWantedApi = "the address of an API, such as https://api.github.com";
Result<std::string> check_api_address(const std::string& address, const std::string& where,
                                      const std::string& wanted = kWantedApi);

}  // namespace steelyard::ci
