// steelyard verify: a kept comparison computed again from its runs, bit for bit; and kept in the store, where that is
// asked for, by a job that runs none of what was measured.
#include <algorithm>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <system_error>
#include <utility>

#include "ci/app/keeping.hpp"
#include "ci/app/settings.hpp"
#include "ci/app/sides.hpp"
#include "ci/git/repository.hpp"
#include "ci/grammar/verb.hpp"
#include "ci/judging/gate_plan.hpp"
#include "ci/judging/judge.hpp"
#include "ci/judging/replay.hpp"
#include "ci/report/comparison.hpp"
#include "ci/report/store.hpp"
#include "ci/verbs/judging_options.hpp"
#include "storage/archive/archive.hpp"
#include "storage/comparison/comparison_document.hpp"
#include "storage/comparison/comparison_identity.hpp"
#include "storage/comparison_store.hpp"
#include "storage/place/files.hpp"
#include "storage/run_store.hpp"
#include "storage/spool/spool.hpp"

namespace steelyard::ci {
namespace {

constexpr std::size_t kShortestPrefix = 6;        // of a comparison's id
constexpr std::size_t kIdInName = 16;             // characters, as the spool names its files
constexpr std::size_t kMaxComparisonFiles = 100;  // of a name that are opened
constexpr std::size_t kMaxRunFiles = 200;         // of a folder that are opened
constexpr std::size_t kMaxTroubles = 3;           // told

struct VerifyOptions {
  std::string comparison;  // a JSON file, a folder with comparison.json, or comparison:ID
  std::string baseline;    // as one side of compare; empty: found by its id
  std::string candidate;
  std::filesystem::path html;  // the kept comparison's page; empty: none
  bool keep = false;           // what is verified, in the store
  bool as_gate = false;        // commits and policy are those of a gate here
  GateRequest gate;            // its commits, which it takes by itself where they are empty, and what was accepted
};

// What waits in the spool, and what was delivered: for when the store is away, or has lost it. `id`: whole, or at least
// its first 6 characters. Absent: none of them has that id by its content, or several have.
std::optional<Comparison> find_comparison_by_id(const std::string& id, const std::filesystem::path& state) {
  if (id.size() < kShortestPrefix) return std::nullopt;
  std::optional<Comparison> found;
  std::set<std::string> ids;
  std::size_t opened = 0;
  const storage::Spool spool(state);
  std::vector<std::filesystem::path> folders = spool.folders();
  folders.push_back(spool.delivered_comparisons());
  for (const std::filesystem::path& folder : folders) {
    std::error_code code;
    for (std::filesystem::directory_iterator entry(folder, code), end; !code && entry != end; entry.increment(code)) {
      const std::string name = entry->path().filename().string();
      const bool is_named =
          entry->path().extension() == ".json" && name.find('-' + id.substr(0, kIdInName)) != name.npos;
      if (!is_named || opened == kMaxComparisonFiles) continue;
      ++opened;
      Result<Comparison> comparison = storage::read_comparison(entry->path());
      if (!comparison) continue;
      const std::string whole = storage::comparison_id(*comparison);
      if (!whole.starts_with(id)) continue;
      ids.insert(whole);
      found = std::move(comparison).value();
    }
  }
  return ids.size() == 1 ? std::move(found) : std::nullopt;
}

struct RunSearch {
  std::filesystem::path folder;   // of the comparison; empty: it came from the store
  bool has_own_archives = false;  // as --archive-dir writes a folder: "baseline.syrun" there is the one that was judged
  std::filesystem::path state;
  std::function<Result<Run>(const std::string& id)> from_store;  // asked last; empty: not asked
};

struct FoundRun {
  Run run;
  std::string place;  // a file, or "the store"
};

// The id that the run's content has.
std::string content_id(const Run& run) {
  Run copy = run;
  storage::seal(copy);
  return copy.header.id;
}

// Looks for one run's archive, and sees that its content has that id.
class Finder {
 public:
  explicit Finder(const std::string& id) : id_(id) {}

  std::optional<FoundRun> try_file(const std::filesystem::path& file) {
    Result<Run> run = storage::read_archive(file);
    if (!run) return trouble(run.error().text()), std::nullopt;
    return take(std::move(run).value(), file.string(), true);
  }

  // A run of another id is silent where many files are tried.
  std::optional<FoundRun> take(Run run, const std::string& place, bool tell) {
    if (run.header.id != id_) {
      if (tell) trouble(place + " holds run " + run.header.id.substr(0, kIdInName));
      return std::nullopt;
    }
    if (const std::string content = content_id(run); content != id_) {
      trouble(place + " says that it is run " + id_.substr(0, kIdInName) + ", but its content is that of " +
              content.substr(0, kIdInName));
      return std::nullopt;
    }
    return FoundRun{std::move(run), place};
  }

  std::optional<FoundRun> try_folder(const std::filesystem::path& folder, bool by_name) {
    std::vector<std::filesystem::path> files;
    std::error_code code;
    for (std::filesystem::directory_iterator entry(folder, code), end; !code && entry != end; entry.increment(code)) {
      const std::filesystem::path& path = entry->path();
      const bool is_named = path.filename().string().find(id_.substr(0, kIdInName)) != std::string::npos;
      if (path.extension() == ".syrun" && (!by_name || is_named)) files.push_back(path);
    }
    std::sort(files.begin(), files.end());
    files.resize(std::min(files.size(), kMaxRunFiles));
    for (const std::filesystem::path& file : files) {
      Result<Run> run = storage::read_archive(file);
      if (!run && by_name) trouble(run.error().text());
      if (!run) continue;
      if (auto found = take(std::move(run).value(), file.string(), by_name)) return found;
    }
    return std::nullopt;
  }

  void trouble(const std::string& text) {
    if (troubles_.size() < kMaxTroubles) troubles_.push_back(text);
  }

  // Of a folder's own archive. That the run may lie elsewhere as well makes the folder no better.
  Error not_in(const std::filesystem::path& own) const {
    std::string found = storage::read_beginning(own, 1) ? "an archive that is not the one that was judged"
                                                        : "an archive that cannot be read";
    for (const std::string& text : troubles_) found += "; " + text;
    return input_error(own.string(), found, "run:" + id_.substr(0, kIdInName) + ", as the comparison beside it says",
                       "take the folder anew from where it was written, or name both sides with --baseline and "
                       "--candidate");
  }

  Error nowhere(const RunSearch& search) const {
    std::string found = "no archive of it";
    for (const std::string& text : troubles_) found += "; " + text;
    std::string places = search.folder.empty() ? "" : search.folder.string() + ", ";
    places += (search.state / "spool").string() + ", " + (search.state / "runs").string();
    if (search.from_store) places += " or the store";
    return input_error("run:" + id_.substr(0, kIdInName), found, "it in " + places,
                       "name both sides with --baseline and --candidate");
  }

 private:
  const std::string& id_;
  std::vector<std::string> troubles_;
};

// `id`: whole. `first`: the file to try first, such as "baseline.syrun". Error (input): found nowhere; what was looked
// at is named, and why each that has the name is not it. Or a folder's own archive is damaged, or another run's.
Result<FoundRun> find_run_by_id(const std::string& id, const std::string& first, const RunSearch& search) {
  Finder finder(id);
  std::error_code ignored;
  if (!search.folder.empty()) {
    const std::filesystem::path expected = search.folder / first;
    if (std::filesystem::exists(expected, ignored)) {
      if (auto found = finder.try_file(expected)) return std::move(*found);
      if (search.has_own_archives) return finder.not_in(expected);
    }
    if (auto found = finder.try_folder(search.folder, false)) return std::move(*found);
  }
  const storage::Spool spool(search.state);
  std::vector<std::filesystem::path> folders = spool.folders();
  folders.push_back(spool.delivered_folder());
  for (const std::filesystem::path& folder : folders) {
    if (auto found = finder.try_folder(folder, true)) return std::move(*found);
  }
  if (search.from_store) {
    Result<Run> run = search.from_store(id);
    if (!run) {
      finder.trouble(run.error().text());
    } else if (auto found = finder.take(std::move(run).value(), "the store", true)) {
      return std::move(*found);
    }
  }
  return finder.nowhere(search);
}

constexpr std::string_view kComparisonPrefix = "comparison:";
constexpr std::string_view kHistoryRules = "history-";

struct KeptComparison {
  Comparison comparison;
  std::filesystem::path folder = {};  // empty: it came from the store
  bool has_own_archives = false;      // as RunSearch has it
};

// The store is opened once, and only where something asks for it.
class LazyStore {
 public:
  LazyStore(const Configuration& configuration, const App& app) : configuration_(configuration), app_(app) {}

  // What the store does not give may lie in the state folder.
  Result<Comparison> comparison(const std::string& id) {
    Result<Comparison> stored = comparison_in_store(id);
    if (stored) return stored;
    if (std::optional<Comparison> found = find_comparison_by_id(id, storage::state_folder())) return std::move(*found);
    return stored;
  }
  Result<Run> run(const std::string& id) {
    STEELYARD_CHECK(open());
    return storage::RunStore(*store_).get(id);
  }

 private:
  Result<Comparison> comparison_in_store(const std::string& id) {
    STEELYARD_CHECK(open());
    return storage::ComparisonStore(*store_).get(id);
  }
  Result<void> open() {
    if (store_) return {};
    STEELYARD_TRY(storage::Store store, open_store(configuration_, app_));
    store_.emplace(std::move(store));
    return {};
  }

  const Configuration& configuration_;
  const App& app_;
  std::optional<storage::Store> store_;
};

Result<KeptComparison> load_kept(const std::string& name, LazyStore& store) {
  if (name.starts_with(kComparisonPrefix)) {
    STEELYARD_TRY(Comparison comparison, store.comparison(name.substr(kComparisonPrefix.size())));
    return KeptComparison{std::move(comparison)};
  }
  std::error_code ignored;
  const std::filesystem::path path(name);
  const bool is_folder = std::filesystem::is_directory(path, ignored);
  const std::filesystem::path file = is_folder ? path / kComparisonFile : path;
  if (!std::filesystem::exists(file, ignored)) {
    return input_error(file.string(), "no such file",
                       "a comparison as --json or --archive-dir writes it, a folder with one, or comparison:ID");
  }
  STEELYARD_TRY(Comparison comparison, storage::read_comparison(file));
  return KeptComparison{std::move(comparison), is_folder ? path : std::filesystem::absolute(file).parent_path(),
                        file.filename() == std::string_view(kComparisonFile)};
}

struct FoundSides {
  FoundRun baseline;
  FoundRun candidate;
};

// The sides that the user names. That they are the comparison's is seen by their content.
Result<FoundSides> named_sides(const VerifyOptions& options, const Comparison& kept, const Configuration& configuration,
                               const App& app) {
  STEELYARD_TRY(Sides sides, load_sides(options.baseline, options.candidate, configuration, app));
  // A foreign file says nothing of a project, nor does an archive of none: it was judged as one of the comparison's.
  const auto complete = [](Run& run, const RunHeader& judged) {
    if (!run.header.id.empty() && (!run.header.project.empty() || judged.project.empty())) return;
    run.header.project = judged.project;
    storage::seal(run);
  };
  complete(sides.baseline, kept.baseline);
  complete(sides.candidate, kept.candidate);
  return FoundSides{{std::move(sides.baseline), options.baseline}, {std::move(sides.candidate), options.candidate}};
}

Result<FoundSides> kept_sides(const KeptComparison& kept, LazyStore& store) {
  const auto find = [&](const RunHeader& header, const std::string& side) -> Result<FoundRun> {
    // A history without a run of the candidate's machine is a baseline of series alone.
    const bool is_absent = side == "baseline" && header.id.empty() && header.tool.empty();
    if (kept.comparison.history && is_absent) return FoundRun{Run{}, "none on this machine"};
    if (header.id.empty()) {
      return input_error("the " + side, "no id in the comparison", "the run that was judged",
                         "name both sides with --baseline and --candidate");
    }
    const RunSearch search{kept.folder, kept.has_own_archives, storage::state_folder(),
                           [&store](const std::string& id) { return store.run(id); }};
    return find_run_by_id(header.id, side + ".syrun", search);
  };
  STEELYARD_TRY(FoundRun baseline, find(kept.comparison.baseline, "baseline"));
  STEELYARD_TRY(FoundRun candidate, find(kept.comparison.candidate, "candidate"));
  return FoundSides{std::move(baseline), std::move(candidate)};
}

// What the two sides are not; empty: they are those that were judged.
std::string other_input(const Comparison& kept, const FoundSides& sides) {
  std::string text;
  const auto look = [&text](const char* side, const RunHeader& wanted, const FoundRun& found) {
    const std::string content = content_id(found.run);
    if (wanted.id.empty() || wanted.id == content) return;
    text += (text.empty() ? "" : "; ") + std::string("the ") + side +
            " that was judged is run:" + wanted.id.substr(0, 12) + ", " + found.place +
            " is run:" + content.substr(0, 12);
  };
  look("baseline", kept.baseline, sides.baseline);
  look("candidate", kept.candidate, sides.candidate);
  return text;
}

// What a job which did not measure them holds the runs against. Absent: whose they are is not asked.
Result<std::optional<ExpectedOrigin>> expected_origin(const VerifyOptions& options,
                                                      const Configuration& configuration) {
  if (!options.keep && options.gate.head.empty() && !options.as_gate) return std::optional<ExpectedOrigin>();
  ExpectedOrigin expected;
  if (!options.gate.head.empty()) expected.commit = commit_named_here(options.gate.head);
  if (options.keep) {
    STEELYARD_CHECK(check_project_to_write(configuration));
    expected.project = configuration.project;
  }
  return std::optional(std::move(expected));
}

Result<std::optional<OwnGate>> expected_gate(const VerifyOptions& options, const Configuration& configuration,
                                             const App& app) {
  const GateRequest& gate = options.gate;
  if (!options.as_gate) {
    std::string option = !gate.base.empty() ? "--base" : !gate.accepted_file.empty() ? "--accepted" : "";
    if (!gate.accepted.empty()) option = "--accept";
    for (const Override& change : app.common.overrides) {
      if (change.key->section == "policy" || change.key->section == "gate") option = change.key->option;
    }
    if (option.empty()) return std::optional<OwnGate>();
    return input_error("steelyard verify", option + " without --as-gate", "both");
  }
  STEELYARD_TRY(OwnGate own, own_gate(gate, configuration, app));
  return std::optional(std::move(own));
}

// In what the two sides are of another project or commit; empty: in nothing. `gate`: null: which commit the baseline is
// of is not asked.
std::string other_origin(const Comparison& kept, const FoundSides& sides, ExpectedOrigin expected,
                         const OwnGate* gate) {
  ExpectedOrigin of_baseline{expected.project, ""};
  if (gate != nullptr) {
    // Where the first job's clone ended there, it knew no parent of it.
    const auto described = [](const Commit& here, const Run& found) {
      Commit commit = here;
      if (found.header.commit.parent.empty()) commit.parent.clear();
      return commit;
    };
    expected.described = described(gate->candidate, sides.candidate.run);
    of_baseline.described = described(gate->baseline, sides.baseline.run);
    // Where the baseline was fetched alone, the first job did not know its branch: then it is kept as no branch's.
    if (sides.baseline.run.header.commit.branch.empty()) of_baseline.described->branch.clear();
  }
  const std::string candidate = other_origin_text("candidate", sides.candidate.run.header, kept.candidate, expected);
  // There may be none, and which commit it is of is the first job's to say.
  if (sides.baseline.run.header.id.empty()) return candidate;
  const std::string baseline = other_origin_text("baseline", sides.baseline.run.header, kept.baseline, of_baseline);
  return candidate + (candidate.empty() || baseline.empty() ? "" : "; ") + baseline;
}

// Under the names by which they were judged: today's where the comparison has these, and not their own.
Result<void> call_as_judged(const Comparison& kept, const std::vector<BenchmarkRename>& renames, FoundRun& found) {
  std::set<std::string> judged;
  for (const ComparisonRow& row : kept.rows) judged.insert(row.benchmark);
  std::vector<BenchmarkRename> of_comparison;
  std::set<std::string> seen;
  for (const Measurement& measurement : found.run.measurements) {
    const std::string own = measurement.benchmark.canonical();
    const std::string today = current_name(renames, own);
    if (!seen.insert(own).second || judged.contains(own) || !judged.contains(today)) continue;
    of_comparison.push_back({as_pattern(own), as_pattern(today)});
  }
  return call_by_current_names(of_comparison, found.place, found.run);
}

// What a job that did not measure holds a comparison against.
struct Expectations {
  std::optional<ExpectedOrigin> origin;
  std::optional<OwnGate> gate;  // of --as-gate
};

// That nobody asked for counts is what the kept comparison says; this checkout may demand them.
void add_demanded_counts(const OwnGate& gate, const Comparison& kept, std::vector<FieldDifference>& found) {
  if (!outcome_rules(gate.configuration).demand_counts) return;
  for (const ComparisonRow& row : kept.rows) {
    const bool is_excused = row.metric.name == kInstructions && !row.gates && row.notes.has(RowNote::not_asked_for);
    if (is_excused) found.push_back({row.benchmark, row.metric.name, "gates", "false", "true"});
  }
}

// By what the gate of this checkout is judged.
void hold_against_gate(const OwnGate& gate, const Comparison& kept, const FoundSides& sides,
                       Verification& verification) {
  if (kept.history) {
    verification.why = "it was judged against a history, of which a gate here knows nothing";
  } else if (const Result<Comparison> own = judged_by_own_gate(gate, kept, sides.baseline.run, sides.candidate.run);
             !own) {
    verification.why = own.error().text();
  } else {
    std::vector<FieldDifference>& found = verification.replay.differences;
    found = policy_differences(kept, *own);
    const bool is_by_another_policy = !found.empty();
    add_demanded_counts(gate, kept, found);
    if (found.empty()) return;
    verification.why = is_by_another_policy ? "a gate of this checkout judges by another policy"
                                            : "a gate of this checkout demands counts, which failed";
    if (std::ranges::any_of(found, [](const FieldDifference& one) { return one.field == "calibration"; })) {
      verification.why += "; give both jobs one calibration: commit it, or name it here by --calibration";
    }
  }
  verification.outcome = VerificationOutcome::differs;
}

void verify_against(const Comparison& kept, FoundSides& sides, const std::vector<BenchmarkRename>& renames,
                    const Expectations& expected, Verification& verification) {
  verification.baseline_place = sides.baseline.place;
  verification.candidate_place = sides.candidate.place;
  verification.why = other_input(kept, sides);
  if (verification.why.empty() && expected.origin) {
    verification.why = other_origin(kept, sides, *expected.origin, expected.gate ? &*expected.gate : nullptr);
  }
  if (verification.why.empty()) {
    for (FoundRun* side : {&sides.baseline, &sides.candidate}) {
      const Result<void> called = call_as_judged(kept, renames, *side);
      if (!called) verification.why = called.error().text();
    }
  }
  if (!verification.why.empty()) {
    verification.outcome = VerificationOutcome::differs;
    return;
  }
  verification.replay = replay(kept, sides.baseline.run, sides.candidate.run);
  const Replay& replayed = verification.replay;
  if (replayed.differences.empty()) {
    verification.outcome = VerificationOutcome::verified;
    if (expected.gate) hold_against_gate(*expected.gate, kept, sides, verification);
  } else if (kept.rule_version.starts_with(kHistoryRules) && !kept.history) {
    verification.why =
        "an older steelyard judged it against a history and kept none of that: steelyard gate --against-history "
        "--run " +
        sides.candidate.place + " judges the run by what the store has now";
  } else if (replayed.rule_version != kept.rule_version) {
    verification.why = "it was judged by the rules " + kept.rule_version + ": take the steelyard that has them";
  } else {
    verification.outcome = VerificationOutcome::differs;
    verification.why = "the same rules give other values of these runs: the comparison was changed, or this is a bug";
  }
}

// Of the comparison as it was kept. What was not verified says so, and other runs than those that were judged are not
// drawn beside it.
Result<void> write_kept_page(const std::filesystem::path& file, Comparison kept, const Result<FoundSides>& sides,
                             const Verification& verification) {
  if (!verification.why.empty()) kept.warnings.insert(kept.warnings.begin(), "steelyard verify: " + verification.why);
  const bool are_judged = sides && other_input(kept, *sides).empty();
  if (are_judged) {
    return write_page(file, {sides->baseline.run, sides->candidate.run, std::move(kept), {}, {}, SidesFrom::kept});
  }
  const Run none;
  return write_text_file(file, html_report(kept, {none, none, {}, SidesFrom::kept}));
}

ExitCode exit_code_of(VerificationOutcome outcome) {
  if (outcome == VerificationOutcome::verified) return ExitCode::success;
  return outcome == VerificationOutcome::differs ? ExitCode::regression : ExitCode::not_judged;
}

// The sides as they were found, whatever verifying calls their benchmarks. A history may have had none as its baseline.
struct RunsToKeep {
  std::vector<Run> runs;

  explicit RunsToKeep(const FoundSides& sides) {
    for (const FoundRun* side : {&sides.baseline, &sides.candidate}) {
      if (!side->run.header.id.empty()) runs.push_back(side->run);
    }
  }
  ExitCode keep(const Configuration& configuration, const Comparison& comparison, const App& app) const {
    std::vector<const Run*> own;
    for (const Run& run : runs) own.push_back(&run);
    keep_in_spool(configuration, own, app);
    return deliver_to_store(configuration, &comparison, app, own);
  }
};

Result<ExitCode> run_verify(const VerifyOptions& options, const App& app) {
  STEELYARD_TRY(const Configuration configuration, effective_configuration(app));
  Expectations expected;
  STEELYARD_TRY(expected.origin, expected_origin(options, configuration));
  STEELYARD_TRY(expected.gate, expected_gate(options, configuration, app));
  LazyStore store(configuration, app);
  STEELYARD_TRY(const KeptComparison kept, load_kept(options.comparison, store));
  Verification verification;
  verification.comparison = options.comparison;
  verification.rule_version = kept.comparison.rule_version;
  verification.baseline_run = kept.comparison.baseline.id;
  verification.candidate_run = kept.comparison.candidate.id;
  const bool are_named = !options.baseline.empty();
  Result<FoundSides> sides =
      are_named ? named_sides(options, kept.comparison, configuration, app) : kept_sides(kept, store);
  std::optional<RunsToKeep> to_keep;
  if (sides) {
    if (options.keep) to_keep.emplace(*sides);
    verify_against(kept.comparison, *sides, configuration.renames, expected, verification);
  } else if (are_named) {
    return sides.error();
  } else {
    verification.why = sides.error().text();
  }
  if (!options.html.empty()) STEELYARD_CHECK(write_kept_page(options.html, kept.comparison, sides, verification));
  app.print(app.common.json ? json_verification(verification) : terminal_verification(verification, app.style()));
  const ExitCode code = exit_code_of(verification.outcome);
  if (!to_keep || code != ExitCode::success) return code;
  return to_keep->keep(configuration, kept.comparison, app);
}

}  // namespace

Verb verify_verb() {
  const auto options = std::make_shared<VerifyOptions>();
  Verb verb = make_verb(
      options, run_verify, "verify",
      "Computes a kept comparison again from its runs, and says whether every judged field is the same, bit for bit. "
      "COMPARISON: a file that --json wrote, a folder that --archive-dir wrote, or comparison:ID of the store. The "
      "runs are found by their ids beside it, in the state folder and in the store. Status 0: it is; 1: it is not; 2: "
      "it was judged by other rules, a run is nowhere to be found, or the folder's own archive is damaged or another "
      "run's.",
      "  steelyard verify evidence  # after steelyard gate --archive-dir evidence\n"
      "  steelyard verify result.json --baseline before --candidate after");
  verb.names = {"COMPARISON"};
  verb.min_names = 1;
  verb.take = [options](Words words) -> Result<void> {
    options->comparison = std::move(words.names[0]);
    if (options->baseline.empty() == options->candidate.empty()) return {};
    return input_error("steelyard verify", options->baseline.empty() ? "--candidate alone" : "--baseline alone",
                       "both sides, or none");
  };
  verb.add(text_option("--baseline", "SIDE", options->baseline, "the baseline, as one side of compare takes it"));
  verb.add(text_option("--candidate", "SIDE", options->candidate, "the candidate, as one side of compare takes it"));
  verb.add(
      output_option("--html", "FILE", options->html,
                    "write the report of the kept comparison there as one HTML page, from the runs that were found"));
  verb.add(flag_option("--keep", options->keep,
                       "keep what is verified, both runs and the comparison, in the store, as the gate would have; "
                       "runs of another project than --project or steelyard.toml names are refused, with status 1"));
  verb.add({"--head", "COMMIT", "the candidate's commit; a run of another is refused, with status 1", kGeneralGroup,
            false, [options](const std::string& text) -> Result<void> {
              if (text.empty()) return input_error("--head", "nothing", "the commit that was measured");
              return options->gate.head = text, Result<void>();
            }});
  verb.add(flag_option("--as-gate", options->as_gate,
                       "both commits, with what is said of them, and the policy are those that steelyard gate takes in "
                       "this checkout, by the options of judging; others are refused, with status 1"));
  verb.add(
      text_option("--base", "COMMIT", options->gate.base, "with --as-gate: its baseline (default: the first parent)"));
  verb.add(repeated_option("--accept", "\"PATTERN REASON\"", options->gate.accepted,
                           "with --as-gate: as gate was given it"));
  verb.add(accepted_option(options->gate.accepted_file));
  add_key_options(verb, {{"store", "project", "policy", "gate"}, {"--against-history", "--history-branch"}});
  add_common_options(verb);
  return verb;
}

}  // namespace steelyard::ci
