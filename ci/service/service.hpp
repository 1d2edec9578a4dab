// The HTTP service over a store: who asks is identified and limited, what is asked is held against openapi.json, the
// answer is made by an operation (call.hpp) on the store as the caller may see it, kept while nothing changes, and sent
// as the caller takes it. It keeps no state that an answer depends on: several of them stand behind one address.
//
//     Service service(options);
//     STEELYARD_TRY(WebServer server, WebServer::listen(http, service));
//     service.attach(server);
//     STEELYARD_CHECK(server.run(flag));
//     service.detach();
#pragma once

#include <array>
#include <atomic>
#include <chrono>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "bench/model/result.hpp"
#include "ci/config/configuration.hpp"
#include "ci/service/answer_cache.hpp"
#include "ci/service/call.hpp"
#include "ci/service/caller.hpp"
#include "ci/service/description.hpp"
#include "ci/service/packing.hpp"
#include "ci/service/web_server.hpp"
#include "storage/model/catalog.hpp"
#include "storage/store.hpp"

namespace steelyard::ci {

struct ServingOptions {
  storage::StoreAddress store;
  std::filesystem::path state;
  Configuration configuration;  // policies of comparisons
  Admission admission;
  std::size_t workers = 4;
  bool is_encrypted = false;
  std::vector<std::string> embedders;  // origins whose pages may show ours in a frame; none: nobody's
  std::vector<TrustedJobs> trusted;    // whose CI jobs may send runs
  std::string audience;                // that their tokens are for
  JobTokens::Fetch fetch = fetch_over_https;
  double requests_a_second = 100;  // of one token, or of one address without any
  double requests_at_once = 1000;
  // In memory, each in bytes: answers, pieces of packed ones, and values of series.
  std::size_t cache_bytes = std::size_t{24} << 20;
  std::size_t packed_bytes = std::size_t{8} << 20;
  std::size_t remembered_bytes = std::size_t{32} << 20;  // of all workers together
};

class Service : public WebHandler {
 public:
  explicit Service(ServingOptions options);
  ~Service() override;
  // The documents and pages are compiled in; an error (bug) is a build that is not whole.
  Result<void> prepare();
  // Events go there from now on, until detach(), which comes before the server's end.
  void attach(WebServer& server);
  void detach();

  std::pair<BodyPlan, WebAnswer> admit(std::size_t worker, const WebRequest& head) override;
  WebAnswer answer(std::size_t worker, const WebRequest& request) override;
  WebAnswer refusal(int status, const std::string& detail, const std::string& id) override;
  Workers::Length length_of(const WebRequest& request) override;

 private:
  using Clock = std::chrono::steady_clock;
  // What is known of a request once it may be answered.
  struct Admitted {
    const ApiOperation* operation = nullptr;
    const Operation* act = nullptr;  // null: one of the service's own
    ApiValues values;
    Caller caller;
  };
  struct Seat {  // of a worker
    std::optional<storage::Store> store;
    Clock::time_point tried_at{};
  };
  struct Outcome {  // either
    std::optional<Admitted> admitted;
    WebAnswer refusal;
  };

  WebAnswer answered(std::size_t worker, const WebRequest& request);
  std::pair<BodyPlan, WebAnswer> plan(std::size_t worker, const WebRequest& head);
  Outcome admitted(std::size_t worker, const WebRequest& request);
  // Who asks with a token; else the refusal.
  std::optional<WebAnswer> identify_caller(std::size_t worker, const WebRequest& request, Caller& caller);
  std::optional<WebAnswer> too_many(const WebRequest& request, const std::string& who);
  Result<storage::Store*> store_of(std::size_t worker);
  Result<std::string> version(storage::Store& store);
  WebAnswer answer_operation(std::size_t worker, const WebRequest& request, const Admitted& admitted);
  WebAnswer answer_own(std::size_t worker, const WebRequest& request, const Admitted& admitted);
  WebAnswer answer_page(const WebRequest& request);
  WebAnswer ready(std::size_t worker, const WebRequest& request, const Caller& caller);
  std::string metrics_text();
  WebAnswer conditional(const WebRequest& request, AnswerCache::Answer answer, const std::string& key);
  WebAnswer problem(int status, const std::string& detail, const std::string& fix, const std::string& id);
  enum class Blame { none, content };
  // With the parts of an error of the caller's, so that another program says the same.
  WebAnswer problem(int status, const Error& error, const std::string& id, Blame blame = Blame::none);
  WebAnswer problem_of(const Error& error, int input_status, const std::string& id);
  void count(const std::string& operation, int status, Clock::duration took);
  void watch();
  bool end_what_is_over();
  void look_for_news(std::optional<storage::Store>& store, std::optional<storage::NewsMarks>& marks);
  void look_for_bisects(std::filesystem::file_time_type& newest);

  ServingOptions options_;
  ApiDescription description_;
  Operations operations_;
  std::vector<Seat> seats_;
  AnswerCache cache_;
  PackedPieces pieces_;
  std::mutex large_answer_;
  JobTokens jobs_;
  RateLimit requests_;
  RateLimit failures_;  // of those whose tokens are none
  KnownTokens known_;
  KnownTokens used_;  // of which it was noted lately
  WebServer* server_ = nullptr;
  std::thread watcher_;
  std::atomic<bool> is_ending_{false};

  std::mutex version_mutex_;
  std::string version_;
  Clock::time_point version_at_{};

  std::mutex counts_mutex_;
  std::map<std::pair<std::string, int>, std::uint64_t> answered_;  // by operation and status
  static constexpr std::array<double, 8> kSeconds{0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1, 5};
  std::array<std::uint64_t, kSeconds.size() + 1> within_{};
  double seconds_ = 0;
  std::atomic<std::uint64_t> from_cache_{0};
  std::atomic<bool> store_is_up_{false};
};

}  // namespace steelyard::ci
