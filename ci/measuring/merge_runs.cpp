#include "ci/measuring/merge_runs.hpp"

#include <algorithm>
#include <iterator>
#include <map>
#include <optional>
#include <set>
#include <sstream>
#include <tuple>
#include <utility>

#include "bench/model/number_text.hpp"
#include "bench/model/sha256.hpp"
#include "bench/model/text.hpp"
#include "bench/runner/fresh_copy.hpp"
#include "ci/attribution/own_source.hpp"
#include "ci/measuring/run_parts.hpp"
#include "ci/measuring/shard.hpp"
#include "ci/report/warning_text.hpp"
#include "regress/ab/confirmation.hpp"
#include "regress/ab/rounds.hpp"
#include "regress/ab/sequential.hpp"
#include "storage/archive/archive.hpp"

namespace steelyard::ci {
namespace {

// Between the rounds of two parts. Both sides of a session have to be numbered alike, though one may lack its last
// rounds: so it is no number of rounds that was counted, but more than anybody asks for.
constexpr std::int32_t kRoundsOfAPart = 1000;

// A metric of a benchmark, by canonical text.
using Key = std::pair<std::string, std::string>;
Key key_of(const Measurement& measurement) { return {measurement.benchmark.canonical(), measurement.metric.name}; }

std::string setting_of(const Run& run, std::string_view name) {
  const auto found = run.header.settings.find(std::string(name));
  return found == run.header.settings.end() ? "" : found->second;
}

std::string fact_of(const Run& run, std::string_view name) {
  const std::string* value = run.environment.find(name);
  return value == nullptr ? "" : *value;
}

Error refuse(const NamedRun& first, const NamedRun& other, const std::string& what, const std::string& a,
             const std::string& b, const std::string& fix) {
  const auto shown = [](const std::string& value) { return value.empty() ? std::string("none") : '"' + value + '"'; };
  return input_error(other.name, what + ' ' + shown(b), "that of " + first.name + ", " + shown(a), fix);
}

// A shard of a pair: both sides of its benchmarks were measured on one machine, so that another may have other
// machines.
bool is_shard_of_pair(const Run& run) { return shard_of(run.header).has_value() && !run.header.session.empty(); }

// Where both say which file it was that decides; its path may be another in each job. Shards of two commits are built
// where they are measured, each pair alike.
Result<void> check_program(const NamedRun& first, const NamedRun& other) {
  constexpr std::string_view kHash = "program.sha256";
  const bool is_built_there = is_shard_of_pair(first.run) && !first.run.header.commit.sha.empty();
  const std::string a = is_built_there ? "" : fact_of(first.run, kHash);
  const std::string b = is_built_there ? "" : fact_of(other.run, kHash);
  constexpr const char* kFix = "build it once and measure that file in every job";
  if (!a.empty() && !b.empty()) {
    if (a == b) return {};
    return refuse(first, other, "the program with sha256", a.substr(0, 12), b.substr(0, 12), kFix);
  }
  if (first.run.header.program == other.run.header.program) return {};
  return refuse(first, other, "the program", first.run.header.program, other.run.header.program, kFix);
}

Result<void> check_machine(const NamedRun& first, const NamedRun& other) {
  if (is_shard_of_pair(first.run)) return {};
  const std::string a = first.run.environment.fingerprint();
  const std::string b = other.run.environment.fingerprint();
  if (a == b) return {};
  std::string facts;
  for (const FactDifference& fact : differences(first.run.environment, other.run.environment)) {
    if (fact.decisive) facts += (facts.empty() ? "" : ", ") + fact.name;
  }
  return refuse(
      first, other, "a machine with fingerprint", a, b,
      (facts.empty() ? std::string() : "they differ in " + facts + "; ") + "compare machines, never merge them");
}

Result<void> check_header(const NamedRun& first, const NamedRun& other) {
  const RunHeader& a = first.run.header;
  const RunHeader& b = other.run.header;
  if (std::tie(a.commit.sha, a.commit.dirty) != std::tie(b.commit.sha, b.commit.dirty)) {
    const bool is_told_short = a.commit.sha == b.commit.sha || shown_sha(a.commit.sha) != shown_sha(b.commit.sha);
    const auto shown = [&](const Commit& commit) {
      return (is_told_short ? shown_sha(commit.sha) : commit.sha) + (commit.dirty ? "+" : "");
    };
    return refuse(first, other, "commit", shown(a.commit), shown(b.commit), "a run is of one commit");
  }
  // What is concurrent can be judged together, and what a shard did not measure beside anything needs no layout.
  const bool are_shards = shard_of(a) && shard_of(b);
  const bool any_alone = are_shards && (a.session.empty() || b.session.empty());
  const bool both_concurrent = are_shards && is_concurrent(a.layout) && is_concurrent(b.layout);
  const Layout layout_of_other = any_alone || both_concurrent ? a.layout : b.layout;
  const std::tuple<const char*, std::string, std::string, const char*> all[] = {
      {"project", a.project, b.project, "--project when it is measured gives them one"},
      {"tool", a.tool, b.tool, "measure all parts with one program"},
      {"layout", std::string(to_text(a.layout)), std::string(to_text(layout_of_other)), "ask for one with --layout"},
  };
  for (const auto& [what, of_first, of_other, fix] : all) {
    if (of_first != of_other) return refuse(first, other, what, of_first, of_other, fix);
  }
  if (a.session.empty() != b.session.empty() && !are_shards) {
    return input_error(other.name, b.session.empty() ? "a run that was measured alone" : "a side of a pair",
                       "what " + first.name + " is", "merge baselines with baselines, and candidates with candidates");
  }
  STEELYARD_CHECK(check_program(first, other));
  return check_machine(first, other);
}

// The ids that a run stands for: its own, and of a merged one those of its parts.
std::vector<std::string> ids_of(const Run& run) {
  std::vector<std::string> ids{run.header.id};
  std::istringstream merged(setting_of(run, kMergedSetting));
  for (std::string id; merged >> id;) ids.push_back(id);
  return ids;
}

Result<void> check_twice(const std::vector<NamedRun>& parts) {
  std::map<std::string, const NamedRun*> known;
  for (const NamedRun& part : parts) {
    for (const std::string& id : ids_of(part.run)) {
      const auto [at, is_new] = known.emplace(id, &part);
      if (is_new) continue;
      return input_error(part.name, "run " + id.substr(0, 12) + " a second time",
                         "each run once: it is in " + at->second->name + " already", "leave one of them out");
    }
  }
  return {};
}

// Shards are all there, each once, and of one split.
Result<void> check_shards(const std::vector<NamedRun>& parts) {
  const auto is_shard = [](const NamedRun& part) { return shard_of(part.run.header).has_value(); };
  const auto first = std::find_if(parts.begin(), parts.end(), is_shard);
  if (first == parts.end()) return {};
  const int all = shard_of(first->run.header)->of;
  std::map<int, const NamedRun*> known;
  for (const NamedRun& part : parts) {
    const std::optional<Shard> shard = shard_of(part.run.header);
    if (!shard) return input_error(part.name, "no shard", "one of " + std::to_string(all) + ", as " + first->name);
    if (shard->of != all) {
      return refuse(*first, part, "the shard", to_text(*shard_of(first->run.header)), to_text(*shard),
                    "measure all with one number of shards");
    }
    const auto [at, is_new] = known.emplace(shard->number, &part);
    if (!is_new) {
      return input_error(part.name, "shard " + to_text(*shard) + " a second time",
                         "each once: it is in " + at->second->name + " already", "leave one of them out");
    }
    const std::string split(kSplitSetting);
    if (setting_of(part.run, split) != setting_of(first->run, split)) {
      return input_error(part.name, "a share of other benchmarks", "that of the suite that " + first->name + " shares",
                         "the programs have to list the same benchmarks on all machines, and --shard-by the same "
                         "durations");
    }
  }
  for (int number = 1; number <= all; ++number) {
    if (known.contains(number)) continue;
    const std::string found = std::to_string(parts.size()) + " of " + std::to_string(all) + " shards";
    return input_error("steelyard merge", found + ": shard " + to_text(Shard{number, all}) + " is missing",
                       "all of them", "measure it, or see why its job left nothing");
  }
  return {};
}

// Sessions of one design can be judged together; a design that looked at its data cannot be gone on with afterwards.
Result<void> check_looks(const NamedRun& first, const NamedRun& other, bool any_in_common) {
  const std::string a = setting_of(first.run, kLooksSetting);
  const std::string b = setting_of(other.run, kLooksSetting);
  if (!any_in_common) {
    return a == b ? Result<void>() : refuse(first, other, "a plan of looks", a, b, "measure with --no-early-stop");
  }
  if (a.empty() && b.empty()) return {};
  return input_error(other.name, "benchmarks that " + first.name + " has too, measured until they were decided",
                     "a number of rounds that nothing they showed had a say in", "measure with --no-early-stop");
}

// Appends the samples of a measurement of the same benchmark and metric; the invocations are the whole run's.
Result<void> join(Measurement from, const std::string& name, Measurement& to) {
  const std::string where = name + ": " + from.benchmark.canonical() + ' ' + from.metric.name;
  const auto& a = to.metric;
  const auto& b = from.metric;
  if (a.unit != b.unit || a.better != b.better || a.kind != b.kind) {
    return input_error(where, "another unit, direction or kind", "that of the other parts");
  }
  if (to.count_key != from.count_key || to.count_basis.scope != from.count_basis.scope) {
    return input_error(where, "a count under other conditions", "those of the other parts", "count both in one setup");
  }
  const auto append = [](std::vector<InvocationSamples>& all, std::vector<InvocationSamples>& more) {
    all.insert(all.end(), std::make_move_iterator(more.begin()), std::make_move_iterator(more.end()));
  };
  append(to.invocations, from.invocations);
  append(to.excluded, from.excluded);
  CountBasis& basis = to.count_basis;
  if (from.count_basis.jitter.value_or(-1) > basis.jitter.value_or(-1)) {
    basis.jitter = from.count_basis.jitter;
    basis.jitter_from = from.count_basis.jitter_from;
  }
  // One that was counted needs no proof.
  if (from.count_basis.proof.empty()) {
    basis.proof.clear();
    basis.origin = from.count_basis.origin;
  }
  return {};
}

class RunMerger {
 public:
  RunMerger(std::vector<NamedRun> parts, std::vector<std::string>& warnings)
      : parts_(std::move(parts)), warnings_(warnings) {}

  Result<Run> run() && {
    std::sort(parts_.begin(), parts_.end(), [](const NamedRun& a, const NamedRun& b) {
      return std::tie(a.run.header.created_at_unix_ns, a.run.header.id) <
             std::tie(b.run.header.created_at_unix_ns, b.run.header.id);
    });
    STEELYARD_CHECK(check_shards(parts_));
    if (shard_of(parts_.front().run.header)) sort_shards();
    STEELYARD_CHECK(check());
    keep_what_all_say();
    remember_settings();
    remember_benchmarks();
    name_session();
    move_sources();
    if (any_in_common_) number_rounds();
    whole_ = std::move(parts_.front().run);
    STEELYARD_CHECK(take_measurements());
    finish_failures();
    finish_header();
    storage::seal(whole_);
    STEELYARD_CHECK(storage::check_run(whole_, "the merged run"));
    return std::move(whole_);
  }

 private:
  // By their numbers, which both sides have alike; those that were measured beside another side first, as the whole has
  // the first one's header.
  void sort_shards() {
    shards_ = static_cast<int>(parts_.size());
    std::sort(parts_.begin(), parts_.end(), [](const NamedRun& a, const NamedRun& b) {
      const bool alone_a = a.run.header.session.empty();
      const bool alone_b = b.run.header.session.empty();
      return alone_a != alone_b ? alone_b : shard_of(a.run.header)->number < shard_of(b.run.header)->number;
    });
  }

  Result<void> check() {
    STEELYARD_CHECK(check_twice(parts_));
    for (const NamedRun& part : parts_) STEELYARD_CHECK(check_header(parts_.front(), part));
    std::map<Key, const NamedRun*> owners;
    std::set<std::pair<const NamedRun*, const NamedRun*>> in_common;
    for (const NamedRun& part : parts_) {
      for (const Measurement& measurement : part.run.measurements) {
        const auto [at, is_new] = owners.emplace(key_of(measurement), &part);
        if (!is_new && at->second != &part) in_common.emplace(at->second, &part);
      }
    }
    any_in_common_ = !in_common.empty();
    if (any_in_common_ && shards_ > 0) {
      const auto& [first, other] = *in_common.begin();
      return input_error(other->name, "a benchmark that " + first->name + " has too", "each in one shard");
    }
    for (const auto& [first, other] : in_common) STEELYARD_CHECK(check_looks(*first, *other, true));
    for (const NamedRun& part : parts_) {
      const bool was_alone = shards_ > 0 && part.run.header.session.empty();  // nothing was to be decided
      if (!was_alone) STEELYARD_CHECK(check_looks(parts_.front(), part, false));
    }
    return {};
  }

  // What a part does not say, or says differently, is not known of the whole. Only the facts of the machine itself are
  // decisive, and those were found to be equal but in shards of pairs, of which nothing else is worth a word.
  void keep_what_all_say() {
    const bool are_pairs = is_shard_of_pair(parts_.front().run);
    std::set<std::string> differing;
    std::set<std::string> told;
    for (const NamedRun& part : parts_) {
      for (const FactDifference& fact : differences(parts_.front().run.environment, part.run.environment)) {
        differing.insert(fact.name);
        if (fact.decisive || !are_pairs) told.insert(fact.name);
      }
    }
    const std::vector<std::string> names(told.begin(), told.end());
    for (NamedRun& part : parts_) {
      std::erase_if(part.run.environment.facts, [&](const Fact& fact) { return differing.contains(fact.name); });
    }
    if (!names.empty() && are_pairs) {
      warnings_.push_back(warning::shards_differ(names));
    } else if (!names.empty()) {
      warnings_.push_back(warning::parts_differ(names));
    }
    const Run& first = parts_.front().run;
    const auto assume = [this](bool is_unknown, const std::string& what) {
      if (is_unknown) warnings_.push_back(warning::assumed(what));
    };
    assume(first.header.commit.sha.empty() && !are_pairs, "what commit it is of");
    assume(first.environment.fingerprint().empty(), "what machine it was measured on");
  }

  // Equal for both sides where they are merged of the same sessions.
  void name_session() {
    std::set<std::string> sessions;
    std::string all;
    for (const NamedRun& part : parts_) {
      if (shards_ > 0 && part.run.header.session.empty()) continue;
      if (sessions.insert(part.run.header.session).second) all += part.run.header.session + '\n';
    }
    if (sessions.size() <= 1) return;
    const std::string session = sha256_hex(all).substr(0, 32);
    for (NamedRun& part : parts_) {
      if (shards_ == 0 || !part.run.header.session.empty()) part.run.header.session = session;
    }
  }

  // Lists of benchmarks among the settings are the lists of all parts, and those of a duet are named where not all are.
  void remember_benchmarks() {
    bool any_in_turns = false;
    for (const NamedRun& part : parts_) {
      const RunHeader& header = part.run.header;
      any_in_turns = any_in_turns || header.layout == Layout::interleaved;
      for (const Measurement& measurement : part.run.measurements) {
        const std::string name = measurement.benchmark.canonical();
        if (is_first_look_only(header, name)) first_look_only_.insert(name);
        const bool in_turns = measurement.benchmark.threads.value_or(1) > 1 &&
                              header.settings.contains(std::string(kSeveralThreadsSetting));
        if (header.layout == Layout::duet && !in_turns) in_duet_.insert(name);
      }
    }
    if (!any_in_turns) in_duet_.clear();
  }

  // Each machine has its own work trees: what is the project's own is told by the first part's.
  void move_sources() {
    const std::string first = setting_of(parts_.front().run, kSourcesSetting);
    for (NamedRun& part : parts_) {
      const std::string own = setting_of(part.run, kSourcesSetting);
      if (shards_ > 0 && !own.empty() && !first.empty() && own != first) move_paths(part.run, own, first);
    }
  }

  void number_rounds() {
    std::int32_t stride = kRoundsOfAPart;
    for (const NamedRun& part : parts_) {
      for (const Invocation& invocation : part.run.invocations) {
        while (invocation.round >= stride) stride += kRoundsOfAPart;
      }
    }
    std::int32_t first = 0;
    for (NamedRun& part : parts_) {
      for (Invocation& invocation : part.run.invocations) invocation.round += first;
      for (Failure& failure : part.run.failures) {
        if (failure.round >= 0) failure.round += first;
      }
      first += stride;
    }
  }

  Result<void> take_measurements() {
    std::map<Key, std::size_t> places;
    for (std::size_t i = 0; i < whole_.measurements.size(); ++i) places.emplace(key_of(whole_.measurements[i]), i);
    std::set<std::string> profiled;
    for (const CountedProfile& profile : whole_.profiles) profiled.insert(profile.benchmark.canonical());
    for (auto part = std::next(parts_.begin()); part != parts_.end(); ++part) {
      // One profile is of one count; of equal programs it is that of all.
      std::erase_if(part->run.profiles, [&](const CountedProfile& profile) {
        return !profiled.insert(profile.benchmark.canonical()).second;
      });
      const std::size_t before = whole_.measurements.size();
      join_run(whole_, std::move(part->run));
      std::vector<Measurement> joined(std::make_move_iterator(whole_.measurements.begin() + at(before)),
                                      std::make_move_iterator(whole_.measurements.end()));
      whole_.measurements.resize(before);
      for (Measurement& measurement : joined) {
        const auto [place, is_new] = places.emplace(key_of(measurement), whole_.measurements.size());
        if (is_new) {
          whole_.measurements.push_back(std::move(measurement));
        } else {
          STEELYARD_CHECK(join(std::move(measurement), part->name, whole_.measurements[place->second]));
        }
      }
    }
    return {};
  }
  static std::ptrdiff_t at(std::size_t place) { return static_cast<std::ptrdiff_t>(place); }

  // What one part did not reach and another measured was reached; the same failure of several parts is told once.
  void finish_failures() {
    std::set<std::pair<std::string, std::string>> measured;  // benchmark and metric, and with none: any
    for (const Measurement& measurement : whole_.measurements) {
      measured.emplace(measurement.benchmark.canonical(), measurement.metric.name);
      measured.emplace(measurement.benchmark.canonical(), "");
    }
    std::vector<Failure> kept;
    for (Failure& failure : whole_.failures) {
      const bool was_reached = failure.kind == FailureKind::not_reached &&
                               measured.contains({failure.benchmark.canonical(), failure.metric});
      if (was_reached || std::find(kept.begin(), kept.end(), failure) != kept.end()) continue;
      kept.push_back(std::move(failure));
    }
    whole_.failures = std::move(kept);
  }

  // What parts say differently: what somebody decides by is as join_run() has it, the worst or the first; the rest is
  // for people.
  void finish_header() {
    RunHeader& header = whole_.header;
    const std::set<std::string_view> decided{kLooksSetting,        kSeveralThreadsSetting, regress::kSoloSetting,
                                             kSourcesSetting,      bench::kPagesSetting,   kFreshCopies,
                                             kLeftProcessesSetting};
    for (const auto& [name, values] : said_) {
      if (!decided.contains(name) && values.size() > 1) header.settings[name] = one_text(values);
    }
    if (stopped_) keep_stop(stopped_->first, stopped_->second, header.settings);
    header.settings[std::string(kMergedSetting)] = ids_;
    keep_first_look_only(first_look_only_, header.settings);
    regress::keep_in_duet(in_duet_, header.settings);
    if (shards_ > 0) {
      header.settings.erase(std::string(kShardSetting));
      header.settings.erase(std::string(kSplitSetting));
      header.settings["shards"] = std::to_string(shards_);
    }
    // Who sets out to repeat it needs each; one alone would be the seed of none but its part.
    if (seeds_.size() > 1) {
      header.settings[kSeedsSetting] = joined_text(seeds_, kBetweenValues);
      header.seed = 0;
    }
    header.id.clear();
  }

  void remember_settings() {
    for (const NamedRun& part : parts_) {
      const RunHeader& header = part.run.header;
      for (const std::string& id : ids_of(part.run)) ids_ += (ids_.empty() ? "" : " ") + id;
      add_seeds(header);
      for (const auto& [name, value] : header.settings) add(value, said_[name]);
      const Stop stop = stop_of(header);
      if (stop != Stop::none && (!stopped_ || stop > stopped_->first)) {
        std::int32_t rounds = 0;
        for (const Invocation& invocation : part.run.invocations) rounds = std::max(rounds, invocation.round + 1);
        stopped_ = {stop, rounds};
      }
    }
    said_.erase(std::string(kMergedSetting));
    said_.erase(kSeedsSetting);
  }

  // Of a part that was merged itself each of its own; its header has none. An older program told how many more there
  // were behind twenty, in words.
  void add_seeds(const RunHeader& header) {
    const auto known = header.settings.find(kSeedsSetting);
    if (known == header.settings.end()) return add_seed(std::to_string(header.seed));
    std::string_view rest = known->second;
    for (std::size_t end = 0; end != std::string_view::npos;) {
      end = rest.find(kBetweenValues);
      const std::string_view seed = rest.substr(0, end);
      if (!seed.empty() && is_decimal(seed)) add_seed(std::string(seed));
      if (end != std::string_view::npos) rest.remove_prefix(end + kBetweenValues.size());
    }
  }
  void add_seed(const std::string& seed) {
    constexpr std::size_t kMaxSeeds = 10'000;
    if (seeds_.size() < kMaxSeeds && known_seeds_.insert(seed).second) seeds_.push_back(seed);
  }

  static void add(const std::string& value, std::vector<std::string>& values) {
    if (std::find(values.begin(), values.end(), value) == values.end()) values.push_back(value);
  }

  // Settings are for a line of a report: of many different ones the first few.
  static std::string one_text(const std::vector<std::string>& values) {
    return some_joined(values, 20, kBetweenValues, "; and ");
  }

  static constexpr std::string_view kFreshCopies = "fresh_copies";
  static constexpr std::string_view kBetweenValues = "; ";

  std::vector<NamedRun> parts_;
  std::vector<std::string>& warnings_;
  bool any_in_common_ = false;
  int shards_ = 0;  // 0: the parts are none
  std::set<std::string> first_look_only_;
  std::set<std::string> in_duet_;
  Run whole_;
  std::string ids_;                                       // of all parts, and of theirs
  std::map<std::string, std::vector<std::string>> said_;  // different values of each setting
  std::vector<std::string> seeds_;
  std::set<std::string> known_seeds_;
  std::optional<std::pair<Stop, std::int32_t>> stopped_;
};

}  // namespace

Result<Run> merge_runs(std::vector<NamedRun> parts, std::vector<std::string>& warnings) {
  const bool is_lone_shard = parts.size() == 1 && shard_of(parts.front().run.header);  // whose others are missing
  if ((parts.size() < 2 && !is_lone_shard) || parts.size() > kMaxMergedRuns) {
    return input_error("steelyard merge", plural_text(parts.size(), "run"),
                       "from 2 to " + std::to_string(kMaxMergedRuns));
  }
  return RunMerger(std::move(parts), warnings).run();
}

}  // namespace steelyard::ci
