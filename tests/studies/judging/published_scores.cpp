// The scores that docs/measured publishes and that no change may lower unseen: of comparisons on recorded noise and of
// histories with known steps, each with its standard error. Seeded, so that one program always yields the same.
//
//     build/check/bin/published_scores tests/statistics/noise                          prints them
//     build/check/bin/published_scores tests/statistics/noise --write docs/measured
//     build/check/bin/published_scores tests/statistics/noise --check docs/measured
//
// --write replaces the tables between the two marks in judging_scores.md and history_scores.md. --check computes them
// anew and fails where one is worse than the published one by more than its standard error, or stands on one side only.
// --score TEXT: only those whose names contain the text are printed or checked, and no others computed.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <functional>
#include <map>
#include <optional>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include "bench/model/series.hpp"
#include "regress/history/change_points.hpp"
#include "tests/statistics/histories/histories.hpp"
#include "tests/statistics/histories/scores.hpp"
#include "tests/studies/judging/score.hpp"
#include "tests/studies/judging/study_arguments.hpp"

namespace steelyard::judging {
namespace {

constexpr const char* kBegin = "<!-- published scores: begin -->";
constexpr const char* kEnd = "<!-- published scores: end -->";
constexpr const char* kHead =
    "| score | value | standard error | better | seed | command |\n|---|---|---|---|---|---|\n";
constexpr const char* kCommand = "published_scores tests/statistics/noise";
constexpr std::size_t kHistories = 1000;
constexpr std::uint64_t kSeed = 1;
constexpr ScoreOptions kWindows{3, 40};

struct PublishedScore {
  std::string name;
  double value = 0;
  double standard_error = 0;
  bool is_higher_better = true;
  std::string seed;
};

// The share's binomial error, of (count + 1) of (of + 2): none of many is not known without one.
PublishedScore of_share(const std::string& name, const Share& share, bool is_higher_better) {
  const double tries = static_cast<double>(share.of) + 2;
  const double likely = (static_cast<double>(share.count) + 1) / tries;
  return {name, share.value(), std::sqrt(likely * (1 - likely) / tries), is_higher_better, "1 to 3"};
}

// The mean with the error that its values' spread gives it; at least two values.
PublishedScore of_values(const std::string& name, const std::vector<double>& values) {
  const auto n = static_cast<double>(values.size());
  double mean = 0;
  for (const double value : values) mean += value / n;
  double squares = 0;
  for (const double value : values) squares += (value - mean) * (value - mean);
  return {name, mean, std::sqrt(squares / (n - 1) / n), true, std::to_string(kSeed)};
}

// Which scores are asked for: those whose name contains the text.
struct Asked {
  std::string text;
  bool holds(const std::string& name) const { return name.find(text) != std::string::npos; }
};

void score_recording(const std::string& name, const Recording& recording, const Asked& asked,
                     std::vector<PublishedScore>& scores) {
  const WindowSource source = [&recording](Draw& draw) { return concurrent_window(recording, {15, 0}, draw); };
  std::optional<Score> alone;
  const auto add = [&](const char* what, auto share_of, bool is_higher_better) {
    if (!asked.holds(name + what)) return;
    if (!alone) alone = score(own_rule(), source, kWindows);
    scores.push_back(of_share(name + what, share_of(*alone), is_higher_better));
  };
  add(
      ": alarms at .05", [](const Score& of) { return of.alarm; }, false);
  add(
      ": verdicts where nothing changed", [](const Score& of) { return of.called; }, false);
  add(
      ": 2 % found", [](const Score& of) { return of.found[1]; }, true);
  add(
      ": 5 % called", [](const Score& of) { return of.called_right[2]; }, true);
  add(
      ": wrong direction", [](const Score& of) { return of.wrong; }, false);
  add(
      ": intervals that hold the truth", [](const Score& of) { return of.covered; }, true);
  add(
      ": shown unchanged", [](const Score& of) { return of.shown_unchanged; }, true);
  const std::string suites = name + ": suites with a false verdict";
  if (!asked.holds(suites)) return;
  ScoreOptions suite = kWindows;
  suite.as_suite = true;
  scores.push_back(of_share(suites, score(own_rule(), source, suite).run_alarm, false));
}

Points confirmed_steps(const std::vector<double>& values) {
  Series series;
  for (const double value : values) {
    series.points.push_back({.values = {value}, .commit = {}, .machine = {}, .run = {}});
  }
  Points steps;
  for (const ChangePoint& change : regress::find_changes(series)) {
    if (change.status == ChangeStatus::confirmed) steps.push_back(change.index);
  }
  return steps;
}

// Of the seeds of a history's noise, in place of 1 to 3 of windows.
PublishedScore of_histories(PublishedScore score) {
  score.seed = std::to_string(kSeed);
  return score;
}

struct StepScores {
  std::vector<double> f1;
  std::vector<double> cover;
  Share small;  // steps of 2 to 4 times the noise
  Share large;
};

StepScores score_steps(const std::vector<std::vector<double>>& traces) {
  StepScores scores;
  for (const History& history : make_histories(kHistories, true, kSeed, traces)) {
    const Points found = confirmed_steps(history.values);
    Points known;
    for (const InjectedStep& step : history.steps) known.push_back(step.begin);
    scores.f1.push_back(f1_score({known}, found));
    scores.cover.push_back(cover_score({known}, found, history.values.size()));
    const std::vector<bool> hits = matched(known, found);
    for (std::size_t k = 0; k < hits.size(); ++k) {
      if (history.steps[k].in_noise >= 2) (history.steps[k].in_noise > 4 ? scores.large : scores.small).add(hits[k]);
    }
  }
  return scores;
}

void score_histories(const std::string& name, const std::vector<std::vector<double>>& traces, const Asked& asked,
                     std::vector<PublishedScore>& scores) {
  std::optional<StepScores> steps;
  const auto add = [&](const char* what, auto make) {
    if (!asked.holds(name + what)) return;
    if (!steps) steps = score_steps(traces);
    scores.push_back(make(name + what, *steps));
  };
  add(": F1", [](const std::string& full, const StepScores& of) { return of_values(full, of.f1); });
  add(": Cover", [](const std::string& full, const StepScores& of) { return of_values(full, of.cover); });
  add(": steps of 2 to 4 times the noise found",
      [](const std::string& full, const StepScores& of) { return of_histories(of_share(full, of.small, true)); });
  add(": steps of more than 4 times found",
      [](const std::string& full, const StepScores& of) { return of_histories(of_share(full, of.large, true)); });
  const std::string quiet = name + ": without a step, clean";
  if (!asked.holds(quiet)) return;
  Share clean;
  for (const History& history : make_histories(kHistories, false, kSeed + 1, traces)) {
    clean.add(confirmed_steps(history.values).empty());
  }
  scores.push_back(of_histories(of_share(quiet, clean, true)));
}

struct Page {
  const char* file;
  std::vector<PublishedScore> scores;
};

Result<std::vector<Page>> all_scores(const std::string& folder, const Asked& asked) {
  std::vector<Page> pages{{"judging_scores.md", {}}, {"history_scores.md", {}}};
  for (const char* name : {"interleaved", "neighbour", "duet"}) {
    STEELYARD_TRY(const Recording recording, read_recording(folder + '/' + name));
    score_recording(name, recording, asked, pages[0].scores);
    if (name == std::string_view("neighbour")) continue;  // levels that triple are steps to every rule
    STEELYARD_TRY(const std::vector<std::vector<double>> traces, read_traces(folder + '/' + name));
    score_histories(name, traces, asked, pages[1].scores);
  }
  return pages;
}

std::string line_of(const PublishedScore& score) {
  char figures[64];
  std::snprintf(figures, sizeof figures, "%.4f | %.4f", score.value, score.standard_error);
  return "| " + score.name + " | " + figures + " | " + (score.is_higher_better ? "higher" : "lower") + " | " +
         score.seed + " | `" + kCommand + " --score \"" + score.name + "\"` |\n";
}

std::string text_of(const std::string& file) {
  std::ifstream stream(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), {}};
}

// What stands between the marks; the whole text is begin + it + end. False: there are none.
struct Marked {
  std::string begin, table, end;
};
bool find_marks(const std::string& text, Marked& marked) {
  const std::size_t begin = text.find(kBegin);
  const std::size_t end = text.find(kEnd);
  if (begin == std::string::npos || end == std::string::npos || end < begin) return false;
  const std::size_t from = begin + std::string_view(kBegin).size();
  marked = {text.substr(0, from), text.substr(from, end - from), text.substr(end)};
  return true;
}

// Name to value, of the rows of a table that line_of() wrote.
std::map<std::string, double> published_values(const std::string& table) {
  std::map<std::string, double> values;
  std::istringstream lines(table);
  for (std::string line; std::getline(lines, line);) {
    std::istringstream cells(line);
    std::string nothing, name, value;
    std::getline(cells, nothing, '|');
    std::getline(cells, name, '|');
    std::getline(cells, value, '|');
    char* end = nullptr;
    const double number = std::strtod(value.c_str(), &end);
    if (name.size() > 2 && end != value.c_str()) values[name.substr(1, name.size() - 2)] = number;
  }
  return values;
}

// How many of the scores that are asked for fell, or are not on both sides.
int check(const Page& page, const std::string& table, const Asked& asked) {
  constexpr double kRounding = 0.00005;  // of the published digits
  std::map<std::string, double> published = published_values(table);
  std::erase_if(published, [&](const auto& score) { return !asked.holds(score.first); });
  int faults = 0;
  for (const PublishedScore& score : page.scores) {
    const auto found = published.find(score.name);
    if (found == published.end()) {
      std::printf("%s: \"%s\" is not published\n", page.file, score.name.c_str());
      ++faults;
      continue;
    }
    const double fell = score.is_higher_better ? found->second - score.value : score.value - found->second;
    published.erase(found);
    if (fell <= score.standard_error + kRounding) continue;
    std::printf("%s: %s: %.4f, worse by %.4f than published, more than its standard error of %.4f\n", page.file,
                score.name.c_str(), score.value, fell, score.standard_error);
    ++faults;
  }
  for (const auto& [name, value] : published) {
    std::printf("%s: \"%s\" is published, and nobody computes it\n", page.file, name.c_str());
    ++faults;
  }
  return faults;
}

int usage() {
  std::fprintf(stderr, "usage: published_scores FOLDER [--score TEXT] [--check DOCS | --write DOCS]\n");
  return 3;
}

// False, and said: the page has no marks, or cannot be written.
bool write(const Page& page, const std::string& file, const Marked& marked) {
  std::string table = "\n\n" + std::string(kHead);
  for (const PublishedScore& score : page.scores) table += line_of(score);
  std::ofstream stream(file, std::ios::binary);
  stream << marked.begin << table << '\n' << marked.end;
  stream.flush();
  if (!stream) std::fprintf(stderr, "published_scores: %s cannot be written\n", file.c_str());
  return static_cast<bool>(stream);
}

int run(const StudyArguments& given) {
  const Asked asked{given.text("--score")};
  const auto pages = all_scores(given.folder, asked);
  if (!pages) {
    std::fprintf(stderr, "published_scores: %s\n", pages.error().text().c_str());
    return 3;
  }
  if (std::ranges::all_of(*pages, [](const Page& page) { return page.scores.empty(); })) {
    std::fprintf(stderr, "published_scores: no score's name contains \"%s\"; without --score all are printed\n",
                 asked.text.c_str());
    return 3;
  }
  const std::string into = given.text("--write");
  const std::string against = given.text("--check");
  if (into.empty() && against.empty()) std::fputs(kHead, stdout);
  int faults = 0;
  for (const Page& page : *pages) {
    if (into.empty() && against.empty()) {
      for (const PublishedScore& score : page.scores) std::fputs(line_of(score).c_str(), stdout);
      continue;
    }
    const std::string file = (into.empty() ? against : into) + '/' + page.file;
    Marked marked;
    if (!find_marks(text_of(file), marked)) {
      std::fprintf(stderr, "published_scores: %s: found no lines \"%s\" and \"%s\"\n", file.c_str(), kBegin, kEnd);
      return 3;
    }
    if (!into.empty() && !write(page, file, marked)) return 3;
    if (into.empty()) faults += check(page, marked.table, asked);
  }
  if (faults > 0) std::printf("publish what is meant: tests/studies/publish_scores.py\n");
  return faults == 0 ? 0 : 1;
}

}  // namespace
}  // namespace steelyard::judging

int main(int count, char** arguments) {
  using namespace steelyard::judging;
  constexpr std::string_view kKnown[] = {"--score", "--write", "--check"};
  const auto given = read_study_arguments({arguments + 1, static_cast<std::size_t>(count - 1)}, kKnown);
  if (!given) return usage();
  const bool writes = given->values.contains("--write");
  if (writes && (given->values.contains("--check") || given->values.contains("--score"))) return usage();
  return run(*given);
}
