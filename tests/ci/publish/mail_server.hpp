// A mail server (RFC 5321) as far as the program speaks to one, on a free port of the loopback device: every mail that
// it took, and troubles on request.
#pragma once

#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <atomic>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

namespace steelyard::ci_test {

struct TakenMail {
  std::string from;  // as the commands have it: "<ci@example.org>"
  std::string to;
  std::string text;
};

class MailServer {
 public:
  MailServer() {
    listener_ = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof address;
    ::bind(listener_, reinterpret_cast<sockaddr*>(&address), size);
    ::listen(listener_, 16);
    ::getsockname(listener_, reinterpret_cast<sockaddr*>(&address), &size);
    port_ = ntohs(address.sin_port);
    thread_ = std::thread([this] { serve(); });
  }
  ~MailServer() {
    ends_ = true;
    thread_.join();
    ::close(listener_);
  }
  MailServer(const MailServer&) = delete;
  MailServer& operator=(const MailServer&) = delete;

  std::string address() const { return "smtp://127.0.0.1:" + std::to_string(port_); }
  std::vector<TakenMail> mails() const {
    const std::lock_guard lock(mutex_);
    return mails_;
  }
  int sessions() const { return sessions_; }

  // In place of 250 to the next RCPT commands, the first first.
  std::vector<std::string> replies_to_recipient;
  bool cuts_after_mail = false;  // takes the mail and says nothing

 private:
  void serve() {
    while (!ends_) {
      pollfd waiting{listener_, POLLIN, 0};
      if (::poll(&waiting, 1, 20) <= 0) continue;
      const int connection = ::accept4(listener_, nullptr, nullptr, SOCK_CLOEXEC);
      if (connection < 0) continue;
      ++sessions_;
      talk(connection);
      ::close(connection);
    }
  }
  static void say(int connection, const std::string& line) {
    ::send(connection, (line + "\r\n").data(), line.size() + 2, MSG_NOSIGNAL);
  }
  // Up to and without the mark; false: the connection ended.
  static bool read_until(int connection, std::string& buffer, const std::string& mark, std::string& text) {
    std::size_t at = 0;
    while ((at = buffer.find(mark)) == std::string::npos) {
      char bytes[4096];
      const ssize_t count = ::recv(connection, bytes, sizeof bytes, 0);
      if (count <= 0) return false;
      buffer.append(bytes, static_cast<std::size_t>(count));
    }
    text = buffer.substr(0, at);
    buffer.erase(0, at + mark.size());
    return true;
  }
  void talk(int connection) {
    std::string buffer;
    std::string line;
    TakenMail mail;
    say(connection, "220 mail.example ESMTP");
    while (read_until(connection, buffer, "\r\n", line)) {
      if (line.starts_with("MAIL FROM:")) mail.from = line.substr(10, line.find('>') - 9);
      if (line.starts_with("RCPT TO:")) {
        mail.to = line.substr(8);
        const std::lock_guard lock(mutex_);
        if (!replies_to_recipient.empty()) {
          say(connection, replies_to_recipient.front());
          replies_to_recipient.erase(replies_to_recipient.begin());
          continue;
        }
      }
      if (line == "DATA") {
        say(connection, "354 go on");
        if (!read_until(connection, buffer, "\r\n.\r\n", mail.text)) return;
        const std::lock_guard lock(mutex_);
        mails_.push_back(mail);
        if (cuts_after_mail) return;
      }
      say(connection, line == "QUIT" ? "221 bye" : "250 fine");
    }
  }

  int listener_ = -1;
  int port_ = 0;
  std::atomic<bool> ends_ = false;
  std::atomic<int> sessions_ = 0;
  mutable std::mutex mutex_;
  std::vector<TakenMail> mails_;
  std::thread thread_;
};

}  // namespace steelyard::ci_test
