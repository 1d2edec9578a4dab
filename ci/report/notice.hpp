// That alerts came into another state, as it is told to people who are somewhere else: a signed JSON document, a chat's
// message, a mail. Pure: values in, text out. Names are strangers' words: in no text do they format, mention or link,
// and none of them begins a header.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "storage/model/alert.hpp"

namespace steelyard::ci {

struct NoticedAlert {
  storage::Alert alert;
  std::optional<storage::AlertState> before;  // told to them last; absent: nothing was
  std::string owner;                          // as the policy names it; may be empty
};

struct Notice {
  std::string id;       // no other notice's
  std::string project;  // may be empty
  std::int64_t at_unix_s = 0;
  std::vector<NoticedAlert> alerts;
};

inline constexpr std::size_t kMaxAlertsOfMessage = 20;  // of a chat; others are counted
inline constexpr std::size_t kMaxAlertsOfMail = 200;

// "2 open, 1 resolved"
std::string notice_headline(const Notice& notice);

std::string webhook_text(const Notice& notice);  // schema steelyard.notice/1

// {"text": ...}, as Slack's incoming webhooks take it, and those of others who imitate them (Mattermost, Rocket.Chat).
std::string chat_text(const Notice& notice);

// Headers and body, lines ended by CR LF (RFC 5322). Precondition: is_mail_address() of both.
std::string mail_text(const Notice& notice, const std::string& from, const std::string& to);
// Whether mail can go there: one plain address, "kernels@example.org", without anything that ends a header or a
// command.
bool is_mail_address(const std::string& text);
// The addresses in what a policy names as the owner, which may be several or a team's name: "a@example.org, Team B".
std::vector<std::string> mail_addresses(const std::string& owner);

}  // namespace steelyard::ci
