// That a report for people stays readable whatever the suite: its length has a bound, and what is cut is counted.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <functional>
#include <map>
#include <random>

#include "bench/model/benchmark_id.hpp"
#include "ci/app/terminal_text.hpp"
#include "ci/report/comparison.hpp"
#include "ci/report/comparison_text.hpp"
#include "ci/report/judgement_text.hpp"
#include "ci/report/next_steps.hpp"
#include "ci/report/terminal_writer.hpp"
#include "ci/report/warning_text.hpp"
#include "tests/ci/report/sample_results.hpp"

namespace steelyard::ci::bounded_reports_test {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

constexpr std::array kSizes{1, 13, 52, 300, 1000};
constexpr std::array kWidths{40, 60, 80, 100, 160};

// How benchmarks and functions are called: the number makes them different.
using Naming = std::function<std::string(std::mt19937_64&, int)>;

std::string in_few_families(std::mt19937_64& engine, int number) {
  const auto below = [&engine](std::uint64_t n) { return static_cast<int>(engine() % n); };
  // Drawn one after the other: in one expression each compiler has an order of its own.
  const auto length = static_cast<std::size_t>(below(30));
  const int family = below(7);
  return "BM_Family" + std::to_string(family) + std::string(length, 'x') + "/" + std::to_string(number);
}

// No two alike, of `most` characters or fewer; what markup, terminals and our own grammar of names read is among them.
Naming unlike_names(std::uint64_t most) {
  return [most](std::mt19937_64& engine, int number) {
    constexpr std::array<const char*, 24> kPieces{"a", "Kq",  "_", "::", "<",       ">",      ", ",     "/",
                                                  "*", "|",   "`", "[",  " [",      "]",      "(",      ")",
                                                  "&", "%5B", "~", "\n", "\x1b[2J", "\u00e9", "\u540d", "</details>"};
    std::string name;
    const std::size_t length = 1 + engine() % most;
    const std::size_t at = engine() % length;
    while (name.size() < length) {
      if (name.size() >= at && name.find('#') == std::string::npos) name += "#" + std::to_string(number) + "#";
      // Half of it letters, so that there are words as well as marks.
      name += engine() % 2 == 0 ? std::string(1, static_cast<char>('a' + engine() % 26))
                                : kPieces[engine() % kPieces.size()];
    }
    return name + "#" + std::to_string(number);
  };
}

// As many steps as a history is asked for, of commits and a release that are all unlike.
Creep eight_small_steps(int number) {
  Creep creep;
  creep.origin = LevelOrigin::released;
  creep.release = "v1." + std::to_string(number);
  creep.accepted = 1000;
  creep.ratio = 1 + 0.011 + 0.0001 * number;
  creep.level = 1000 * creep.ratio;
  creep.effect = 0.01;
  creep.beyond = true;
  for (int step = 0; step < 8; ++step) {
    const std::string digits = std::to_string(100 * number + step);
    creep.steps.push_back({std::string(40 - digits.size(), 'c') + digits, 1000.0 + step, 1.002});
  }
  return creep;
}

// `verdicts`: drawn from at random for each benchmark's time; its count moves with it in half of them.
Comparison generated(int benchmarks, const std::vector<Verdict>& verdicts, std::uint64_t seed,
                     const Naming& unlike = {}) {
  std::mt19937_64 engine(seed);
  const Naming naming = unlike ? unlike : in_few_families;
  const auto below = [&engine](std::uint64_t n) { return static_cast<int>(engine() % n); };
  Comparison comparison = sample::quiet_comparison(0);
  for (int i = 0; i < benchmarks; ++i) {
    const Verdict verdict = verdicts[engine() % verdicts.size()];
    const std::string name = parse_google_benchmark_name(naming(engine, i)).canonical();
    const double size = 0.02 + 0.01 * below(40);
    ComparisonRow time = sample::time_row(name, verdict == Verdict::improvement ? 1 - size : 1 + size, verdict);
    if (verdict == Verdict::unchanged) time.ratio = 1.002;
    time.reason = "reason " + std::to_string(below(40)) + " with some words behind it that make it long enough to wrap";
    if (below(2) == 0) {
      ComparisonRow count = sample::instructions_row(name, 1000, 1000 * *time.ratio);
      if (verdict == Verdict::unchanged) count = sample::instructions_row(name, 1000, 1000);
      for (int f = 0; f < 6 && count.verdict != Verdict::unchanged; ++f) {
        FunctionChange function;
        function.name = "library::Function" + std::to_string(f == 0 ? below(9) : f);
        if (unlike) function.name = naming(engine, i);
        function.file = "source/library/function.cpp";
        function.line = 10 + f;
        function.self_change = function.inclusive_change = (f == 0 ? 900 : 20) * (*time.ratio - 1);
        function.share = f == 0 ? 0.95 : 0.02;
        function.own_source = true;
        count.functions.push_back(function);
      }
      if (count.verdict == verdict) time.functions = count.functions;
      if (count.verdict == Verdict::regression && i % 2 == 0) count.creep = eight_small_steps(i);
      comparison.rows.push_back(count);
    }
    if (i % 3 != 0) time.solo = SoloCheck{*time.ratio, Interval{0.5, 2}, 10, i % 2 == 0};
    time.owner = "@team-" + std::to_string(i % 20) + " someone@example.org";
    comparison.rows.push_back(time);
  }
  for (int i = 0; i < 30; ++i) {
    comparison.warnings.push_back("warning " + std::to_string(i) + std::string(200, 'w') + " of many words " +
                                  std::string(100, 'x'));
    comparison.environment_differences.push_back({"fact." + std::to_string(i), "before", "after", i % 2 == 0});
  }
  decide_gates_in_words(comparison);
  return comparison;
}

std::vector<std::vector<Verdict>> mixes() {
  std::vector<std::vector<Verdict>> mixes;
  std::vector<Verdict> all;
  for (std::size_t i = 0; i < kVerdictCount; ++i) {
    mixes.push_back({static_cast<Verdict>(i)});
    mixes.push_back({static_cast<Verdict>(i), Verdict::unchanged, Verdict::unchanged, Verdict::unchanged});
    all.push_back(static_cast<Verdict>(i));
  }
  mixes.push_back(all);
  return mixes;
}

TargetReport many_targets(int count) {
  TargetReport report;
  for (int i = 0; i < count; ++i) {
    TargetRow row;
    row.benchmark = "gemm/" + std::to_string(i);
    row.verdict = i % 2 == 0 ? TargetVerdict::missed : TargetVerdict::met;
    row.reason = "60 % of the peak, wanted 70 %";
    report.targets.push_back(row);
  }
  return report;
}

std::int64_t lines_of(const std::string& text) { return std::count(text.begin(), text.end(), '\n'); }

TEST(BriefReport, HasAtMostSixtyLinesForAnySuite) {
  for (const int size : kSizes) {
    for (const std::vector<Verdict>& mix : mixes()) {
      const Comparison comparison = generated(size, mix, 7);
      for (const int width : kWidths) {
        if (size == 1000 && width != 40 && width != 100) continue;
        const std::string text = terminal_report(comparison, {false, true, width});
        EXPECT_LE(lines_of(text), 60) << size << " benchmarks, " << width << " columns\n" << text;
      }
      const std::string text = terminal_report(comparison, {true, false, 100}, many_targets(size));
      EXPECT_LE(lines_of(text), 60) << size << " benchmarks and targets\n" << text;
    }
  }
}

TEST(BriefReport, CountsTheStepsThatItHasNoRoomFor) {
  const Comparison comparison = sample::comparison_with_every_verdict();
  const RowIndex index(comparison);
  const TerminalStyle style{false, true, 100};
  const auto told = [&](std::size_t most) {
    TerminalWriter writer(comparison, index, style);
    writer.next(most, SidesFrom::this_command);
    return writer.take();
  };
  const std::size_t all = next_steps(comparison, SidesFrom::this_command).size();
  ASSERT_GT(all, 2U);
  EXPECT_THAT(told(2), testing::EndsWith("           and " + std::to_string(all - 2) + " more (--details)\n"));
  EXPECT_THAT(told(all), Not(HasSubstr("more (--details)")));
}

TEST(BriefReport, HasAtMostTwelveKilobytesOfMarkdownForAnySuite) {
  for (const int size : kSizes) {
    for (const std::vector<Verdict>& mix : mixes()) {
      const Comparison comparison = generated(size, mix, 11);
      for (const TargetReport& targets : {TargetReport{}, many_targets(size)}) {
        const std::string text = markdown_report(comparison, targets);
        EXPECT_LE(text.size(), 12U * 1024) << size << " benchmarks\n" << text;
        // A fold that is not closed would swallow what follows it.
        std::map<std::string, int> tags;
        for (const char* tag : {"<details>", "</details>"}) {
          for (std::size_t at = text.find(tag); at != std::string::npos; at = text.find(tag, at + 1)) ++tags[tag];
        }
        EXPECT_EQ(tags["<details>"], tags["</details>"]);
      }
    }
  }
}

TEST(BriefReport, HasItsBoundsWhateverTheBenchmarksAndFunctionsAreCalled) {
  std::vector<std::vector<Verdict>> mixes{{Verdict::missing, Verdict::fresh}};
  for (std::size_t i = 0; i < kVerdictCount; ++i) mixes.push_back({static_cast<Verdict>(i)});
  mixes.push_back({Verdict::regression, Verdict::improvement, Verdict::missing, Verdict::fresh, Verdict::inconclusive,
                   Verdict::failed, Verdict::unchanged});
  TerminalStyle pipe;
  pipe.cuts_names = false;
  for (const std::uint64_t longest : {8, 60, 2000}) {
    for (const int size : {1, 40, 300}) {
      for (std::size_t mix = 0; mix < mixes.size(); ++mix) {
        const Comparison comparison = generated(size, mixes[mix], 17 * mix + longest, unlike_names(longest));
        const std::string where = std::to_string(size) + " benchmarks, names of up to " + std::to_string(longest) +
                                  ", mix " + std::to_string(mix);
        for (const TerminalStyle& style : {TerminalStyle{false, true, 40}, {true, false, 100}, pipe}) {
          const std::string text = terminal_report(comparison, style);
          EXPECT_LE(lines_of(text), 60) << where;
          if (style.cuts_names) continue;
          for (std::size_t at = 0; at < text.size(); at = text.find('\n', at) + 1) {
            const std::string line = text.substr(at, text.find('\n', at) - at);
            EXPECT_LE(columns_of(line), kWholeNameColumns + 180) << where << '\n' << line;
          }
        }
        const std::string markdown = markdown_report(comparison);
        EXPECT_LE(markdown.size(), 12U * 1024) << where;
      }
    }
  }
}

// Of each verdict: benchmarks that have a line, and those that are told to have none.
TEST(BriefReport, CountsEveryBenchmarkThatItHasNoLineFor) {
  Comparison comparison = sample::quiet_comparison(0);
  for (int i = 0; i < 300; ++i) {
    const Verdict verdict = i < 40 ? Verdict::regression : i < 60 ? Verdict::improvement : Verdict::unchanged;
    const double ratio = verdict == Verdict::regression ? 1.1 : verdict == Verdict::improvement ? 0.9 : 1.001;
    comparison.rows.push_back(sample::time_row("BM_" + std::to_string(i), ratio, verdict));
  }
  const std::string text = terminal_report(comparison, {false, true, 100});
  std::map<std::string, std::int64_t> shown;
  for (std::size_t at = 0; at < text.size(); at = text.find('\n', at) + 1) {
    for (const std::string mark : {"\u2717", "\u2713", "="}) {
      if (text.compare(at, mark.size() + 4, mark + " BM_") == 0) ++shown[mark];
    }
  }
  EXPECT_GE(shown["\u2717"], 3);
  EXPECT_GE(shown["\u2713"], 3);
  EXPECT_GE(shown["="], 3);
  EXPECT_THAT(text, HasSubstr("and " + std::to_string(40 - shown["\u2717"]) + " more regressions, " +
                              std::to_string(20 - shown["\u2713"]) + " more improvements, " +
                              std::to_string(240 - shown["="]) + " more unchanged"));
  EXPECT_THAT(text, HasSubstr("--details"));
  EXPECT_THAT(terminal_report(comparison, {false, true, 100}, {}, Extent::whole), Not(HasSubstr("--details")));
}

// The lines of a warning without what wraps them: a word that was broken is one again.
std::string unbroken(std::string text, const std::string& between) {
  const std::string indent = "\n" + std::string(11, ' ');
  for (std::size_t at = 0; (at = text.find(indent, at)) != std::string::npos;) text.replace(at, indent.size(), between);
  return text;
}

TEST(Reports, OfAWarningThatIsCutKeepWhatIsDoneAboutIt) {
  Comparison comparison = sample::quiet_comparison(2);
  const std::string path = "/" + std::string(200, 'p');
  comparison.warnings = {warning::could_reach(path)};
  const std::string brief = terminal_report(comparison, {false, true, 60});
  EXPECT_THAT(unbroken(brief, " "), HasSubstr("could reach \u2026 judge strangers' code in a job that keeps nothing "
                                              "(docs/operations/security.md)\n"));
  EXPECT_THAT(brief, Not(HasSubstr("ppp")));
  const std::string whole = terminal_report(comparison, {false, true, 60}, {}, Extent::whole);
  EXPECT_THAT(unbroken(whole, ""), HasSubstr(path + ","));
  for (std::size_t at = 0; at < whole.size(); at = whole.find('\n', at) + 1) {
    EXPECT_LE(columns_of(whole.substr(at, whole.find('\n', at) - at)), 60U);
  }
}

TEST(BriefReport, ASmallSuiteIsToldWhole) {
  const Comparison comparison = generated(5, {Verdict::regression, Verdict::unchanged}, 3);
  for (const std::string& text : {terminal_report(comparison, {false, true, 120}), markdown_report(comparison)}) {
    for (const ComparisonRow& row : comparison.rows) {
      EXPECT_THAT(text, HasSubstr(row.benchmark));
    }
    // But for the next steps, which thirty warnings leave little room for.
    EXPECT_THAT(text.substr(0, text.find("\nnext ")), Not(HasSubstr("--details")));
  }
}

}  // namespace
}  // namespace steelyard::ci::bounded_reports_test
