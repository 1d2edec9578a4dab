#include <optional>
#include <ostream>
#include <system_error>

#include "ci/app/keeping.hpp"
#include "ci/app/messages.hpp"
#include "ci/app/settings.hpp"
#include "ci/app/sides.hpp"
#include "ci/report/verification_report.hpp"
#include "ci/verbs/find_comparison.hpp"
#include "ci/verbs/find_runs.hpp"
#include "ci/verbs/verbs.hpp"
#include "storage/archive/archive.hpp"
#include "storage/comparison/comparison_document.hpp"

namespace steelyard {
namespace {

constexpr std::string_view kComparisonPrefix = "comparison:";
constexpr const char* kComparisonFile = "comparison.json";
constexpr std::string_view kHistoryRules = "history-";

struct KeptComparison {
  Comparison comparison;
  std::filesystem::path folder;  // empty: it came from the store
};

// The store is opened once, and only where something asks for it.
class LazyStore {
 public:
  LazyStore(const Configuration& configuration, const CommonOptions& common, Streams& streams)
      : configuration_(configuration), common_(common), streams_(streams) {}

  // What the store does not give may lie in the state folder.
  Result<Comparison> comparison(const std::string& id) {
    Result<Comparison> stored = comparison_in_store(id);
    if (stored) return stored;
    if (std::optional<Comparison> found = find_comparison_by_id(id, state_folder())) return std::move(*found);
    return stored;
  }
  Result<Run> run(const std::string& id) {
    STEELYARD_CHECK(open());
    return store_->get_run(id);
  }

 private:
  Result<Comparison> comparison_in_store(const std::string& id) {
    STEELYARD_CHECK(open());
    return store_->get_comparison(id);
  }
  Result<void> open() {
    if (store_) return {};
    STEELYARD_TRY(Store store, open_store(configuration_, common_, streams_));
    store_.emplace(std::move(store));
    return {};
  }

  const Configuration& configuration_;
  const CommonOptions& common_;
  Streams& streams_;
  std::optional<Store> store_;
};

Result<KeptComparison> load_kept(const std::string& name, LazyStore& store) {
  if (name.starts_with(kComparisonPrefix)) {
    STEELYARD_TRY(Comparison comparison, store.comparison(name.substr(kComparisonPrefix.size())));
    return KeptComparison{std::move(comparison), {}};
  }
  std::error_code ignored;
  const std::filesystem::path path(name);
  const bool is_folder = std::filesystem::is_directory(path, ignored);
  const std::filesystem::path file = is_folder ? path / kComparisonFile : path;
  if (!std::filesystem::exists(file, ignored)) {
    return input_error(file.string(), "no such file",
                       "a comparison as --json or --archive-dir writes it, a folder with one, or comparison:ID");
  }
  STEELYARD_TRY(Comparison comparison, read_comparison(file));
  return KeptComparison{std::move(comparison), is_folder ? path : std::filesystem::absolute(file).parent_path()};
}

struct FoundSides {
  FoundRun baseline;
  FoundRun candidate;
};

// The sides that the user names. That they are the comparison's is seen by their content.
Result<FoundSides> named_sides(const VerifyOptions& options, const Configuration& configuration, Streams& streams) {
  STEELYARD_TRY(Sides sides, load_sides(options.baseline, options.candidate, configuration, options.common, streams));
  for (Run* run : {&sides.baseline, &sides.candidate}) {
    if (run->header.id.empty()) seal(*run);
  }
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
    const RunSearch search{kept.folder, state_folder(), [&store](const std::string& id) { return store.run(id); }};
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

void hold_against(const Comparison& kept, const FoundSides& sides, Verification& verification) {
  verification.baseline_place = sides.baseline.place;
  verification.candidate_place = sides.candidate.place;
  verification.why = other_input(kept, sides);
  if (!verification.why.empty()) {
    verification.outcome = VerificationOutcome::differs;
    return;
  }
  verification.replay = replay(kept, sides.baseline.run, sides.candidate.run);
  const Replay& replayed = verification.replay;
  if (replayed.differences.empty()) {
    verification.outcome = VerificationOutcome::verified;
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

ExitCode exit_code_of(VerificationOutcome outcome) {
  if (outcome == VerificationOutcome::verified) return ExitCode::success;
  return outcome == VerificationOutcome::differs ? ExitCode::regression : ExitCode::not_judged;
}

}  // namespace

ExitCode do_verify(const VerifyOptions& options, Streams& streams) {
  const Result<Configuration> configuration = effective_configuration(options.common);
  if (!configuration) return report_error(configuration.error(), streams);
  LazyStore store(*configuration, options.common, streams);
  const Result<KeptComparison> kept = load_kept(options.comparison, store);
  if (!kept) return report_error(kept.error(), streams);
  Verification verification;
  verification.comparison = options.comparison;
  verification.rule_version = kept->comparison.rule_version;
  verification.baseline_run = kept->comparison.baseline.id;
  verification.candidate_run = kept->comparison.candidate.id;
  const bool are_named = !options.baseline.empty();
  const Result<FoundSides> sides = are_named ? named_sides(options, *configuration, streams) : kept_sides(*kept, store);
  if (sides) {
    hold_against(kept->comparison, *sides, verification);
  } else if (are_named) {
    return report_error(sides.error(), streams);
  } else {
    verification.why = sides.error().text();
  }
  streams.out << (options.common.json
                      ? json_verification(verification)
                      : terminal_verification(verification, terminal_style(streams, options.common.color)))
              << std::flush;
  return exit_code_of(verification.outcome);
}

}  // namespace steelyard
