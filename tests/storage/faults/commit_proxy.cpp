#include "tests/storage/faults/commit_proxy.hpp"

#include <poll.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstring>
#include <stdexcept>

#include "storage/place/store_address.hpp"

namespace steelyard::storage_test {
namespace {

constexpr const char* kSocketFile = "/.s.PGSQL.5432";
// By what a transaction that writes a run is known.
constexpr const char* kWritesARun = "insert into steelyard.runs";
constexpr int kPollMs = 20;

sockaddr_un address_of(const std::string& path) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  if (path.size() >= sizeof address.sun_path) throw std::runtime_error("too long for a socket: " + path);
  std::memcpy(address.sun_path, path.c_str(), path.size());
  return address;
}

const sockaddr* as_address(const sockaddr_un& address) {
  return static_cast<const sockaddr*>(static_cast<const void*>(&address));
}

bool send_all(int socket, const std::string& bytes) {
  for (std::size_t at = 0; at < bytes.size();) {
    const ssize_t n = send(socket, bytes.data() + at, bytes.size() - at, MSG_NOSIGNAL);
    if (n <= 0) return false;
    at += static_cast<std::size_t>(n);
  }
  return true;
}

bool is_readable(int socket, int wait_ms) {
  pollfd watched{socket, POLLIN, 0};
  return poll(&watched, 1, wait_ms) > 0;
}

// Appends what has arrived; false at the end of the link.
bool receive(int socket, std::string& bytes) {
  std::array<char, 16384> buffer{};
  const ssize_t n = recv(socket, buffer.data(), buffer.size(), 0);
  if (n <= 0) return false;
  bytes.append(buffer.data(), static_cast<std::size_t>(n));
  return true;
}

std::size_t number_at(const std::string& bytes, std::size_t at) {
  std::size_t number = 0;
  for (std::size_t i = 0; i < 4; ++i) number = number << 8U | static_cast<unsigned char>(bytes[at + i]);
  return number;
}

}  // namespace

struct CommitProxy::Link {
  int client = -1;
  int server = -1;
  bool started = false;     // the first message has no letter before its length
  bool writes_run = false;  // since the last COMMIT
  std::string from_client{};

  // The next whole message, or nothing.
  std::string next_message() {
    const std::size_t letter = started ? 1 : 0;
    if (from_client.size() < letter + 4) return "";
    const std::size_t size = letter + number_at(from_client, letter);
    if (from_client.size() < size) return "";
    started = true;
    std::string message = from_client.substr(0, size);
    from_client.erase(0, size);
    return message;
  }
};

CommitProxy::CommitProxy(const std::string& url, const std::filesystem::path& folder, Trouble trouble,
                         std::function<void()> before_cut)
    : trouble_(trouble), before_cut_(std::move(before_cut)) {
  const std::size_t begin = url.find("host=") + 5;
  const std::size_t end = url.find('&', begin);
  server_socket_ = storage::percent_decode(url.substr(begin, end - begin)) + kSocketFile;
  url_ = url.substr(0, begin) + storage::percent_encode(folder.string()) +
         (end == std::string::npos ? "" : url.substr(end));
  // Who answers here is not the server's user.
  url_.erase(std::min(url_.find("&requirepeer="), url_.size()));
  listener_ = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  const sockaddr_un address = address_of(folder.string() + kSocketFile);
  if (bind(listener_, as_address(address), sizeof address) != 0 || listen(listener_, 8) != 0) {
    throw std::runtime_error("cannot listen in " + folder.string());
  }
  acceptor_ = std::thread([this] { accept_links(); });
}

CommitProxy::~CommitProxy() {
  ends_ = true;
  release();
  acceptor_.join();
  for (std::thread& link : links_) link.join();
  close(listener_);
}

void CommitProxy::wait_until_held() {
  std::unique_lock lock(mutex_);
  changed_.wait_for(lock, std::chrono::seconds(30), [this] { return held_; });
}

void CommitProxy::release() {
  const std::lock_guard lock(mutex_);
  released_ = true;
  changed_.notify_all();
}

void CommitProxy::accept_links() {
  while (!ends_) {
    if (!is_readable(listener_, kPollMs)) continue;
    const int client = accept4(listener_, nullptr, nullptr, SOCK_CLOEXEC);
    if (client >= 0) links_.emplace_back([this, client] { serve(client); });
  }
}

void CommitProxy::serve(int client) {
  Link link{client, socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0)};
  const sockaddr_un address = address_of(server_socket_);
  bool alive = connect(link.server, as_address(address), sizeof address) == 0;
  while (alive && !ends_) {
    std::array<pollfd, 2> watched{{{link.client, POLLIN, 0}, {link.server, POLLIN, 0}}};
    poll(watched.data(), watched.size(), kPollMs);
    if (watched[1].revents != 0) {
      std::string answer;
      alive = receive(link.server, answer) && send_all(link.client, answer);
    }
    if (alive && watched[0].revents != 0) alive = receive(link.client, link.from_client);
    for (std::string message; alive && !(message = link.next_message()).empty();) {
      if (message.find(kWritesARun) != std::string::npos) link.writes_run = true;
      const bool commits = message[0] == 'Q' && message.compare(5, 6, "COMMIT") == 0;
      if (commits && link.writes_run && (trouble_ == Trouble::held || troubles_ == 0)) alive = meet_commit(link);
      if (commits) link.writes_run = false;
      alive = alive && send_all(link.server, message);
    }
  }
  close(link.client);
  close(link.server);
}

bool CommitProxy::meet_commit(Link& link) {
  ++troubles_;
  if (trouble_ == Trouble::held) {
    std::unique_lock lock(mutex_);
    held_ = true;
    changed_.notify_all();
    changed_.wait(lock, [this] { return released_; });
    return true;
  }
  if (trouble_ == Trouble::answer_lost) {
    constexpr char kCommit[] = "Q\0\0\0\013COMMIT";  // its length counts itself, the text and the zero
    std::string answer;
    if (send_all(link.server, std::string(kCommit, sizeof kCommit))) receive(link.server, answer);
  }
  if (before_cut_) before_cut_();
  return false;
}

}  // namespace steelyard::storage_test
