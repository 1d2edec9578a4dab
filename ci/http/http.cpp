#include "ci/http/http.hpp"

#include <curl/curl.h>
#include <string.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <memory>
#include <string_view>

#include "bench/model/run.hpp"
#include "bench/model/text.hpp"

namespace steelyard::ci {

void take_header(std::string_view line, HttpAnswer& answer) {
  constexpr std::size_t kMaxHeaders = 200;
  const std::size_t colon = line.find(':');
  if (colon == std::string_view::npos || answer.headers.size() == kMaxHeaders) return;
  std::string name(line.substr(0, colon));
  for (char& c : name) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  const std::size_t begin = line.find_first_not_of(" \t", colon + 1);
  const std::size_t end = line.find_last_not_of(" \t\r\n");
  const bool is_empty = begin == std::string_view::npos || end < begin;
  answer.headers[name] = is_empty ? "" : std::string(line.substr(begin, end - begin + 1));
}

namespace {

constexpr std::size_t kMaxHeaderBytes = std::size_t{64} << 10U;
constexpr long kConnectTimeoutMs = 10'000;

struct EasyHandle {
  void operator()(CURL* handle) const { curl_easy_cleanup(handle); }
};

// Its texts may hold a token.
struct HeaderList {
  void operator()(curl_slist* list) const {
    for (curl_slist* one = list; one != nullptr; one = one->next) ::explicit_bzero(one->data, ::strlen(one->data));
    curl_slist_free_all(list);
  }
};

struct Received {
  HttpAnswer answer;
  std::size_t most_bytes = kMaxAnswerBytes;  // of the body
  std::size_t header_bytes = 0;
  bool is_too_large = false;
};

// libcurl's callbacks take what they are given as a whole, or end the transfer.
std::size_t take_body(char* data, std::size_t size, std::size_t count, void* target) {
  auto& received = *static_cast<Received*>(target);
  const std::size_t bytes = size * count;
  if (received.answer.body.size() + bytes > received.most_bytes) return received.is_too_large = true, 0;
  received.answer.body.append(data, bytes);
  return bytes;
}

std::size_t take_header_line(char* data, std::size_t size, std::size_t count, void* target) {
  auto& received = *static_cast<Received*>(target);
  const std::size_t bytes = size * count;
  received.header_bytes += bytes;
  if (received.header_bytes > kMaxHeaderBytes) return received.is_too_large = true, 0;
  take_header({data, bytes}, received.answer);
  return bytes;
}

HttpFailure::Kind failure_kind(CURLcode code, CURL* handle) {
  switch (code) {
    case CURLE_COULDNT_RESOLVE_HOST:
    case CURLE_COULDNT_RESOLVE_PROXY:
    case CURLE_COULDNT_CONNECT:
    case CURLE_SSL_CONNECT_ERROR:
      return HttpFailure::Kind::not_sent;
    case CURLE_PEER_FAILED_VERIFICATION:
    case CURLE_SSL_CACERT_BADFILE:
    case CURLE_SSL_CERTPROBLEM:
    case CURLE_UNSUPPORTED_PROTOCOL:
    case CURLE_URL_MALFORMAT:
    case CURLE_WRITE_ERROR:
    case CURLE_OUT_OF_MEMORY:
    case CURLE_FAILED_INIT:
      return HttpFailure::Kind::refused;
    default:
      break;
  }
  long sent = 0;
  curl_easy_getinfo(handle, CURLINFO_REQUEST_SIZE, &sent);
  return sent == 0 ? HttpFailure::Kind::not_sent : HttpFailure::Kind::cut;
}

// libcurl looks at no variable for it.
void verify_server(CURL* handle) {
  curl_easy_setopt(handle, CURLOPT_SSL_VERIFYPEER, 1L);
  curl_easy_setopt(handle, CURLOPT_SSL_VERIFYHOST, 2L);
  const char* const vouching = std::getenv("SSL_CERT_FILE");
  if (vouching != nullptr && *vouching != '\0') curl_easy_setopt(handle, CURLOPT_CAINFO, vouching);
}

void set_bounds(CURL* handle, const HttpRequest& request) {
  const long timeout_ms = std::max(1L, static_cast<long>(request.timeout.count() / 1e6));
  curl_easy_setopt(handle, CURLOPT_TIMEOUT_MS, timeout_ms);
  if (const long silence_s = static_cast<long>(request.longest_silence.count() / 1e9); silence_s > 0) {
    curl_easy_setopt(handle, CURLOPT_LOW_SPEED_LIMIT, 1L);
    curl_easy_setopt(handle, CURLOPT_LOW_SPEED_TIME, silence_s);
  }
  curl_easy_setopt(handle, CURLOPT_CONNECTTIMEOUT_MS, std::min(timeout_ms, kConnectTimeoutMs));
  curl_easy_setopt(handle, CURLOPT_NOSIGNAL, 1L);
  curl_easy_setopt(handle, CURLOPT_FOLLOWLOCATION, 0L);
  curl_easy_setopt(handle, CURLOPT_PROTOCOLS_STR, "https,http");
  // Plain http is of this machine alone (check_api_address()): no proxy is shown the token.
  if (request.url.starts_with("http://")) curl_easy_setopt(handle, CURLOPT_NOPROXY, "*");
  verify_server(handle);
}

bool is_curl_ready() {
  static const CURLcode ready = curl_global_init(CURL_GLOBAL_DEFAULT);
  return ready == CURLE_OK;
}

}  // namespace

HttpOutcome send(const HttpRequest& request) {
  const std::unique_ptr<CURL, EasyHandle> handle(is_curl_ready() ? curl_easy_init() : nullptr);
  if (!handle) return HttpFailure{HttpFailure::Kind::refused, "libcurl could not be started"};
  std::unique_ptr<curl_slist, HeaderList> headers;
  for (const std::string& header : request.headers) {
    curl_slist* const longer = curl_slist_append(headers.get(), header.c_str());
    if (longer == nullptr) return HttpFailure{HttpFailure::Kind::refused, "out of memory"};
    headers.release();
    headers.reset(longer);
  }
  Received received;
  received.most_bytes = request.most_answer_bytes;
  std::array<char, CURL_ERROR_SIZE> trouble{};
  set_bounds(handle.get(), request);
  curl_easy_setopt(handle.get(), CURLOPT_URL, request.url.c_str());
  curl_easy_setopt(handle.get(), CURLOPT_CUSTOMREQUEST, request.method.c_str());
  curl_easy_setopt(handle.get(), CURLOPT_USERAGENT, kToolName);
  curl_easy_setopt(handle.get(), CURLOPT_HTTPHEADER, headers.get());
  if (!request.body.empty()) {
    curl_easy_setopt(handle.get(), CURLOPT_POSTFIELDSIZE_LARGE, static_cast<curl_off_t>(request.body.size()));
    curl_easy_setopt(handle.get(), CURLOPT_POSTFIELDS, request.body.c_str());
  }
  curl_easy_setopt(handle.get(), CURLOPT_WRITEFUNCTION, take_body);
  curl_easy_setopt(handle.get(), CURLOPT_WRITEDATA, &received);
  curl_easy_setopt(handle.get(), CURLOPT_HEADERFUNCTION, take_header_line);
  curl_easy_setopt(handle.get(), CURLOPT_HEADERDATA, &received);
  curl_easy_setopt(handle.get(), CURLOPT_ERRORBUFFER, trouble.data());
  const CURLcode code = curl_easy_perform(handle.get());
  if (received.is_too_large) {
    const std::string most = std::to_string(received.most_bytes >> 20U);
    return HttpFailure{HttpFailure::Kind::refused, "an answer of more than " + most + " MiB"};
  }
  if (code != CURLE_OK) {
    const std::string text = trouble[0] != '\0' ? trouble.data() : curl_easy_strerror(code);
    return HttpFailure{failure_kind(code, handle.get()), printable_line(text, true)};
  }
  long status = 0;
  curl_easy_getinfo(handle.get(), CURLINFO_RESPONSE_CODE, &status);
  received.answer.status = static_cast<int>(status);
  return std::move(received.answer);
}

namespace {

struct MailText {
  std::string_view rest;
  bool is_whole = false;  // libcurl has asked for more than there is: the end of the mail is on its way
};

std::size_t give_mail(char* target, std::size_t size, std::size_t count, void* source) {
  auto& text = *static_cast<MailText*>(source);
  const std::size_t bytes = std::min(size * count, text.rest.size());
  text.is_whole = text.is_whole || bytes == 0;
  std::copy_n(text.rest.data(), bytes, target);
  text.rest.remove_prefix(bytes);
  return bytes;
}

// RFC 5321, 4.2.1: 4xx may go well later, 5xx does not.
MailOutcome mail_failure(CURLcode code, CURL* handle, const MailText& text, std::string why) {
  long reply = 0;
  curl_easy_getinfo(handle, CURLINFO_RESPONSE_CODE, &reply);
  if (reply >= 400 && reply < 600) why += " (reply " + std::to_string(reply) + ')';
  if (reply >= 500 && reply < 600) return {MailOutcome::Kind::refused, std::move(why)};
  if (reply >= 400 && reply < 500) return {MailOutcome::Kind::not_taken, std::move(why)};
  if (failure_kind(code, handle) == HttpFailure::Kind::refused || code == CURLE_LOGIN_DENIED ||
      code == CURLE_USE_SSL_FAILED) {
    return {MailOutcome::Kind::refused, std::move(why)};
  }
  return {text.is_whole ? MailOutcome::Kind::cut : MailOutcome::Kind::not_taken, std::move(why)};
}

}  // namespace

MailOutcome send(const Mail& mail) {
  const std::unique_ptr<CURL, EasyHandle> handle(is_curl_ready() ? curl_easy_init() : nullptr);
  if (!handle) return {MailOutcome::Kind::refused, "libcurl could not be started"};
  const std::unique_ptr<curl_slist, HeaderList> to(curl_slist_append(nullptr, ('<' + mail.to + '>').c_str()));
  const std::string from = '<' + mail.from + '>';
  MailText text{mail.text};
  std::array<char, CURL_ERROR_SIZE> trouble{};
  const long timeout_ms = std::max(1L, static_cast<long>(mail.timeout.count() / 1e6));
  curl_easy_setopt(handle.get(), CURLOPT_TIMEOUT_MS, timeout_ms);
  curl_easy_setopt(handle.get(), CURLOPT_CONNECTTIMEOUT_MS, std::min(timeout_ms, kConnectTimeoutMs));
  curl_easy_setopt(handle.get(), CURLOPT_NOSIGNAL, 1L);
  curl_easy_setopt(handle.get(), CURLOPT_PROTOCOLS_STR, "smtps,smtp");
  curl_easy_setopt(handle.get(), CURLOPT_NOPROXY, "*");
  curl_easy_setopt(handle.get(), CURLOPT_USE_SSL, mail.needs_tls ? long{CURLUSESSL_ALL} : long{CURLUSESSL_TRY});
  verify_server(handle.get());
  curl_easy_setopt(handle.get(), CURLOPT_URL, mail.server.c_str());
  if (!mail.user.empty()) {
    curl_easy_setopt(handle.get(), CURLOPT_USERNAME, mail.user.c_str());
    curl_easy_setopt(handle.get(), CURLOPT_PASSWORD, mail.password.c_str());
  }
  curl_easy_setopt(handle.get(), CURLOPT_MAIL_FROM, from.c_str());
  curl_easy_setopt(handle.get(), CURLOPT_MAIL_RCPT, to.get());
  curl_easy_setopt(handle.get(), CURLOPT_UPLOAD, 1L);
  curl_easy_setopt(handle.get(), CURLOPT_READFUNCTION, give_mail);
  curl_easy_setopt(handle.get(), CURLOPT_READDATA, &text);
  curl_easy_setopt(handle.get(), CURLOPT_ERRORBUFFER, trouble.data());
  const CURLcode code = curl_easy_perform(handle.get());
  if (code == CURLE_OK) return {MailOutcome::Kind::taken, ""};
  const std::string why = trouble[0] != '\0' ? trouble.data() : curl_easy_strerror(code);
  return mail_failure(code, handle.get(), text, printable_line(why, true));
}

std::string url_part(const std::string& text) {
  constexpr std::string_view kDigits = "0123456789ABCDEF";
  std::string part;
  for (const char c : text) {
    const bool is_plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                          std::string_view("-._~").find(c) != std::string_view::npos;
    if (is_plain) {
      part += c;
      continue;
    }
    const auto byte = static_cast<unsigned char>(c);
    part += {'%', kDigits[byte / 16], kDigits[byte % 16]};
  }
  return part;
}

}  // namespace steelyard::ci
