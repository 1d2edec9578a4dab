// HTTP/1.1 on a port: connections, their bounds and time-outs, and threads that answer. What is asked and answered is
// the handler's. Not a proxy and no framework: one listener, one handler, whole answers, and streams of events.
//
//     Handler handler(...);
//     STEELYARD_TRY(WebServer server, WebServer::listen(options, handler));
//     STEELYARD_CHECK(server.run(cancellation.flag()));   // until the flag is set and what was begun is finished
//
// Every connection is bounded: in its header, its body, the time for either, and how long it may be idle or slow to
// read. What could be read in two ways (two lengths, a length and chunks, a line folded over two) is refused, and the
// connection closed, so that no proxy before this and this see two different requests.
#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "bench/model/result.hpp"
#include "ci/service/workers.hpp"

namespace steelyard::ci {

using WebFields = std::vector<std::pair<std::string, std::string>>;

struct WebRequest {
  std::string id;      // of this request, of our making: in the answer, in problems
  std::string method;  // "GET", "HEAD", "POST", ...
  std::string target;  // as sent, from the slash on
  WebFields fields;    // names in small letters, as they came; at most kMaxFields
  std::string peer;    // of whoever sent it, limited_address()
  std::string body;    // empty where it went to a file
  int body_file = -1;  // descriptor of an open file, gone with the request; -1: none

  // The first of that name (small letters); empty: none.
  std::string_view field(std::string_view name) const;
};

struct WebAnswer {
  int status = 200;
  WebFields fields;                           // Content-Length, Date and X-Request-Id are added
  std::shared_ptr<const std::string> body{};  // null: none
  bool is_event_stream = false;               // stays open, for WebServer::publish(); the body comes first
  std::string audience{};                     // of a stream: whose events it gets, see WebEvent
};

// What a request's body may be, decided from its head.
struct BodyPlan {
  std::int64_t most_bytes = 0;
  bool into_file = false;  // of WebOptions::folder
};

// Called by several threads at once, each with its own number below WebOptions::workers. Nothing of it throws.
class WebHandler {
 public:
  virtual ~WebHandler() = default;
  // Before the body of a request that has one is read. An answer with a status: that, and no body is read.
  virtual std::pair<BodyPlan, WebAnswer> admit(std::size_t worker, const WebRequest& head) = 0;
  virtual WebAnswer answer(std::size_t worker, const WebRequest& request) = 0;
  // How long its answer may take to make. Called by the server's own thread; quick.
  virtual Workers::Length length_of(const WebRequest&) { return Workers::Length::small; }
  // An answer to what never became a request: status and what was wrong.
  virtual WebAnswer refusal(int status, const std::string& detail, const std::string& id) = 0;
};

struct WebEvent {
  std::string audience;  // streams of that audience get it, and those of the empty one
  std::string text;      // as it goes over the wire
};

struct WebOptions {
  std::string host = "127.0.0.1";
  std::uint16_t port = 0;  // 0: a free one
  std::size_t workers = 4;
  std::size_t most_connections = 512;
  std::size_t most_queued = 256;  // requests that wait for a worker; more are told to come again
  std::size_t most_streams = 128;
  // Of one address; a proxy before this has all connections of one.
  std::size_t most_connections_of_peer = 512;
  std::size_t most_streams_of_peer = 128;
  std::filesystem::path folder{};                        // for bodies while they come in
  std::int64_t most_body_bytes = std::int64_t{1} << 30;  // of all of them there
  std::filesystem::path certificate{};                   // PEM, with its chain; empty: no TLS
  std::filesystem::path key{};
  std::chrono::milliseconds header_time{10'000};  // for the whole of it
  std::chrono::milliseconds read_time{15'000};    // for each piece of a body, and for each piece of an answer
  std::chrono::milliseconds body_time{300'000};   // for the whole of it
  std::chrono::milliseconds idle_time{60'000};
  std::chrono::milliseconds stream_time{600'000};  // then whoever listens asks again, and shows what lets them
  std::chrono::milliseconds stop_time{20'000};     // for what was begun, once it is to end
};
inline constexpr std::size_t kMaxFields = 64;
inline constexpr std::uint32_t kMaxHeadBytes = 16 * 1024;
inline constexpr std::size_t kMaxTargetBytes = 8 * 1024;

struct WebCounts {
  std::uint64_t connections = 0;  // ever
  std::uint64_t refused = 0;      // connections beyond the most, requests beyond the queue
  std::uint64_t malformed = 0;
  std::uint64_t timed_out = 0;
  std::uint64_t open = 0;
  std::uint64_t streams = 0;
};

class WebServer {
 public:
  // Error (input): the address cannot be listened on, or certificate and key cannot be used.
  static Result<WebServer> listen(const WebOptions& options, WebHandler& handler);
  WebServer(WebServer&&) noexcept;
  ~WebServer();

  std::string address() const;  // "http://127.0.0.1:8080"
  // Answers until the flag is set; then takes no more, and finishes what was begun.
  Result<void> run(const std::atomic<bool>* stop);
  // From any thread, while it runs. A stream that does not keep up is closed.
  void publish(WebEvent event);
  bool is_stopping() const;
  WebCounts counts() const;

  struct State;  // web_server.cpp's own

 private:
  explicit WebServer(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace steelyard::ci
