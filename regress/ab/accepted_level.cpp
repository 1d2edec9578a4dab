#include "regress/ab/accepted_level.hpp"

namespace steelyard {

std::string accepted_note(const ComparisonRow& row, const AcceptedLevel& accepted) {
  if (!row.candidate || row.metric.better == Better::undeclared) return "";
  const bool is_counted = row.metric.kind == MetricKind::counted;
  const bool is_higher_better = row.metric.better == Better::higher;
  double near = *row.candidate;
  if (!is_counted && row.interval && row.baseline) {
    near = *row.baseline * (is_higher_better ? row.interval->high : row.interval->low);
  }
  const double room = 1 + (is_counted ? row.jitter.value_or(0) : row.minimum_effect);
  const bool is_within = is_higher_better ? near >= accepted.level / room : near <= accepted.level * room;
  return is_within ? "commit " + accepted.commit.substr(0, 9) + " accepted this level" : "";
}

}  // namespace steelyard
