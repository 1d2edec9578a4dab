#include "ci/report/bisect.hpp"

#include <algorithm>
#include <array>
#include <sstream>
#include <utility>

#include "bench/model/benchmark_id.hpp"
#include "bench/model/number_text.hpp"
#include "bench/model/text.hpp"
#include "ci/report/function_lines.hpp"
#include "ci/report/markup.hpp"
#include "storage/document/json.hpp"

namespace steelyard::ci {

using regress::BisectionEnd;
using regress::ProbeAnswer;

std::span<const std::string_view> words_of(ProbeWitness) {
  static constexpr std::array<std::string_view, 2> kWords{"values", "counts"};
  return kWords;
}

std::span<const std::string_view> words_of(OtherChanges) {
  static constexpr std::array<std::string_view, 3> kWords{"none", "possible", "shown"};
  return kWords;
}

namespace {

constexpr std::size_t kMaxCommitsNamed = 8;  // commits in one line
constexpr std::size_t kMaxFunctions = 6;

std::string metric_text(const std::string& name) { return name == kRealTime ? "time" : name; }

// "1a2b3c4d5, 2b3c4d5e6 and 3 more".
std::string names_of(const std::vector<Commit>& commits, std::size_t all) {
  std::string text;
  for (std::size_t i = 0; i < std::min(commits.size(), kMaxCommitsNamed); ++i) {
    text += (i == 0 ? "" : ", ") + shown_sha(commits[i].sha);
  }
  if (all > kMaxCommitsNamed) text += " and " + std::to_string(all - kMaxCommitsNamed) + " more";
  return text;
}

std::string titled(const Commit& commit) { return shown_sha(commit.sha) + "  " + commit.subject; }

// What a person reads below a headline, with its name before the first line.
class Lines {
 public:
  explicit Lines(const TerminalStyle& style) : style_(style) {}

  void add(const std::string& name, const std::string& text) {
    constexpr std::size_t kColumn = 11;
    const auto width = style_.columns(static_cast<int>(kColumn));
    bool is_first = true;
    for (const std::string& line : wrapped(printable(text, style_.unicode), width)) {
      text_ += padded(is_first ? name : "", kColumn) + line + '\n';
      is_first = false;
    }
  }
  void add_as_it_is(const std::string& text) { text_ += text; }
  std::string text() && { return std::move(text_); }

 private:
  const TerminalStyle& style_;
  std::string text_;
};

std::string headline(const BisectReport& report) {
  const std::string what = metric_text(report.metric.name) + " of " + name_as_given(report.benchmark);
  switch (report.end) {
    case BisectionEnd::found:
      return report.is_merge_itself && !report.is_inside_unsure
                 ? "the merge itself changed " + what + ": no commit that it merged shows the change"
                 : "this commit changed " + what;
    case BisectionEnd::range:
      return std::to_string(report.range_size + 1) + " commits can be the one that changed " + what;
    case BisectionEnd::not_confirmed:
      return "no single commit was found that changed " + what;
    case BisectionEnd::ends_alike:
      return what + " did not change between the ends";
    case BisectionEnd::ends_cannot_tell:
      return "whether " + what + " changed between the ends cannot be told";
    case BisectionEnd::ends_skipped:
      return what + " cannot be measured at both ends";
  }
  return what;
}

void add_culprit(const BisectReport& report, Lines& lines) {
  if (!report.culprit) return;
  const bool is_range = report.end == BisectionEnd::range;
  lines.add(is_range ? "at last" : "commit", titled(*report.culprit));
  std::string who = report.author.empty() ? "" : "by " + report.author;
  if (report.culprit->committed_at_unix_s != 0) {
    who += (who.empty() ? "" : ", ") + date_text(report.culprit->committed_at_unix_s);
  }
  if (!who.empty()) lines.add("", who);
  for (const Commit& merge : report.merges) lines.add("merged by", titled(merge));
  if (report.before) lines.add("behind", titled(*report.before));
  if (is_range) {
    lines.add("or", names_of(report.range, report.range_size) + ", which could not be measured or told");
  }
}

void add_check(const BisectReport& report, Lines& lines, const TerminalStyle& style) {
  const std::string beside = report.before ? "against " + shown_sha(report.before->sha) : "";
  if (report.check) lines.add("effect", probe_text(*report.check, report.metric) + ", " + beside);
  if (report.check_count && report.check_count->ratio) {
    lines.add(report.check ? "" : "effect",
              probe_text(*report.check_count, *well_known_metric(kInstructions)) + ", " + beside);
  }
  const std::optional<BisectProbe>& count = report.check_count ? report.check_count : report.check;
  if (!count || count->functions.empty()) return;
  std::vector<std::vector<std::string>> rows{{"", "self", "incl.", ""}};
  std::vector<FunctionChange> shown(
      count->functions.begin(),
      count->functions.begin() + static_cast<std::ptrdiff_t>(std::min(count->functions.size(), kMaxFunctions)));
  for (const FunctionLine& line : function_lines(shown, count->baseline_level.value_or(0))) {
    rows.push_back({printable_line(line.name, style.unicode), line.self, line.inclusive,
                    printable_line(line.place, style.unicode)});
  }
  lines.add_as_it_is(aligned_rows(rows, {Align::left, Align::right, Align::right, Align::left}, "             "));
}

// What searches the commits before the one that was found, and those behind it. Of one that a merge brought neither end
// is on its line.
void add_both_sides(const BisectReport& report, Lines& lines) {
  if (!report.culprit || !report.before || !report.merges.empty()) return;
  for (const auto& [good, bad] : {std::pair(&report.good, &*report.before), std::pair(&*report.culprit, &report.bad)}) {
    if (good->sha == bad->sha) continue;
    lines.add("", bisect_command({good->sha, bad->sha, report.benchmark, report.metric.name}));
  }
}

void add_others(const BisectReport& report, Lines& lines) {
  if (!report.contrary.empty()) {
    lines.add("not once", "there and back: " + names_of(report.contrary, report.contrary.size()) +
                              " lie on the other side of it, so there is more than one change");
  }
  if (!report.rest || !report.check) return;
  const std::string rest = change_text(*report.rest) +
                           (report.rest_interval ? " (" + range_text(*report.rest_interval, *report.rest) + ')' : "");
  switch (report.others) {
    case OtherChanges::none:
      lines.add("others", "what is left over of the whole change is " + rest +
                              ": no other change of half the size, unless two that cancel each other");
      break;
    case OtherChanges::possible:
      lines.add("others", "another change is possible: what is left over of the whole change is " + rest);
      break;
    case OtherChanges::shown:
      lines.add("others", "this is not all: what is left over of the whole change is " + rest +
                              "; search again on both sides of the commit");
      add_both_sides(report, lines);
      break;
  }
}

void add_search(const BisectReport& report, Lines& lines) {
  lines.add("between", titled(report.good));
  lines.add("and", titled(report.bad));
  const auto measured = static_cast<std::int64_t>(report.probes.size());
  std::string text;
  if (report.ends && report.ends->ratio) text = probe_text(*report.ends, report.metric) + "; ";
  if (report.ends && !report.ends->trouble.empty()) text = report.ends->trouble + "; ";
  lines.add("", text + plural_text(report.commits, "commit") + ", " + plural_text(measured, "comparison") + ", " +
                    plural_text(report.builds, "build"));
  std::vector<std::string> skipped;
  for (const BisectProbe& probe : report.probes) {
    const bool is_search =
        probe.purpose == regress::ProbePurpose::search || probe.purpose == regress::ProbePurpose::order;
    if (probe.answer != ProbeAnswer::skipped || !is_search) continue;
    skipped.push_back(shown_sha(probe.candidate) + " (" + trouble_text(probe.trouble) + ')');
  }
  for (std::size_t i = 0; i < std::min(skipped.size(), kMaxCommitsNamed); ++i) {
    lines.add(i == 0 ? "skipped" : "", skipped[i]);
  }
  if (skipped.size() > kMaxCommitsNamed)
    lines.add("", "and " + std::to_string(skipped.size() - kMaxCommitsNamed) + " more");
}

std::string certainty(const BisectReport& report) {
  if (report.end != BisectionEnd::found && report.end != BisectionEnd::range) return "";
  if (report.metric.kind == MetricKind::counted) return "counts are exact: nothing of this is chance";
  const std::string chance =
      "the chance that a commit is named which changes nothing is at most " + share_text(report.wrong_commit);
  if (report.witness == ProbeWitness::values) return chance;
  return "found by counts of instructions, which are exact; the time of this commit was then measured against the one "
         "before; " +
         chance;
}

std::string advice(const BisectReport& report) {
  if (report.is_inside_unsure) return "what the merge brought in could not be told apart: measure longer, --budget 5m";
  switch (report.end) {
    case BisectionEnd::not_confirmed:
      return "the two commits do not differ, or too little to tell: many small steps, or a change of the code's "
             "layout; "
             "steelyard changes shows the series";
    case BisectionEnd::ends_cannot_tell:
      return "measure longer: --budget 5m; or name ends further apart";
    case BisectionEnd::found:
    case BisectionEnd::range:
    case BisectionEnd::ends_alike:
    case BisectionEnd::ends_skipped:
      break;
  }
  return "";
}

storage::JsonWriter commit_object(const Commit& commit) {
  storage::JsonWriter object;
  object("sha", std::string_view(commit.sha));
  object("subject", std::string_view(commit.subject), {.null = Null::written});
  object("committed_at_unix_s", commit.committed_at_unix_s);
  return object;
}

void add_commit(const char* name, const std::optional<Commit>& commit, storage::JsonWriter& json) {
  commit ? json.add(name, commit_object(*commit)) : json.add_null(name);
}

void add_commits(const char* name, const std::vector<Commit>& commits, storage::JsonWriter& json) {
  std::vector<storage::JsonWriter> objects;
  for (const Commit& commit : commits) objects.push_back(commit_object(commit));
  json.add(name, std::move(objects));
}

}  // namespace

bool can_be_bisected(const std::string& metric) {
  static constexpr std::array<std::string_view, 5> kMeasured{kRealTime, "cpu_time", kInstructions, "allocations",
                                                             "bytes_allocated"};
  return std::find(kMeasured.begin(), kMeasured.end(), metric) != kMeasured.end();
}

std::string bisect_command(const BisectRange& range) {
  if (range.good.empty() || range.bad.empty() || !can_be_bisected(range.metric)) return "";
  return "steelyard bisect " + shown_id(range.good) + ' ' + shown_id(range.bad) + ' ' +
         in_shell_quotes(name_as_given(range.benchmark)) +
         (range.metric == kRealTime ? "" : " --metric " + range.metric);
}

std::string trouble_text(const std::string& trouble) {
  constexpr std::size_t kLongestTold = 200;
  std::istringstream lines(trouble);
  std::string text;
  std::getline(lines, text);
  std::string told;
  for (std::string line; told.find("error:") == std::string::npos && std::getline(lines, line);) {
    const std::size_t begin = line.find_first_not_of(" \t\r");
    if (begin != std::string::npos) told = line.substr(begin);
  }
  return told.empty() ? text : text + ' ' + cut_at_bytes(told, kLongestTold);
}

std::string probe_text(const BisectProbe& probe, const Metric& metric) {
  const bool counts = probe.witness == ProbeWitness::counts;
  const std::string name =
      counts && metric.kind != MetricKind::counted ? std::string(kInstructions) : metric_text(metric.name);
  if (!probe.ratio && (!probe.baseline_level || !probe.candidate_level)) return name + " without a ratio";
  std::string text = name + ' ';
  if (probe.ratio) {
    text += change_text(*probe.ratio);
  } else {
    text += "from " + shortest_text(*probe.baseline_level) + " to " + shortest_text(*probe.candidate_level);
  }
  if (counts) return text + ", exactly";
  if (probe.interval) text += " (" + range_text(*probe.interval, probe.ratio.value_or(1)) + ')';
  if (probe.p) text += ", p " + p_value_text(*probe.p);
  return text + ", " + plural_text(probe.rounds, "round");
}

std::string progress_text(const BisectProbe& probe, const Metric& metric, std::size_t left) {
  std::string text = shown_sha(probe.candidate) + " against " + shown_sha(probe.baseline) + ": ";
  text += (probe.answer == ProbeAnswer::skipped ? trouble_text(probe.trouble) : probe_text(probe, metric)) + ": ";
  text += word_of(probe.answer);
  if (probe.purpose != regress::ProbePurpose::search) return text;
  return text + "; of " + plural_text(left, "commit") + " that could be it";
}

bool became_worse(const BisectReport& report) {
  if (!report.ends) return false;
  const BisectProbe& ends = *report.ends;
  const double before = ends.ratio ? 1 : ends.baseline_level.value_or(0);
  const double after = ends.ratio ? *ends.ratio : ends.candidate_level.value_or(0);
  return report.metric.better == Better::higher ? after < before : after > before;
}

std::string terminal_bisect(const BisectReport& report, const TerminalStyle& style) {
  const bool is_named = report.end == BisectionEnd::found || report.end == BisectionEnd::range;
  const Tone tone = is_named ? Tone::strong : report.end == BisectionEnd::ends_alike ? Tone::good : Tone::doubtful;
  std::string text;
  for (const std::string& line : wrapped(printable(headline(report), style.unicode), style.columns())) {
    text += paint(line, tone, style.color) + '\n';
  }
  Lines lines(style);
  lines.add_as_it_is("\n");
  add_culprit(report, lines);
  add_check(report, lines, style);
  add_search(report, lines);
  add_others(report, lines);
  if (const std::string sure = certainty(report); !sure.empty()) lines.add("sure", sure);
  if (const std::string next = advice(report); !next.empty()) lines.add("next", next);
  if (!report.again.empty()) lines.add("see again", report.again);
  return text + std::move(lines).text();
}

std::string json_bisect(const BisectReport& report) {
  storage::JsonWriter json;
  json("schema", std::string_view("steelyard.bisect/1"));
  json("end", report.end);
  json("benchmark", std::string_view(report.benchmark));
  json("metric", std::string_view(report.metric.name));
  add_commit("good", report.good, json);
  add_commit("bad", report.bad, json);
  json("commits", report.commits);
  add_commit("commit", report.culprit, json);
  json("author", std::string_view(report.author), {.null = Null::written});
  add_commit("before", report.before, json);
  add_commits("range", report.range, json);
  json("range_size", report.range_size);
  add_commits("merges", report.merges, json);
  json("is_merge_itself", report.is_merge_itself);
  json("is_inside_unsure", report.is_inside_unsure);
  add_commits("contrary", report.contrary, json);
  json("by", report.witness);
  json("ends", report.ends);
  json("check", report.check);
  json("check_by_counts", report.check_count);
  json("others", report.others);
  json("rest", report.rest);
  json("rest_interval", report.rest_interval);
  json("wrong_commit_rate", report.wrong_commit);
  json("builds", report.builds);
  json("probes", report.probes);
  json("again", std::string_view(report.again), {.null = Null::written});
  return json.text();
}

}  // namespace steelyard::ci
