#include "ci/judging/bisect.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <functional>
#include <limits>
#include <optional>
#include <system_error>
#include <utility>

#include "bench/model/sha256.hpp"
#include "bench/model/text.hpp"
#include "regress/ab/rules.hpp"
#include "regress/ab/steady_digits.hpp"
#include "storage/document/json.hpp"
#include "storage/place/files.hpp"

namespace steelyard::ci {

using regress::BisectionEnd;
using regress::ProbeAnswer;
using regress::ProbePurpose;

namespace {

constexpr std::string_view kKeptSchema = "steelyard.bisect_answers/1";
constexpr std::int64_t kMaxKeptBytes = std::int64_t{64} << 20;
constexpr int kMaxMerges = 8;  // within each other

// Of the change between the ends, in logarithms. A probe is changed from a third of it on where it is shown, and
// unchanged where it is shown to be less than half: a commit that lies between the ends, because there are two changes,
// then has one of them behind it. A check has to show a fifth, so that as many equal steps are named as one of them;
// what crept in by more is not one commit's doing.
constexpr double kMinOfProbe = 1.0 / 3;
constexpr double kMarginOfProbe = 1.0 / 2;
constexpr double kMinOfCheck = 1.0 / 5;
constexpr double kMinCountOfTime = 1.0 / 4;  // counts decide where they changed by as much of what time did

// As a relative change in the direction of `log_change`.
double relative(double log_change, double share) { return std::fabs(regress::steady_expm1(log_change * share)); }

bool is_measured(Verdict verdict) {
  return is_change(verdict) || verdict == Verdict::unchanged || verdict == Verdict::inconclusive;
}

// Not from zero, or to zero.
bool has_logarithm(const std::optional<double>& ratio) { return ratio && *ratio > 0 && std::isfinite(*ratio); }
double log_or_zero(const std::optional<double>& ratio) {
  return has_logarithm(ratio) ? regress::steady_log(*ratio) : 0;
}

// `sought`: the logarithm of the change between the ends; 0: not known yet, any change is one.
ProbeAnswer answer_of(const ComparisonRow& row, const ProbeQuestion& question, double sought) {
  if (!is_measured(row.verdict)) return ProbeAnswer::skipped;
  const double change = log_or_zero(row.ratio);
  const bool is_other_way = sought != 0 && change * sought < 0;
  if (question.witness == ProbeWitness::counts) {
    if (!has_logarithm(row.ratio)) return is_change(row.verdict) ? ProbeAnswer::changed : ProbeAnswer::unchanged;
    const bool is_enough = regress::is_relevant(*row.ratio, question.minimum_effect);
    return is_change(row.verdict) && is_enough && !is_other_way ? ProbeAnswer::changed : ProbeAnswer::unchanged;
  }
  if (is_change(row.verdict)) return is_other_way ? ProbeAnswer::unchanged : ProbeAnswer::changed;
  return row.verdict == Verdict::unchanged ? ProbeAnswer::unchanged : ProbeAnswer::cannot_tell;
}

BisectProbe probe_of(const ProbeQuestion& question) {
  return {question.purpose, question.witness, question.baseline, question.candidate, question.attempt};
}

bool answers(const BisectProbe& kept, const ProbeQuestion& question) {
  return kept.purpose == question.purpose && kept.witness == question.witness && kept.baseline == question.baseline &&
         kept.candidate == question.candidate && kept.attempt == question.attempt;
}

// A line of commits, and what a search along it came to.
struct LineSearch {
  std::vector<std::string> line;
  ProbeWitness witness = ProbeWitness::values;
  regress::BisectionConclusion conclusion;
  std::optional<BisectProbe> ends;
  std::optional<BisectProbe> check;
  std::optional<BisectProbe> check_count;

  bool is_named() const { return conclusion.end == BisectionEnd::found || conclusion.end == BisectionEnd::range; }
  const std::string& culprit() const { return line[conclusion.first_bad]; }
  const std::string& before() const { return line[conclusion.last_good]; }
};

class Search {
 public:
  Search(const BisectQuestion& question, const BisectWorld& world, KeptBisect& kept)
      : question_(question), world_(world), kept_(kept), builds_before_(kept.builds) {
    rules_.order_probes = question.order_probes;
  }

  Result<BisectReport> run() &&;

 private:
  // Lines within each other share the rate: a half for the outermost, a quarter for the next, ...; those that one merge
  // brought share its part.
  double rate_at(int depth) const { return std::ldexp(question_.rate, -(depth + 1)); }
  bool is_counted() const { return question_.metric.kind == MetricKind::counted; }
  Result<LineSearch> along(std::vector<std::string> line, double rate);
  Result<void> by(ProbeWitness witness, const BisectProbe& ends, LineSearch& search);
  Result<void> by_counts_first(LineSearch& search, double rate);
  Result<void> count_functions(LineSearch& search);
  Result<void> into_merges(LineSearch& search, BisectReport& report);
  Result<BisectProbe> ask(const ProbeQuestion& question, double sought, std::size_t left);
  ProbeQuestion question_of(const regress::BisectionProbe& probe, const LineSearch& search, ProbeWitness witness,
                            double sought) const;
  Result<std::vector<Commit>> describe(const std::vector<std::string>& line,
                                       const std::vector<std::size_t>& places) const;
  void tell_rest(const BisectProbe& all, const BisectProbe& part, BisectReport& report) const;

  const BisectQuestion& question_;
  const BisectWorld& world_;
  KeptBisect& kept_;
  std::int64_t builds_before_;
  regress::BisectionRules rules_;
  regress::BisectionLevels levels_;
};

Result<BisectProbe> Search::ask(const ProbeQuestion& question, double sought, std::size_t left) {
  for (const BisectProbe& kept : kept_.probes) {
    if (answers(kept, question)) return kept;
  }
  kept_.measuring = question.candidate;
  kept_.left = static_cast<std::int64_t>(left);
  kept_.end.clear();
  kept_.culprit.clear();
  STEELYARD_CHECK(kept_.write(question_));
  STEELYARD_TRY(const ProbeData data, world_.probe(question));
  BisectProbe probe = probe_of(question);
  probe.trouble = data.trouble;
  if (data.row) {
    const ComparisonRow& row = *data.row;
    probe.answer = answer_of(row, question, sought);
    probe.baseline_level = row.baseline;
    probe.candidate_level = row.candidate;
    probe.ratio = row.ratio;
    probe.interval = row.interval;
    probe.p = row.p;
    probe.rounds = row.rounds;
    probe.functions = row.functions;
    if (probe.answer == ProbeAnswer::skipped) probe.trouble = row.reason;
  }
  kept_.probes.push_back(probe);
  kept_.builds = builds_before_ + world_.builds();
  STEELYARD_CHECK(kept_.write(question_));
  if (world_.told) world_.told(probe, left);
  return probe;
}

ProbeQuestion Search::question_of(const regress::BisectionProbe& probe, const LineSearch& search, ProbeWitness witness,
                                  double sought) const {
  ProbeQuestion question{probe.purpose, witness, search.line[probe.baseline], search.line[probe.candidate],
                         probe.attempt};
  const bool is_check = probe.purpose == ProbePurpose::check;
  question.false_alarm_rate = is_check ? levels_.check : levels_.probe;
  // Of counts no change is too small to be looked for.
  question.minimum_effect = witness == ProbeWitness::counts ? 0 : question_.minimum_effect;
  question.margin = std::max(question_.minimum_effect, kDefaultMargin);
  if (sought == 0) return question;
  question.minimum_effect = relative(sought, is_check ? kMinOfCheck : kMinOfProbe);
  question.margin = relative(sought, kMarginOfProbe);
  return question;
}

// From ends that were measured on, by one witness.
Result<void> Search::by(ProbeWitness witness, const BisectProbe& ends, LineSearch& search) {
  regress::Bisection bisection(search.line.size(), rules_);
  const double sought = log_or_zero(ends.ratio);
  search.witness = witness;
  search.check.reset();
  search.check_count.reset();
  bisection.answer({ProbePurpose::ends, 0, search.line.size() - 1, 0}, ProbeAnswer::changed);
  regress::BisectionStep step = bisection.next();
  for (; step.probe; step = bisection.next()) {
    const ProbeQuestion question = question_of(*step.probe, search, witness, sought);
    STEELYARD_TRY(BisectProbe probe, ask(question, sought, bisection.open_commits()));
    bisection.answer(*step.probe, probe.answer);
    if (step.probe->purpose != ProbePurpose::check) continue;
    (witness == ProbeWitness::counts && !is_counted() ? search.check_count : search.check) = std::move(probe);
  }
  search.conclusion = step.conclusion;
  return {};
}

// Where counts changed as time did the commit is found by counts, which cost no rounds and do not err; whether it is
// the time's as well is then measured. Where it is not, where that cannot be told, or the counts do not tell, the
// search goes by time.
//
// No probe stands before that check, so it alone has to err as seldom as a search by time: half of that is for it, the
// other half for the search that may follow. Whether it is asked follows from counts, and is no chance.
Result<void> Search::by_counts_first(LineSearch& search, double rate) {
  const BisectProbe ends = *search.ends;
  const double sought = log_or_zero(ends.ratio);
  const std::size_t last = search.line.size() - 1;
  ProbeQuestion question = question_of({ProbePurpose::ends, 0, last, 0}, search, ProbeWitness::counts, 0);
  question.minimum_effect = relative(sought, kMinCountOfTime);
  STEELYARD_TRY(const BisectProbe counts, ask(question, sought, last));
  if (counts.answer == ProbeAnswer::changed && counts.ratio) {
    STEELYARD_CHECK(by(ProbeWitness::counts, counts, search));
    if (search.is_named()) {
      const regress::BisectionConclusion& found = search.conclusion;
      levels_.check = regress::kProbesShare * rate / 2 / rules_.attempts;
      for (int attempt = 0; attempt < rules_.attempts; ++attempt) {
        const regress::BisectionProbe check{ProbePurpose::check, found.last_good, found.first_bad, attempt};
        STEELYARD_TRY(search.check, ask(question_of(check, search, ProbeWitness::values, sought), sought, 1));
        if (search.check->answer != ProbeAnswer::cannot_tell) break;
      }
      if (search.check->answer == ProbeAnswer::changed) return {};
      levels_ = regress::bisection_levels(search.line.size(), rate / 2, rules_);
    }
  }
  return by(ProbeWitness::values, ends, search);
}

// What the commit's functions did, where the search went by time: counting is no part of its answer.
Result<void> Search::count_functions(LineSearch& search) {
  if (!question_.counts || is_counted() || search.check_count || !search.is_named()) return {};
  const regress::BisectionProbe check{ProbePurpose::check, search.conclusion.last_good, search.conclusion.first_bad, 0};
  STEELYARD_TRY(search.check_count,
                ask(question_of(check, search, ProbeWitness::counts, log_or_zero(search.ends->ratio)),
                    log_or_zero(search.ends->ratio), 1));
  return {};
}

// `rate`: of false checks along this line.
Result<LineSearch> Search::along(std::vector<std::string> line, double rate) {
  LineSearch search;
  search.line = std::move(line);
  levels_ = regress::bisection_levels(search.line.size(), rate, rules_);
  const ProbeWitness witness = is_counted() ? ProbeWitness::counts : ProbeWitness::values;
  regress::Bisection ends(search.line.size(), rules_);
  for (regress::BisectionStep step = ends.next(); step.probe && step.probe->purpose == ProbePurpose::ends;
       step = ends.next()) {
    const ProbeQuestion question = question_of(*step.probe, search, witness, 0);
    STEELYARD_TRY(search.ends, ask(question, 0, search.line.size() - 1));
    ends.answer(*step.probe, search.ends->answer);
  }
  if (search.ends->answer != ProbeAnswer::changed) {
    search.conclusion = ends.next().conclusion;
    return search;
  }
  if (!is_counted() && question_.counts) {
    STEELYARD_CHECK(by_counts_first(search, rate));
  } else {
    STEELYARD_CHECK(by(witness, *search.ends, search));
  }
  STEELYARD_CHECK(count_functions(search));
  return search;
}

// A merge that was found is opened: each line that it merged is searched from where that left the other.
Result<void> Search::into_merges(LineSearch& search, BisectReport& report) {
  for (int depth = 1; depth <= kMaxMerges && search.conclusion.end == BisectionEnd::found; ++depth) {
    STEELYARD_TRY(const std::vector<std::string> parents, world_.parents(search.culprit()));
    if (parents.size() < 2) return {};
    std::optional<LineSearch> inside;
    report.is_merge_itself = true;
    report.is_inside_unsure = false;
    for (std::size_t i = 1; i < parents.size() && !inside; ++i) {
      Result<std::vector<std::string>> merged = world_.line(parents.front(), parents[i]);
      if (!merged) {  // as it is too long: the merge is an answer all the same
        report.is_inside_unsure = true;
        continue;
      }
      std::vector<std::string> line = std::move(merged).value();
      if (line.size() < 2) continue;
      const auto lines = static_cast<double>(parents.size() - 1);
      STEELYARD_TRY(LineSearch found, along(std::move(line), rate_at(depth) / lines));
      if (found.is_named()) {
        inside = std::move(found);
      } else if (found.conclusion.end != BisectionEnd::ends_alike) {
        report.is_inside_unsure = true;
      }
    }
    if (!inside) return {};
    report.is_merge_itself = report.is_inside_unsure = false;
    STEELYARD_TRY(Commit merge, world_.describe(search.culprit()));
    report.merges.push_back(std::move(merge));
    search = std::move(*inside);
  }
  return {};
}

Result<std::vector<Commit>> Search::describe(const std::vector<std::string>& line,
                                             const std::vector<std::size_t>& places) const {
  constexpr std::size_t kMaxDescribed = 100;
  std::vector<Commit> commits;
  for (const std::size_t place : places) {
    if (commits.size() == kMaxDescribed) break;
    STEELYARD_TRY(Commit commit, world_.describe(line[place]));
    commits.push_back(std::move(commit));
  }
  return commits;
}

// What the whole change is over what was found. Their errors add up as those of independent measurements do: half
// widths of the intervals by their squares.
void Search::tell_rest(const BisectProbe& all, const BisectProbe& part, BisectReport& report) const {
  const bool is_exact = is_counted();
  if (!has_logarithm(all.ratio) || !has_logarithm(part.ratio)) return;
  const double rest = log_or_zero(all.ratio) - log_or_zero(part.ratio);
  const auto half = [](const BisectProbe& probe) {
    if (!probe.interval || !(probe.interval->low > 0)) return std::numeric_limits<double>::infinity();
    const double width = probe.interval->high / probe.interval->low;
    return has_logarithm(width) ? regress::steady_log(width) / 2 : std::numeric_limits<double>::infinity();
  };
  const double width = is_exact ? 0 : regress::steady_hypot(half(all), half(part));
  report.rest = regress::steady_exp(rest);
  if (std::isfinite(width)) {
    report.rest_interval = Interval{regress::steady_exp(rest - width), regress::steady_exp(rest + width)};
  }
  const double found = std::fabs(log_or_zero(part.ratio));
  const bool is_exactly_shown = is_exact && std::fabs(rest) >= found / 10;
  const bool is_large = report.rest_interval && regress::is_beyond(*report.rest_interval, question_.minimum_effect);
  if (is_exactly_shown || is_large) {
    report.others = OtherChanges::shown;
  } else if (std::fabs(rest) + width < found / 2) {
    report.others = OtherChanges::none;
  }
}

Result<BisectReport> Search::run() && {
  STEELYARD_TRY(std::vector<std::string> line, bisected_line(question_, world_.line));
  BisectReport report;
  report.benchmark = question_.benchmark;
  report.metric = question_.metric;
  report.commits = line.size() - 1;
  kept_.commits = static_cast<std::int64_t>(report.commits);
  STEELYARD_TRY(report.good, world_.describe(question_.good));
  STEELYARD_TRY(report.bad, world_.describe(question_.bad));
  STEELYARD_TRY(LineSearch found, along(std::move(line), rate_at(0)));
  const LineSearch outermost = found;
  STEELYARD_CHECK(into_merges(found, report));
  report.end = found.conclusion.end;
  report.witness = found.witness;
  report.ends = outermost.ends;
  report.check = found.check;
  report.check_count = found.check_count;
  STEELYARD_TRY(report.contrary, describe(outermost.line, outermost.conclusion.contrary));
  const bool is_told = found.is_named() || report.end == BisectionEnd::not_confirmed;
  if (is_told) {
    STEELYARD_TRY(report.culprit, world_.describe(found.culprit()));
    if (world_.author) report.author = world_.author(found.culprit());
    STEELYARD_TRY(report.before, world_.describe(found.before()));
    STEELYARD_TRY(report.range, describe(found.line, found.conclusion.between));
    report.range_size = found.conclusion.between.size();
    // Of the commit that is named, not of the merge by which it came: a merge may bring several changes.
    if (outermost.ends && found.check) tell_rest(*outermost.ends, *found.check, report);
  }
  if (!is_counted()) report.wrong_commit = regress::kProbesShare * question_.rate;
  report.probes = kept_.probes;
  report.builds = builds_before_ + world_.builds();
  kept_.measuring.clear();
  kept_.end = words_of(report.end)[static_cast<std::size_t>(report.end)];
  if (found.is_named()) {
    kept_.culprit = report.culprit->sha;
    kept_.left = static_cast<std::int64_t>(report.range_size) + 1;
  }
  STEELYARD_CHECK(kept_.write(question_));
  return report;
}

}  // namespace

std::string BisectQuestion::identity() const {
  Sha256 hash;
  for (const std::string& text : {std::string(kKeptSchema), repository, good, bad, benchmark, metric.name,
                                  build_command, programs, renames, std::string(counts ? "counts" : "values"),
                                  shortest_text(rate), shortest_text(minimum_effect), shortest_text(budget.count())}) {
    hash.add_text(text);
  }
  return hash.hex().substr(0, 16);
}

Result<void> KeptBisect::write(const BisectQuestion& question) const {
  if (file.empty()) return {};
  BisectSearch search{question.identity(),
                      question.repository,
                      question.good,
                      question.bad,
                      question.benchmark,
                      question.metric.name,
                      question.build_command,
                      commits,
                      left,
                      measuring,
                      end,
                      culprit,
                      builds};
  search.probes = probes;
  storage::JsonWriter object;
  object("schema", kKeptSchema);
  BisectSearch::fields(object, search);
  std::error_code trouble;
  std::filesystem::create_directories(file.parent_path(), trouble);
  return storage::write_file(file, object.text());
}

namespace {

Result<BisectSearch> read_search(const std::filesystem::path& file) {
  STEELYARD_TRY(const std::string text, storage::read_file(file, kMaxKeptBytes));
  STEELYARD_TRY(const storage::JsonDocument document, storage::JsonDocument::parse(text, file.string(), kKeptSchema));
  BisectSearch search;
  storage::JsonReader reader(document.root());
  BisectSearch::fields(reader, search);
  STEELYARD_CHECK(document.check());
  return search;
}

}  // namespace

Result<KeptBisect> read_kept_bisect(const std::filesystem::path& folder, const BisectQuestion& question) {
  KeptBisect kept{folder / (question.identity() + ".json")};
  std::error_code trouble;
  if (!std::filesystem::exists(kept.file, trouble)) return kept;
  STEELYARD_TRY(BisectSearch search, read_search(kept.file));
  kept.probes = std::move(search.probes);
  kept.builds = search.builds;
  return kept;
}

std::vector<std::string> kept_bisect_ids(const std::filesystem::path& folder) {
  constexpr std::size_t kMaxSearches = 10'000;
  std::error_code trouble;
  std::vector<std::pair<std::filesystem::file_time_type, std::filesystem::path>> files;
  for (std::filesystem::directory_iterator at(folder, trouble), end; !trouble && at != end; at.increment(trouble)) {
    std::error_code gone;
    const auto written = std::filesystem::last_write_time(at->path(), gone);
    if (!gone && at->path().extension() == ".json") files.emplace_back(written, at->path());
  }
  std::sort(files.begin(), files.end(), std::greater<>());
  files.resize(std::min(files.size(), kMaxSearches));
  std::vector<std::string> ids;
  for (const auto& [written, file] : files) ids.push_back(file.stem().string());
  return ids;
}

Result<BisectSearch> kept_bisect(const std::filesystem::path& folder, const std::string& id) {
  const std::filesystem::path file = folder / (id + ".json");
  STEELYARD_TRY(BisectSearch search, read_search(file));
  search.id = id;
  std::error_code gone;
  const auto written = std::chrono::file_clock::to_sys(std::filesystem::last_write_time(file, gone));
  if (!gone) {
    search.at_unix_ns = std::chrono::duration_cast<std::chrono::nanoseconds>(written.time_since_epoch()).count();
  }
  return search;
}

Result<std::vector<std::string>> bisected_line(const BisectQuestion& question, const LineOf& line_of) {
  if (question.good == question.bad) {
    return input_error("steelyard bisect", shown_sha(question.good) + " as both ends", "two commits",
                       "name one before the change and one after it");
  }
  STEELYARD_TRY(std::vector<std::string> line, line_of(question.good, question.bad));
  if (line.size() < 2) {
    return input_error("steelyard bisect", shown_sha(question.bad) + " is reached from " + shown_sha(question.good),
                       "a bad end that comes after the good one", "name the older commit first");
  }
  if (line.front() != question.good) {
    return input_error("steelyard bisect",
                       shown_sha(question.good) + " is not on the line of first parents of " + shown_sha(question.bad),
                       "a good end on it", "that line left what the good end has at " + shown_sha(line.front()));
  }
  return line;
}

Result<BisectReport> bisect(const BisectQuestion& question, const BisectWorld& world, KeptBisect& kept) {
  return Search(question, world, kept).run();
}

}  // namespace steelyard::ci
