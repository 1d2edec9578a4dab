// One HTTP request and its answer, or one mail, through libcurl, which no other file sees. TLS is verified
// ($SSL_CERT_FILE names who vouches for servers, in place of the system's), redirects are not followed (a token would
// follow them), and time and size have bounds. Not for retries: see service_api.hpp.
//
//     const HttpOutcome outcome = send({.url = "https://api.github.com/user"});
//     if (const auto* answer = std::get_if<HttpAnswer>(&outcome)) use(answer->status, answer->body);
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "bench/model/quantity.hpp"

namespace steelyard::ci {

// A page of 100 comments of 65,536 characters, none of them ASCII, is no larger.
inline constexpr std::size_t kMaxAnswerBytes = std::size_t{32} << 20U;

struct HttpRequest {
  std::string method = "GET";
  std::string url;
  std::vector<std::string> headers;  // "Name: value"; wiped from memory when the request is over
  std::string body;                  // empty: none
  Nanoseconds timeout = seconds(30);
  std::size_t most_answer_bytes = kMaxAnswerBytes;
  Nanoseconds longest_silence = Nanoseconds(0);  // without a byte, either way; 0: as long as the whole may take
};

struct HttpAnswer {
  int status = 0;
  std::map<std::string, std::string> headers;  // names in lower case; of several the last
  std::string body;
};

struct HttpFailure {
  enum class Kind {
    not_sent,  // no connection: the request never left
    cut,       // it may have been taken: no whole answer came
    refused,   // by us: another try gives the same (a certificate, an address, an answer without end)
  };
  Kind kind = Kind::not_sent;
  std::string text;
};

using HttpOutcome = std::variant<HttpAnswer, HttpFailure>;
HttpOutcome send(const HttpRequest& request);

// A line of an answer's head: "Name: value" becomes one of its headers, of which it has 200 at most; what else there is
// is left out.
void take_header(std::string_view line, HttpAnswer& answer);

struct Mail {
  std::string server;     // "smtp://127.0.0.1:2525", "smtps://mail.example.org"
  bool needs_tls = true;  // over smtp:// nothing is said before the server has begun TLS
  std::string user;       // empty: none
  std::string password;   // wiped from memory by whoever has it
  std::string from;
  std::string to;
  std::string text;  // headers and body, lines ended by CR LF
  Nanoseconds timeout = seconds(30);
};

struct MailOutcome {
  enum class Kind {
    taken,
    not_taken,  // for now: another try may go well
    cut,        // it may have been taken: no answer came
    refused,    // by the server or by us: another try gives the same
  };
  Kind kind = Kind::not_taken;
  std::string text;  // not taken: what happened
};
MailOutcome send(const Mail& mail);

// Text as a part of an address: what is no letter, digit or "-._~" as %XX (RFC 3986, 2.3).
std::string url_part(const std::string& text);

}  // namespace steelyard::ci
