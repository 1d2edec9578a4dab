#include "tests/ci/service/http_client.hpp"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>
#include <zlib.h>

#include <array>
#include <chrono>
#include <cstdlib>
#include <stdexcept>
#include <utility>

namespace steelyard::ci {
namespace {

constexpr int kPatience = 60'000;  // milliseconds, on a busy machine

std::string small(std::string text) {
  for (char& c : text) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c;
  return text;
}

}  // namespace

HttpClient::HttpClient(std::uint16_t port) : socket_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(port);
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  if (::connect(socket_, reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0) {
    throw std::runtime_error("nobody listens on port " + std::to_string(port));
  }
}

HttpClient::~HttpClient() { ::close(socket_); }

bool HttpClient::send(std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t count = ::send(socket_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (count <= 0) return false;
    bytes.remove_prefix(static_cast<std::size_t>(count));
  }
  return true;
}

bool HttpClient::read_more(int milliseconds) {
  pollfd waiting{socket_, POLLIN, 0};
  if (::poll(&waiting, 1, milliseconds) <= 0) return false;
  std::array<char, 65536> piece{};
  const ssize_t count = ::recv(socket_, piece.data(), piece.size(), 0);
  if (count <= 0) return false;
  in_.append(piece.data(), static_cast<std::size_t>(count));
  return true;
}

HttpReply HttpClient::receive(bool is_head) {
  HttpReply reply;
  std::size_t end = 0;
  while ((end = in_.find("\r\n\r\n")) == std::string::npos) {
    if (!read_more(kPatience)) return reply;
  }
  reply.status = std::atoi(in_.substr(9, 3).c_str());
  for (std::size_t at = in_.find("\r\n") + 2; at < end;) {
    const std::size_t stop = in_.find("\r\n", at);
    const std::size_t colon = in_.find(": ", at);
    reply.fields[small(in_.substr(at, colon - at))] = in_.substr(colon + 2, stop - colon - 2);
    at = stop + 2;
  }
  in_.erase(0, end + 4);
  const auto length = reply.fields.find("content-length");
  const std::size_t count =
      length == reply.fields.end() || is_head ? 0 : std::strtoul(length->second.c_str(), nullptr, 10);
  while (in_.size() < count) {
    if (!read_more(kPatience)) break;
  }
  reply.body = in_.substr(0, count);
  in_.erase(0, count);
  return reply;
}

std::string HttpClient::receive_for(int milliseconds, std::string_view until) {
  const auto end = std::chrono::steady_clock::now() + std::chrono::milliseconds(milliseconds);
  while (in_.find(until) == std::string::npos) {
    const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(end - std::chrono::steady_clock::now());
    if (left.count() <= 0 || !read_more(static_cast<int>(left.count()))) break;
  }
  return std::exchange(in_, {});
}

bool HttpClient::is_closed_within(int milliseconds) {
  const auto end = std::chrono::steady_clock::now() + std::chrono::milliseconds(milliseconds);
  for (;;) {
    const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(end - std::chrono::steady_clock::now());
    if (left.count() <= 0) return false;
    pollfd waiting{socket_, POLLIN, 0};
    if (::poll(&waiting, 1, static_cast<int>(left.count())) <= 0) return false;
    std::array<char, 4096> piece{};
    if (::recv(socket_, piece.data(), piece.size(), 0) <= 0) return true;
  }
}

std::uint16_t port_of(const std::string& address) {
  return static_cast<std::uint16_t>(std::atoi(address.substr(address.rfind(':') + 1).c_str()));
}

std::string unpacked(const std::string& bytes) {
  z_stream stream{};
  if (inflateInit2(&stream, 15 + 16) != Z_OK) return "";
  std::string input = bytes, text;
  stream.next_in = reinterpret_cast<Bytef*>(input.data());
  stream.avail_in = static_cast<uInt>(input.size());
  int state = Z_OK;
  while (state == Z_OK) {
    std::array<char, 65536> piece{};
    stream.next_out = reinterpret_cast<Bytef*>(piece.data());
    stream.avail_out = piece.size();
    state = inflate(&stream, Z_NO_FLUSH);
    text.append(piece.data(), piece.size() - stream.avail_out);
  }
  inflateEnd(&stream);
  return state == Z_STREAM_END ? text : "";
}

HttpReply ask(std::uint16_t port, const std::string& method, const std::string& target, const Fields& fields,
              const std::string& body) {
  HttpClient client(port);
  std::string text = method + ' ' + target + " HTTP/1.1\r\nHost: localhost\r\n";
  for (const auto& [name, value] : fields) text += name + ": " + value + "\r\n";
  if (!body.empty()) text += "Content-Length: " + std::to_string(body.size()) + "\r\n";
  client.send(text + "\r\n" + body);
  return client.receive(method == "HEAD");
}

}  // namespace steelyard::ci
