#include "ci/config/configuration_key.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <optional>
#include <string>
#include <string_view>

#include "bench/model/text.hpp"
#include "ci/config/written_value.hpp"
#include "regress/targets/declared_target.hpp"

namespace steelyard::ci {
namespace {

// How long something is kept, as people write it: "90days", "6 months", "2years", "forever". In days; a month is a
// twelfth of 365.25 of them.

constexpr double kMaxDays = 36'525;

struct AgeUnit {
  std::string_view name;
  double days;
};
constexpr std::array<AgeUnit, 4> kUnits{{{"day", 1}, {"week", 7}, {"month", 365.25 / 12}, {"year", 365.25}}};

std::optional<double> days_of(std::string_view text) {
  double count = 0;
  const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), count);
  if (code != std::errc()) return std::nullopt;
  std::string_view unit = text.substr(static_cast<std::size_t>(end - text.data()));
  while (!unit.empty() && unit.front() == ' ') unit.remove_prefix(1);
  if (unit.ends_with('s')) unit.remove_suffix(1);
  for (const AgeUnit& known : kUnits) {
    if (unit == known.name) return count * known.days;
  }
  return std::nullopt;
}

// Days; absent: for ever. Error (input): another text, or less than a day or more than 100 years.
Result<std::optional<int>> read_age(const WrittenValue& value, const std::string& where) {
  STEELYARD_TRY(const std::string text, read_text(value, where));
  if (text == "forever") return std::optional<int>();
  const std::optional<double> days = days_of(text);
  // Not "less than": a NaN is refused, too.
  if (!days || !(*days >= 1 && *days <= kMaxDays)) {
    return input_error(where, '"' + text + '"', "how long to keep it: forever, or days, weeks, months or years",
                       "write \"6months\" or \"90days\"");
  }
  return std::optional(static_cast<int>(std::lround(*days)));
}

// "183days", "forever"
std::string age_text(const std::optional<int>& days) { return days ? std::to_string(*days) + "days" : "forever"; }

constexpr std::size_t kMaxTables = 1000;
constexpr CountRange kThreads{1, 4096};

// The table that an entry is in; of an entry without a name it begins at `where`. Error (input): too many of `kind`.
template <class Table>
Result<Table*> table_at(std::vector<Table>& tables, const TomlEntry& entry, const std::string& where,
                        const std::string& kind) {
  const auto index = static_cast<std::size_t>(entry.index);
  if (index >= kMaxTables) return input_error(where, "more than 1000 " + kind, "at most 1000");
  if (tables.size() <= index) tables.resize(index + 1);
  if (entry.name.empty()) tables[index].where = where;
  return &tables[index];
}

// The word in the target and the key beside it must not say different things.
Result<void> lay_over(std::string& from_text, const std::string& from_key, const char* key, const std::string& where) {
  if (from_key.empty()) return {};
  if (!from_text.empty() && from_text != from_key) {
    return input_error(where, "a target of " + from_text + " beside " + key + " = \"" + from_key + '"',
                       "one " + std::string(key), "leave one of them out");
  }
  from_text = from_key;
  return {};
}

}  // namespace

std::vector<std::string> target_keys() {
  return {"benchmark", "target", "level", "access", "dtype", "threads", "device", "over", "ceiling"};
}

Result<void> TargetTables::take(const TomlEntry& entry, const std::string& where) {
  if (entry.index < 0) return input_error(where, "[target]", "[[target]]: there may be several");
  STEELYARD_TRY(Table* const at, table_at(tables_, entry, where, "targets"));
  if (entry.name.empty()) return {};
  Table& table = *at;
  const std::string key_where = where + ": [[target]] " + entry.name;
  if (!entry.value) return input_error(key_where, "something else", "text in quotes");
  if (entry.name == "threads") {
    STEELYARD_TRY(const std::int64_t threads, read_count(*entry.value, key_where, kThreads));
    table.declared.target.threads = static_cast<int>(threads);
    return {};
  }
  STEELYARD_TRY(std::string text, read_text(*entry.value, key_where));
  if (text.empty()) return input_error(key_where, "\"\"", "text");
  Target& target = table.declared.target;
  if (entry.name == "benchmark") table.declared.benchmark = text;
  if (entry.name == "level") target.level = text;
  if (entry.name == "access") target.access = text;
  if (entry.name == "dtype") target.dtype = text;
  if (entry.name == "ceiling") target.source = text;
  if (entry.name == "device") target.device = text;
  if (entry.name == "over") target.over = text;
  if (entry.name == "target") {
    table.text = text;
    table.target_where = where;
  }
  return {};
}

Result<std::vector<regress::DeclaredTarget>> TargetTables::finish() const {
  std::vector<regress::DeclaredTarget> targets;
  for (const Table& table : tables_) {
    const std::string where = table.where + ": [[target]]";
    if (table.declared.benchmark.empty()) {
      return input_error(where, "no benchmark", "benchmark = \"NAME\"", "* stands for any characters");
    }
    if (table.text.empty()) return input_error(where, "no target", "target = \"0.6 of bandwidth\"");
    Target chosen = table.declared.target;
    STEELYARD_CHECK(regress::check_ceiling_choice(chosen, where));
    STEELYARD_TRY(Target target, regress::parse_target(table.text, table.target_where));
    STEELYARD_CHECK(lay_over(target.level, chosen.level, "level", where));
    STEELYARD_CHECK(lay_over(target.dtype, chosen.dtype, "dtype", where));
    STEELYARD_CHECK(lay_over(target.source, chosen.source, "ceiling", where));
    target.access = chosen.access;
    target.threads = chosen.threads;
    target.device = chosen.device;
    target.over = chosen.over;
    targets.push_back({table.declared.benchmark, std::move(target)});
  }
  return targets;
}

std::string to_toml(const regress::DeclaredTarget& declared) {
  const Target& target = declared.target;
  std::string text = "[[target]]\nbenchmark = " + quoted_for_toml(declared.benchmark) +
                     "\ntarget = " + quoted_for_toml(target.text) + '\n';
  if (!target.level.empty()) text += "level = " + quoted_for_toml(target.level) + '\n';
  if (!target.access.empty()) text += "access = " + quoted_for_toml(target.access) + '\n';
  if (!target.dtype.empty()) text += "dtype = " + quoted_for_toml(target.dtype) + '\n';
  if (!target.source.empty()) text += "ceiling = " + quoted_for_toml(target.source) + '\n';
  if (!target.device.empty()) text += "device = " + quoted_for_toml(target.device) + '\n';
  if (!target.over.empty()) text += "over = " + quoted_for_toml(target.over) + '\n';
  if (target.threads) text += "threads = " + std::to_string(*target.threads) + '\n';
  return text;
}

namespace {

using Assigned = Result<void>;

// Bounds that keep a wrong file from asking for a measurement nobody would live to see.
constexpr CountRange kRounds{0, 1000};
constexpr CountRange kRepetitions{1, 1000};
constexpr CountRange kRelinks{2, kMaxCodeLayouts};  // of one layout nothing is told

const std::vector<std::string> kLayoutWords{"auto", "duet", "interleaved", "sequential"};
const std::vector<std::string> kCountWords{"auto", "always", "never"};
const std::vector<std::string> kSkipTimeWords{"never", "equal_binary", "equal_code"};
const std::vector<std::string> kWitnessWords{"decided", "either", "time", "instructions", "both"};

// In the largest unit that gives a whole number, so that what is printed reads back as the same duration.
std::string duration_text(Nanoseconds duration) {
  struct Unit {
    const char* suffix;
    double base_units;
  };
  for (const Unit unit : {Unit{"h", 3600e9}, Unit{"m", 60e9}, Unit{"s", 1e9}, Unit{"ms", 1e6}, Unit{"us", 1e3}}) {
    const double count = duration.count() / unit.base_units;
    if (count >= 1 && count == static_cast<double>(static_cast<std::int64_t>(count))) {
      return quoted_for_toml(std::to_string(static_cast<std::int64_t>(count)) + unit.suffix);
    }
  }
  return quoted_for_toml(shortest_text(duration.count()) + "ns");
}

std::string optional_text(const std::string& text) { return text.empty() ? "" : quoted_for_toml(text); }
std::string list_text(const std::vector<std::string>& list) {
  return list.empty() ? "" : to_text(WrittenValue{list, false});
}
std::string skip_text(std::optional<SkipTime> at) { return at ? quoted_for_toml(kSkipTimeWords[size_t(*at)]) : ""; }
std::string flag_text(bool flag) { return flag ? "true" : "false"; }

template <class Value, class Target>
Assigned put(Result<Value> read, Target& target) {
  if (!read) return std::move(read).error();
  target = static_cast<Target>(std::move(read).value());
  return {};
}

Assigned assign_store(Configuration& to, const WrittenValue& value, const std::string& where) {
  to.store_where = where;
  return put(read_text(value, where), to.store);
}

Assigned assign_calibration(Configuration& to, const WrittenValue& value, const std::string& where) {
  to.policy.calibration_where = where;
  return put(read_text(value, where), to.policy.calibration);
}

Assigned assign_layout(Configuration& to, const WrittenValue& value, const std::string& where) {
  STEELYARD_TRY(const std::size_t word, read_word(value, where, kLayoutWords));
  to.run.layout = word == 0 ? std::nullopt : parse_layout(kLayoutWords[word]);
  return {};
}

Assigned assign_rounds(Configuration& to, const WrittenValue& value, const std::string& where) {
  STEELYARD_TRY(const std::int64_t rounds, read_count(value, where, kRounds));
  if (rounds % 2 != 0) {
    return input_error(where, std::to_string(rounds), "an even number: rounds come in balanced pairs",
                       "write " + std::to_string(rounds + 1));
  }
  to.run.rounds = static_cast<int>(rounds);
  return {};
}

Assigned assign_counts(Configuration& to, const WrittenValue& value, const std::string& where) {
  return put(read_word(value, where, kCountWords), to.run.counts);
}

Assigned assign_counters(Configuration& to, const WrittenValue& value, const std::string& where) {
  STEELYARD_TRY(const std::vector<std::string> words, read_list(value, where));
  std::vector<std::string> known = bench::counter_words();
  known.emplace_back(bench::kNoCounters);
  for (const std::string& word : words) {
    if (const auto read = read_word({word, value.from_command_line}, where, known); !read) return read.error();
  }
  if (bench::read_counters(words, to.run.counters))
    return input_error(where, to_text(value), "counters, or none alone");
  return {};
}

Assigned assign_skip_time(Configuration& to, const WrittenValue& value, const std::string& where) {
  return put(read_word(value, where, kSkipTimeWords), to.policy.skip_time.emplace());
}

Assigned assign_budget(Configuration& to, const WrittenValue& value, const std::string& where) {
  STEELYARD_TRY(to.run.budget, read_duration(value, where));
  return {};
}

// Lambdas without captures: one line a key keeps the table readable as a table.
#define STEELYARD_ASSIGN(reading, target) \
  [](Configuration& to, const WrittenValue& value, const std::string& where) { return put(reading, to.target); }
// What is kept for ever is what holds without the key.
#define STEELYARD_PRINT_AGE(field) \
  STEELYARD_PRINT(of.retention.field ? quoted_for_toml(age_text(of.retention.field)) : "")
#define STEELYARD_PRINT(expression) [](const Configuration& of) -> std::string { return expression; }

const std::array kKeys{
    ConfigurationKey{"project", "name", "--project", "NAME",
                     "name under which results are kept and read (default: the repository's folder); all: read every "
                     "project's",
                     STEELYARD_ASSIGN(read_text(value, where), project), STEELYARD_PRINT(optional_text(of.project))},
    ConfigurationKey{
        "store", "address", "--store", "ADDRESS",
        "embedded (a private PostgreSQL), postgresql://..., or https://... (a service); also $STEELYARD_STORE",
        assign_store, STEELYARD_PRINT(quoted_for_toml(of.store))},
    ConfigurationKey{"build", "command", "--build", "CMD", "shell command that builds the programs in a work tree",
                     STEELYARD_ASSIGN(read_text(value, where), build_command),
                     STEELYARD_PRINT(optional_text(of.build_command))},
    ConfigurationKey{"build", "timeout", "--build-timeout", "DURATION", "limit of one build",
                     STEELYARD_ASSIGN(read_duration(value, where), build_timeout),
                     STEELYARD_PRINT(duration_text(of.build_timeout))},
    ConfigurationKey{"build", "no_submodules", "--no-submodules", "",
                     "check commits out without their submodules, for a build that needs none",
                     STEELYARD_ASSIGN(read_flag(value, where), no_submodules),
                     STEELYARD_PRINT(flag_text(of.no_submodules))},
    ConfigurationKey{"run", "layout", "--layout", "auto|duet|interleaved|sequential",
                     "both sides at once on two cores, in turns, or one after the other (judged with drift in mind); "
                     "auto: duet where two equal cores are free and a trial does not find turns much steadier, else "
                     "interleaved",
                     assign_layout, STEELYARD_PRINT(quoted_for_toml(of.run.layout ? to_text(*of.run.layout) : "auto"))},
    ConfigurationKey{"run", "rounds", "--rounds", "N",
                     "rounds of every benchmark, an even number; 0: each until it is decided, within the budget",
                     assign_rounds, STEELYARD_PRINT(std::to_string(of.run.rounds))},
    ConfigurationKey{"run", "no_early_stop", "--no-early-stop", "",
                     "as many rounds for every benchmark as the judgement needs, whatever they show",
                     STEELYARD_ASSIGN(read_flag(value, where), run.no_early_stop),
                     STEELYARD_PRINT(flag_text(of.run.no_early_stop))},
    ConfigurationKey{"run", "no_solo_check", "--no-solo-check", "",
                     "do not measure again in turns what was found changed side by side; an eighth of the budget, at "
                     "most 30 s, is kept for it",
                     STEELYARD_ASSIGN(read_flag(value, where), run.no_solo_check),
                     STEELYARD_PRINT(flag_text(of.run.no_solo_check))},
    ConfigurationKey{"run", "repetitions", "--repetitions", "N",
                     "samples that one process takes of one benchmark (default: as the budget allows, 1 to 3)",
                     STEELYARD_ASSIGN(read_count(value, where, kRepetitions), run.repetitions),
                     STEELYARD_PRINT(of.run.repetitions ? std::to_string(*of.run.repetitions) : "")},
    ConfigurationKey{"run", "min_time", "--min-time", "DURATION",
                     "least time of one sample (default: as the budget allows, 1ms to 20ms)",
                     STEELYARD_ASSIGN(read_duration(value, where), run.min_time),
                     STEELYARD_PRINT(of.run.min_time ? duration_text(*of.run.min_time) : "")},
    ConfigurationKey{"run", "budget", "--budget", "DURATION",
                     "of all measuring: timing, checking alone what was found, and counting, which has a third of it "
                     "(default: 10m for gate, 2m for ab, run and each commit of backfill, 1m for each of bisect)",
                     assign_budget, STEELYARD_PRINT(of.run.budget ? duration_text(*of.run.budget) : "")},
    ConfigurationKey{"run", "timeout", "--timeout", "DURATION", "limit of one process of the program",
                     STEELYARD_ASSIGN(read_duration(value, where), run.timeout),
                     STEELYARD_PRINT(duration_text(of.run.timeout))},
    ConfigurationKey{"run", "counts", "--counts", "auto|always|never", "count instructions under Valgrind as well",
                     assign_counts,
                     STEELYARD_PRINT(quoted_for_toml(kCountWords[static_cast<std::size_t>(of.run.counts)]))},
    ConfigurationKey{"run", "no_count_cache", "--no-count-cache", "",
                     "count the baseline though it was counted before on this machine, and keep no counts",
                     STEELYARD_ASSIGN(read_flag(value, where), run.no_count_cache),
                     STEELYARD_PRINT(flag_text(of.run.no_count_cache))},
    ConfigurationKey{"run", "recount", "--recount", "",
                     "count both sides, though one was counted before or the other is the same program",
                     STEELYARD_ASSIGN(read_flag(value, where), run.recount),
                     STEELYARD_PRINT(flag_text(of.run.recount))},
    ConfigurationKey{
        "run", "counters", "--counters", "NAME,...",
        "what is counted as well and gates only by name: cache, branch, heap, hardware (docs/guide/counters.md)",
        assign_counters, STEELYARD_PRINT(list_text(bench::to_words(of.run.counters)))},
    ConfigurationKey{"run", "relink", "--relink", "CMD",
                     "shell command that links a side's program again in the order of $STEELYARD_LAYOUT_SEED, to "
                     "$STEELYARD_OUTPUT: rounds then draw from several layouts of the code "
                     "(docs/method/code_layout.md)",
                     STEELYARD_ASSIGN(read_text(value, where), run.relink),
                     STEELYARD_PRINT(optional_text(of.run.relink))},
    ConfigurationKey{"run", "relinks", "--relinks", "N", "layouts of each side with --relink, 2 to 32",
                     STEELYARD_ASSIGN(read_count(value, where, kRelinks), run.relinks),
                     STEELYARD_PRINT(std::to_string(of.run.relinks))},
    ConfigurationKey{"run", "filter", "--filter", "REGEX", "only benchmarks whose name matches",
                     STEELYARD_ASSIGN(read_filter(value, where), run.filter),
                     STEELYARD_PRINT(optional_text(of.run.filter))},
    ConfigurationKey{"policy", "false_alarm_rate", "--false-alarm-rate", "SHARE",
                     "chance that the whole comparison fails though nothing regressed",
                     STEELYARD_ASSIGN(read_share(value, where, {0.5, false}), policy.comparison.false_alarm_rate),
                     STEELYARD_PRINT(shortest_text(of.policy.comparison.false_alarm_rate))},
    ConfigurationKey{"policy", "strict", "--strict", "", "a false alarm rate of at most 1 %",
                     STEELYARD_ASSIGN(read_flag(value, where), policy.strict),
                     STEELYARD_PRINT(flag_text(of.policy.strict))},
    ConfigurationKey{"policy", "confidence", "--confidence", "SHARE", "of the intervals that are shown",
                     STEELYARD_ASSIGN(read_share(value, where, {1, false}), policy.comparison.confidence),
                     STEELYARD_PRINT(shortest_text(of.policy.comparison.confidence))},
    ConfigurationKey{"policy", "minimum_effect", "--minimum-effect", "SHARE", "smallest change that matters",
                     STEELYARD_ASSIGN(read_share(value, where, {1, true}), policy.comparison.minimum_effect),
                     STEELYARD_PRINT(shortest_text(of.policy.comparison.minimum_effect))},
    ConfigurationKey{"policy", "margin", "--margin", "SHARE", "within which a benchmark counts as unchanged",
                     STEELYARD_ASSIGN(read_share(value, where, {1, false}), policy.comparison.margin),
                     STEELYARD_PRINT(shortest_text(of.policy.comparison.margin))},
    ConfigurationKey{"policy", "metrics", "--metric", "NAME,...",
                     "metrics that are judged (default: real_time and every counted one)",
                     STEELYARD_ASSIGN(read_list(value, where), policy.comparison.metrics),
                     STEELYARD_PRINT(list_text(of.policy.comparison.metrics))},
    ConfigurationKey{"policy", "gates", "--gates", "NAME,...",
                     "metrics whose regression fails the comparison; others are reported (default: those that metrics "
                     "names, else real_time and every counted one that is not an extra counter)",
                     STEELYARD_ASSIGN(read_list(value, where), policy.comparison.gates),
                     STEELYARD_PRINT(list_text(of.policy.comparison.gates))},
    ConfigurationKey{"policy", "counted_minimum_effect", "--counted-minimum-effect", "SHARE",
                     "smallest change of a count that fails the comparison; smaller ones are reported",
                     STEELYARD_ASSIGN(read_share(value, where, {1, true}), policy.comparison.counted_minimum_effect),
                     STEELYARD_PRINT(shortest_text(of.policy.comparison.counted_minimum_effect))},
    ConfigurationKey{
        "policy", "witness", "--witness", "decided|either|time|instructions|both",
        "whose regression fails the comparison where a benchmark has both time and instructions; decided: "
        "that of time, and that of instructions unless time is shown unchanged or better",
        STEELYARD_ASSIGN(read_word(value, where, kWitnessWords), policy.comparison.witness),
        STEELYARD_PRINT(quoted_for_toml(kWitnessWords[static_cast<std::size_t>(of.policy.comparison.witness)]))},
    ConfigurationKey{"policy", "ignored_facts", "--ignore-fact", "NAME,...",
                     "facts of the machine that may differ between the sides",
                     STEELYARD_ASSIGN(read_list(value, where), policy.comparison.ignored_facts),
                     STEELYARD_PRINT(list_text(of.policy.comparison.ignored_facts))},
    ConfigurationKey{"policy", "demand_decision", "--demand-decision", "", "an inconclusive row fails as well (2)",
                     STEELYARD_ASSIGN(read_flag(value, where), policy.demand_decision),
                     STEELYARD_PRINT(flag_text(of.policy.demand_decision))},
    ConfigurationKey{"policy", "forbid_skips", "--forbid-skips", "",
                     "a benchmark that skipped itself fails as well (2)",
                     STEELYARD_ASSIGN(read_flag(value, where), policy.forbid_skips),
                     STEELYARD_PRINT(flag_text(of.policy.forbid_skips))},
    ConfigurationKey{"policy", "skip_time", "--skip-time", "never|equal_binary|equal_code",
                     "leave a benchmark untimed where both builds are the same program, or execute the same code "
                     "(default: the same program of two commits, unless a time is asked for)",
                     assign_skip_time, STEELYARD_PRINT(skip_text(of.policy.skip_time))},
    ConfigurationKey{"policy", "calibration", "--calibration", "FILE",
                     "what steelyard calibrate --output wrote (default: what it kept for this machine)",
                     assign_calibration, STEELYARD_PRINT(optional_text(of.policy.calibration))},
    ConfigurationKey{"gate", "against_history", "--against-history", "",
                     "measure the head alone and hold it against the recent level of its series in the store",
                     STEELYARD_ASSIGN(read_flag(value, where), gate.against_history),
                     STEELYARD_PRINT(flag_text(of.gate.against_history))},
    ConfigurationKey{"gate", "history_branch", "--history-branch", "NAME",
                     "whose history that is (default: the branch to merge into, else the head's own)",
                     STEELYARD_ASSIGN(read_text(value, where), gate.history_branch),
                     STEELYARD_PRINT(optional_text(of.gate.history_branch))},
    ConfigurationKey{"gate", "no_accept_trailers", "--no-accept-trailers", "",
                     "take no Perf-accept: PATTERN REASON from the messages of the candidate's commits",
                     STEELYARD_ASSIGN(read_flag(value, where), gate.no_accept_trailers),
                     STEELYARD_PRINT(flag_text(of.gate.no_accept_trailers))},
    ConfigurationKey{"retention", "samples", "--keep-samples", "AGE",
                     "how long db prune leaves raw samples; summaries stay (default: forever)",
                     STEELYARD_ASSIGN(read_age(value, where), retention.samples_days),
                     STEELYARD_PRINT_AGE(samples_days)},
    ConfigurationKey{"retention", "profiles", "--keep-profiles", "AGE",
                     "how long db prune leaves counted profiles (default: forever)",
                     STEELYARD_ASSIGN(read_age(value, where), retention.profiles_days),
                     STEELYARD_PRINT_AGE(profiles_days)},
    ConfigurationKey{"retention", "runs", "--keep-runs", "AGE",
                     "how long db prune leaves runs at all, with their summaries (default: forever)",
                     STEELYARD_ASSIGN(read_age(value, where), retention.runs_days), STEELYARD_PRINT_AGE(runs_days)},
};

#undef STEELYARD_ASSIGN
#undef STEELYARD_PRINT
#undef STEELYARD_PRINT_AGE

}  // namespace

std::span<const ConfigurationKey> configuration_keys() { return kKeys; }

const ConfigurationKey* find_configuration_key(std::string_view section, std::string_view name) {
  for (const ConfigurationKey& key : kKeys) {
    if (key.section == section && key.name == name) return &key;
  }
  return nullptr;
}

std::string program_in_toml(const ConfiguredProgram& program);  // where its keys are read: configuration.cpp

std::string to_toml(const Configuration& configuration) {
  std::string text;
  std::string_view section;
  for (const ConfigurationKey& key : kKeys) {
    const std::string value = key.print(configuration);
    if (value.empty()) continue;
    if (key.section != section) {
      section = key.section;
      // TOML has no table beside a list of tables of its name.
      const bool is_list = section == kPolicySection && !configuration.policy.comparison.patterns.empty();
      text += std::string(text.empty() ? "" : "\n") + (is_list ? "[[" : "[") + std::string(section) +
              (is_list ? "]]\n" : "]\n");
    }
    text += std::string(key.name) + " = " + value + '\n';
  }
  for (const ConfiguredProgram& program : configuration.programs) text += program_in_toml(program);
  for (const regress::DeclaredTarget& target : configuration.targets) text += '\n' + to_toml(target);
  for (const PatternPolicy& policy : configuration.policy.comparison.patterns) text += '\n' + to_toml(policy);
  return text + to_toml(configuration.renames);
}

Error unknown_key(const std::string& where, std::string_view name, const std::vector<std::string>& known) {
  const std::string found = "unknown key \"" + std::string(name) + '"';
  if (const auto nearest = nearest_name(name, known)) {
    return input_error(where, found, "a known one", "write \"" + *nearest + '"');
  }
  for (const ConfigurationKey& key : kKeys) {
    if (key.name != name) continue;
    return input_error(where, found, "a known one", "it belongs under [" + std::string(key.section) + ']');
  }
  const std::string names = joined_text(known, ", ");
  return input_error(where, found, "one of " + names);
}

namespace {

std::vector<std::string> names_of_policy_keys() {
  std::vector<std::string> names;
  for (const ConfigurationKey& key : kKeys) {
    if (key.section == kPolicySection) names.emplace_back(key.name);
  }
  return names;
}

Result<void> take_name(const WrittenValue& value, const std::string& where, std::string& name) {
  STEELYARD_TRY(name, read_text(value, where));
  if (name.empty()) return input_error(where, "\"\"", "text");
  return {};
}

// One key of a table with a pattern; the values are those of [policy].
Result<void> take_pattern_key(std::string_view name, const WrittenValue& value, const std::string& where,
                              PatternPolicy& policy) {
  if (name == "match") return take_name(value, where, policy.match);
  if (name == "machine") return take_name(value, where, policy.machine);
  if (name == "owner") return take_name(value, where, policy.owner);
  if (name == "reason") return take_name(value, where, policy.reason);
  if (name == "until") {
    STEELYARD_TRY(policy.until, read_day(value, where));
    return {};
  }
  if (name == "budget") {
    STEELYARD_TRY(const Nanoseconds budget, read_duration(value, where));
    policy.budget_ns = std::max<std::int64_t>(1, std::llround(budget.count()));
    return {};
  }
  if (name == "gates") {
    STEELYARD_TRY(policy.gates, read_list(value, where));
    return {};
  }
  if (name == "margin") {
    STEELYARD_TRY(policy.margin, read_share(value, where, {1, false}));
    return {};
  }
  std::optional<double>& effect = name == "minimum_effect" ? policy.minimum_effect : policy.counted_minimum_effect;
  STEELYARD_TRY(effect, read_share(value, where, {1, true}));
  return {};
}

}  // namespace

std::vector<std::string> pattern_policy_keys() {
  return {"match", "machine", "minimum_effect", "margin", "counted_minimum_effect",
          "gates", "budget",  "owner",          "until",  "reason"};
}

Result<void> PolicyTables::take(const TomlEntry& entry, const std::string& where) {
  STEELYARD_TRY(Table* const table, table_at(tables_, entry, where, "policies"));
  if (entry.name.empty()) return {};
  table->has_match = table->has_match || entry.name == "match";
  table->entries.push_back({entry, where});
  return {};
}

// Of a table with `match`.
Result<void> PolicyTables::read(const Table& table, PatternPolicy& policy) {
  const std::vector<std::string> known = pattern_policy_keys();
  policy.where = table.where;
  for (const Entry& one : table.entries) {
    const std::string& name = one.entry.name;
    const std::string where = one.where + ": [[policy]]";
    if (std::find(known.begin(), known.end(), name) == known.end()) {
      if (find_configuration_key(kPolicySection, name) == nullptr) return unknown_key(where, name, known);
      return input_error(where, "key \"" + name + "\" beside match", "one that a pattern can have",
                         "it holds for all benchmarks: write it into the [[policy]] without match");
    }
    if (!one.entry.value) return input_error(where + ' ' + name, "something else", "a plain value or a list of texts");
    STEELYARD_CHECK(take_pattern_key(name, *one.entry.value, where + ' ' + name, policy));
  }
  if (table.entries.size() > 1) return {};
  return input_error(table.where + ": [[policy]]", "a pattern that says nothing", "a key beside match");
}

Result<void> PolicyTables::finish(Configuration& configuration) const {
  const Table* of_all = nullptr;
  for (const Table& table : tables_) {
    if (table.has_match) {
      STEELYARD_CHECK(read(table, configuration.policy.comparison.patterns.emplace_back()));
      continue;
    }
    if (of_all != nullptr) {
      return input_error(table.where + ": [[policy]]", "no match", "match = \"PATTERN\"",
                         "one table holds for all, and it stands at " + of_all->where);
    }
    of_all = &table;
    for (const Entry& one : table.entries) {
      const std::string where = one.where + ": [[policy]]";
      const ConfigurationKey* key = find_configuration_key(kPolicySection, one.entry.name);
      if (key == nullptr) {
        const std::vector<std::string> of_patterns = pattern_policy_keys();
        const bool wants_match = std::find(of_patterns.begin(), of_patterns.end(), one.entry.name) != of_patterns.end();
        if (!wants_match) return unknown_key(where, one.entry.name, names_of_policy_keys());
        return input_error(where, "key \"" + one.entry.name + "\" without match", "match = \"PATTERN\" in this table",
                           "match = \"*\" is every benchmark");
      }
      const std::string key_where = where + ' ' + one.entry.name;
      if (!one.entry.value) {
        return input_error(key_where, "a date, a table or a list of something else",
                           "a plain value or a list of texts");
      }
      STEELYARD_CHECK(key->assign(configuration, *one.entry.value, key_where));
    }
  }
  return {};
}

std::string to_toml(const PatternPolicy& policy) {
  std::string text = "[[policy]]\nmatch = " + quoted_for_toml(policy.match) + '\n';
  if (!policy.machine.empty()) text += "machine = " + quoted_for_toml(policy.machine) + '\n';
  if (policy.minimum_effect) text += "minimum_effect = " + shortest_text(*policy.minimum_effect) + '\n';
  if (policy.margin) text += "margin = " + shortest_text(*policy.margin) + '\n';
  if (policy.counted_minimum_effect) {
    text += "counted_minimum_effect = " + shortest_text(*policy.counted_minimum_effect) + '\n';
  }
  if (policy.gates) text += "gates = " + to_text(WrittenValue{*policy.gates, false}) + '\n';
  if (policy.budget_ns) {
    text += "budget = " + duration_text(nanoseconds(static_cast<double>(*policy.budget_ns))) + '\n';
  }
  if (!policy.owner.empty()) text += "owner = " + quoted_for_toml(policy.owner) + '\n';
  if (!policy.until.empty()) text += "until = " + quoted_for_toml(policy.until) + '\n';
  if (!policy.reason.empty()) text += "reason = " + quoted_for_toml(policy.reason) + '\n';
  return text;
}

}  // namespace steelyard::ci
