// What comes to the service's port, through a connection to it: nothing else reads its bytes as it does.
#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <charconv>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

#include "bench/model/text.hpp"
#include "ci/service/web_server.hpp"
#include "tests/fuzz/claims.hpp"

namespace steelyard::testkit {
namespace {

constexpr std::int64_t kMaxBodyBytes = 100;

// Takes every request, and notes it.
class Noting : public ci::WebHandler {
 public:
  std::pair<ci::BodyPlan, ci::WebAnswer> admit(std::size_t, const ci::WebRequest&) override {
    ci::WebAnswer go_on;
    go_on.status = 0;
    return {{kMaxBodyBytes, false}, go_on};
  }
  ci::WebAnswer answer(std::size_t, const ci::WebRequest& request) override {
    const std::lock_guard lock(mutex_);
    asked_.push_back(request);
    return {200, {}, std::make_shared<std::string>("taken")};
  }
  ci::WebAnswer refusal(int status, const std::string& detail, const std::string&) override {
    return {status, {}, std::make_shared<std::string>(detail)};
  }
  std::vector<ci::WebRequest> take_asked() {
    const std::lock_guard lock(mutex_);
    return std::exchange(asked_, {});
  }

 private:
  std::mutex mutex_;
  std::vector<ci::WebRequest> asked_;
};

class Served {
 public:
  Served() : server_(ci::WebServer::listen(options(), handler)) {
    const std::string address = server_.value().address();
    std::from_chars(address.data() + address.rfind(':') + 1, address.data() + address.size(), port_);
    thread_ = std::thread([this] { static_cast<void>(server_->run(&stop_)); });
  }
  ~Served() {
    stop_ = true;
    thread_.join();
  }
  Served(const Served&) = delete;
  Served& operator=(const Served&) = delete;

  // All that the service answers until it closes the connection, whose other end is closed behind the bytes.
  std::string answers_to(std::string_view bytes) const {
    const int client = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    sockaddr_in place{};
    place.sin_family = AF_INET;
    place.sin_port = htons(port_);
    place.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    std::string answers;
    if (::connect(client, reinterpret_cast<const sockaddr*>(&place), sizeof place) == 0) {
      ::send(client, bytes.data(), bytes.size(), MSG_NOSIGNAL);
      ::shutdown(client, SHUT_WR);
      std::array<char, 4096> piece{};
      // A fuzzer's clock interrupts what waits.
      for (ssize_t got = 1; got > 0 || (got < 0 && errno == EINTR);) {
        got = ::recv(client, piece.data(), piece.size(), 0);
        if (got > 0) answers.append(piece.data(), static_cast<std::size_t>(got));
      }
    }
    ::close(client);
    return answers;
  }

  Noting handler;

 private:
  static ci::WebOptions options() {
    ci::WebOptions options;
    options.workers = 1;
    options.folder = std::filesystem::temp_directory_path();
    return options;
  }

  Result<ci::WebServer> server_;
  std::uint16_t port_ = 0;
  std::atomic<bool> stop_{false};
  std::thread thread_;
};

// Requests one after the other, in the obvious way (RFC 9112): what a proxy before the service would see.
class PlainReader {
 public:
  explicit PlainReader(std::string_view bytes) : rest_(bytes) {}

  // Nothing where no whole request stands there.
  std::optional<ci::WebRequest> next() {
    while (rest_.starts_with("\r\n")) rest_.remove_prefix(2);
    ci::WebRequest request;
    const std::optional<std::string_view> first = line();
    if (!first) return std::nullopt;
    const std::size_t blank = first->find(' '), second = first->rfind(' ');
    if (blank == first->npos || second == blank) return std::nullopt;
    request.method = first->substr(0, blank);
    request.target = first->substr(blank + 1, second - blank - 1);
    for (std::optional<std::string_view> field = line(); field != ""; field = line()) {
      const std::size_t colon = field ? field->find(':') : std::string_view::npos;
      if (colon == std::string_view::npos) return std::nullopt;
      std::string name(field->substr(0, colon));
      for (char& c : name) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
      request.fields.emplace_back(std::move(name), trimmed(field->substr(colon + 1)));
    }
    return take_body(request) ? std::optional(request) : std::nullopt;
  }

 private:
  std::optional<std::string_view> line() {
    const std::size_t end = rest_.find("\r\n");
    if (end == rest_.npos) return std::nullopt;
    const std::string_view whole = rest_.substr(0, end);
    rest_.remove_prefix(end + 2);
    return whole;
  }
  bool take(std::size_t bytes, std::string& body) {
    if (rest_.size() < bytes) return false;
    body += rest_.substr(0, bytes);
    rest_.remove_prefix(bytes);
    return true;
  }
  bool take_body(ci::WebRequest& request) {
    if (request.field("transfer-encoding").empty()) {
      const std::string_view length = request.field("content-length");
      std::size_t bytes = 0;
      std::from_chars(length.data(), length.data() + length.size(), bytes);
      return take(bytes, request.body);
    }
    for (;;) {
      const std::optional<std::string_view> size = line();
      std::size_t bytes = 0;
      if (!size || std::from_chars(size->data(), size->data() + size->size(), bytes, 16).ec != std::errc())
        return false;
      if (bytes == 0) break;
      if (!take(bytes, request.body) || line() != "") return false;
    }
    for (std::optional<std::string_view> trailer = line(); trailer != ""; trailer = line()) {
      if (!trailer) return false;
    }
    return true;
  }

  std::string_view rest_;
};

std::size_t count_of(std::string_view text, std::string_view part) {
  std::size_t count = 0;
  for (std::size_t at = text.find(part); at != text.npos; at = text.find(part, at + part.size())) ++count;
  return count;
}

}  // namespace

BrokenClaim broken_claim_about_web_request(const std::string& bytes) {
  static Served service;
  const std::string answers = service.answers_to(bytes);
  const std::vector<ci::WebRequest> asked = service.handler.take_asked();
  if (count_of(answers, "HTTP/1.1 200 OK\r\n") != asked.size()) return "each request is answered, and nothing else is";
  PlainReader plain(bytes);
  for (const ci::WebRequest& request : asked) {
    if (request.body.size() > static_cast<std::size_t>(kMaxBodyBytes)) return "a body is no longer than it may be";
    const std::optional<ci::WebRequest> same = plain.next();
    if (!same) return "what is no request to others is none: " + request.method + ' ' + request.target;
    if (request.method != same->method || request.target != same->target) return "others see the same request";
    if (request.fields != same->fields) return "others see the same fields";
    if (request.body != same->body) return "others see the same body";
  }
  return std::nullopt;
}

}  // namespace steelyard::testkit
