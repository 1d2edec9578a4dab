// Scores of ours and of other rules on histories with known changes; prints the table of docs/history_scores.md.
//
//     score_histories [--histories N] [--seed S] [--noise FOLDER] [--annotated FILE]... [--ours-only]
//
// FOLDER: recordings (format: bench/self/noise/record_noise.py). FILE: one series a line, its name and its values; each
// line after it that starts with "@" holds one annotator's change points.
#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <limits>
#include <sstream>

#include "bench/self/judging/history_peers.hpp"
#include "regress/history/change_points.hpp"
#include "tests/statistics/histories/histories.hpp"
#include "tests/statistics/histories/scores.hpp"

namespace steelyard {
namespace {

struct Settings {
  std::size_t histories = 400;
  std::uint64_t seed = 1;
  bool ours_only = false;
  std::vector<std::vector<double>> traces;
  std::vector<std::string> annotated;
};

FoundSteps our_steps(std::span<const double> values, bool suspected_too) {
  Series series;
  for (double value : values) series.points.push_back({.values = {value}, .commit = {}, .machine = {}, .run = {}});
  FoundSteps steps;
  for (const ChangePoint& change : find_changes(series))
    if (suspected_too || change.status == ChangeStatus::confirmed) steps.push_back(change.index);
  return steps;
}

struct Injected {
  double f1 = 0;
  double cover = 0;
  std::size_t known_small = 0;  // steps of 2 to 4 times the noise
  std::size_t found_small = 0;
  std::size_t known_large = 0;
  std::size_t found_large = 0;
  std::size_t reported = 0;
  std::size_t correct = 0;
  std::size_t values = 0;
};

Injected score_injected(const std::vector<History>& histories, const FindSteps& find) {
  Injected score;
  for (const History& history : histories) {
    const FoundSteps found = find(history.values);
    Points known;
    for (const InjectedStep& step : history.steps) known.push_back(step.begin);
    const auto count = static_cast<double>(histories.size());
    score.f1 += f1_score({known}, found) / count;
    score.cover += cover_score({known}, found, history.values.size()) / count;
    const std::vector<bool> hits = matched(known, found);
    for (std::size_t k = 0; k < known.size(); ++k) {
      const double size = history.steps[k].in_noise;
      score.correct += hits[k];
      if (size > 4)
        ++score.known_large, score.found_large += hits[k];
      else if (size >= 2)
        ++score.known_small, score.found_small += hits[k];
    }
    score.reported += found.size();
    score.values += history.values.size();
  }
  return score;
}

double share(std::size_t part, std::size_t whole) {
  return whole == 0 ? std::numeric_limits<double>::quiet_NaN() : static_cast<double>(part) / static_cast<double>(whole);
}

struct Unchanged {
  double clean = 0;
  double per_thousand = 0;
  double tip_alarm = 0;  // share of looks at the growing series that report a point in the newest 25
  double ever = 0;       // share of series of which any look did
};

Unchanged score_unchanged(const std::vector<History>& histories, const FindSteps& find, std::size_t stride) {
  Unchanged score;
  std::size_t false_points = 0;
  std::size_t values = 0;
  std::size_t looks = 0;
  std::size_t alarms = 0;
  std::size_t clean = 0;
  std::size_t ever = 0;
  for (const History& history : histories) {
    const FoundSteps found = find(history.values);
    false_points += found.size();
    values += history.values.size();
    clean += found.empty();
    bool any = false;
    for (std::size_t n = 30; n <= history.values.size(); n += stride) {
      const FoundSteps early = find(std::span(history.values).first(n));
      const bool alarm = !early.empty() && early.back() + 25 >= n;
      ++looks;
      alarms += alarm;
      any = any || alarm;
    }
    ever += any;
  }
  score.clean = share(clean, histories.size());
  score.per_thousand = 1000 * share(false_points, values);
  score.tip_alarm = share(alarms, looks);
  score.ever = share(ever, histories.size());
  return score;
}

// Share of steps of at least 3 times the noise that are reported once `later` values of the new level are there.
double found_after(const std::vector<History>& histories, const FindSteps& find, std::size_t later) {
  std::size_t steps = 0;
  std::size_t hits = 0;
  for (const History& history : histories)
    for (std::size_t k = 0; k < history.steps.size(); ++k) {
      const InjectedStep& step = history.steps[k];
      const std::size_t end = step.begin + later;
      const std::size_t next = k + 1 < history.steps.size() ? history.steps[k + 1].begin : history.values.size();
      if (step.in_noise < 3 || step.begin < 20 || end > next) continue;
      const FoundSteps found = find(std::span(history.values).first(end));
      ++steps;
      hits += std::ranges::any_of(found,
                                  [&](std::size_t each) { return each + 5 >= step.begin && each <= step.begin + 5; });
    }
  return share(hits, steps);
}

struct Annotated {
  std::string name;
  std::vector<double> values;
  std::vector<Points> annotations;
};

std::vector<Annotated> read_annotated(const std::string& file) {
  std::vector<Annotated> all;
  std::ifstream in(file);
  for (std::string line; std::getline(in, line);) {
    std::istringstream words(line);
    std::string name;
    words >> name;
    if (name == "@") {
      Points points;
      for (std::size_t point = 0; words >> point;) points.push_back(point);
      if (!all.empty()) all.back().annotations.push_back(points);
      continue;
    }
    Annotated series{name, {}, {}};
    for (std::string word; words >> word;) series.values.push_back(std::strtod(word.c_str(), nullptr));
    if (!series.values.empty()) all.push_back(std::move(series));
  }
  return all;
}

void print_row(const std::string& name, const FindSteps& find, const Settings& settings) {
  const auto changed = make_histories(settings.histories, true, settings.seed, settings.traces);
  const auto unchanged = make_histories(settings.histories, false, settings.seed + 1, settings.traces);
  const Injected i = score_injected(changed, find);
  const Unchanged u = score_unchanged(unchanged, find, 10);
  std::vector<History> traces;
  for (const auto& trace : settings.traces) traces.push_back({.name = {}, .values = trace, .steps = {}});
  const double clean_traces = traces.empty() ? 0 : score_unchanged(traces, find, 1000).clean;
  std::printf(
      "| %s | %.3f / %.3f | %.2f / %.2f | %.2f | %.2f | %.3f | %.2f | %.2f | %.3f / %.2f | %.2f / %.2f / %.2f |",
      name.c_str(), i.f1, i.cover, share(i.found_small, i.known_small), share(i.found_large, i.known_large),
      share(i.correct, i.reported), 1000 * share(i.reported - i.correct, i.values), u.clean, u.per_thousand,
      clean_traces, u.tip_alarm, u.ever, found_after(changed, find, 3), found_after(changed, find, 5),
      found_after(changed, find, 13));
  for (const std::string& file : settings.annotated) {
    double f1 = 0;
    double cover = 0;
    const auto all = read_annotated(file);
    for (const Annotated& series : all) {
      std::vector<double> finite;
      for (double value : series.values)
        finite.push_back(std::isfinite(value) ? value : finite.empty() ? 0 : finite.back());
      const FoundSteps found = find(finite);
      f1 += f1_score(series.annotations, found) / static_cast<double>(all.size());
      cover += cover_score(series.annotations, found, series.values.size()) / static_cast<double>(all.size());
    }
    std::printf(" %.3f / %.3f |", f1, cover);
  }
  std::printf("\n");
  std::fflush(stdout);
}

int run(int argc, char** argv) {
  Settings settings;
  for (int i = 1; i < argc; ++i) {
    const std::string option = argv[i];
    const std::string value = i + 1 < argc ? argv[i + 1] : "";
    if (option == "--ours-only") {
      settings.ours_only = true;
      continue;
    }
    if (option == "--histories")
      settings.histories = std::strtoul(value.c_str(), nullptr, 10);
    else if (option == "--seed")
      settings.seed = std::strtoull(value.c_str(), nullptr, 10);
    else if (option == "--noise")
      settings.traces = read_traces(value);
    else if (option == "--annotated")
      settings.annotated.push_back(value);
    else
      return std::fprintf(stderr, "score_histories: unknown option %s\n", argv[i]), 3;
    ++i;
  }
  std::printf(
      "| rule | injected F1 / Cover | recall 2-4 / > 4 | precision | false per 1000 | unchanged clean | false per 1000 "
      "| traces clean | tip alarm of a look / of a series | found after 3 / 5 / 13 |");
  for (const std::string& file : settings.annotated)
    std::printf(" %s |", file.substr(file.find_last_of('/') + 1).c_str());
  std::printf("\n");
  print_row(
      "Steelyard, confirmed", [](auto values) { return our_steps(values, false); }, settings);
  print_row(
      "Steelyard, suspected too", [](auto values) { return our_steps(values, true); }, settings);
  if (!settings.ours_only)
    for (const HistoryPeer& peer : history_peers()) print_row(peer.name, peer.find, settings);
  return 0;
}

}  // namespace
}  // namespace steelyard

int main(int argc, char** argv) { return steelyard::run(argc, argv); }
