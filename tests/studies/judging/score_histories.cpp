// Scores of ours and of other rules on histories with known changes; prints the table of
// docs/measured/history_scores.md.
//
//     score_histories [--histories N] [--seed S] [--noise FOLDER]... [--annotated FILE]... [--ours-only]
//     score_histories --drift [--part tune|held-out] [--histories N] [--seed S] [--noise FOLDER]...
//
// FOLDER: recordings (format: tests/studies/noise/record_noise.py). FILE: one series a line, its name and its values;
// each line after it that starts with "@" holds one annotator's change points. --drift: only the table of what noise
// that wanders is taken for. --part: every other recorded benchmark, the first ones with tune; constants are chosen on
// those, with another seed, and held out are the others.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <fstream>
#include <map>
#include <optional>
#include <sstream>

#include "regress/history/change_points.hpp"
#include "tests/statistics/histories/histories.hpp"
#include "tests/statistics/histories/scores.hpp"
#include "tests/studies/judging/history_peers.hpp"

namespace steelyard {
namespace {

struct Settings {
  std::size_t histories = 400;
  std::uint64_t seed = 1;
  bool ours_only = false;
  bool drift_only = false;
  std::string part;  // "tune", "held-out", or empty: all
  std::vector<std::pair<std::string, std::vector<std::vector<double>>>> recordings;  // by the name of the folder
  std::vector<std::vector<double>> traces;                                           // of all of them
  std::vector<std::string> annotated;
};

FoundSteps our_steps(std::span<const double> values, bool suspected_too) {
  Series series;
  for (double value : values) series.points.push_back({.values = {value}, .commit = {}, .machine = {}, .run = {}});
  FoundSteps steps;
  for (const ChangePoint& change : regress::find_changes(series))
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
      if (size < 2) continue;
      ++(size > 4 ? score.known_large : score.known_small);
      (size > 4 ? score.found_large : score.found_small) += hits[k];
    }
    score.reported += found.size();
    score.values += history.values.size();
  }
  return score;
}

std::optional<double> share(std::size_t part, std::size_t whole) {
  if (whole == 0) return std::nullopt;
  return static_cast<double>(part) / static_cast<double>(whole);
}

// Of nothing there is no share: the cell stays empty.
std::string cell(std::optional<double> value, int digits) {
  return value ? fmt::format("{:.{}f}", *value, digits) : "";
}
std::string per_thousand(std::size_t part, std::size_t whole) {
  const auto of_one = share(part, whole);
  return of_one ? cell(1000 * *of_one, 2) : "";
}

struct Unchanged {
  std::optional<double> clean;
  std::string per_thousand;
  std::optional<double> tip_alarm;  // share of looks at the growing series that report a point in the newest 25
  std::optional<double> ever;       // share of series of which any look did
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
  score.per_thousand = per_thousand(false_points, values);
  score.tip_alarm = share(alarms, looks);
  score.ever = share(ever, histories.size());
  return score;
}

// Share of steps of at least 3 times the noise that are reported once `later` values of the new level are there.
std::optional<double> found_after(const std::vector<History>& histories, const FindSteps& find, std::size_t later) {
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

// Ours alone, by kind of noise.
void print_kinds(const Settings& settings) {
  const auto changed = make_histories(4 * settings.histories, true, settings.seed + 2, settings.traces);
  const auto unchanged = make_histories(4 * settings.histories, false, settings.seed + 3, settings.traces);
  std::map<std::string, std::pair<std::vector<History>, std::vector<History>>> kinds;
  const auto kind = [](const History& history) { return history.name.substr(0, history.name.find(' ')); };
  for (const History& history : changed) kinds[kind(history)].first.push_back(history);
  for (const History& history : unchanged) kinds[kind(history)].second.push_back(history);
  fmt::print(
      "\n| Steelyard, confirmed, by noise | histories | F1 / Cover | recall at 2-4, > 4 times the noise | precision | "
      "clean without a step |\n|---|---|---|---|---|---|\n");
  const FindSteps find = [](auto values) { return our_steps(values, false); };
  for (const auto& [name, histories] : kinds) {
    const Injected score = score_injected(histories.first, find);
    fmt::print("| {} | {} | {:.3f} / {:.3f} | {}, {} | {} | {} |\n", name, histories.first.size(), score.f1,
               score.cover, cell(share(score.found_small, score.known_small), 2),
               cell(share(score.found_large, score.known_large), 2), cell(share(score.correct, score.reported), 2),
               cell(score_unchanged(histories.second, find, 1000).clean, 3));
  }
}

struct Annotated {
  std::string name;
  std::vector<double> values;
  std::vector<Points> annotations;
};

// Empty if the file cannot be read.
std::vector<Annotated> read_annotated(const std::string& file) {
  std::vector<Annotated> all;
  std::ifstream in(file);
  for (std::string line; std::getline(in, line);) {
    std::istringstream words(line);
    std::string name;
    words >> name;
    if (name.empty() || name.front() == '#') continue;
    if (name == "@") {
      Points points;
      for (std::size_t point = 0; words >> point;) points.push_back(point);
      if (!all.empty()) all.back().annotations.push_back(points);
      continue;
    }
    Annotated series{name, {}, {}};
    for (std::string word; words >> word;) {
      const double value = std::strtod(word.c_str(), nullptr);  // gaps are filled, because not every rule takes them
      series.values.push_back(std::isfinite(value) || series.values.empty() ? value : series.values.back());
    }
    all.push_back(std::move(series));
  }
  return all;
}

std::string score_annotated(const std::vector<Annotated>& all, const FindSteps& find) {
  double f1 = 0;
  double cover = 0;
  for (const Annotated& series : all) {
    const FoundSteps found = find(series.values);
    f1 += f1_score(series.annotations, found) / static_cast<double>(all.size());
    cover += cover_score(series.annotations, found, series.values.size()) / static_cast<double>(all.size());
  }
  return fmt::format("{:.3f} / {:.3f}", f1, cover);
}

std::vector<HistoryPeer> rules(const Settings& settings) {
  std::vector<HistoryPeer> all = {{"Steelyard, confirmed", [](auto values) { return our_steps(values, false); }},
                                  {"Steelyard, suspected too", [](auto values) { return our_steps(values, true); }}};
  if (!settings.ours_only)
    for (HistoryPeer& peer : history_peers()) all.push_back(std::move(peer));
  return all;
}

void print_injected(const Settings& settings) {
  const auto histories = make_histories(settings.histories, true, settings.seed, settings.traces);
  fmt::print(
      "| histories with steps | F1 / Cover | recall at 2-4, > 4 times the noise | precision | false per 1000 | "
      "found after 3 / 5 / 13 values |\n|---|---|---|---|---|---|\n");
  for (const HistoryPeer& rule : rules(settings)) {
    const Injected score = score_injected(histories, rule.find);
    fmt::print("| {} | {:.3f} / {:.3f} | {}, {} | {} | {} | {} / {} / {} |\n", rule.name, score.f1, score.cover,
               cell(share(score.found_small, score.known_small), 2),
               cell(share(score.found_large, score.known_large), 2), cell(share(score.correct, score.reported), 2),
               per_thousand(score.reported - score.correct, score.values),
               cell(found_after(histories, rule.find, 3), 2), cell(found_after(histories, rule.find, 5), 2),
               cell(found_after(histories, rule.find, 13), 2));
  }
}

void print_unchanged(const Settings& settings) {
  const auto histories = make_histories(settings.histories, false, settings.seed + 1, settings.traces);
  std::vector<History> traces;
  for (const auto& trace : settings.traces) traces.push_back({.name = {}, .values = trace, .steps = {}});
  fmt::print(
      "\n| histories without a step | clean | false per 1000 | tip alarm, of looks | of series | "
      "clean whole traces of one program |\n|---|---|---|---|---|---|\n");
  for (const HistoryPeer& rule : rules(settings)) {
    const Unchanged score = score_unchanged(histories, rule.find, 10);
    const Unchanged whole = score_unchanged(traces, rule.find, 1000);
    fmt::print("| {} | {} | {} | {} | {} | {} |\n", rule.name, cell(score.clean, 3), score.per_thousand,
               cell(score.tip_alarm, 3), cell(score.ever, 2), traces.empty() ? "none given" : cell(whole.clean, 2));
  }
}

// False if a file has no series.
bool print_annotated(const Settings& settings) {
  for (const std::string& file : settings.annotated) {
    const std::vector<Annotated> all = read_annotated(file);
    const bool complete = std::ranges::all_of(all, [](const Annotated& series) { return !series.annotations.empty(); });
    if (all.empty() || !complete) {
      fmt::print(stderr,
                 "score_histories: {}: found a series without annotation, or none at all; wanted series with "
                 "lines of \"@\" below each\n",
                 file);
      return false;
    }
    fmt::print("\n| {}, {} series | F1 / Cover |\n|---|---|\n", file.substr(file.find_last_of('/') + 1), all.size());
    for (const HistoryPeer& rule : rules(settings))
      fmt::print("| {} | {} |\n", rule.name, score_annotated(all, rule.find));
  }
  return true;
}

// "0.38 ± 0.07": a share and its standard error.
std::string share_cell(std::size_t part, std::size_t whole) {
  const auto of_one = share(part, whole);
  if (!of_one) return "";
  return fmt::format("{:.3f} ± {:.3f}", *of_one, std::sqrt(*of_one * (1 - *of_one) / static_cast<double>(whole)));
}

constexpr std::array kSizes = {1.0, 2.0, 3.0, 4.0, 8.0};  // of steps, in the noise; bounds of the columns

void print_drift_row(const std::string& name, const std::vector<History>& unchanged,
                     const std::vector<History>& changed) {
  std::size_t dirty = 0;
  std::size_t false_points = 0;
  std::size_t values = 0;
  for (const History& history : unchanged) {
    const FoundSteps found = our_steps(history.values, false);
    dirty += !found.empty();
    false_points += found.size();
    values += history.values.size();
  }
  std::array<std::size_t, kSizes.size()> known{};
  std::array<std::size_t, kSizes.size()> hit{};
  std::size_t reported = 0;
  std::size_t correct = 0;
  for (const History& history : changed) {
    const FoundSteps found = our_steps(history.values, false);
    Points begins;
    for (const InjectedStep& step : history.steps) begins.push_back(step.begin);
    const std::vector<bool> hits = matched(begins, found);
    for (std::size_t k = 0; k < hits.size(); ++k) {
      const auto bound = std::ranges::upper_bound(kSizes, history.steps[k].in_noise) - kSizes.begin() - 1;
      ++known.at(static_cast<std::size_t>(bound));
      hit.at(static_cast<std::size_t>(bound)) += hits[k];
      correct += hits[k];
    }
    reported += found.size();
  }
  fmt::print("| {} | {} | {} | {} |", name, unchanged.size(), share_cell(dirty, unchanged.size()),
             per_thousand(false_points, values));
  for (std::size_t k = 0; k + 1 < kSizes.size(); ++k) fmt::print(" {} |", share_cell(hit.at(k), known.at(k)));
  fmt::print(" {} |\n", cell(share(correct, reported), 2));
}

void print_drift(const Settings& settings) {
  const std::uint64_t seed = settings.seed + (settings.part == "held-out" ? 1000 : 0);
  fmt::print(
      "\n| noise | series | unchanged series with a point | false per 1000 | recall at 1-2 times the noise | at 2-3 | "
      "at 3-4 | at > 4 | precision |\n|---|---|---|---|---|---|---|---|---|\n");
  const std::size_t count = settings.histories;
  print_drift_row("white", make_white_histories(count, false, seed + 4), make_white_histories(count, true, seed + 5));
  for (DriftKind drift : kDrifts)
    print_drift_row(to_text(drift), make_drifting_histories(drift, count, false, seed + 6),
                    make_drifting_histories(drift, count, true, seed + 7));
  std::vector<History> all;
  for (const auto& [name, traces] : settings.recordings)
    print_drift_row("recorded, " + name, make_recorded_histories(count, false, seed + 8, traces),
                    make_recorded_histories(count, true, seed + 9, traces));
  for (const auto& [name, traces] : settings.recordings) {
    std::vector<History> whole;
    for (const auto& trace : traces) whole.push_back({.name = name, .values = trace, .steps = {}});
    all.insert(all.end(), whole.begin(), whole.end());
    print_drift_row("whole traces, " + name, whole, {});
  }
  if (!all.empty()) print_drift_row("whole traces, all of these", all, {});
}

// False: the folder cannot be read, and that was said.
bool add_recording(const std::string& folder, Settings& settings) {
  auto traces = read_traces(folder);
  if (!traces) return fmt::print(stderr, "score_histories: {}\n", traces.error().text()), false;
  settings.recordings.emplace_back(folder.substr(folder.find_last_of('/') + 1), std::move(traces).value());
  return true;
}

void take_part(Settings& settings) {
  for (auto& [name, traces] : settings.recordings) {
    std::vector<std::vector<double>> part;
    for (std::size_t i = 0; i < traces.size(); ++i)
      if (settings.part.empty() || (i % 2 == 1) == (settings.part == "held-out")) part.push_back(traces[i]);
    traces = std::move(part);
    settings.traces.insert(settings.traces.end(), traces.begin(), traces.end());
  }
}

int run(int argc, char** argv) {
  Settings settings;
  for (int i = 1; i < argc; ++i) {
    const std::string option = argv[i];
    if (option == "--ours-only") {
      settings.ours_only = true;
      continue;
    }
    if (option == "--drift") {
      settings.drift_only = true;
      continue;
    }
    const std::string value = i + 1 < argc ? argv[++i] : "";
    if (option == "--histories") {
      settings.histories = std::strtoul(value.c_str(), nullptr, 10);
    } else if (option == "--seed") {
      settings.seed = std::strtoull(value.c_str(), nullptr, 10);
    } else if (option == "--noise") {
      if (!add_recording(value, settings)) return 3;
    } else if (option == "--part" && (value == "tune" || value == "held-out")) {
      settings.part = value;
    } else if (option == "--annotated") {
      settings.annotated.push_back(value);
    } else {
      return fmt::print(stderr, "score_histories: unknown option {}\n", option), 3;
    }
  }
  take_part(settings);
  if (settings.drift_only) return print_drift(settings), 0;
  print_injected(settings);
  print_unchanged(settings);
  print_kinds(settings);
  return print_annotated(settings) ? 0 : 3;
}

}  // namespace
}  // namespace steelyard

int main(int argc, char** argv) { return steelyard::run(argc, argv); }
