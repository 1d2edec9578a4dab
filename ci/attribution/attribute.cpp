#include "ci/attribution/attribute.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <string_view>
#include <utility>

#include "bench/counting/count.hpp"
#include "bench/cuda/kernel_name.hpp"
#include "bench/model/text.hpp"
#include "ci/attribution/culprit.hpp"
#include "ci/attribution/own_source.hpp"
#include "ci/attribution/profile_difference.hpp"

namespace steelyard::ci {
namespace {

// A function below this part of the change explains nothing.
constexpr double kMinShare = 0.01;
// What is listed for its inclusive change alone must explain more than that: every caller of a culprit shows some.
constexpr double kMinInclusiveShare = 0.1;
constexpr std::size_t kMaxByInclusive = 2;

// Which sides' profiles say rightly where their instructions were spent.
struct KnownLines {
  bool of_baseline = true;
  bool of_candidate = true;
};

// One profile against another, with everything that is said of a function.
class ProfileAttribution {
 public:
  ProfileAttribution(const CountedProfile& baseline, const CountedProfile& candidate, const KnownLines& known,
                     const AttributionOptions& options)
      : options_(options), known_(known), difference_(subtract(baseline, candidate)) {
    if (known.of_baseline && known.of_candidate) {
      lines_ = subtract_lines(baseline, candidate, difference_, options.own_sources, options.pairs_trees);
    } else {
      lines_.changed.resize(difference_.functions.size());
    }
    if (difference_.total_change == 0) return;
    standings_ = call_structure(difference_);
    culprit_ = find_culprit(difference_, standings_, lines_, options.own_sources);
  }

  std::vector<FunctionChange> functions() const {
    const auto most = static_cast<std::size_t>(std::max(options_.max_functions, 0));
    std::vector<FunctionChange> result;
    if (difference_.total_change == 0 || most == 0) return result;
    if (culprit_) result.push_back(culprit_change());
    const std::vector<Entry> inclusive = by_inclusive();
    // Where there is room, the callers of the change have theirs.
    const std::size_t kept = most > 4 ? std::min(inclusive.size(), kMaxByInclusive) : 0;
    for (const Entry& entry : by_self()) {
      if (result.size() + kept >= most) break;
      result.push_back(change_of(entry));
    }
    for (const Entry& entry : inclusive) {
      const bool is_listed = std::any_of(result.begin(), result.end(), [&](const FunctionChange& change) {
        return change.inlined_into.empty() && change.name == shown(entry.function).name;
      });
      if (result.size() < most && !is_listed) result.push_back(change_of(entry));
    }
    return result;
  }

  // Names from a root to the function that explains most: the largest change of self cost in the direction of the whole
  // where that is most of it, else the culprit.
  std::vector<std::string> call_path() const {
    std::vector<std::string> names;
    if (difference_.total_change == 0) return names;
    std::optional<std::uint32_t> target;
    double largest = 0.5;
    for (std::uint32_t i = 0; i < difference_.functions.size(); ++i) {
      const double share = difference_.functions[i].self_change / difference_.total_change;
      if (share >= largest && standings_[i].reached_share >= largest) target = i, largest = share;
    }
    if (!target && culprit_) target = culprit_->function;
    if (!target) return names;
    for (const std::uint32_t i : from_benchmark(call_path_to(*target, difference_))) names.push_back(shown(i).name);
    const bool ends_in_piece = culprit_ && culprit_->piece && culprit_->function == *target;
    if (ends_in_piece) names.push_back(lines_.pieces[*culprit_->piece].origin);
    return names;
  }

 private:
  // What an iteration calls; what leads to the loop is entered once, and n iterations taken from 2n leave nothing of
  // it.
  bool is_called_in_loop(std::uint32_t function) const {
    const FunctionDifference& entry = difference_.functions[function];
    return entry.baseline.calls != 0 || entry.candidate.calls != 0;
  }

  // Without what leads to the benchmark: main, the library that runs it.
  std::vector<std::uint32_t> from_benchmark(std::vector<std::uint32_t> path) const {
    std::size_t outside = 0;
    while (outside < path.size() && !is_called_in_loop(path[outside])) ++outside;
    if (outside > 1) path.erase(path.begin(), path.begin() + static_cast<std::ptrdiff_t>(outside - 1));
    return path;
  }

  // A function, or a piece of one.
  struct Entry {
    std::uint32_t function = 0;
    std::optional<std::size_t> piece;
    double change = 0;  // what it is listed for
  };

  const ProfiledFunction& shown(std::uint32_t function) const { return *difference_.functions[function].shown; }

  FunctionChange culprit_change() const { return change_of({culprit_->function, culprit_->piece, culprit_->change}); }

  FunctionChange change_of(const Entry& entry) const {
    FunctionChange change = entry.piece ? piece_change(lines_.pieces[*entry.piece], entry.change)
                                        : function_change(entry.function, entry.change);
    change.share = entry.change / difference_.total_change;
    return change;
  }

  FunctionChange function_change(std::uint32_t index, double answered) const {
    const FunctionDifference& function = difference_.functions[index];
    FunctionChange change;
    change.name = function.shown->name;
    const SourcePlace& place = lines_.changed[index];
    change.file = place.file.empty() ? path_below(function.shown->file, options_.own_sources) : place.file;
    const bool is_line_known = function.is_in_candidate ? known_.of_candidate : known_.of_baseline;
    change.line = place.line > 0 ? place.line : is_line_known ? function.shown->line : 0;
    change.self_change = function.self_change;
    // Costs inside a cycle of calls arrive where it is entered; the one that spends them answers for its own.
    const bool is_inside = standings_[index].is_in_cycle && answered == standings_[index].leaving_change;
    change.inclusive_change = is_inside ? answered : function.inclusive_change;
    change.calls_change = function.calls_change;
    change.own_source = is_own_source(*function.shown, options_.own_sources);
    change.renamed_from = function.renamed_from;
    const double calls = function.baseline.calls;
    if (calls > 0 && function.candidate.calls > 0 && !is_inside) {
      change.from_calls = function.calls_change * function.baseline.inclusive / calls;
      change.from_cost_per_call = function.inclusive_change - *change.from_calls;
    }
    if (function.is_in_baseline != function.is_in_candidate) add_inlining(function, change);
    return change;
  }

  // A function that one side alone has may have been inlined on the other.
  void add_inlining(const FunctionDifference& function, FunctionChange& change) const {
    const InlinedPiece* host = nullptr;
    for (const InlinedPiece& piece : lines_.pieces) {
      const double cost = function.is_in_candidate ? piece.baseline : piece.candidate;
      if (cost <= 0 || without_clone(piece.origin) != without_clone(function.shown->name)) continue;
      if (!host || cost > (function.is_in_candidate ? host->baseline : host->candidate)) host = &piece;
    }
    if (host == nullptr) return;
    (function.is_in_candidate ? change.once_inlined_into : change.inlined_into) = shown(host->function).name;
  }

  FunctionChange piece_change(const InlinedPiece& piece, double change_of_all) const {
    FunctionChange change;
    change.name = piece.origin;
    change.file = piece.file;
    change.line = piece.line;
    change.self_change = change.inclusive_change = change_of_all;
    change.own_source = piece.own_source;
    change.inlined_into = shown(piece.function).name;
    return change;
  }

  // Largest first; a function before the pieces in it, which share its cost.
  std::vector<Entry> by_self() const {
    std::vector<Entry> entries;
    const auto explains = [&](double change) {
      return std::abs(change) >= kMinShare * std::abs(difference_.total_change);
    };
    for (std::uint32_t i = 0; i < difference_.functions.size(); ++i) {
      const double change = difference_.functions[i].self_change;
      const bool is_culprit = culprit_ && !culprit_->piece && culprit_->function == i;
      if (!is_culprit && explains(change)) entries.push_back({i, std::nullopt, change});
    }
    // What left one function for another is no change of what was inlined.
    std::map<std::string, double> origins;
    for (const InlinedPiece& piece : lines_.pieces) origins[piece.origin] += piece.change();
    for (std::size_t i = 0; i < lines_.pieces.size(); ++i) {
      const InlinedPiece& piece = lines_.pieces[i];
      const bool is_culprit = culprit_ && culprit_->piece && lines_.pieces[*culprit_->piece].origin == piece.origin;
      const bool is_new = !is_culprit && !is_reported_by_its_function(piece.origin) && explains(origins[piece.origin]);
      if (is_new && explains(piece.change())) entries.push_back({piece.function, i, piece.change()});
    }
    std::stable_sort(entries.begin(), entries.end(), [this](const Entry& a, const Entry& b) {
      if (std::abs(a.change) != std::abs(b.change)) return std::abs(a.change) > std::abs(b.change);
      return std::pair(a.piece.has_value(), shown(a.function).name) <
             std::pair(b.piece.has_value(), shown(b.function).name);
    });
    return entries;
  }

  // A function that one side calls and the other has inlined is told as that function.
  bool is_reported_by_its_function(const std::string& origin) const {
    return std::any_of(difference_.functions.begin(), difference_.functions.end(), [&](const FunctionDifference& f) {
      return f.is_in_baseline != f.is_in_candidate && without_clone(f.shown->name) == without_clone(origin);
    });
  }

  // Own functions whose callees changed, deepest first; without the roots, which answer for everything.
  std::vector<Entry> by_inclusive() const {
    std::vector<Entry> entries;
    for (std::uint32_t i = 0; i < difference_.functions.size(); ++i) {
      const FunctionDifference& function = difference_.functions[i];
      const double share = function.inclusive_change / difference_.total_change;
      const bool is_culprit = culprit_ && !culprit_->piece && culprit_->function == i;
      if (is_culprit || standings_[i].depth == 0 || !is_called_in_loop(i) || std::abs(share) < kMinInclusiveShare)
        continue;
      if (std::abs(function.self_change) >= kMinShare * std::abs(difference_.total_change)) continue;
      if (standings_[i].reached_share < kMinInclusiveShare) continue;
      if (is_own_source(*function.shown, options_.own_sources)) {
        entries.push_back({i, std::nullopt, function.inclusive_change});
      }
    }
    std::stable_sort(entries.begin(), entries.end(), [this](const Entry& a, const Entry& b) {
      if (std::abs(a.change) != std::abs(b.change)) return std::abs(a.change) > std::abs(b.change);
      return standings_[a.function].depth > standings_[b.function].depth;
    });
    return entries;
  }

  const AttributionOptions& options_;
  KnownLines known_;
  ProfileDifference difference_;
  LineDifference lines_;
  std::vector<FunctionStanding> standings_;
  std::optional<Culprit> culprit_;
};

std::map<std::string, const CountedProfile*> profiles_by_benchmark(const Run& run) {
  std::map<std::string, const CountedProfile*> profiles;
  for (const CountedProfile& profile : run.profiles) profiles.emplace(profile.benchmark.canonical(), &profile);
  return profiles;
}

const CountedProfile* find_profile(const std::map<std::string, const CountedProfile*>& profiles,
                                   const std::string& benchmark) {
  const auto found = profiles.find(benchmark);
  return found == profiles.end() ? nullptr : found->second;
}

// One profile is enough to know; without any the benchmark may have called it, and silence would be a claim.
bool may_call_a_dispatching_library(const CountedProfile* baseline, const CountedProfile* candidate) {
  if (!baseline && !candidate) return true;
  return (baseline && calls_a_dispatching_library(*baseline)) || (candidate && calls_a_dispatching_library(*candidate));
}

// What a changed count has to say for the time of its benchmark.
struct CountFinding {
  Verdict verdict = Verdict::unchanged;
  bool same_code = true;  // as ran natively
  std::vector<FunctionChange> functions;
  std::vector<std::string> call_path;
};

constexpr std::size_t kMaxKernels = 1000;  // of one benchmark: a graph of more is no kernel's name's business

std::vector<std::string> split_names(std::string_view list) {
  std::vector<std::string> names;
  int depth = 0;
  std::size_t begin = 0;
  for (std::size_t i = 0; i <= list.size() && names.size() < kMaxKernels; ++i) {
    const char c = i < list.size() ? list[i] : ',';
    if (c == '<' || c == '(') ++depth;
    if ((c == '>' || c == ')') && depth > 0) --depth;
    const bool separates = i == list.size() || (c == ',' && depth == 0);
    if (!separates) continue;
    const std::string_view name = trimmed(list.substr(begin, i - begin));
    if (!name.empty()) names.emplace_back(name);
    begin = i + 1;
  }
  return names;
}

KernelChanges changes_by_benchmark(const Run& baseline, const Run& candidate) {
  KernelChanges changes;
  for (const auto& [benchmark, label] : candidate.labels) {
    const auto before = baseline.labels.find(benchmark);
    if (before == baseline.labels.end()) continue;
    const std::vector<std::string> was = kernels_of_label(before->second);
    const std::vector<std::string> is = kernels_of_label(label);
    if (was.empty() || is.empty()) continue;
    std::vector<std::string> found = bench::kernel_changes(was, is);
    if (!found.empty()) changes.emplace(benchmark, std::move(found));
  }
  return changes;
}

bool was_judged(const ComparisonRow& row) {
  return is_change(row.verdict) || row.verdict == Verdict::unchanged || row.verdict == Verdict::inconclusive;
}

}  // namespace

std::vector<std::string> kernels_of_label(std::string_view label) {
  while (!label.empty()) {
    const std::size_t end = std::min(label.find(';'), label.size());
    const std::string_view part = trimmed(label.substr(0, end));
    if (part.starts_with(kKernelsWord)) return split_names(part.substr(kKernelsWord.size()));
    label.remove_prefix(std::min(end + 1, label.size()));
  }
  return {};
}

KernelChanges annotate_changed_kernels(Comparison& comparison, const Run& baseline, const Run& candidate) {
  KernelChanges changes = changes_by_benchmark(baseline, candidate);
  for (ComparisonRow& row : comparison.rows) {
    const auto change = changes.find(row.benchmark);
    if (change != changes.end() && was_judged(row)) row.kernel_changes = change->second;
  }
  return changes;
}

Attribution attribute(Comparison& comparison, const Run& baseline, const Run& candidate,
                      const AttributionOptions& options) {
  const bool is_other = bench::counted_other_code(baseline) || bench::counted_other_code(candidate);
  const auto baseline_profiles = profiles_by_benchmark(baseline);
  const auto candidate_profiles = profiles_by_benchmark(candidate);
  // Benchmarks whose instructions changed. The profiles count instructions; of another counted metric (bytes allocated)
  // they could name functions that have nothing to do with it.
  std::map<std::string, CountFinding> findings;
  KnownLines known;
  if (!options.trust_shifted_lines) known = {!bench::has_shifted_lines(baseline), !bench::has_shifted_lines(candidate)};
  for (ComparisonRow& row : comparison.rows) {
    if (row.metric.name != kInstructions) continue;
    const CountedProfile* a = find_profile(baseline_profiles, row.benchmark);
    const CountedProfile* b = find_profile(candidate_profiles, row.benchmark);
    const bool same_code = !is_other || !may_call_a_dispatching_library(a, b);
    if (!same_code) row.notes.add(RowNote::other_dispatch);
    if (!is_change(row.verdict) || !a || !b) continue;
    const ProfileAttribution attribution(*a, *b, known, options);
    row.functions = attribution.functions();
    row.call_path = attribution.call_path();
    findings[row.benchmark] = {row.verdict, same_code, row.functions, row.call_path};
  }
  // Fewer instructions do not explain more time, nor does code that the time was not spent in.
  for (ComparisonRow& row : comparison.rows) {
    if (!is_change(row.verdict) || row.metric.kind != MetricKind::noisy) continue;
    const auto found = findings.find(row.benchmark);
    if (found == findings.end() || !found->second.same_code || found->second.verdict != row.verdict) continue;
    row.functions = found->second.functions;
    row.call_path = found->second.call_path;
  }
  Attribution found;
  if (!findings.empty()) found.without_lines = {!known.of_baseline, !known.of_candidate};
  found.kernel_changes = annotate_changed_kernels(comparison, baseline, candidate);
  return found;
}

namespace {

bool contains(const std::string& text, std::string_view part) { return text.find(part) != std::string::npos; }

}  // namespace

bool calls_a_dispatching_library(const CountedProfile& profile) {
  return std::any_of(profile.functions.begin(), profile.functions.end(), [](const ProfiledFunction& function) {
    // Linked statically its object is the program; the names of its interface remain.
    return contains(function.object, "openblas") || contains(function.name, "openblas") ||
           contains(function.name, "cblas_");
  });
}

}  // namespace steelyard::ci
