#include "ci/service/todays_names.hpp"

#include <algorithm>

namespace steelyard::ci {
namespace {

bool holds_text(const std::string& name, const std::string& text) { return name.find(text) != std::string::npos; }

}  // namespace

Result<TodaysNames> TodaysNames::read(storage::Store& store, const storage::RenamedQuery& query) {
  STEELYARD_TRY(const std::vector<storage::RenamedBenchmark> renamed, storage::HistoryStore(store).renamed(query));
  TodaysNames names;
  for (const storage::RenamedBenchmark& one : renamed) {
    names.today_[{one.project, one.earlier}] = one.today;
    names.others_[{one.project, one.today}].insert(one.earlier);
  }
  return names;
}

const std::string& TodaysNames::of(const std::string& project, const std::string& benchmark) const {
  const auto at = today_.find({project, benchmark});
  return at == today_.end() ? benchmark : at->second;
}

bool TodaysNames::have(const std::string& text, const std::string& project, const std::string& benchmark) const {
  const std::string& today = of(project, benchmark);
  if (holds_text(benchmark, text) || holds_text(today, text)) return true;
  const auto others = others_.find({project, today});
  return others != others_.end() && std::any_of(others->second.begin(), others->second.end(),
                                                [&](const std::string& name) { return holds_text(name, text); });
}

std::set<std::string> TodaysNames::all_with(const std::string& text) const {
  std::set<std::string> all;
  for (const auto& [today, others] : others_) {
    if (!have(text, today.first, today.second)) continue;
    all.insert(today.second);
    all.insert(others.begin(), others.end());
  }
  return all;
}

}  // namespace steelyard::ci
