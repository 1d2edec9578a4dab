// Sends notices (ci/report/notice.hpp) where the environment says: a signed webhook, a chat's incoming webhook, a mail
// server. Who is told what is the caller's to know. Tries are bounded, and what may have been taken is not sent again
// but to the webhook, whose receiver knows a notice by its id.
//
//     STEELYARD_TRY(NoticePlaces places, take_notice_places());
//     if (places.has_webhook()) parts.push_back(tell_webhook(places, notice, patience).part);
#pragma once

#include <string>

#include "bench/model/result.hpp"
#include "bench/runner/secrets.hpp"
#include "ci/http/service_api.hpp"
#include "ci/report/comment.hpp"
#include "ci/report/notice.hpp"

namespace steelyard::ci {

// Addresses are secrets: who has a chat's can write there.
struct NoticePlaces {
  bench::Secret webhook;        // $STEELYARD_WEBHOOK_URL
  bench::Secret signing_key;    // $STEELYARD_WEBHOOK_SECRET
  bench::Secret chat;           // $STEELYARD_SLACK_WEBHOOK_URL
  std::string mail_server;      // $STEELYARD_SMTP_URL
  std::string mail_user;        // $STEELYARD_SMTP_USER
  bench::Secret mail_password;  // $STEELYARD_SMTP_PASSWORD
  std::string mail_from;        // $STEELYARD_MAIL_FROM

  bool is_empty() const { return webhook.empty() && chat.empty() && mail_server.empty(); }
};

// Takes them out of the environment, where no child of ours sees them then. Error (input): an address over which others
// could read along (http, or mail without TLS, is of this machine alone), one without what it needs beside it; it names
// the variable and never its text.
Result<NoticePlaces> take_notice_places();

struct Telling {
  WrittenPart part;
  bool is_told = false;  // or may have been
};

// POST of webhook_text(). Headers: Steelyard-Delivery (the notice's id, the same for each try), Steelyard-Timestamp
// (seconds since 1970) and Steelyard-Signature: "sha256=" and HMAC-SHA256 of the timestamp, a dot and the body.
Telling tell_webhook(const NoticePlaces& places, const Notice& notice, const ApiPatience& patience);
Telling tell_chat(const NoticePlaces& places, const Notice& notice, const ApiPatience& patience);
Telling tell_by_mail(const NoticePlaces& places, const Notice& notice, const std::string& to,
                     const ApiPatience& patience);

// "sha256=..." of tell_webhook().
std::string webhook_signature(std::string_view key, std::int64_t at_unix_s, std::string_view body);

}  // namespace steelyard::ci
