#include "ci/report/store.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include <nlohmann/json.hpp>

#include "bench/model/benchmark_id.hpp"
#include "bench/model/number_text.hpp"
#include "bench/model/quantity.hpp"
#include "bench/model/text.hpp"
#include "ci/app/terminal_text.hpp"
#include "ci/report/markup.hpp"

namespace steelyard::ci {
namespace {

// A vacuum is overdue where more than this share of a table is dead, and the table is worth the trouble.
constexpr double kDeadShare = 0.3;
constexpr std::int64_t kFewRows = 10'000;
// The server freezes by itself from 200 million on; that it has not done so at twice the age means it cannot.
constexpr std::int64_t kOldTransactions = 400'000'000;
constexpr std::int64_t kRowsWithoutStatistics = 1'000;

}  // namespace

std::string terminal_status(const storage::StoreStatus& status, const TerminalStyle& style) {
  std::string schema = "version " + std::to_string(status.schema_version);
  if (status.schema_version < status.newest_known_version) {
    schema += ", version " + std::to_string(status.newest_known_version) + " is known: run `steelyard db migrate`";
  } else if (status.schema_version > status.newest_known_version) {
    schema += ", newer than this program knows (" + std::to_string(status.newest_known_version) + "): update steelyard";
  }
  std::vector<std::vector<std::string>> rows{
      {"store", printable(status.address, style.unicode)},
      {"server", "PostgreSQL " + printable(status.server_version, style.unicode)},
      {"schema", schema},
      {"runs", grouped_text(status.runs)},
      {"measurements", grouped_text(status.measurements)},
      {"samples", grouped_text(status.samples)},
      {"comparisons", grouped_text(status.comparisons)},
      {"size", to_text(Bytes(status.bytes))},
      {"spool", status.spooled == 0 ? "empty" : grouped_text(status.spooled) + " waiting to be delivered"},
  };
  return aligned_rows(rows, {Align::left, Align::left}, "");
}

std::string terminal_upkeep(const storage::StoreUpkeep& upkeep) {
  constexpr std::size_t kMaxTables = 8;  // the largest; the others weigh nothing beside them
  const auto bytes = [](std::int64_t count) { return to_text(Bytes(count)); };
  const auto day = [](const std::string& time) { return time.empty() ? "never" : time.substr(0, 10); };
  std::vector<std::vector<std::string>> rows{{"table", "rows", "dead", "size", "indexes", "vacuumed", "analyzed"}};
  for (const storage::TableUpkeep& table : upkeep.tables) {
    if (rows.size() > kMaxTables) break;
    rows.push_back({table.table, grouped_text(table.rows), grouped_text(table.dead_rows), bytes(table.table_bytes),
                    bytes(table.index_bytes), day(table.last_vacuum), day(table.last_analyze)});
  }
  std::string text =
      '\n' +
      aligned_rows(
          rows, {Align::left, Align::right, Align::right, Align::right, Align::right, Align::left, Align::left}, "") +
      '\n';
  text += "partitions    " + grouped_text(upkeep.partitions.size()) + ", " + grouped_text(upkeep.partitions_ahead) +
          " of them ready for later runs\n";
  if (upkeep.bytes_per_sample) {
    text +=
        "a sample      " + decimal_text(*upkeep.bytes_per_sample, 1) + " bytes, with its share of rows and indexes\n";
  }
  if (upkeep.pruned_runs > 0) text += "pruned        " + grouped_text(upkeep.pruned_runs) + " runs\n";
  return text + "frozen        " + grouped_text(upkeep.oldest_transaction_age) + " transactions ago, at the oldest\n";
}

std::vector<std::string> upkeep_advice(const storage::StoreUpkeep& upkeep) {
  std::vector<std::string> advice;
  if (upkeep.partitions_ahead == 0) {
    advice.emplace_back("no partition is ready for the next runs: run `steelyard db migrate` as the schema's owner");
  }
  // One is closed by the writers in passing, where it is small enough.
  const auto to_close = std::count_if(upkeep.partitions.begin(), upkeep.partitions.end(),
                                      [](const auto& partition) { return partition.is_to_close; });
  if (to_close > 0) {
    advice.push_back(plural_text(to_close, "partition gets", "partitions get") +
                     " no more rows and still has room for them: run `steelyard db migrate` as the schema's owner");
  }
  for (const storage::TableUpkeep& table : upkeep.tables) {
    const auto all = static_cast<double>(table.rows + table.dead_rows);
    if (table.dead_rows > kFewRows && static_cast<double>(table.dead_rows) > kDeadShare * all) {
      advice.push_back(std::to_string(table.dead_rows) + " dead rows in steelyard." + table.table +
                       ": vacuum (analyze) steelyard." + table.table + ", and see why autovacuum does not");
    } else if (table.last_analyze.empty() && table.rows > kRowsWithoutStatistics) {
      advice.push_back("steelyard." + table.table + " was never analyzed: analyze steelyard." + table.table);
    }
  }
  if (upkeep.oldest_transaction_age > kOldTransactions) {
    advice.push_back("a table was last frozen " + std::to_string(upkeep.oldest_transaction_age) +
                     " transactions ago, and the server stops at 2,000 million: vacuum freeze the database");
  }
  for (const storage::OtherIdentities& others : upkeep.other_identities) {
    std::string text = plural_text(others.rows, "row") + " (" + others.key;
    for (const std::string& key : others.keys) text += (&key == &others.keys.front() ? " " : ", ") + key;
    const bool are_all = others.rows == static_cast<std::int64_t>(others.keys.size());
    advice.push_back(text + (are_all ? ")" : ", ...)") + " in " + others.table +
                     " under an identity that is not that of their content: what was put under it since is shown as "
                     "they say; fill an empty database from the archives: steelyard db rebuild --from FOLDER");
  }
  return advice;
}

std::string json_status(const storage::StoreStatus& status, const storage::StoreUpkeep& upkeep) {
  Json tables = Json::array();
  for (const storage::TableUpkeep& table : upkeep.tables) {
    tables.push_back({{"table", table.table},
                      {"rows", table.rows},
                      {"dead_rows", table.dead_rows},
                      {"table_bytes", table.table_bytes},
                      {"index_bytes", table.index_bytes},
                      {"last_vacuum", json_text(table.last_vacuum)},
                      {"last_analyze", json_text(table.last_analyze)}});
  }
  Json partitions = Json::array();
  for (const storage::PartitionUpkeep& partition : upkeep.partitions) {
    partitions.push_back({{"name", partition.name},
                          {"first_run", partition.first_run},
                          {"last_run", partition.last_run},
                          {"bytes", partition.bytes},
                          {"is_closed", partition.is_closed}});
  }
  Json json{{"schema", "steelyard.status/1"},
            {"address", status.address},
            {"server_version", status.server_version},
            {"schema_version", status.schema_version},
            {"newest_known_version", status.newest_known_version},
            {"runs", status.runs},
            {"measurements", status.measurements},
            {"samples", status.samples},
            {"comparisons", status.comparisons},
            {"bytes", status.bytes},
            {"spooled", status.spooled}};
  json["sample_bytes"] = upkeep.sample_bytes;
  json["bytes_per_sample"] = upkeep.bytes_per_sample ? Json(*upkeep.bytes_per_sample) : Json(nullptr);
  json["partitions_ahead"] = upkeep.partitions_ahead;
  json["oldest_transaction_age"] = upkeep.oldest_transaction_age;
  json["pruned_runs"] = upkeep.pruned_runs;
  json["tables"] = std::move(tables);
  json["partitions"] = std::move(partitions);
  json["advice"] = upkeep_advice(upkeep);
  return json_document(json);
}

namespace {

constexpr std::array kAccessWords{"reader", "writer", "owner"};

std::string word_of(storage::Access access) { return kAccessWords[static_cast<std::size_t>(access)]; }

std::string joined(const std::vector<storage::AffectedTable>& tables) {
  std::string text;
  for (const storage::AffectedTable& table : tables) {
    text += (text.empty() ? "" : ", ") + table.name;
    if (table.bytes > 0) text += " (" + to_text(Bytes(table.bytes)) + ')';
  }
  return text;
}

std::string line_of(const char* what, const std::string& tables) {
  return tables.empty() ? "" : "    " + std::string(what) + ' ' + tables + '\n';
}

// On one line, with blanks.
std::string spaced_json(const Json& json) {
  if (!json.is_structured()) return json.dump(-1, ' ', false, Json::error_handler_t::replace);
  std::string text;
  for (const auto& [name, value] : json.items()) {
    text += (text.empty() ? "" : ", ") + (json.is_object() ? spaced_json(name) + ": " : "") + spaced_json(value);
  }
  return json.is_object() ? '{' + text + '}' : '[' + text + ']';
}

// As json_document() has it, but for lists of objects: each of them on a line.
std::string json_by_line(const Json& json) {
  std::string text;
  for (const auto& [name, value] : json.items()) {
    text += (text.empty() ? "{\n  " : ",\n  ") + spaced_json(name) + ": ";
    if (!value.is_array() || value.empty() || !value.front().is_object()) {
      text += spaced_json(value);
      continue;
    }
    const char* before = "[\n    ";
    for (const Json& one : value) text += std::exchange(before, ",\n    ") + spaced_json(one);
    text += ']';
  }
  return text + "\n}\n";
}

Json text_or_null(const std::string& text) { return text.empty() ? Json(nullptr) : Json(text); }

// As the service's API has it.
Json token_json(const storage::Token& token) {
  return {{"id", token.id},
          {"name", token.name},
          {"project", text_or_null(token.project)},
          {"scopes", token.scopes},
          {"expires_at", token.expires_at},
          {"last_used", text_or_null(token.last_used)}};
}

Json affected_json(const std::vector<storage::AffectedTable>& tables) {
  Json json = Json::array();
  for (const storage::AffectedTable& table : tables) json.push_back({{"table", table.name}, {"bytes", table.bytes}});
  return json;
}

std::string why_text(const storage::TablePlacement& placement) {
  using storage::PlacementReason;
  switch (placement.why) {
    case PlacementReason::whole_key:
      return "every unique key of it holds " + placement.key;
    case PlacementReason::sharded_once:
      return "it was sharded that way before";
    case PlacementReason::alone:
      return "neither a foreign key nor a view ties it to another table";
    case PlacementReason::pointed_to:
      return "others point to it";
    case PlacementReason::small:
      return "small, and read together with what it points to";
  }
  return "";
}

}  // namespace

std::string scope_of(const storage::AccessGrant& grant) {
  if (!grant.some_projects) return "every project";
  return grant.project.empty() ? "the project without a name" : "project " + grant.project;
}

std::string access_text(const storage::AccessGrant& grant) { return word_of(grant.access) + " of " + scope_of(grant); }

std::string terminal_grants(const std::vector<storage::AccessGrant>& grants) {
  std::string text;
  for (const storage::AccessGrant& grant : grants) {
    text += printable_line(grant.login + "  " + access_text(grant), true) + '\n';
  }
  return text;
}

std::string json_grants(const std::vector<storage::AccessGrant>& grants) {
  Json list = Json::array();
  for (const storage::AccessGrant& grant : grants) {
    list.push_back({{"login", grant.login},
                    {"as", word_of(grant.access)},
                    {"project", grant.some_projects ? Json(grant.project) : Json(nullptr)}});
  }
  return json_by_line({{"schema", "steelyard.grants/1"}, {"grants", std::move(list)}});
}

std::string terminal_tokens(const std::vector<storage::Token>& tokens) {
  std::string text;
  for (const storage::Token& one : tokens) {
    const std::string whose = one.project.empty() ? "every project" : "project " + one.project;
    const std::string used = one.last_used.empty() ? "never" : one.last_used;
    text += printable_line(one.id + "  " + joined_text(one.scopes, ",") + "  " + whose + "  until " +
                               one.expires_at.substr(0, 10) + "  used " + used + "  " + one.name,
                           true) +
            '\n';
  }
  return text;
}

std::string json_tokens(const std::vector<storage::Token>& tokens) {
  Json list = Json::array();
  for (const storage::Token& one : tokens) list.push_back(token_json(one));
  return json_by_line({{"schema", "steelyard.tokens/1"}, {"tokens", std::move(list)}});
}

std::string json_issued(const storage::IssuedToken& issued) {
  return json_by_line({{"schema", "steelyard.issued_token/1"},
                       {"token", token_json(issued.token)},
                       {"secret", issued.secret},
                       {"old_expires_at", text_or_null(issued.old_expires_at)}});
}

std::string json_revoked(const std::string& id, bool was_good) {
  return json_by_line({{"schema", "steelyard.revoked_token/1"}, {"id", id}, {"was_good", was_good}});
}

std::string terminal_upgrade(const storage::UpgradePlan& plan) {
  std::string text = "store         " + plan.address + "\nschema        version " + std::to_string(plan.version) +
                     ", this program has " + std::to_string(plan.newest) + "\nsize          " +
                     to_text(Bytes(plan.bytes)) + '\n';
  if (plan.steps.empty()) return text + "nothing to apply\n";
  for (const storage::UpgradeStep& step : plan.steps) {
    text += step.name + "  sha256 " + step.checksum + '\n' + line_of("creates", joined_text(step.creates, ", ")) +
            line_of("rewrites", joined(step.rewrites)) + line_of("fills", joined(step.fills)) +
            line_of("drops", joined_text(step.drops, ", "));
  }
  return text +
         "Each is one transaction. A table that is rewritten is locked meanwhile, and needs its size once more "
         "on disk.\n";
}

std::string json_upgrade(const storage::UpgradePlan& plan) {
  Json steps = Json::array();
  for (const storage::UpgradeStep& step : plan.steps) {
    steps.push_back({{"version", step.version},
                     {"name", step.name},
                     {"sha256", step.checksum},
                     {"creates", step.creates},
                     {"rewrites", affected_json(step.rewrites)},
                     {"fills", affected_json(step.fills)},
                     {"drops", step.drops}});
  }
  return json_by_line({{"schema", "steelyard.upgrade/1"},
                       {"version", plan.version},
                       {"newest", plan.newest},
                       {"bytes", plan.bytes},
                       {"allowed", plan.allowed},
                       {"steps", std::move(steps)}});
}

std::string terminal_distribution(const storage::DistributionPlan& plan) {
  std::vector<std::vector<std::string>> rows{{"table", "place", "state", "size here", "why"}};
  for (const storage::TablePlacement& placement : plan.tables) {
    const std::string key = placement.key.empty() ? "" : " by " + placement.key;
    rows.push_back({placement.table, storage::to_text(placement.place) + key,
                    placement.done ? "is there" : "to be moved", to_text(Bytes(placement.bytes)), why_text(placement)});
  }
  std::string text = aligned_rows(rows, {Align::left, Align::left, Align::left, Align::right, Align::left}, "");
  if (plan.nodes > 0) text += plural_text(plan.nodes, "node holds", "nodes hold") + " the shards\n";
  return text;
}

std::string json_distribution(const storage::DistributionPlan& plan) {
  Json tables = Json::array();
  for (const storage::TablePlacement& placement : plan.tables) {
    tables.push_back({{"table", placement.table},
                      {"place", storage::to_text(placement.place)},
                      {"key", json_text(placement.key)},
                      {"done", placement.done},
                      {"bytes", placement.bytes},
                      {"why", why_text(placement)}});
  }
  return json_by_line({{"schema", "steelyard.distribution/1"},
                       {"nodes", plan.nodes},
                       {"missing", plan.missing},
                       {"tables", std::move(tables)}});
}

namespace {

constexpr std::size_t kMaxShown = 20;  // differences; JSON has them all
constexpr std::size_t kListedIdCharacters = 12;

std::string side_text(const std::string& name, const std::string& run, const std::string& place) {
  const std::string id = run.empty() ? "without an id" : "run:" + run.substr(0, kListedIdCharacters);
  return "  " + name + "  " + id + ", " + (place.empty() ? "no archive known" : place) + '\n';
}

std::string value_shown(const std::string& value) { return value.empty() ? "nothing" : value; }

// A comparison may be anybody's file.
std::string printable_lines(const std::string& text, bool unicode) {
  std::string result;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    result += printable(std::string_view(text).substr(at, end - at), unicode) + '\n';
    at = end + 1;
  }
  return result;
}

Json side_json(const std::string& run, const std::string& place) {
  return {{"run", json_text(run)}, {"place", json_text(place)}};
}

std::string project_shown(const std::string& name) { return name.empty() ? "no project" : "project \"" + name + '"'; }

std::string measured_commit_shown(const std::string& sha) { return sha.empty() ? "no commit" : "commit " + sha; }

std::string measured_commit_shown(const Commit& commit) {
  return measured_commit_shown(commit.sha) + (commit.branch.empty() ? "" : " on " + commit.branch);
}

}  // namespace

std::string_view to_text(VerificationOutcome outcome) {
  switch (outcome) {
    case VerificationOutcome::verified:
      return "verified";
    case VerificationOutcome::differs:
      return "differs";
    case VerificationOutcome::not_verified:
      break;
  }
  return "not verified";
}

std::string other_origin_text(const std::string& side, const RunHeader& archive, const RunHeader& in_comparison,
                              const ExpectedOrigin& expected) {
  std::string text;
  const auto add = [&text](const std::string& line) { text += (text.empty() ? "" : "; ") + line; };
  if (!expected.project.empty() && archive.project != expected.project) {
    add("the " + side + " is of " + project_shown(archive.project) + ", wanted " + project_shown(expected.project));
  }
  if (!expected.commit.empty() && archive.commit.sha != expected.commit) {
    add("the " + side + " is of " + measured_commit_shown(archive.commit.sha) + ", wanted " +
        measured_commit_shown(expected.commit));
  }
  if (expected.described && archive.commit != *expected.described) {
    const std::string found = measured_commit_shown(archive.commit);
    const std::string wanted = measured_commit_shown(*expected.described);
    add("the " + side + " is of " + found + ", wanted " + wanted +
        (found == wanted ? " with the parent, subject and time that it has here" : ""));
  }
  const auto hold = [&](const std::string& said, const std::string& own) {
    if (said != own) add("the comparison says that the " + side + " is of " + said + ", its archive is of " + own);
  };
  hold(project_shown(in_comparison.project), project_shown(archive.project));
  // What comes from a store says no branch of a baseline.
  const bool has_branch = !in_comparison.commit.branch.empty();
  hold(has_branch ? measured_commit_shown(in_comparison.commit) : measured_commit_shown(in_comparison.commit.sha),
       has_branch ? measured_commit_shown(archive.commit) : measured_commit_shown(archive.commit.sha));
  return text;
}

std::string terminal_verification(const Verification& verification, const TerminalStyle& style) {
  const Replay& replay = verification.replay;
  std::string text = verification.comparison + ": " + std::string(to_text(verification.outcome));
  if (!verification.why.empty()) text += ", " + verification.why;
  text += '\n' + side_text("baseline ", verification.baseline_run, verification.baseline_place);
  text += side_text("candidate", verification.candidate_run, verification.candidate_place);
  text += "  rules      " + verification.rule_version;
  if (!replay.rule_version.empty() && replay.rule_version != verification.rule_version) {
    text += "; this program has " + replay.rule_version;
  }
  text += '\n';
  if (!replay.rule_version.empty()) {
    text += "  compared   " + plural_text(replay.rows, "row") + ", bit for bit";
    if (replay.untimed > 0) text += "; " + std::to_string(replay.untimed) + " more were decided by counting";
    text += '\n';
    if (replay.has_shifted_lines) {
      text +=
          "  functions  their lines and what was inlined may be others': an earlier steelyard read these profiles\n";
    }
  }
  std::string last;
  for (std::size_t i = 0; i < std::min(replay.differences.size(), kMaxShown); ++i) {
    const FieldDifference& difference = replay.differences[i];
    const std::string row = name_as_given(difference.benchmark) + ' ' + difference.metric;
    if (row != last) text += row + '\n';
    last = row;
    text += "  " + difference.field + ": kept " + value_shown(difference.kept) + ", computed " +
            value_shown(difference.recomputed) + '\n';
  }
  if (replay.differences.size() > kMaxShown) {
    text += "  and " + std::to_string(replay.differences.size() - kMaxShown) + " more\n";
  }
  return printable_lines(text, style.unicode);
}

std::string json_verification(const Verification& verification) {
  Json json;
  json["schema"] = "steelyard.verification/1";
  json["comparison"] = verification.comparison;
  json["outcome"] = to_text(verification.outcome);
  json["why"] = json_text(verification.why);
  json["baseline"] = side_json(verification.baseline_run, verification.baseline_place);
  json["candidate"] = side_json(verification.candidate_run, verification.candidate_place);
  json["rule_version"] = verification.rule_version;
  json["own_rule_version"] = json_text(verification.replay.rule_version);
  json["rows"] = verification.replay.rows;
  json["decided_by_counting"] = verification.replay.untimed;
  if (verification.replay.has_shifted_lines) json["lines_may_be_shifted"] = true;
  json["differences"] = Json::array();
  for (const FieldDifference& difference : verification.replay.differences) {
    json["differences"].push_back({{"benchmark", difference.benchmark},
                                   {"metric", difference.metric},
                                   {"field", difference.field},
                                   {"kept", difference.kept},
                                   {"computed", difference.recomputed}});
  }
  return json_document(json);
}

namespace {

std::string choice_text(const NoSeries::Choice& choice) {
  return choice.option + ' ' + choice.value + (choice.nearest.empty() ? "" : " (did you mean " + choice.nearest + "?)");
}

// "heap_bytes and requests_per_second"
std::string named_metrics_text(const std::vector<std::string>& metrics) {
  constexpr std::size_t kMaxNamed = 20;
  const std::size_t named = metrics.size() > kMaxNamed + 1 ? kMaxNamed : metrics.size();
  std::string text;
  for (std::size_t i = 0; i < named; ++i) {
    text += (i == 0 ? "" : i + 1 == metrics.size() ? " and " : ", ") + metrics[i];
  }
  return text + (named < metrics.size() ? " and " + std::to_string(metrics.size() - named) + " more" : "");
}

std::string range_end_text(const RangeEnd& end, const std::string& branch) {
  if (end.has_run) return "";
  const std::string text = shown_sha(end.commit) + " has no run" + (branch.empty() ? "" : " of branch " + branch);
  if (end.nearest.empty()) return text + ", and of no commit before it one is known";
  return text + "; the nearest measured commit is " + shown_sha(end.nearest) + ", " +
         plural_text(end.before, "commit") + " before it";
}

}  // namespace

std::string terminal_nothing_to_look_at(bool is_store, const std::vector<std::string>& metrics) {
  if (!metrics.empty()) {
    return std::string("No series to look at of real_time, instructions or a counted metric; ") +
           (is_store ? "the store has " : "the archives have ") + named_metrics_text(metrics) + ": --metric NAME\n";
  }
  return std::string("No series to look at") + (is_store ? ": see what the store holds: steelyard history" : "") + '\n';
}

std::string terminal_no_series(const NoSeries& none) {
  const bool is_store = none.archives.empty();
  const std::string place = is_store ? "The store knows" : "The archives in " + none.archives + " hold";
  const std::string what = none.benchmark.empty() ? "any benchmark" : '"' + none.benchmark + '"';
  const std::string see = is_store ? " See what it holds: steelyard history; steelyard db status" : "";
  if (none.is_chained) {
    return place + " runs of " + what +
           ", and no two of their commits were measured against each other, which --chained goes by: "
           "steelyard backfill FROM..TO\n";
  }
  if (!none.metrics.empty()) {
    return place + " runs of " + what +
           ", and none of real_time, instructions or a counted metric, which are what is shown where none is named; "
           "of " +
           named_metrics_text(none.metrics) + ": --metric NAME\n";
  }
  if (!none.excluded_by.empty()) {
    const std::string choices = joined_text(none.excluded_by, " and ", choice_text);
    return place + " runs of " + what + ", and none that fits " + choices + '.' + see + '\n';
  }
  return place + " no run of " + what + " that fits." +
         (none.nearest.empty() ? "" : " Did you mean " + none.nearest + '?') + see + '\n';
}

std::string missing_runs_text(const RangeLook& look) {
  if (!look.has_branch) {
    return "the store has no run of branch " + look.branch +
           (look.nearest_branch.empty() ? "" : " (did you mean " + look.nearest_branch + "?)");
  }
  const std::string from = range_end_text(look.from, look.branch);
  const std::string to = range_end_text(look.to, look.branch);
  return from + (from.empty() || to.empty() ? "" : "; ") + to;
}

std::string nothing_to_compare_text(const std::string& place, const std::string& missing) {
  return "Nothing was found to compare in " + place + (missing.empty() ? "" : ": " + missing) +
         ". See what is measured: steelyard history\n";
}

}  // namespace steelyard::ci
