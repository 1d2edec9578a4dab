// The other documents for scripts: a run, a history, a store's state, a counted profile.
#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <tuple>

#include "ci/report/number_text.hpp"
#include "ci/report/profile_report.hpp"
#include "ci/report/ranges_report.hpp"
#include "ci/report/report.hpp"
#include "ci/report/sample_summary.hpp"
#include "ci/report/target_report.hpp"
#include "storage/comparison/comparison_document.hpp"

namespace steelyard {
namespace {

using Json = nlohmann::ordered_json;

Json number(double value) { return std::isfinite(value) ? Json(value) : Json(nullptr); }
Json number(const std::optional<double>& value) { return value ? number(*value) : Json(nullptr); }
Json text_or_null(const std::string& text) { return text.empty() ? Json(nullptr) : Json(text); }

// Callgrind numbers its threads; whatever else stands there is kept as text.
Json thread_json(const std::string& thread) {
  const bool is_number = !thread.empty() && thread.size() < 10 && thread.find_first_not_of("0123456789") == thread.npos;
  return is_number ? Json(std::stoi(thread)) : text_or_null(thread);
}

// Bytes that are no UTF-8 are replaced: a stranger's benchmark name must not cost the reader the document.
std::string document(const Json& json) { return json.dump(1, ' ', false, Json::error_handler_t::replace) + "\n"; }

Json whole_or_null(const std::optional<std::int64_t>& count) { return count ? Json(*count) : Json(nullptr); }

Json conditions_json(const InvocationConditions& conditions) {
  return {{"voluntary_switches", whole_or_null(conditions.voluntary_switches)},
          {"involuntary_switches", whole_or_null(conditions.involuntary_switches)},
          {"migrations", whole_or_null(conditions.migrations)},
          {"minor_faults", whole_or_null(conditions.minor_faults)},
          {"major_faults", whole_or_null(conditions.major_faults)},
          {"user_ns", whole_or_null(conditions.user_ns)},
          {"system_ns", whole_or_null(conditions.system_ns)},
          {"steal_ns", whole_or_null(conditions.steal_ns)},
          {"other_busy_ns", whole_or_null(conditions.other_busy_ns)},
          {"mhz_before", number(conditions.mhz_before)},
          {"mhz_after", number(conditions.mhz_after)}};
}

Json samples_json(const std::vector<InvocationSamples>& of_invocations) {
  Json json = Json::array();
  for (const InvocationSamples& samples : of_invocations) {
    Json values = Json::array();
    for (const double value : samples.values) values.push_back(number(value));
    json.push_back(
        {{"invocation", samples.invocation}, {"values", std::move(values)}, {"iterations", samples.iterations}});
  }
  return json;
}

Json measurement_json(const Measurement& measurement) {
  const SampleSummary summary = summarize(measurement);
  Json json;
  json["benchmark"] = measurement.benchmark.canonical();
  json["metric"] = measurement.metric.name;
  json["unit"] = measurement.metric.unit;
  json["better"] = to_text(measurement.metric.better);
  json["kind"] = to_text(measurement.metric.kind);
  json["count_key"] = text_or_null(measurement.count_key);
  json["value"] = number(summary.level);
  json["within_invocations"] = number(summary.within);
  json["between_invocations"] = number(summary.between);
  json["invocations"] = samples_json(measurement.invocations);
  json["set_aside"] = samples_json(measurement.set_aside);
  return json;
}

Json function_json(const ProfiledFunction& function) {
  return {{"object", function.object}, {"file", function.file}, {"name", function.name},
          {"calls", function.calls},   {"self", function.self}, {"inclusive", function.inclusive}};
}

// Functions with cost or calls, by self cost of the first event, then by name so that the order is one.
Json functions_json(const std::vector<ProfiledFunction>& functions) {
  const auto has_cost = [](const std::vector<std::int64_t>& costs) {
    return std::any_of(costs.begin(), costs.end(), [](std::int64_t cost) { return cost != 0; });
  };
  std::vector<const ProfiledFunction*> shown;
  for (const ProfiledFunction& function : functions) {
    if (function.calls != 0 || has_cost(function.self) || has_cost(function.inclusive)) shown.push_back(&function);
  }
  std::sort(shown.begin(), shown.end(), [](const ProfiledFunction* a, const ProfiledFunction* b) {
    const std::int64_t self_a = a->self.empty() ? 0 : a->self.front();
    const std::int64_t self_b = b->self.empty() ? 0 : b->self.front();
    if (self_a != self_b) return self_a > self_b;
    return std::tie(a->object, a->file, a->name) < std::tie(b->object, b->file, b->name);
  });
  Json json = Json::array();
  for (const ProfiledFunction* function : shown) json.push_back(function_json(*function));
  return json;
}

// As in a comparison, with the commit as an object of its own.
Json header_json(const Run& run) {
  JsonWriter commit;
  Commit::fields(commit, run.header.commit);
  const JsonWriter flat = run_header_object(run.header, run.environment.fingerprint());
  Json json;
  for (const auto& [name, value] : flat.json().items()) {
    if (!commit.json().contains(name)) json[name] = name == "commit" ? commit.json() : value;
  }
  return json;
}

}  // namespace

std::string json_run(const Run& run, const TargetReport& targets) {
  Json json;
  json["schema"] = "steelyard.run/1";
  json["run"] = header_json(run);
  json["environment"] = Json::array();
  for (const Fact& fact : run.environment.facts) {
    json["environment"].push_back({{"name", fact.name}, {"value", fact.value}, {"decisive", fact.decisive}});
  }
  json["invocations"] = Json::array();
  for (const Invocation& invocation : run.invocations) {
    json["invocations"].push_back({{"round", invocation.round},
                                   {"slot", invocation.slot},
                                   {"core", invocation.core >= 0 ? Json(invocation.core) : Json(nullptr)},
                                   {"started_at_unix_ns", invocation.started_at_unix_ns},
                                   {"duration_ns", invocation.duration_ns},
                                   {"conditions", conditions_json(invocation.conditions)},
                                   {"disturbed_by", invocation.disturbed_by},
                                   {"left_out", invocation.left_out}});
  }
  json["measurements"] = Json::array();
  for (const Measurement& measurement : run.measurements) json["measurements"].push_back(measurement_json(measurement));
  json["profiles"] = Json::array();
  for (const CountedProfile& profile : run.profiles) {
    json["profiles"].push_back({{"benchmark", profile.benchmark.canonical()},
                                {"iterations", profile.iterations},
                                {"events", profile.events},
                                {"totals", profile.totals},
                                {"functions", functions_json(profile.functions)}});
  }
  json["failures"] = Json::array();
  for (const Failure& failure : run.failures) {
    const bool is_whole = failure.benchmark.name.empty();
    json["failures"].push_back({{"benchmark", is_whole ? Json(nullptr) : Json(failure.benchmark.canonical())},
                                {"metric", text_or_null(failure.metric)},
                                {"round", failure.round >= 0 ? Json(failure.round) : Json(nullptr)},
                                {"reason", failure.reason}});
  }
  json["labels"] = run.labels;
  json["targets"] = targets_json(targets);
  json["utilizations"] = utilizations_json(targets);
  return document(json);
}

std::string json_history(const Page<HistorySeries>& page) {
  Json json;
  json["schema"] = "steelyard.history/1";
  json["series"] = Json::array();
  for (const HistorySeries& one : page.items) {
    Json points = Json::array();
    for (const HistoryPoint& point : one.points) {
      points.push_back({{"run", point.run},
                        {"commit", text_or_null(point.commit)},
                        {"subject", text_or_null(point.subject)},
                        {"at", time_text(point.at_unix_ns)},
                        {"value", number(point.value)},
                        {"samples", point.samples},
                        {"invocations", point.invocations},
                        {"off_branch", point.is_off_branch}});
    }
    json["series"].push_back({{"project", text_or_null(one.project)},
                              {"benchmark", one.benchmark},
                              {"metric", one.metric.name},
                              {"unit", one.metric.unit},
                              {"better", to_text(one.metric.better)},
                              {"fingerprint", text_or_null(one.fingerprint)},
                              {"points", std::move(points)},
                              {"older", text_or_null(one.older)}});
  }
  // A list of one series goes on with its older points.
  const bool is_one = page.next.empty() && page.items.size() == 1;
  json["next"] = text_or_null(is_one ? page.items.front().older : page.next);
  if (!page.notes.empty()) json["notes"] = page.notes;
  return document(json);
}

namespace {

template <class Item>
Json range_json(const char* schema, const RangeQuery& range, const Page<Item>& page) {
  return {{"schema", schema},
          {"project", text_or_null(range.project)},
          {"branch", text_or_null(range.branch)},
          {"from", range.from},
          {"to", range.to},
          {"next", text_or_null(page.next)}};
}

}  // namespace

std::string json_changed(const RangeQuery& range, const Page<ChangedSeries>& page) {
  Json json = range_json("steelyard.changed/1", range, page);
  json["changed"] = Json::array();
  for (const ChangedSeries& one : page.items) {
    json["changed"].push_back({{"benchmark", one.benchmark},
                               {"metric", one.metric},
                               {"fingerprint", text_or_null(one.fingerprint)},
                               {"branch", text_or_null(one.branch)},
                               {"commit", one.commit},
                               {"ratio", one.ratio ? Json(*one.ratio) : Json(nullptr)},
                               {"verdict", one.regression ? "regression" : "improvement"},
                               {"found_by", one.by_comparison ? "comparison" : "change point"}});
  }
  return document(json);
}

std::string json_movers(const RangeQuery& range, const Page<Mover>& page) {
  Json json = range_json("steelyard.movers/1", range, page);
  json["movers"] = Json::array();
  for (const Mover& mover : page.items) {
    json["movers"].push_back({{"benchmark", mover.benchmark},
                              {"metric", mover.metric.name},
                              {"unit", mover.metric.unit},
                              {"better", to_text(mover.metric.better)},
                              {"fingerprint", text_or_null(mover.fingerprint)},
                              {"before", mover.before},
                              {"after", mover.after},
                              {"ratio", mover.ratio},
                              {"runs_before", mover.runs_before},
                              {"runs_after", mover.runs_after}});
  }
  return document(json);
}

namespace {

Json status_json(const StoreStatus& status) {
  return Json({{"schema", "steelyard.status/1"},
               {"address", status.address},
               {"server_version", status.server_version},
               {"schema_version", status.schema_version},
               {"newest_known_version", status.newest_known_version},
               {"runs", status.runs},
               {"measurements", status.measurements},
               {"samples", status.samples},
               {"comparisons", status.comparisons},
               {"bytes", status.bytes},
               {"spooled", status.spooled}});
}

}  // namespace

std::string json_status(const StoreStatus& status) { return document(status_json(status)); }

std::string json_status(const StoreStatus& status, const StoreUpkeep& upkeep) {
  Json tables = Json::array();
  for (const TableUpkeep& table : upkeep.tables) {
    tables.push_back({{"table", table.table},
                      {"rows", table.rows},
                      {"dead_rows", table.dead_rows},
                      {"table_bytes", table.table_bytes},
                      {"index_bytes", table.index_bytes},
                      {"last_vacuum", text_or_null(table.last_vacuum)},
                      {"last_analyze", text_or_null(table.last_analyze)}});
  }
  Json partitions = Json::array();
  for (const PartitionUpkeep& partition : upkeep.partitions) {
    partitions.push_back({{"name", partition.name},
                          {"first_run", partition.first_run},
                          {"last_run", partition.last_run},
                          {"bytes", partition.bytes},
                          {"is_closed", partition.is_closed}});
  }
  Json json = status_json(status);
  json["sample_bytes"] = upkeep.sample_bytes;
  json["bytes_per_sample"] = upkeep.bytes_per_sample ? Json(*upkeep.bytes_per_sample) : Json(nullptr);
  json["partitions_ahead"] = upkeep.partitions_ahead;
  json["oldest_transaction_age"] = upkeep.oldest_transaction_age;
  json["pruned_runs"] = upkeep.pruned_runs;
  json["tables"] = std::move(tables);
  json["partitions"] = std::move(partitions);
  json["advice"] = upkeep.advice;
  return document(json);
}

namespace {

Json parts_json(const std::vector<CallgrindPart>& parts) {
  Json json;
  json["schema"] = "steelyard.profile/1";
  json["parts"] = Json::array();
  for (const CallgrindPart& part : parts) {
    json["parts"].push_back({{"part", part.part},
                             {"thread", thread_json(part.thread)},
                             {"events", part.events},
                             {"totals", part.totals},
                             {"functions", functions_json(part.functions)}});
  }
  return json;
}

Json profiles_json(const std::vector<CountedProfile>& profiles) {
  Json json;
  json["schema"] = "steelyard.profile/1";
  json["parts"] = Json::array();
  for (const CountedProfile& profile : profiles) {
    json["parts"].push_back({{"part", json["parts"].size() + 1},
                             {"thread", nullptr},
                             {"benchmark", profile.benchmark.canonical()},
                             {"iterations", profile.iterations},
                             {"events", profile.events},
                             {"totals", profile.totals},
                             {"functions", functions_json(profile.functions)}});
  }
  return json;
}

Json lines_json(const CountedProfile& profile) {
  Json lines = Json::array();
  for (const SourceCost& source : profile.sources) {
    lines.push_back({{"file", source.file},
                     {"line", source.line > 0 ? Json(source.line) : Json(nullptr)},
                     {"origin", source.origin.empty() ? Json(nullptr) : Json(source.origin)},
                     {"function", profile.functions[source.function].name},
                     {"self", source.self}});
  }
  return lines;
}

Json side_json(const std::optional<FunctionSide>& side) {
  if (!side) return nullptr;
  return {{"object", side->key.object}, {"file", side->key.file}, {"name", side->key.function},
          {"calls", side->calls},       {"self", side->self},     {"inclusive", side->inclusive}};
}

Json difference_json(const JsonDifference& difference) {
  const ProfileDelta& delta = difference.delta;
  Json functions = Json::array();
  for (const FunctionDelta& function : delta.functions) {
    if (difference.is_wanted && !difference.is_wanted(function)) continue;
    const bool is_copy = function.copy_of.has_value();
    functions.push_back({{"matched", name_of(function.how)},
                         {"score", number(function.score)},
                         {"copy_of", is_copy ? Json(delta.functions[*function.copy_of].shown().key.function) : Json()},
                         {"baseline", side_json(function.baseline)},
                         {"candidate", side_json(function.candidate)},
                         {"calls_change", number(function.calls_change)},
                         {"self_change", function.self_change},
                         {"inclusive_change", function.inclusive_change},
                         {"noise", function.noise},
                         {"within_noise", function.within_noise}});
  }
  return {{"baseline", difference.baseline},
          {"events", delta.events},
          {"of_iterations", delta.of_iterations},
          {"total_change", delta.total_change},
          {"functions", std::move(functions)}};
}

}  // namespace

std::string json_profile(const std::vector<CallgrindPart>& parts) { return document(parts_json(parts)); }

std::string json_profile(const std::vector<CountedProfile>& profiles) { return document(profiles_json(profiles)); }

std::string json_profile(const std::vector<CallgrindPart>& parts, const JsonDifference& against) {
  Json json = parts_json(parts);
  json["against"] = difference_json(against);
  return document(json);
}

std::string json_profile(const std::vector<CountedProfile>& profiles, const JsonDifference& against) {
  Json json = profiles_json(profiles);
  json["against"] = difference_json(against);
  return document(json);
}

std::string json_lines(const std::vector<CountedProfile>& profiles) {
  Json json = profiles_json(profiles);
  for (std::size_t i = 0; i < profiles.size(); ++i) json["parts"][i]["lines"] = lines_json(profiles[i]);
  return document(json);
}

}  // namespace steelyard
