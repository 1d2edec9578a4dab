// A store on an empty database, and what it says of alerts.
#pragma once

#include <vector>

#include "storage/alert_store.hpp"
#include "storage/postgres/alerts/alert_rows.hpp"
#include "tests/storage/postgres/kept_store.hpp"

namespace steelyard::storage_test {

class KeptAlerts : public KeptStore {
 protected:
  // For ask(): everything that is kept of the states of alerts.
  static constexpr const char* kStates =
      "select coalesce(string_agg(s::text, '|' order by alert), '') || coalesce((select string_agg(l::text, '|' order "
      "by alert, position) from steelyard.alert_life l), '') from steelyard.alert_states s";

  static std::vector<storage::Alert> all(storage::Store& store) {
    storage::AlertQuery query;
    query.resolved_too = true;
    return storage::AlertStore(store).list(query).value();
  }
  void rebuild() {
    storage::Session derived = session();
    auto transaction = storage::Transaction::begin(derived);
    const auto count = storage::rebuild_alerts(*transaction);
    ASSERT_TRUE(count) << count.error().text();
    ASSERT_TRUE(transaction->commit());
  }
};

}  // namespace steelyard::storage_test
