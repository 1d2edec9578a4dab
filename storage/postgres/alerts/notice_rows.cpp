#include "storage/postgres/alerts/notice_rows.hpp"

#include <algorithm>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <utility>

#include "storage/postgres/alerts/alert_rows.hpp"
#include "storage/postgres/session/sql_fields.hpp"

namespace steelyard::storage {
namespace {

// The newest of each kind of event says all there is.
constexpr const char* kNewest =
    "select distinct on (alert, channel, event) alert, channel, event, alert_notice_key, state, claim, "
    "happened_at_unix_ns from steelyard.alert_notices where alert = any($1::text[]) "
    "order by alert, channel, event, alert_notice_key desc";

struct Event {
  std::int64_t key = 0;  // 0: there was none
  AlertState state = AlertState::open;
  std::string claim;
  std::int64_t at_unix_ns = 0;
};
struct Told {
  Event claimed;
  Event told;
  Event failed;
};
using Channel = std::pair<std::string, std::string>;  // alert, channel

Result<std::map<Channel, Told>> read_told(Transaction& transaction, const std::vector<AlertNotice>& wanted) {
  std::set<std::string> alerts;
  for (const AlertNotice& notice : wanted) alerts.insert(notice.alert);
  STEELYARD_TRY(const Rows rows,
                transaction.run(kNewest, SqlValues().texts(std::vector<std::string>(alerts.begin(), alerts.end()))));
  std::map<Channel, Told> told;
  for (std::int64_t row = 0; row < rows.size(); ++row) {
    Told& of = told[{rows.text(row, 0), rows.text(row, 1)}];
    Event& event = rows.raw(row, 2) == "told" ? of.told : rows.raw(row, 2) == "failed" ? of.failed : of.claimed;
    event = {};
    read_in_order(rows, row, 3, event.key, event.state, event.claim, event.at_unix_ns);
  }
  return told;
}

bool is_being_told(const Told& of, const NoticeClaim& claim) {
  const bool is_settled = std::max(of.told.key, of.failed.key) > of.claimed.key;
  // Our own claim whose answer got lost is ours.
  if (of.claimed.key == 0 || is_settled || of.claimed.claim == claim.id) return false;
  return claim.at_unix_ns - of.claimed.at_unix_ns < kClaimHoldsNs;
}

Result<void> write_notices(Transaction& transaction, const std::vector<AlertNotice>& notices, const std::string& event,
                           const NoticeClaim& claim) {
  return transaction.copy(
      {"steelyard.alert_notices", {"alert", "channel", "state", "event", "claim", "happened_at_unix_ns"}},
      notices.size(), [&](std::size_t i) {
        SqlValues values;
        values.text(notices[i].alert).text(notices[i].channel).text(to_text(notices[i].state));
        return values.text(event).text(claim.id).integer(claim.at_unix_ns);
      });
}

}  // namespace

Result<std::vector<AlertNotice>> claim_notices(Session& session, const std::vector<AlertNotice>& wanted,
                                               const NoticeClaim& claim) {
  if (wanted.empty()) return std::vector<AlertNotice>{};
  STEELYARD_TRY(Transaction transaction, Transaction::begin(session));
  // The lock of all who tell.
  STEELYARD_CHECK(lock_alerts(transaction, "", "notices"));
  STEELYARD_TRY(const auto told, read_told(transaction, wanted));
  std::vector<AlertNotice> claimed;
  for (const AlertNotice& notice : wanted) {
    const auto found = told.find({notice.alert, notice.channel});
    const Told of = found == told.end() ? Told{} : found->second;
    AlertNotice news = notice;
    news.told_before = of.told.key == 0 ? std::nullopt : std::optional(of.told.state);
    if (!is_being_told(of, claim) && is_news(news.told_before, news.state)) claimed.push_back(std::move(news));
  }
  STEELYARD_CHECK(write_notices(transaction, claimed, "claimed", claim));
  STEELYARD_CHECK(transaction.commit());
  return claimed;
}

Result<void> settle_notices(Session& session, const std::vector<AlertNotice>& claimed, bool is_told,
                            const NoticeClaim& claim) {
  if (claimed.empty()) return {};
  STEELYARD_TRY(Transaction transaction, Transaction::begin(session));
  STEELYARD_CHECK(write_notices(transaction, claimed, is_told ? "told" : "failed", claim));
  return transaction.commit();
}

}  // namespace steelyard::storage
