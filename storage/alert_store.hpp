// Alerts of a store: what comparisons and change points opened, and what people said of it. Not for use after its
// Store.
#pragma once

#include <string>
#include <vector>

#include "bench/model/result.hpp"
#include "storage/model/alert.hpp"
#include "storage/model/history.hpp"
#include "storage/store.hpp"

namespace steelyard::storage {

class AlertStore {
 public:
  explicit AlertStore(Store& store) : connection_(store.connection()) {}

  // Newest change of state first.
  Result<std::vector<Alert>> list(const AlertQuery& query);
  // The same as pages, of a store that is no service's.
  Result<Page<Alert>> page(const AlertQuery& query);
  // Newest last.
  Result<std::vector<AcceptedAlert>> accepted(const AcceptedQuery& query);
  // The alert as it stands afterwards. Error (input): no such alert, or it is in no state for that.
  Result<Alert> act(const AlertAct& act);
  // Reopens what was accepted until a day before this one ("2026-12-31"): how many. To a login that may not write and
  // would have something to do it is an error.
  Result<std::int64_t> end_accepted(const std::string& project, const std::string& day, std::int64_t at_unix_ns);

  // Of these notices those that are news (is_news()) and that nobody else is telling, with what was told before: they
  // are this claim's until settle().
  Result<std::vector<AlertNotice>> claim(const std::vector<AlertNotice>& wanted, const NoticeClaim& claim);
  // What became of them: told for good, or to be claimed again.
  Result<void> settle(const std::vector<AlertNotice>& claimed, bool is_told, const NoticeClaim& claim);

 private:
  StoreConnection& connection_;
};

}  // namespace steelyard::storage
