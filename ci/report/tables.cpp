#include "ci/report/tables.hpp"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include "bench/model/benchmark_id.hpp"
#include "bench/model/number_text.hpp"
#include "bench/model/text.hpp"
#include "ci/report/charts/text_charts.hpp"
#include "ci/report/markup.hpp"
#include "ci/report/reason_text.hpp"

namespace steelyard::ci {
namespace {

bool is_among(const std::vector<std::string>& list, const std::string& text) {
  return std::find(list.begin(), list.end(), text) != list.end();
}

template <class Value>
std::size_t place_of(std::vector<Value>& list, const Value& value) {
  const auto found = std::find(list.begin(), list.end(), value);
  const auto place = static_cast<std::size_t>(found - list.begin());
  if (found == list.end()) list.push_back(value);
  return place;
}

bool is_wanted(const Metric& metric, const std::vector<std::string>& metrics) {
  if (!metrics.empty()) return is_among(metrics, metric.name);
  return metric.name == kRealTime || (metric.kind == MetricKind::counted && metric.better != Better::undeclared);
}

// A benchmark's row, and under which conditions its counts hold.
struct FilledRow {
  std::size_t row = 0;
  std::string count_key;
};
// One table while it is filled.
struct Filling {
  TableData data;
  std::map<std::string, FilledRow> benchmarks;
};

Filling filling_for(const Metric& metric, const std::vector<TableSide>& sides) {
  Filling filling;
  filling.data.quantity = metric.name;
  filling.data.unit = metric.unit;
  filling.data.better = metric.better;
  filling.data.is_exact = metric.kind == MetricKind::counted;
  for (const TableSide& side : sides) {
    filling.data.columns.push_back(side.name);
    for (const Measurement& measurement : side.run.measurements) {
      const bool is_several = measurement.metric.name == metric.name && measurement.invocations.size() > 1;
      if (is_several) filling.data.kind = ValueKind::invocations;
    }
  }
  return filling;
}

std::vector<double> values_of(const Measurement& measurement, const TableData& data) {
  std::vector<double> values;
  for (const InvocationSamples& invocation : measurement.invocations) {
    if (data.kind == ValueKind::invocations && !data.is_exact) {
      if (const std::optional<double> middle = median_of(invocation.values)) values.push_back(*middle);
    } else {
      values.insert(values.end(), invocation.values.begin(), invocation.values.end());
    }
  }
  std::erase_if(values, [](double value) { return !std::isfinite(value); });  // a counter of the user's may divide by 0
  return values;
}

void fill(Filling& filling, const Measurement& measurement, std::size_t column, const std::string& side,
          std::vector<std::string>& warnings) {
  const std::string benchmark = measurement.benchmark.canonical();
  const FilledRow made{filling.data.rows.size(), measurement.count_key};
  const auto [place, is_first] = filling.benchmarks.try_emplace(benchmark, made);
  const auto& [row, count_key] = place->second;
  if (is_first) {
    filling.data.rows.push_back({"", benchmark, std::vector<std::vector<double>>(filling.data.columns.size()),
                                 std::max(1, measurement.benchmark.threads.value_or(1))});
  } else if (count_key != measurement.count_key) {
    warnings.push_back(name_as_given(benchmark) + ", " + filling.data.quantity + " of " + side +
                       " is excluded: it was counted under other conditions");
    return;
  }
  std::vector<double>& cell = filling.data.rows[row].cells[column];
  const std::vector<double> values = values_of(measurement, filling.data);
  cell.insert(cell.end(), values.begin(), values.end());
}

void warn_of_failures(const TableSide& side, std::vector<std::string>& warnings) {
  constexpr std::size_t kMaxNamed = 5;
  std::vector<std::string> told;  // what several processes say is said once
  std::int64_t skips = 0;         // that are not told any more
  std::int64_t failures = 0;
  std::set<std::string> known;
  for (const Failure& failure : side.run.failures) {
    const std::string what =
        failure.benchmark.name.empty() ? "the program" : name_as_given(failure.benchmark.canonical());
    const bool is_skipped = is_skip(failure.kind);
    std::string text = side.name + ": " + what + (is_skipped ? ": " : " failed: ") + to_text(failure);
    if (!known.insert(text).second) continue;
    if (told.size() < kMaxNamed) {
      told.push_back(std::move(text));
    } else {
      ++(is_skipped ? skips : failures);
    }
  }
  warnings.insert(warnings.end(), told.begin(), told.end());
  if (skips > 0) warnings.push_back(side.name + ": and " + plural_text(skips, "more skip"));
  if (failures > 0) warnings.push_back(side.name + ": and " + plural_text(failures, "more failure"));
}

// The decisive facts that differ and are not ignored; none: one machine.
std::vector<FactDifference> obstacles(const TableSide& first, const TableSide& other,
                                      const std::vector<std::string>& ignored_facts,
                                      std::vector<std::string>& warnings) {
  std::vector<FactDifference> found;
  for (FactDifference& fact : differences(first.run.environment, other.run.environment)) {
    if (!fact.decisive || fact.name.starts_with("program.")) continue;  // that programs differ is what is compared
    if (!is_among(ignored_facts, fact.name)) {
      found.push_back(std::move(fact));
      continue;
    }
    warnings.push_back(fact.name + " differs (" + both_sides_text(fact) + ", " + other.name +
                       ") and was ignored as asked");
  }
  return found;
}

// "cpu.model: EPYC against Xeon; cpu.cores: not recorded against 2; and 3 more"
std::string facts_text(const std::vector<FactDifference>& facts) {
  return some_joined(facts, 3, "; ", "; and ",
                     [](const FactDifference& fact) { return fact.name + ": " + both_sides_text(fact); });
}

Json cell_json(const SignificanceTable& table, std::size_t row, std::size_t column) {
  const TableCell& cell = table.cells[row][column];
  const MedianInterval& level = cell.level;
  Json json;
  json["group"] = table.data.rows[row].group;
  json["row"] = table.data.rows[row].name;
  json["column"] = table.data.columns[column];
  json["n"] = cell.n;
  json["median"] = json_number(level.median);
  json["interval"] =
      level.bounds ? Json::array({json_number(level.bounds->low), json_number(level.bounds->high)}) : Json(nullptr);
  json["confidence"] = level.bounds ? json_number(level.confidence) : Json(nullptr);
  json["doubt"] = level.doubt == MedianDoubt::none ? Json(nullptr) : Json(to_text(level.doubt));
  json["reason"] = level.reason.empty() ? Json(nullptr) : Json(level.reason);
  json["iqr_over_median"] = json_number(cell.spread);
  json["standing"] = to_text(cell.standing);
  json["ratio"] = json_number(cell.ratio);
  json["q"] = json_number(cell.q);
  return json;
}

Json table_json(const SignificanceTable& table) {
  Json json;
  json["title"] = table.data.title;
  json["quantity"] = table.data.quantity;
  json["unit"] = table.data.unit;
  json["better"] = to_text(table.data.better);
  json["values"] = values_text(table.data);
  json["direction"] = table.is_rowwise() ? "rowwise" : "columnwise";
  json["reference"] = table.question.reference ? Json(*table.question.reference) : Json(nullptr);
  json["alpha"] = json_number(table.question.alpha);
  json["comparisons"] = table.comparisons;
  json["columns"] = table.data.columns;
  json["cells"] = Json::array();
  for (std::size_t i = 0; i < table.cells.size(); ++i) {
    for (std::size_t j = 0; j < table.cells[i].size(); ++j) {
      if (table.cells[i][j].n > 0) json["cells"].push_back(cell_json(table, i, j));
    }
  }
  return json;
}

}  // namespace

std::vector<std::string> side_names(const std::vector<std::string>& given) {
  std::vector<std::string> names;
  for (const std::string& side : given) {
    const std::filesystem::path path(side.ends_with('/') && side.size() > 1 ? side.substr(0, side.size() - 1) : side);
    const bool is_stored = side.starts_with("run:") || side.starts_with("commit:");
    names.push_back(is_stored || path.stem().empty() ? side : path.stem().string());
  }
  // Where the short ones do not tell them apart, what was typed does.
  for (std::size_t i = 0; i < names.size(); ++i) {
    std::vector<std::size_t> alike;
    for (std::size_t j = i; j < names.size(); ++j) {
      if (names[j] == names[i]) alike.push_back(j);
    }
    if (alike.size() < 2) continue;
    for (const std::size_t j : alike) names[j] = given[j];
  }
  std::vector<std::string> unique;
  for (const std::string& name : names) {
    std::string numbered = name;
    for (int number = 2; is_among(unique, numbered); ++number) numbered = name + " (" + std::to_string(number) + ")";
    unique.push_back(std::move(numbered));
  }
  return unique;
}

Result<void> check_machines(const std::vector<TableSide>& sides, const std::vector<std::string>& ignored_facts,
                            std::vector<std::string>& warnings) {
  const TableSide* first = nullptr;
  std::string told;   // of the first two that differ
  std::string facts;  // of all: with one still decisive there is no table
  std::vector<std::string> named;
  for (const TableSide& side : sides) {
    if (side.run.environment.fingerprint().empty()) {
      warnings.push_back(side.name + " does not say what machine it was measured on; one machine was assumed");
      continue;
    }
    if (!first) {
      first = &side;
      continue;
    }
    const std::vector<FactDifference> found = obstacles(*first, side, ignored_facts, warnings);
    if (!found.empty() && told.empty()) {
      told = first->name + " and " + side.name + " measured on different machines (" + facts_text(found) + ')';
    }
    for (const FactDifference& fact : found) {
      if (is_among(named, fact.name)) continue;
      named.push_back(fact.name);
      facts += (facts.empty() ? "" : ",") + fact.name;
    }
  }
  if (told.empty()) return {};
  return input_error("steelyard compare --table", told, "one machine",
                     "--ignore-fact " + facts + (named.size() == 1 ? " ignores the difference" : " ignores them all"));
}

SideTables side_tables(const std::vector<TableSide>& sides, const std::vector<std::string>& metrics) {
  SideTables result;
  std::vector<std::string> names;  // of metrics, in order of first appearance
  std::vector<Filling> fillings;
  for (std::size_t column = 0; column < sides.size(); ++column) {
    for (const Measurement& measurement : sides[column].run.measurements) {
      if (!is_wanted(measurement.metric, metrics)) continue;
      const std::size_t place = place_of(names, measurement.metric.name);
      if (place == fillings.size()) fillings.push_back(filling_for(measurement.metric, sides));
      if (fillings[place].data.unit != measurement.metric.unit) {
        result.warnings.push_back(measurement.benchmark.canonical() + ", " + measurement.metric.name + " of " +
                                  sides[column].name + " is excluded: it is in " + measurement.metric.unit + ", not " +
                                  fillings[place].data.unit);
        continue;
      }
      fill(fillings[place], measurement, column, sides[column].name, result.warnings);
    }
    warn_of_failures(sides[column], result.warnings);
  }
  for (const std::string& metric : metrics) {
    if (!is_among(names, metric)) result.warnings.push_back("no side has the metric " + metric);
  }
  for (Filling& filling : fillings) result.tables.push_back(std::move(filling.data));
  return result;
}

std::vector<TaskMeasurement> task_measurements(const std::vector<TableData>& tables) {
  std::vector<TaskMeasurement> measurements;
  for (const TableData& table : tables) {
    if (table.unit != "ns") continue;
    for (const TableRow& row : table.rows) {
      for (std::size_t column = 0; column < table.columns.size(); ++column) {
        TaskMeasurement measurement;
        measurement.task.label = table.quantity;
        measurement.task.sub_label = name_as_given(row.name);
        measurement.task.description = table.columns[column];
        measurement.task.threads = row.threads;
        for (const double value : row.cells[column]) measurement.raw_times.push_back(value * 1e-9);
        measurements.push_back(std::move(measurement));
      }
    }
  }
  return measurements;
}

std::string json_tables(std::span<const SignificanceTable> tables, const std::vector<std::string>& warnings) {
  Json json;
  json["schema"] = "steelyard.table/1";
  json["warnings"] = warnings;
  json["tables"] = Json::array();
  for (const SignificanceTable& table : tables) json["tables"].push_back(table_json(table));
  return json_document(json, 2);
}

}  // namespace steelyard::ci
