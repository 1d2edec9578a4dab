#include "ci/report/notice.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <map>
#include <string_view>
#include <utility>

#include "bench/model/benchmark_id.hpp"
#include "bench/model/number_text.hpp"
#include "bench/model/text.hpp"
#include "ci/report/alerts.hpp"
#include "ci/report/markup.hpp"
#include "storage/document/json.hpp"

namespace steelyard::ci {
namespace {

constexpr std::size_t kLongestWord = 160;     // columns: a name, a note
constexpr std::size_t kLongestAddress = 254;  // RFC 5321, 4.5.3.1.3, without its brackets

std::string plain(const std::string& word) { return shortened(printable_line(word, true), kLongestWord, true); }

// What does not change: "+12.0 % (812 ns to 910 ns)", "failed".
std::string change_of(const storage::Alert& alert) {
  if (alert.verdict != "regression" || !alert.ratio) return alert.verdict;
  std::string text = change_text(*alert.ratio);
  if (!tells_levels(alert)) return text;
  const std::string unit = plain(alert.unit);
  return text + " (" + level_text(*alert.baseline, unit) + " to " + level_text(*alert.candidate, unit) + ')';
}

// One alert in words; `name` writes a stranger's word.
template <class Name>
std::string line_of(const NoticedAlert& noticed, Name name) {
  const storage::Alert& alert = noticed.alert;
  const storage::AlertSubject& subject = alert.subject;
  std::string text(storage::to_text(alert.state));
  if (noticed.before) text += " (was " + std::string(storage::to_text(*noticed.before)) + ')';
  text += ": " + name(name_as_given(subject.benchmark)) + ' ' + name(subject.metric);
  if (!subject.branch.empty()) text += " on " + name(subject.branch);
  if (!subject.fingerprint.empty()) text += ", machine " + name(shown_id(subject.fingerprint));
  // What is gone has no change: the levels are those of when it was there.
  if (alert.state != storage::AlertState::resolved) text += ", " + name(change_of(alert));
  if (!alert.commit.empty()) text += ", commit " + name(shown_sha(alert.commit));
  if (!noticed.owner.empty()) text += ", owner " + name(noticed.owner);
  if (!alert.life.empty() && !alert.life.back().note.empty()) text += ": " + name(alert.life.back().note);
  return text;
}

std::string more_text(const Notice& notice, std::size_t shown) {
  if (notice.alerts.size() <= shown) return "";
  return "and " + std::to_string(notice.alerts.size() - shown) + " more";
}

std::string heading_of(const Notice& notice) { return "Performance alerts: " + notice_headline(notice); }

// A word in a code span, where a chat formats and mentions nothing; & < > as Slack's own escapes ("Formatting text for
// app surfaces").
std::string chat_code(const std::string& word) {
  std::string text = plain(word);
  std::replace(text.begin(), text.end(), '`', '\'');
  if (text.empty()) return "";
  text = markdown::replaced(markdown::replaced(std::move(text), "&", "&amp;"), "<", "&lt;");
  return '`' + markdown::replaced(std::move(text), ">", "&gt;") + '`';
}

// In lines of 76 characters (RFC 2045, 6.8).
std::string base64_lines(std::string_view bytes) {
  constexpr std::size_t kBytesOfLine = 57;
  std::string text;
  for (; !bytes.empty(); bytes.remove_prefix(std::min(kBytesOfLine, bytes.size()))) {
    text += base64_text(bytes.substr(0, kBytesOfLine)) + "\r\n";
  }
  return text;
}

// "Mon, 23 Nov 2026 23:18:00 +0000" (RFC 5322, 3.3)
std::string mail_date(std::int64_t at_unix_s) {
  constexpr std::array<const char*, 7> kDays{"Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"};
  constexpr std::array<const char*, 12> kMonths{"Jan", "Feb", "Mar", "Apr", "May", "Jun",
                                                "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};
  const std::string time = time_text(at_unix_s * 1'000'000'000);  // 2026-11-23T23:18:00Z
  const auto days = std::chrono::floor<std::chrono::days>(std::chrono::sys_seconds(std::chrono::seconds(at_unix_s)));
  const std::chrono::year_month_day date(days);
  return std::string(kDays.at(std::chrono::weekday(days).c_encoding())) + ", " + time.substr(8, 2) + ' ' +
         kMonths.at(static_cast<unsigned>(date.month()) - 1) + ' ' + time.substr(0, 4) + ' ' + time.substr(11, 8) +
         " +0000";
}

storage::JsonWriter json_of(const NoticedAlert& noticed) {
  const storage::Alert& alert = noticed.alert;
  const storage::AlertSubject& subject = alert.subject;
  constexpr FieldRule kMayBeNull{.null = Null::written};
  storage::JsonWriter json;
  json("alert", alert.id);
  json("state", storage::to_text(alert.state));
  json("before", noticed.before ? storage::to_text(*noticed.before) : "", kMayBeNull);
  json("verdict", alert.verdict);
  json("branch", subject.branch, kMayBeNull);
  json("benchmark", subject.benchmark);
  json("metric", subject.metric);
  json("fingerprint", subject.fingerprint, kMayBeNull);
  json("unit", alert.unit, kMayBeNull);
  json("baseline", alert.baseline);
  json("candidate", alert.candidate);
  json("ratio", alert.ratio);
  json("commit", alert.commit, kMayBeNull);
  json("owner", noticed.owner, kMayBeNull);
  json("at", alert.life.empty() ? "" : time_text(alert.life.back().at_unix_ns), kMayBeNull);
  json("by", alert.life.empty() ? "" : alert.life.back().by, kMayBeNull);
  json("note", alert.life.empty() ? "" : alert.life.back().note, kMayBeNull);
  return json;
}

}  // namespace

std::string notice_headline(const Notice& notice) {
  std::map<storage::AlertState, std::size_t> counts;
  for (const NoticedAlert& one : notice.alerts) ++counts[one.alert.state];
  std::string text;
  for (const auto state : {storage::AlertState::open, storage::AlertState::reopened, storage::AlertState::acknowledged,
                           storage::AlertState::accepted, storage::AlertState::resolved}) {
    if (counts[state] == 0) continue;
    text += (text.empty() ? "" : ", ") + std::to_string(counts[state]) + ' ' + std::string(storage::to_text(state));
  }
  return text;
}

std::string webhook_text(const Notice& notice) {
  std::vector<storage::JsonWriter> alerts;
  for (const NoticedAlert& one : notice.alerts) alerts.push_back(json_of(one));
  storage::JsonWriter json;
  json("schema", "steelyard.notice/1");
  json("id", notice.id);
  json("project", notice.project, {.null = Null::written});
  json("at", time_text(notice.at_unix_s * 1'000'000'000));
  json("headline", notice_headline(notice));
  json.add("alerts", std::move(alerts));
  return json.text();
}

std::string chat_text(const Notice& notice) {
  std::string text = (notice.project.empty() ? "" : chat_code(notice.project) + ' ') + heading_of(notice);
  const std::size_t shown = std::min(notice.alerts.size(), kMaxAlertsOfMessage);
  for (std::size_t i = 0; i < shown; ++i) text += "\n\u2022 " + line_of(notice.alerts[i], chat_code);
  if (shown < notice.alerts.size()) text += '\n' + more_text(notice, shown) + ": `steelyard alerts`";
  storage::JsonWriter json;
  json("text", text);
  return json.text();
}

std::string mail_text(const Notice& notice, const std::string& from, const std::string& to) {
  std::string subject = "Performance alerts: " + notice_headline(notice);
  if (!notice.project.empty())
    subject = '[' + shortened(printable_line(notice.project, false), 60, false) + "] " + subject;
  std::string body =
      heading_of(notice) + (notice.project.empty() ? "" : "\nProject: " + plain(notice.project)) + "\n\n";
  const std::size_t shown = std::min(notice.alerts.size(), kMaxAlertsOfMail);
  for (std::size_t i = 0; i < shown; ++i) {
    body += "- " + line_of(notice.alerts[i], plain) + "\n  steelyard alerts show " +
            notice.alerts[i].alert.id.substr(0, kShownAlertCharacters) + '\n';
  }
  if (shown < notice.alerts.size()) body += more_text(notice, shown) + ": steelyard alerts\n";
  return "Date: " + mail_date(notice.at_unix_s) + "\r\nFrom: <" + from + ">\r\nTo: <" + to +
         ">\r\nSubject: " + subject + "\r\nMessage-ID: <" + notice.id + from.substr(from.find('@')) +
         ">\r\nAuto-Submitted: auto-generated\r\nMIME-Version: 1.0\r\nContent-Type: text/plain; charset=utf-8\r\n"
         "Content-Transfer-Encoding: base64\r\n\r\n" +
         base64_lines(body);
}

bool is_mail_address(const std::string& text) {
  const std::size_t at = text.find('@');
  if (at == 0 || at == std::string::npos || at + 1 == text.size() || text.size() > kLongestAddress) return false;
  if (text.find('@', at + 1) != std::string::npos || text.front() == '-') return false;
  constexpr std::string_view kOfName = "!#$%&'*+/=?^_{|}~.-";  // RFC 5322, 3.2.3, without the backtick
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    const bool is_word = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
    if (i == at || is_word || (i < at ? kOfName.find(c) != kOfName.npos : c == '.' || c == '-')) continue;
    return false;
  }
  return true;
}

std::vector<std::string> mail_addresses(const std::string& owner) {
  std::vector<std::string> addresses;
  for (std::size_t begin = 0; begin < owner.size();) {
    const std::size_t end = std::min(owner.find_first_of(" \t,;<>", begin), owner.size());
    const std::string word = owner.substr(begin, end - begin);
    if (is_mail_address(word) && std::find(addresses.begin(), addresses.end(), word) == addresses.end()) {
      addresses.push_back(word);
    }
    begin = end + 1;
  }
  return addresses;
}

}  // namespace steelyard::ci
