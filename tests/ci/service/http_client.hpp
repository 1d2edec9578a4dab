// A client that sends exactly the bytes it is given, for what a decent one would never send.
//
//     HttpClient client(port);
//     client.send("GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n");
//     const HttpReply reply = client.receive();
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace steelyard::ci {

struct HttpReply {
  int status = 0;                             // 0: the connection ended before there was one
  std::map<std::string, std::string> fields;  // names in small letters
  std::string body;
};

class HttpClient {
 public:
  explicit HttpClient(std::uint16_t port);
  HttpClient(const HttpClient&) = delete;
  HttpClient& operator=(const HttpClient&) = delete;
  ~HttpClient();

  // False: the other side has gone.
  bool send(std::string_view bytes);
  // One answer; to HEAD it has no body.
  HttpReply receive(bool is_head = false);
  // What comes within that time, or until it holds the text.
  std::string receive_for(int milliseconds, std::string_view until = "\x01never\x01");
  // Whether the other side closes within that time.
  bool is_closed_within(int milliseconds);

 private:
  bool read_more(int milliseconds);
  int socket_ = -1;
  std::string in_;
};

std::uint16_t port_of(const std::string& address);
// The text behind the gzip; empty: it is none.
std::string unpacked(const std::string& bytes);
using Fields = std::vector<std::pair<std::string, std::string>>;
HttpReply ask(std::uint16_t port, const std::string& method, const std::string& target, const Fields& fields = {},
              const std::string& body = "");

}  // namespace steelyard::ci
