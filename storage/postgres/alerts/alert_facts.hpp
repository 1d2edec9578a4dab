// The facts behind alerts as the database has them. Internal to storage/postgres: alert_rows.hpp derives from them.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "bench/model/result.hpp"
#include "storage/alerts/alert_life.hpp"
#include "storage/postgres/session/session.hpp"

namespace steelyard {

// Of each alert at most so many of the newest comparisons are looked at.
inline constexpr std::int64_t kMostComparisonsOfAlert = 1000;

using FactsById = std::map<std::string, std::vector<AlertFact>>;  // by alert

// Subjects of comparisons, all of one project and branch.
Result<FactsById> facts_of_comparisons(Transaction& transaction, const std::vector<AlertSubject>& subjects);
Result<FactsById> facts_of_change_points(Transaction& transaction, const std::vector<AlertSubject>& subjects);
// What people said, added to the facts of each alert.
Result<void> add_words(Transaction& transaction, FactsById& facts);

}  // namespace steelyard
