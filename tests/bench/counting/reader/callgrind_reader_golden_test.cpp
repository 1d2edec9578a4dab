// Every profile of tests/golden/callgrind against its expected.tsv, row by row (tests/golden/callgrind/README.md).
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "bench/counting/reader/call_cycles.hpp"
#include "bench/counting/reader/callgrind_reader.hpp"
#include "tests/promised.hpp"

namespace steelyard::bench::callgrind_reader_golden_test {
namespace {

const std::filesystem::path kGolden = STEELYARD_GOLDEN_CALLGRIND;

std::vector<CallgrindPart> read_golden(const std::string& file) {
  Result<std::vector<CallgrindPart>> parts = read_callgrind(kGolden / file);
  EXPECT_TRUE(parts) << (parts ? "" : parts.error().text());
  return parts ? *parts : std::vector<CallgrindPart>{};
}

// The self costs of all functions, once as the reader adds them up and once from their positions.
void expect_positions_to_add_up(const CallgrindPart& part, const std::string& file) {
  std::vector<std::vector<std::int64_t>> sums(part.functions.size(), std::vector<std::int64_t>(part.events.size(), 0));
  for (const PositionCost& cost : part.position_costs) {
    for (std::size_t event = 0; event < part.events.size(); ++event) sums[cost.function][event] += cost.self[event];
  }
  for (std::size_t i = 0; i < sums.size(); ++i) EXPECT_EQ(sums[i], part.functions[i].self) << file << " function " << i;
}

std::string tabbed(const std::vector<std::int64_t>& numbers) {
  std::string text;
  for (const std::int64_t number : numbers) text += "\t" + std::to_string(number);
  return text;
}

std::string joined(const std::vector<std::string>& words) {
  std::string text;
  for (const std::string& word : words) text += (text.empty() ? "" : ",") + word;
  return text;
}

// The rows of an expected.tsv as this reader would write them, in any order.
std::vector<std::string> rows_of(const CallgrindPart& part) {
  const std::string number = "\t" + std::to_string(part.part) + "\t";
  std::vector<std::string> rows;
  rows.push_back("part" + number + "thread=" + (part.thread.empty() ? "-" : part.thread) +
                 "\tpositions=" + joined(part.positions) + "\tarcs=" + std::to_string(part.arcs.size()) +
                 tabbed(part.totals) + tabbed(part.summary.empty() ? part.totals : part.summary));
  const CallCycles cycles = find_call_cycles(part.functions.size(), part.arcs);
  const auto named = [&](const ProfiledFunction& function) {
    return number + function.object + "\t" + function.file + "\t" + function.name + "\t";
  };
  for (std::size_t i = 0; i < part.functions.size(); ++i) {
    const ProfiledFunction& function = part.functions[i];
    rows.push_back("fn" + named(function) + std::to_string(function.calls) + "\t" +
                   std::to_string(cycles.size_of[cycles.cycle_of[i]]) + tabbed(function.self) +
                   tabbed(function.inclusive));
  }
  for (const InlinedCost& piece : part.inlined) {
    rows.push_back("inl" + named(part.functions[piece.function]) + piece.file + "\t-" + tabbed(piece.self));
  }
  return rows;
}

std::vector<std::string> expected_rows(const std::filesystem::path& file) {
  std::ifstream stream(file);
  std::vector<std::string> rows;
  for (std::string line; std::getline(stream, line);) {
    if (!line.starts_with('#')) rows.push_back(line);
  }
  return rows;
}

class CallgrindGolden : public ::testing::TestWithParam<std::string> {};

TEST_P(CallgrindGolden, HasEveryRowOfItsTable) {
  std::vector<std::string> found;
  for (const CallgrindPart& part : read_golden(GetParam())) {
    const std::vector<std::string> rows = rows_of(part);
    found.insert(found.end(), rows.begin(), rows.end());
  }
  std::vector<std::string> expected = expected_rows(kGolden / (GetParam() + ".expected.tsv"));
  ASSERT_FALSE(expected.empty());
  std::sort(found.begin(), found.end());
  std::sort(expected.begin(), expected.end());
  EXPECT_EQ(found, expected);
}

TEST_P(CallgrindGolden, PositionsAddUpToEachFunction) {
  const Result<std::vector<CallgrindPart>> parts = read_callgrind(kGolden / GetParam(), {.keep_positions = true});
  ASSERT_TRUE(parts) << parts.error().text();
  ASSERT_FALSE(parts->empty());
  for (const CallgrindPart& part : *parts) {
    expect_positions_to_add_up(part, GetParam());
    const bool has_addresses = part.positions.front() == "instr";
    for (const PositionCost& cost : part.position_costs) EXPECT_EQ(cost.address != 0, has_addresses);
  }
}

// Where each function begins, and what it spent at each address and line of each file, in any order.
std::vector<std::string> places_of(const CallgrindPart& part) {
  std::vector<std::string> places;
  const auto named = [](const ProfiledFunction& function) {
    return function.object + "\t" + function.file + "\t" + function.name + "\t";
  };
  for (const ProfiledFunction& function : part.functions) {
    places.push_back("fn\t" + named(function) + std::to_string(function.line));
  }
  for (const PositionCost& cost : part.position_costs) {
    places.push_back("at\t" + named(part.functions[cost.function]) + part.position_files[cost.file] + "\t" +
                     std::to_string(cost.address) + "\t" + std::to_string(cost.line) + tabbed(cost.self));
  }
  std::sort(places.begin(), places.end());
  return places;
}

// One program, written with relative positions and with absolute ones.
class CallgrindTwins : public ::testing::TestWithParam<const char*> {
 protected:
  static CallgrindPart twin(const std::string& name) {
    const auto parts = read_callgrind(kGolden / GetParam() / (name + ".callgrind.out"), {.keep_positions = true});
    EXPECT_TRUE(parts) << parts.error().text();
    return parts && parts->size() == 1 ? parts->front() : CallgrindPart{};
  }
};

TEST_P(CallgrindTwins, HaveTheSameRows) {
  std::vector<std::string> compressed = rows_of(twin("compressed")), uncompressed = rows_of(twin("uncompressed"));
  std::sort(compressed.begin(), compressed.end());
  std::sort(uncompressed.begin(), uncompressed.end());
  EXPECT_EQ(compressed, uncompressed);
}

TEST_P(CallgrindTwins, HaveTheSameCostAtEveryAddressAndLine) {
  const std::vector<std::string> places = places_of(twin("uncompressed"));
  EXPECT_GT(places.size(), 50u);
  EXPECT_EQ(places_of(twin("compressed")), places);
}

INSTANTIATE_TEST_SUITE_P(Both, CallgrindTwins, ::testing::Values("01_names", "11_callee_toggle"),
                         [](const auto& test) { return std::string(test.param); });

TEST(CallgrindReaderGolden, PartsInOneFileReadAsTheSamePartsInManyFiles) {
  const std::vector<CallgrindPart> combined = read_golden("07_parts_combined/callgrind.out");
  ASSERT_EQ(combined.size(), 5u);
  for (std::size_t i = 0; i < 4; ++i) {
    const auto single = read_golden("06_parts_toggle/callgrind.out." + std::to_string(i + 1));
    ASSERT_EQ(single.size(), 1u);
    EXPECT_EQ(combined[i].part, single[0].part);
    EXPECT_EQ(combined[i].totals, single[0].totals);
    EXPECT_EQ(combined[i].functions, single[0].functions);
    EXPECT_EQ(combined[i].arcs, single[0].arcs);
  }
  EXPECT_EQ(combined[4].totals, std::vector<std::int64_t>{0});
}

TEST(CallgrindReaderGolden, NetCostOfOneCallIsExactAfterTheBaselineIsTakenOff) {
  const auto repeat = read_golden("06_parts_toggle/callgrind.out.2");
  const auto baseline = read_golden("06_parts_toggle/callgrind.out.4");
  ASSERT_EQ(repeat.size() + baseline.size(), 2u);
  EXPECT_EQ((repeat[0].totals[0] - baseline[0].totals[0]) / 100, 67);
}

// The program of 04 ends within a call: 2 instructions that the summary has and the totals have not. (The system time
// of blocked threads in 10 is counted otherwise, hence the first event alone.)
TEST_P(CallgrindGolden, CallsCostWhatTheyLeadTo) {
  for (const CallgrindPart& part : read_golden(GetParam())) {
    ASSERT_EQ(part.events.front(), "Ir");
    const std::int64_t excluded = part.summary.empty() ? 0 : part.summary[0] - part.totals[0];
    EXPECT_EQ(part.unbalanced[0], excluded);
    EXPECT_EQ(excluded, GetParam() == "04_cache_branch/callgrind.out" ? 2 : 0);
  }
}

TEST(CallgrindReaderGolden, EmptyBaseFileOfSeparateThreadsHasNoParts) {
  EXPECT_TRUE(read_golden("05_threads/callgrind.out").empty());
}

std::string text_of(const std::string& file) {
  std::ifstream stream(kGolden / file, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), {}};
}

bool begins_with(const std::vector<CallgrindPart>& whole, const std::vector<CallgrindPart>& cut) {
  return std::equal(cut.begin(), cut.end(), whole.begin(), [](const CallgrindPart& a, const CallgrindPart& b) {
    return rows_of(a) == rows_of(b) && a.trigger == b.trigger;
  });
}

// Every byte of small profiles; of large ones every so many and the last 300.
TEST_P(CallgrindGolden, CutShortIsAnErrorAndNeverASmallerProgram) {
  const std::string text = text_of(GetParam());
  const std::vector<CallgrindPart> whole = read_golden(GetParam());
  const std::size_t step = text.size() > 8000 ? 251 : 1;
  for (std::size_t length = 1; length < text.size(); length += length + 300 < text.size() ? step : 1) {
    const auto cut = parse_callgrind(std::string_view(text).substr(0, length), GetParam());
    if (!cut) {
      ASSERT_TRUE(cut.error().where.starts_with(GetParam() + ":")) << cut.error().text();
      continue;
    }
    ASSERT_FALSE(cut->empty()) << "cut to " << length;
    ASSERT_TRUE(begins_with(whole, *cut)) << "cut to " << length;
    if (cut->size() == whole.size()) {
      // Nothing but line ends may be missing.
      ASSERT_EQ(text.find_first_not_of('\n', length), std::string::npos) << "cut to " << length;
      continue;
    }
    // Between two parts: what the file was when Callgrind had written these, and the last one says so.
    ASSERT_NE(cut->back().trigger, "Program termination") << "cut to " << length;
    const std::size_t end = text.find_last_not_of('\n', length - 1);
    ASSERT_EQ(text.substr(text.rfind('\n', end) + 1, 7), "totals:") << "cut to " << length;
  }
}

INSTANTIATE_TEST_SUITE_P(EveryProfile, CallgrindGolden,
                         ::testing::Values("01_names/compressed.callgrind.out", "01_names/uncompressed.callgrind.out",
                                           "02_jumps_line/callgrind.out", "03_jumps_instr/callgrind.out",
                                           "04_cache_branch/callgrind.out", "05_threads/callgrind.out-01",
                                           "05_threads/callgrind.out-02", "05_threads/callgrind.out-03",
                                           "06_parts_toggle/callgrind.out", "06_parts_toggle/callgrind.out.1",
                                           "06_parts_toggle/callgrind.out.2", "06_parts_toggle/callgrind.out.3",
                                           "06_parts_toggle/callgrind.out.4", "07_parts_combined/callgrind.out",
                                           "08_recursion/default.callgrind.out", "08_recursion/merged.callgrind.out",
                                           "09_stripped_static/callgrind.out", "10_systime_bus/callgrind.out",
                                           "11_callee_toggle/compressed.callgrind.out",
                                           "11_callee_toggle/uncompressed.callgrind.out"),
                         [](const auto& test) {
                           std::string name = test.param;
                           std::replace_if(
                               name.begin(), name.end(), [](char c) { return c < '0' || (c > '9' && c < 'A'); }, '_');
                           return name;
                         });

}  // namespace
}  // namespace steelyard::bench::callgrind_reader_golden_test
