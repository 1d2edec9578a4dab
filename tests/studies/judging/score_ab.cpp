// Prints how Steelyard and its peers do on recorded noise: one line for each layout, number of processes and rule. The
// tables of docs/measured/judging_scores.md are its output.
//
//     build/check/bin/score_ab tests/statistics/noise [--row TEXT] [--rule TEXT] [--windows 40] [--seeds 3]
//                              [--table rules|versions|variants|drift]
//
// versions: the rules as they are and as they were before q was adjusted jointly. variants: in place of rules other
// scores for samples and rounds. drift: how far apart equal sides lie that were not measured together; the tables of
// docs/method/judgement.md.
//
// The folder holds the recordings that its README lists (tests/studies/noise/record_noise.py). --row and --rule leave
// out what does not contain the text. docs/measured/judging_scores.md says what the columns are.
#include <algorithm>
#include <cstdio>
#include <iterator>
#include <string>
#include <string_view>
#include <vector>

#include "tests/studies/judging/occasion_drift.hpp"
#include "tests/studies/judging/peers/rules.hpp"
#include "tests/studies/judging/rule.hpp"
#include "tests/studies/judging/score.hpp"
#include "tests/studies/judging/score_variants.hpp"
#include "tests/studies/judging/study_arguments.hpp"
#include "tests/studies/judging/window.hpp"

namespace steelyard::judging {
namespace {

struct Options {
  std::string folder;
  std::string row;
  std::string rule;
  int windows = 40;
  int seeds = 3;
  std::string table = "rules";
};

struct Row {
  std::string name;
  WindowSource source;
  bool has_order = false;  // of the sides in a round, which files may leave out
  bool as_suite = false;
  bool is_checked_alone = false;  // by Steelyard; no other rule does
  bool only_side_by_side = false;
};

struct Recordings {
  Recording interleaved;
  Recording duet;
  Recording neighbour;
  Recording later;
  Recording copies_round;
  Recording copies_side;
};

Result<Recordings> read_all(const std::string& folder) {
  Recordings all;
  STEELYARD_TRY(all.interleaved, read_recording(folder + "/interleaved"));
  STEELYARD_TRY(all.duet, read_recording(folder + "/duet"));
  STEELYARD_TRY(all.neighbour, read_recording(folder + "/neighbour"));
  STEELYARD_TRY(all.later, read_recording(folder + "/later"));
  STEELYARD_TRY(all.copies_round, read_recording(folder + "/copies_round"));
  STEELYARD_TRY(all.copies_side, read_recording(folder + "/copies_side"));
  return all;
}

WindowSource concurrent(const Recording& recording, int rounds, double slot_effect_sds = 0) {
  return [&recording, rounds, slot_effect_sds](Draw& draw) {
    return concurrent_window(recording, {rounds, slot_effect_sds}, draw);
  };
}

// A duet whose every change is checked alone, as the same kernels are in turns.
WindowSource checked_alone(const Recordings& all, int rounds) {
  return [&all, rounds](Draw& draw) {
    Draw of_alone = draw.beside();
    Window window = concurrent_window(all.duet, {rounds}, draw);
    for (BenchmarkWindow& benchmark : window.benchmarks) {
      add_alone(all.interleaved, benchmark.name, of_alone, benchmark);
    }
    return window;
  };
}

WindowSource sequential(const Recording& recording, int processes) {
  return [&recording, processes](Draw& draw) { return sequential_window(recording, processes, draw); };
}

// Any two of the three occasions.
WindowSource separate(const Recordings& all, int processes) {
  return [&all, processes](Draw& draw) {
    const Recording* const occasions[] = {&all.interleaved, &all.neighbour, &all.later};
    const int first = draw.below(3);
    const int second = (first + 1 + draw.below(2)) % 3;
    return separate_window(*occasions[first], *occasions[second], processes, draw);
  };
}

// Two quiet occasions, of which one ran both processes of a round at once.
WindowSource quiet_hours(const Recordings& all, int processes) {
  return [&all, processes](Draw& draw) {
    const bool swapped = draw.coin();
    return separate_window(swapped ? all.duet : all.interleaved, swapped ? all.interleaved : all.duet, processes, draw);
  };
}

std::vector<Row> all_rows(const Recordings& all) {
  return {
      {"interleaved_b15", concurrent(all.interleaved, 15), true, false},
      {"interleaved_b15, neighbour", concurrent(all.neighbour, 15), true, false},
      {"interleaved_b15, a copy a round", concurrent(all.copies_round, 15), true, false},
      {"interleaved_b15, a copy a side", concurrent(all.copies_side, 15), true, false},
      {"interleaved_b15, slots 1 sd apart", concurrent(all.interleaved, 15, 1), true, false},
      {"interleaved_b15, slots 2 sd apart", concurrent(all.interleaved, 15, 2), true, false},
      {"interleaved_b5", concurrent(all.interleaved, 5), true, false},
      {"interleaved_b5, neighbour", concurrent(all.neighbour, 5), true, false},
      {"duet_b15", concurrent(all.duet, 15), true, false},
      {"duet_b15, slots 1 sd apart", concurrent(all.duet, 15, 1), true, false},
      {"duet_b15, slots 2 sd apart", concurrent(all.duet, 15, 2), true, false},
      {"duet_b15, checked alone", checked_alone(all, 15), false, false, true},
      {"duet_b15, only side by side", checked_alone(all, 15), false, false, true, true},
      {"b1", concurrent(all.interleaved, 1), false, false},
      {"sequential_b15", sequential(all.interleaved, 15), false, false},
      {"separate_b15", separate(all, 15), false, false},
      {"suite_interleaved_b15", concurrent(all.interleaved, 15), true, true},
      {"suite_interleaved_b15, neighbour", concurrent(all.neighbour, 15), true, true},
      {"suite_duet_b15", concurrent(all.duet, 15), true, true},
      {"suite_duet_b15, checked alone", checked_alone(all, 15), false, true, true},
      {"suite_duet_b15, only side by side", checked_alone(all, 15), false, true, true, true},
      {"suite_sequential_b15", sequential(all.interleaved, 15), false, true},
      {"sequential_b15, neighbour", sequential(all.neighbour, 15), false, false},
      {"suite_sequential_b15, neighbour", sequential(all.neighbour, 15), false, true},
      {"sequential_b15, later", sequential(all.later, 15), false, false},
      {"suite_sequential_b15, later", sequential(all.later, 15), false, true},
      {"suite_sequential_b15, duet", sequential(all.duet, 15), false, true},
      {"suite_separate_b15, quiet", quiet_hours(all, 15), false, true},
      {"suite_separate_b15", separate(all, 15), false, true},
  };
}

std::vector<Rule> rules_for(const Row& row, const Options& options) {
  if (options.table == "variants") return score_variants();
  if (options.table == "versions") {
    std::vector<Rule> versions;
    for (const bool with_order : {true, false}) {
      if (!with_order && (!row.has_order || row.is_checked_alone)) continue;
      for (const regress::Rules rules : {regress::Rules::rounds_3, regress::kNewestRules}) {
        versions.push_back(own_rule({.with_order = with_order, .rules = rules}));
        versions.back().name = std::string(regress::to_text(rules)) + (with_order ? "" : ", order unknown");
      }
    }
    return versions;
  }
  std::vector<Rule> rules{own_rule()};
  if (row.is_checked_alone) return rules;
  if (row.has_order) rules.push_back(own_rule({.with_order = false}));
  for (Rule& peer : peer_rules()) rules.push_back(std::move(peer));
  return rules;
}

void print_drifts(const Recordings& all, const Options& options) {
  const auto between = [](const Recording& earlier, const Recording& later) -> WindowSource {
    return [&earlier, &later](Draw& draw) { return separate_window(earlier, later, 15, draw); };
  };
  const std::pair<const char*, WindowSource> rows[] = {
      {"one side after the other", sequential(all.interleaved, 15)},
      {"the same, recorded as duet", sequential(all.duet, 15)},
      {"the same, neighbour", sequential(all.neighbour, 15)},
      {"the same, compilations", sequential(all.later, 15)},
      {"two occasions, both quiet", quiet_hours(all, 15)},
      {"quiet and neighbour", between(all.interleaved, all.neighbour)},
      {"quiet and compilations", between(all.interleaved, all.later)},
  };
  std::printf("| sides | pairs | deviation | median | largest |\n|---|---|---|---|---|\n");
  for (const auto& [name, source] : rows) {
    const OccasionDrift drift = drift_of(source, options.windows * options.seeds, 1);
    std::printf("| %s | %lld | %.3f | %.3f | %.2f |\n", name, static_cast<long long>(drift.tries), drift.deviation,
                drift.median, drift.largest);
  }
}

int run(const Options& options) {
  const auto recordings = read_all(options.folder);
  if (!recordings) {
    std::fprintf(stderr, "score_ab: %s\n", recordings.error().text().c_str());
    return 3;
  }
  if (options.table == "drift") {
    print_drifts(*recordings, options);
    return 0;
  }
  std::fputs(score_table_head().c_str(), stdout);
  for (const Row& row : all_rows(*recordings)) {
    if (row.name.find(options.row) == std::string::npos) continue;
    for (const Rule& rule : rules_for(row, options)) {
      if (rule.name.find(options.rule) == std::string::npos) continue;
      const Score scored =
          score(rule, row.source,
                {options.seeds, options.windows, row.as_suite, ScoreOptions().changed, row.only_side_by_side});
      std::fputs(score_line(row.name, rule.name, scored).c_str(), stdout);
      std::fflush(stdout);
    }
  }
  return 0;
}

int usage() {
  std::fprintf(stderr,
               "usage: score_ab FOLDER [--row TEXT] [--rule TEXT] [--windows 40] [--seeds 3] "
               "[--table rules|versions|variants|drift]\n");
  return 3;
}

}  // namespace
}  // namespace steelyard::judging

int main(int count, char** arguments) {
  using namespace steelyard::judging;
  constexpr std::string_view kKnown[] = {"--row", "--rule", "--windows", "--seeds", "--table"};
  const auto given = read_study_arguments({arguments + 1, static_cast<std::size_t>(count - 1)}, kKnown);
  if (!given) return usage();
  const Options options{given->folder,
                        given->text("--row"),
                        given->text("--rule"),
                        given->number("--windows", 40),
                        given->number("--seeds", 3),
                        given->text("--table").empty() ? "rules" : given->text("--table")};
  constexpr std::string_view kTables[] = {"rules", "versions", "variants", "drift"};
  if (std::find(std::begin(kTables), std::end(kTables), options.table) == std::end(kTables)) return usage();
  if (options.windows < 1 || options.seeds < 1) return usage();
  return run(options);
}
