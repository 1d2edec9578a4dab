#include "ci/publish/notifying.hpp"

#include <algorithm>
#include <chrono>
#include <string_view>
#include <thread>
#include <utility>

#include "bench/model/elapsed.hpp"
#include "bench/model/sha256.hpp"
#include "bench/model/text.hpp"
#include "ci/http/http.hpp"

namespace steelyard::ci {
namespace {

constexpr std::size_t kShortestKey = 16;

// Whether the text is an address of one of both schemes: any host over the first, this machine alone over the second.
// Nothing in it makes another reader see another host.
bool is_endpoint(std::string_view text, std::string_view safe, std::string_view local) {
  const bool is_safe = text.starts_with(safe);
  if (!is_safe && !text.starts_with(local)) return false;
  if (printable_line(text, false) != text || text.find_first_of("@#\\ ") != text.npos) return false;
  const std::string_view rest = text.substr(is_safe ? safe.size() : local.size());
  const std::string_view host = rest.substr(0, rest.find_first_of("/?"));
  const bool is_bracketed = host.starts_with('[');
  const std::string_view name = host.substr(0, is_bracketed ? host.find(']') + 1 : host.find(':'));
  if (is_safe) return !name.empty();
  return name == "127.0.0.1" || name == "localhost" || name == "[::1]";
}

bool is_local_mail(const std::string& server) { return is_endpoint(server, "smtps://", "smtp://") && server[4] == ':'; }

// smtp:// of another host is taken, as nothing is said there before TLS.
bool is_mail_server(const std::string& server) {
  if (is_endpoint(server, "smtps://", "smtp://")) return true;
  return server.starts_with("smtp://") && is_endpoint("smtps" + server.substr(4), "smtps://", "smtp://");
}

Error refused(const std::string& variable, const std::string& wanted) {
  return input_error('$' + variable, "something else", wanted);
}

Telling telling_of(const std::string& what, const ApiOutcome& outcome, bool counts_lost) {
  WrittenPart part{what, WrittenPart::State::written, ""};
  if (outcome.is_done()) return {std::move(part), true};
  part.text = outcome.why;
  const bool is_lost = outcome.kind == ApiOutcome::Kind::lost;
  part.state = outcome.kind == ApiOutcome::Kind::refused ? WrittenPart::State::failed : WrittenPart::State::away;
  const bool is_told = is_lost && counts_lost && outcome.status == 0;
  part.text += is_told ? "; it may have been taken, and is not sent again" : "; the next call tries again";
  return {std::move(part), is_told};
}

}  // namespace

Result<NoticePlaces> take_notice_places() {
  NoticePlaces places;
  places.webhook = bench::take_secret("STEELYARD_WEBHOOK_URL");
  places.signing_key = bench::take_secret("STEELYARD_WEBHOOK_SECRET");
  places.chat = bench::take_secret("STEELYARD_SLACK_WEBHOOK_URL");
  places.mail_server = bench::take_secret("STEELYARD_SMTP_URL").text();
  places.mail_user = bench::take_secret("STEELYARD_SMTP_USER").text();
  places.mail_password = bench::take_secret("STEELYARD_SMTP_PASSWORD");
  places.mail_from = bench::take_secret("STEELYARD_MAIL_FROM").text();
  const std::string wanted = "an address of https://, or http:// of this machine, without user and '#'";
  if (!places.webhook.empty()) {
    if (!is_endpoint(places.webhook.text(), "https://", "http://")) return refused("STEELYARD_WEBHOOK_URL", wanted);
    if (places.signing_key.text().size() < kShortestKey) {
      return input_error("$STEELYARD_WEBHOOK_SECRET", places.signing_key.empty() ? "not set" : "a short text",
                         "at least 16 characters that the receiver has too", "openssl rand -hex 32");
    }
  }
  if (!places.chat.empty() && !is_endpoint(places.chat.text(), "https://", "http://")) {
    return refused("STEELYARD_SLACK_WEBHOOK_URL", wanted);
  }
  if (places.mail_server.empty()) return places;
  if (!is_mail_server(places.mail_server)) {
    return refused("STEELYARD_SMTP_URL", "smtps://HOST or smtp://HOST, with its port where it is another");
  }
  if (is_mail_address(places.mail_from)) return places;
  return input_error("$STEELYARD_MAIL_FROM", places.mail_from.empty() ? "not set" : "something else",
                     "the address that mails come from, such as ci@example.org");
}

std::string webhook_signature(std::string_view key, std::int64_t at_unix_s, std::string_view body) {
  return "sha256=" + hmac_sha256_hex(key, std::to_string(at_unix_s) + '.' + std::string(body));
}

Telling tell_webhook(const NoticePlaces& places, const Notice& notice, const ApiPatience& patience) {
  const std::string body = webhook_text(notice);
  const std::string signature = webhook_signature(places.signing_key.text(), notice.at_unix_s, body);
  ServiceApi api(places.webhook.text(), bench::Secret(),
                 {"Steelyard-Delivery: " + notice.id, "Steelyard-Timestamp: " + std::to_string(notice.at_unix_s),
                  "Steelyard-Signature: " + signature},
                 patience);
  return telling_of("webhook", api.call({"POST", "", body, true}), false);
}

Telling tell_chat(const NoticePlaces& places, const Notice& notice, const ApiPatience& patience) {
  ServiceApi api(places.chat.text(), bench::Secret(), {}, patience);
  return telling_of("slack", api.call({"POST", "", chat_text(notice), false}), true);
}

Telling tell_by_mail(const NoticePlaces& places, const Notice& notice, const std::string& to,
                     const ApiPatience& patience) {
  Mail mail{places.mail_server,
            !is_local_mail(places.mail_server),
            places.mail_user,
            places.mail_password.text(),
            places.mail_from,
            to,
            mail_text(notice, places.mail_from, to),
            patience.request};
  const std::string what = "mail to " + to;
  const auto begin = std::chrono::steady_clock::now();
  MailOutcome outcome;
  for (int tries = 1;; ++tries) {
    outcome = send(mail);
    const Nanoseconds wait = milliseconds(500.0 * static_cast<double>(1U << static_cast<unsigned>(tries - 1)));
    const bool may_again =
        outcome.kind == MailOutcome::Kind::not_taken && tries < patience.tries && since(begin) + wait <= patience.total;
    if (!may_again) break;
    std::this_thread::sleep_for(std::chrono::duration<double, std::nano>(wait.count()));
  }
  bench::wipe(mail.password);
  switch (outcome.kind) {
    case MailOutcome::Kind::taken:
      return {{what, WrittenPart::State::written, ""}, true};
    case MailOutcome::Kind::cut:
      return {{what, WrittenPart::State::away, outcome.text + "; it may have been taken, and is not sent again"}, true};
    case MailOutcome::Kind::refused:
      return {{what, WrittenPart::State::failed, outcome.text + "; the next call tries again"}, false};
    case MailOutcome::Kind::not_taken:
      break;
  }
  return {{what, WrittenPart::State::away, outcome.text + "; the next call tries again"}, false};
}

}  // namespace steelyard::ci
