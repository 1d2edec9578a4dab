// The facts behind alerts as the database has them, by alert: the steps of derive_alerts() (alert_rows.hpp).
#pragma once

#include <map>
#include <string>
#include <vector>

#include "bench/model/result.hpp"
#include "storage/model/alert.hpp"
#include "storage/postgres/session/session.hpp"

namespace steelyard::storage {

using FactsById = std::map<std::string, std::vector<AlertFact>>;

// Of subjects of comparisons, all of one project and branch.
Result<FactsById> facts_of_comparisons(Transaction& transaction, const std::vector<AlertSubject>& subjects);
// Of subjects of change points.
Result<FactsById> facts_of_change_points(Transaction& transaction, const std::vector<AlertSubject>& subjects);
// What people said, added to the facts of each alert.
Result<void> add_words(Transaction& transaction, FactsById& facts);

}  // namespace steelyard::storage
