#include "tests/fuzz/claims.hpp"

#include <cmath>
#include <nlohmann/json.hpp>
#include <optional>
#include <vector>

#include "ci/judging/series_file.hpp"

namespace steelyard::testkit {
namespace {

using nlohmann::json;

std::optional<std::string> broken_claim_about_one(const Series& series) {
  if (series.better != Better::lower && series.better != Better::higher) return "a direction";
  for (const SeriesPoint& point : series.points) {
    for (const double value : point.values) {
      if (!std::isfinite(value)) return "finite values";
    }
    if (!point.run.empty()) return "no runs: a file knows none";
  }
  return std::nullopt;
}

// The series as a careful program would have written them.
std::string written(const std::vector<Series>& all) {
  json list = json::array();
  for (const Series& series : all) {
    json values = json::array();
    json commits = json::array();
    json machines = json::array();
    for (const SeriesPoint& point : series.points) {
      values.push_back(point.values.size() == 1 ? json(point.values[0]) : json(point.values));
      commits.push_back(point.commit);
      machines.push_back(point.machine);
    }
    list.push_back({{"name", series.name},
                    {"metric", series.metric},
                    {"unit", series.unit},
                    {"better", std::string(to_text(series.better))},
                    {"values", values},
                    {"commits", commits},
                    {"machines", machines}});
  }
  return list.dump();
}

}  // namespace

BrokenClaim broken_claim_about_series(const std::string& text) {
  const Result<std::vector<Series>> all = ci::parse_series(text, "file");
  if (!all) {
    if (all.error().wanted.empty()) return "an error says what was wanted: " + all.error().text();
    return broken_claim_about_error(all.error());
  }
  for (const Series& series : *all) {
    if (const auto broken = broken_claim_about_one(series)) return broken;
  }
  const Result<std::vector<Series>> again = ci::parse_series(written(*all), "file");
  if (!again) return "what was read can be written and read: " + again.error().text();
  if (*again != *all) return "what was read, written and read again is the same";
  const Result<std::vector<Series>> spaced = ci::parse_series(" \r\n\t" + text + "\n \n", "file");
  if (!spaced || *spaced != *all) return "blanks around it change nothing";
  return std::nullopt;
}

}  // namespace steelyard::testkit
