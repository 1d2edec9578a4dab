// What one archive holds: measurements, counted profiles, the environment, the commit, and what failed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "bench/model/counted_profile.hpp"
#include "bench/model/environment.hpp"
#include "bench/model/fields.hpp"
#include "bench/model/measurement.hpp"

namespace steelyard {

// How the two sides of a comparison were laid out in time (docs/reference/verdicts.md, "Layout").
enum class Layout {
  interleaved,  // the sides' invocations alternate
  duet,         // both sides at once, one a core, cores swapped
  sequential,   // all of one side, then all of the other
  separate,     // on different occasions
};
inline constexpr bool is_concurrent(Layout layout) { return layout == Layout::interleaved || layout == Layout::duet; }
std::string_view to_text(Layout layout);
std::span<const std::string_view> words_of(Layout);
std::optional<Layout> parse_layout(std::string_view text);

struct Commit {
  std::string sha;     // full; empty: not under version control
  std::string parent;  // first parent; empty: none or unknown
  std::string branch;
  std::string subject;  // first line of the message
  std::int64_t committed_at_unix_s = 0;
  bool dirty = false;  // the work tree differed from sha
  bool operator==(const Commit&) const = default;

  // `own`: what the hash is called among the fields of what the commit is a part of.
  static void fields(auto& visit, auto& self, const char* own = "sha") {
    visit(own, self.sha, {.null = Null::written});
    visit("parent", self.parent, {.null = Null::written});
    visit("branch", self.branch, {.null = Null::written});
    visit("subject", self.subject, {.null = Null::written});
    visit("committed_at_unix_s", self.committed_at_unix_s, {.null = Null::accepted, .low = kAnyTime.low});
    visit("dirty", self.dirty);
  }
};

// Name and version of this program, as the header of a run that it measured has it: "steelyard 0.1.0".
extern const char* const kToolName;

struct RunHeader {
  std::string id;  // hash of the run's content (see storage/archive); empty until sealed
  std::int64_t created_at_unix_ns = 0;
  std::string tool;  // "steelyard 0.1.0", "google-benchmark", ...
  std::string project;
  std::string program;  // what was run, as the user named it
  Commit commit;
  std::string session;  // runs measured together share it; empty: alone
  Layout layout = Layout::separate;
  std::uint64_t seed = 0;
  // How it was taken ("repetitions", "min_time", "rounds_planned", "counting", ...), for people and for replay.
  std::map<std::string, std::string> settings;
  bool operator==(const RunHeader&) const = default;

  static void fields(auto& visit, auto& self) {
    visit("id", self.id, {.null = Null::written, .column = "run"});
    visit("created_at_unix_ns", self.created_at_unix_ns, kAnyTime);
    visit("tool", self.tool);
    visit("project", self.project);
    visit("program", self.program);
    Commit::fields(visit, self.commit, "commit");
    visit("session", self.session, {.null = Null::written});
    visit("layout", self.layout);
    visit("seed", self.seed);
    visit("settings", self.settings, {.column = "setting"});
  }
};

// A label with the word "steelyard_item:HASH" names the input that was measured (bench/harness/fuzz).
inline constexpr std::string_view kItemWord = "steelyard_item:";
// The word before how many elements the tensors of that input have together: "elements:186325".
inline constexpr std::string_view kElementsWord = "elements:";
// The word before what a benchmark of a device launched, in its label: "kernels: NAME, NAME".
inline constexpr std::string_view kKernelsWord = "kernels:";

// The setting of a run that was made of other tools' files: of how many.
inline constexpr const char* kImportedFilesSetting = "imported_files";
// The setting of both runs of a measurement that looks at its data: the plan (regress/ab/sequential.hpp). Runs without
// it were measured with a fixed number of rounds.
inline constexpr std::string_view kLooksSetting = "looks";
inline constexpr int kMaxRoundsAsked = 10000;  // for a run, or by a plan of looks

// Why a measurement ended before it had all rounds that were planned.
enum class Stop { none, budget_spent, interrupted };
std::span<const std::string_view> words_of(Stop);  // "none", "budget spent", "interrupted"
// Kept among the settings as "stopped", its word, and "stopped_after_rounds". Nothing for Stop::none.
void keep_stop(Stop stop, int rounds, std::map<std::string, std::string>& settings);
Stop stop_of(const RunHeader& header);

// Benchmarks, canonical, that counting had shown to be equal in both builds before they were timed, so that the first
// look was their last: kept among the settings as "timing.first_look_only", one a line. Nothing where there are none.
void keep_first_look_only(const std::set<std::string>& benchmarks, std::map<std::string, std::string>& settings);
bool is_first_look_only(const RunHeader& header, std::string_view benchmark);

// The layouts of its code that a side was measured in: the same code linked in other orders, a layout a pair of rounds
// (docs/method/code_layout.md). A side that was not relinked has one, as it was built, and says nothing.
inline constexpr std::size_t kMaxCodeLayouts = 32;
// Kept among the settings: "code_layout_rounds", the layout of each round by number from 0, and by which seed each was
// linked, "code_layout_seeds" ("code_layout_seeds.SUITE" of one of several programs). Nothing where there are no seeds.
void keep_code_layouts(const std::vector<std::uint64_t>& seeds, const std::vector<std::int32_t>& of_round,
                       const std::string& suite, std::map<std::string, std::string>& settings);
// Of each round; empty: one layout, or a setting that cannot be read.
std::vector<std::int32_t> code_layouts_of(const RunHeader& header);

// "several_threads": "interleaved" in a duet, where benchmarks of several threads were measured in turns all the same.
inline constexpr std::string_view kSeveralThreadsSetting = "several_threads";

// What became of something that should have been measured.
enum class FailureKind {
  failed,          // a crash, a time-out, output that is no result
  not_reached,     // never tried: the budget was spent, or somebody interrupted: the data cannot tell, nobody failed
  bad_record,      // a record of an imported file that could not be used: the file's failure, not the program's
  skipped,         // the benchmark left itself out in words (SkipWithMessage): no failure of the program either
  reported_error,  // the same, called an error (SkipWithError): until 1.7 Google Benchmark has no other way
};

// "failed", "not reached", "bad record", "skipped", "skipped with an error"
std::string_view to_text(FailureKind kind);
std::span<const std::string_view> words_of(FailureKind);

// Whether the benchmark left itself out, in words or with an error.
inline constexpr bool is_skip(FailureKind kind) {
  return kind == FailureKind::skipped || kind == FailureKind::reported_error;
}

// Before the words of an error by which a harness of ours says that the benchmark went wrong (a wrong answer, an
// exception) and did not leave itself out: FailureKind::failed.
inline constexpr std::string_view kBrokenBenchmark = "broken benchmark: ";

// Something that should have been measured and was not.
struct Failure {
  BenchmarkId benchmark;    // name empty: the program as a whole, all of this suite
  std::string metric;       // empty: all of them
  std::int32_t round = -1;  // -1: not tied to a round
  // What was said of it: by a skip its benchmark's words, empty where it gave none; of what failed with the child's
  // last line of stderr where there is one.
  std::string said;
  FailureKind kind = FailureKind::failed;
  bool operator==(const Failure&) const = default;
};

// Its kind and what was said, for a report: "not reached: the budget of 10 s was spent", "the benchmark was skipped: no
// device here". Of FailureKind::failed what was said alone.
std::string to_text(const Failure& failure);

struct Run {
  RunHeader header;
  Environment environment;
  std::vector<Invocation> invocations;
  std::vector<Measurement> measurements;
  std::vector<CountedProfile> profiles;
  std::vector<Failure> failures;
  // What each benchmark says of itself (Google Benchmark's SetLabel), verbatim, by canonical text. Where repetitions
  // or processes say different things, the first.
  std::map<std::string, std::string> labels;
  bool operator==(const Run&) const = default;
};

// How many of a run's processes were disturbed, by what, and whether they count: for the one line in a report.

struct DisturbanceSummary {
  std::size_t invocations = 0;                  // of all that were taken
  std::size_t disturbed = 0;                    // of these
  std::size_t excluded = 0;                     // of the disturbed: the other taking of their round counts
  std::map<std::string, std::size_t> by_cause;  // one invocation may have several
};

// Of the runs together, as the two sides of a comparison.
DisturbanceSummary summarize_disturbances(std::span<const Run* const> runs);

// "12 of 48 processes were disturbed (8 by steal time, 4 by involuntary switches): 10 are excluded, as their
// rounds were measured again; 2 are used"; empty where none was.
std::string to_text(const DisturbanceSummary& summary);

// Of the runs together, how much of their cores' time others had while processes were pinned to them, in the middle of
// the time measured: the median over processes, each weighted by its duration, so that a burst of other work does not
// decide. 0 to 1; of each process a tick of the kernel's accounting less than was seen, which our own watching and the
// grain of the accounting may be. Processes that do not count are no part of it; absent where fewer than four tell.
std::optional<double> other_work_share(std::span<const Run* const> runs);
// Above it the machine was busy throughout. On two cores it was 0 with nothing beside a duet, 0.29 to 0.39 with one or
// two busy loops, and 0 in turns with one loop, which then has a core of its own (AMD EPYC, 29 November 2026).
inline constexpr double kBusyMachine = 0.1;

}  // namespace steelyard
