#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <limits>

#include "bench/counting/reader/callgrind_reader.hpp"
#include "tests/promised.hpp"

namespace steelyard::bench::callgrind_reader_test {
namespace {

using ::testing::HasSubstr;

constexpr std::string_view kHeader = "# callgrind format\nversion: 1\npositions: line\nevents: Ir Dr\n";

std::string with_body(const std::string& body, const std::string& totals = "totals: 0 0\n") {
  return std::string(kHeader) + body + totals;
}

CallgrindPart only_part(const std::string& text) {
  Result<std::vector<CallgrindPart>> parts = parse_callgrind(text, "profile");
  EXPECT_TRUE(parts) << (parts ? "" : parts.error().text());
  return parts && parts->size() == 1 ? parts->front() : CallgrindPart{};
}

std::string error_of(const std::string& text) {
  const auto parts = parse_callgrind(text, "profile");
  return parts ? "was accepted" : parts.error().text();
}

TEST(CallgrindReader, MissingTrailingCostsAreZero) {
  const CallgrindPart part = only_part(with_body("fn=f\n1 5\n+1 2 3\n4\n", "totals: 7 3\n"));
  ASSERT_EQ(part.functions.size(), 1u);
  EXPECT_EQ(part.functions[0].self, (std::vector<std::int64_t>{7, 3}));
}

TEST(CallgrindReader, RefusesMoreCostsThanEvents) {
  EXPECT_THAT(error_of(with_body("fn=f\n1 5 6 7\n")), HasSubstr("profile:6"));
}

TEST(CallgrindReader, RefusesTotalsThatTheSelfCostsDoNotAddUpTo) {
  EXPECT_THAT(error_of(with_body("fn=f\n1 5 5\n", "totals: 6 5\n")), HasSubstr("totals 6 5"));
}

TEST(CallgrindReader, RefusesAPartWithoutTotals) {
  EXPECT_THAT(error_of(with_body("fn=f\n1 5 5\n", "")), HasSubstr("totals:"));
  EXPECT_THAT(error_of(std::string(kHeader)), HasSubstr("totals:"));
}

TEST(CallgrindReader, RefusesASecondPartBeforeTheTotalsOfTheFirst) {
  EXPECT_THAT(error_of(with_body("fn=f\n1 5\npart: 2\n")), HasSubstr("profile:7"));
}

TEST(CallgrindReader, RefusesTextThatIsNoProfile) {
  EXPECT_THAT(error_of("# only a comment\n"), HasSubstr("no part"));
  EXPECT_THAT(error_of("hello\n"), HasSubstr("profile:1"));
  EXPECT_THAT(error_of("fn=f\n1 5\ntotals: 5\n"), HasSubstr("profile:1"));
}

TEST(CallgrindReader, CostsAfterAnInlinedFileBelongToTheFunction) {
  const CallgrindPart part =
      only_part(with_body("fl=a.cpp\nfn=f\n10 5 1\nfi=b.h\n20 7\nfe=a.cpp\n11 1\n", "totals: 13 1\n"));
  ASSERT_EQ(part.functions.size(), 1u);
  EXPECT_EQ(part.functions[0].file, "a.cpp");
  EXPECT_EQ(part.functions[0].line, 10);
  EXPECT_EQ(part.functions[0].self, (std::vector<std::int64_t>{13, 1}));
  ASSERT_EQ(part.inlined.size(), 1u);
  EXPECT_EQ(part.inlined[0].file, "b.h");
  EXPECT_EQ(part.inlined[0].self, (std::vector<std::int64_t>{7, 0}));
}

TEST(CallgrindReader, AFunctionWithoutANewFileBelongsToTheFileLastNamed) {
  const CallgrindPart part = only_part(with_body("fl=a.cpp\nfn=f\n10 5\nfi=b.h\n20 7\nfn=g\n3 1\n", "totals: 13\n"));
  ASSERT_EQ(part.functions.size(), 2u);
  EXPECT_EQ(part.functions[1].file, "b.h");
}

TEST(CallgrindReader, ObjectAndFileOfACalleeHoldForOneCall) {
  const CallgrindPart part =
      only_part(with_body("ob=program\nfl=a.cpp\nfn=f\n1 1\n"
                          "cob=library\ncfi=l.cpp\ncfn=g\ncalls=2 7\n2 10\n"
                          "cfn=h\ncalls=1 9\n3 20\n"
                          "ob=library\nfl=l.cpp\nfn=g\n7 10\nob=program\nfl=a.cpp\nfn=h\n9 20\n",
                          "totals: 31\n"));
  ASSERT_EQ(part.functions.size(), 3u);
  EXPECT_EQ(part.functions[1].object, "library");
  EXPECT_EQ(part.functions[1].calls, 2);
  EXPECT_EQ(part.functions[1].line, 7);
  EXPECT_EQ(part.functions[2].object, "program");
  EXPECT_EQ(part.functions[2].file, "a.cpp");
  EXPECT_EQ(part.functions[0].inclusive[0], 31);
  ASSERT_EQ(part.arcs.size(), 2u);
  EXPECT_EQ(part.arcs[0].inclusive[0], 10);
}

TEST(CallgrindReader, ACallEnteredBeforeThePartIsAnArcAndNeverSelf) {
  const CallgrindPart part = only_part(with_body("fn=f\n1 0\ncfn=g\ncalls=0 1\n1 50\nfn=g\n1 50\n", "totals: 50\n"));
  ASSERT_EQ(part.functions.size(), 2u);
  EXPECT_EQ(part.functions[0].self[0], 0);
  EXPECT_EQ(part.functions[0].inclusive[0], 50);
  EXPECT_EQ(part.functions[1].calls, 0);
  EXPECT_EQ(part.functions[1].inclusive[0], 50);
}

TEST(CallgrindReader, TargetsOfCallsAndJumpsDoNotMoveThePosition) {
  const CallgrindPart part = only_part(
      with_body("fn=f\n100 1\ncfn=g\ncalls=1 +50\n+1 9\njump=3 +7\n* \njcnd=1/4 -7\n* \nfn=g\n-1 9\n", "totals: 10\n"));
  ASSERT_EQ(part.functions.size(), 2u);
  EXPECT_EQ(part.functions[1].line, 150);
}

TEST(CallgrindReader, ReadsAConditionalJumpAsTheManualWritesIt) {
  const CallgrindPart part = only_part(with_body("fn=f\njcnd=4 1 +7\n+2\n+1 5\n", "totals: 5\n"));
  ASSERT_EQ(part.functions.size(), 1u);
  EXPECT_EQ(part.functions[0].line, 1) << "where it was, the jump stands elsewhere";
}

TEST(CallgrindReader, RefusesAReferenceToANameThatWasNotDefined) {
  EXPECT_THAT(error_of(with_body("fn=(3)\n1 5\n")), HasSubstr("(3)"));
}

TEST(CallgrindReader, ARedefinitionOfANameHasToBeEqual) {
  EXPECT_EQ(only_part(with_body("fn=(3) f\n1 5\nfn=(3) f\n1 5\n", "totals: 10\n")).functions.size(), 1u);
  EXPECT_THAT(error_of(with_body("fn=(3) f\n1 5\nfn=(3) g\n1 5\n", "totals: 10\n")), HasSubstr("profile:7"));
}

TEST(CallgrindReader, KeepsNamesThatBeginWithAParenthesisOrEndInAClone) {
  const CallgrindPart part =
      only_part(with_body("fn=(below main)\n1 1\nfn=(1) g(int) [clone .isra.0]\n1 1\n", "totals: 2\n"));
  ASSERT_EQ(part.functions.size(), 2u);
  EXPECT_EQ(part.functions[0].name, "(below main)");
  EXPECT_EQ(part.functions[1].name, "g(int) [clone .isra.0]");
}

TEST(CallgrindReader, RefusesPositionsBelowZeroAndNumbersThatDoNotFit) {
  EXPECT_THAT(error_of(with_body("fn=f\n5 1\n-6 1\n", "totals: 2\n")), HasSubstr("profile:7"));
  EXPECT_THAT(error_of(with_body("fn=f\n0xffffffffffffffff 1\n+1 1\n", "totals: 2\n")), HasSubstr("profile:7"));
  EXPECT_THAT(error_of(with_body("fn=f\n1 9223372036854775808\n")), HasSubstr("profile:6"));
  EXPECT_THAT(error_of(with_body("fn=f\n1 9223372036854775807\n1 1\n")), HasSubstr("profile:7"));
}

// As names they would be two functions, one for the definition and one for all that refer to it.
TEST(CallgrindReader, RefusesANumberOfANameThatDoesNotFit) {
  EXPECT_THAT(error_of(with_body("fn=(99999999999999999999) f\n1 1\nfn=(99999999999999999999)\n1 1\n", "totals: 2\n")),
              HasSubstr("profile:5"));
  EXPECT_EQ(only_part(with_body("fn=() f\n1 1\n", "totals: 1\n")).functions[0].name, "() f");
}

TEST(CallgrindReader, RefusesCallsAndJumpsWithoutTheirCosts) {
  EXPECT_THAT(error_of(with_body("fn=f\ncfn=g\ncalls=1 1\n")), HasSubstr("call or jump"));
  EXPECT_THAT(error_of(with_body("fn=f\ncfn=g\ncalls=1 1\nfn=g\n1 1\n")), HasSubstr("profile:8"));
  EXPECT_THAT(error_of(with_body("fn=f\ncalls=1 1\n1 1\n")), HasSubstr("cfn="));
  for (const char* callee : {"cob=o\n", "cfi=a.h\n", "cfl=a.h\n", "cfn=g\n"}) {
    EXPECT_THAT(error_of(with_body(std::string("fn=f\n") + callee + "fn=g\n1 1\n")), HasSubstr("profile:7")) << callee;
    EXPECT_THAT(error_of(with_body(std::string("fn=f\n") + callee)), HasSubstr("profile:7")) << callee;
  }
  EXPECT_THAT(error_of(with_body("fn=f\njump=1 1\n1 7\n")), HasSubstr("profile:7"));
  EXPECT_THAT(error_of(with_body("1 1\n")), HasSubstr("fn="));
}

TEST(CallgrindReader, RefusesUnknownLinesOfTheBodyAndKeepsUnknownHeaders) {
  EXPECT_THAT(error_of(with_body("fn=f\nwhat is this\n")), HasSubstr("profile:6"));
  EXPECT_THAT(error_of(with_body("fn=f\nxyz=3\n")), HasSubstr("profile:6"));
  const CallgrindPart part = only_part("colour: green\n" + with_body("fn=f\n1 1\n", "totals: 1\n"));
  EXPECT_EQ(part.other_headers, std::vector<std::string>{"colour: green"});
}

TEST(CallgrindReader, RefusesHeadersThatContradictThemselves) {
  EXPECT_THAT(error_of("positions: column\nevents: Ir\n"), HasSubstr("profile:1"));
  EXPECT_THAT(error_of("events: Ir Ir\n"), HasSubstr("every event once"));
  EXPECT_THAT(error_of("events: Ir\nevents: Dr\n"), HasSubstr("profile:2"));
  EXPECT_THAT(error_of("positions: line\nfn=f\n"), HasSubstr("events:"));
}

CallgrindPart with_positions(const std::string& text) {
  Result<std::vector<CallgrindPart>> parts = parse_callgrind(text, "profile", {.keep_positions = true});
  EXPECT_TRUE(parts) << (parts ? "" : parts.error().text());
  return parts && parts->size() == 1 ? parts->front() : CallgrindPart{};
}

TEST(CallgrindReader, KeepsPositionsOnlyWhereAskedTo) {
  const std::string text = with_body("fl=a.cpp\nfn=f\n1 5\n", "totals: 5\n");
  EXPECT_TRUE(only_part(text).position_costs.empty());
  EXPECT_TRUE(only_part(text).position_files.empty());
  EXPECT_EQ(with_positions(text).position_costs.size(), 1u);
}

TEST(CallgrindReader, AddsUpTheCostsOfOnePlaceAndKeepsThoseOfOthersApart) {
  const CallgrindPart part = with_positions(
      "positions: instr line\nevents: Ir Dr\n"
      "fl=a.cpp\nfn=f\n0x10 7 5 1\n+4 * 2\nfi=b.h\n* 7 3\nfe=a.cpp\n0x10 7 1\n* 8 4\n+8 9 0\ncfn=g\ncalls=1 0x40 1\n"
      "0x20 9 100\nfn=g\n0x40 1 100\ntotals: 115 1\n");
  EXPECT_EQ(part.position_files, (std::vector<std::string>{"a.cpp", "b.h"}));
  const std::vector<PositionCost> expected = {
      {0, 0, 0x10, 7, {6, 1}}, {0, 0, 0x10, 8, {4, 0}},   {0, 0, 0x14, 7, {2, 0}},
      {0, 1, 0x14, 7, {3, 0}}, {1, 0, 0x40, 1, {100, 0}},
  };
  EXPECT_EQ(part.position_costs, expected);
}

// Collection begins within the callee: the call's own instruction costs nothing, and what follows is relative to the
// last line that cost something itself.
TEST(CallgrindReader, ACallThatCostsNothingItselfDoesNotMoveThePositionsAfterIt) {
  const CallgrindPart part = with_positions(
      "positions: instr line\nevents: Ir\nfl=a.cpp\nfn=f\n0x100 50 1\n"
      "cfn=g\ncalls=1 +0x200 +7\n+0x10 +3 30\n"
      "cfn=h\ncalls=1 +0x300 -8\n+0x20 -5 40\n"
      "+0x24 -1 2\n* * 4\n-4 +2 8\n"
      "fn=g\n0x300 57 30\nfn=h\n0x400 42 40\ntotals: 85\n");
  const std::vector<PositionCost> of_f = {{0, 0, 0x100, 50, {1}}, {0, 0, 0x120, 51, {8}}, {0, 0, 0x124, 49, {6}}};
  ASSERT_EQ(part.position_costs.size(), 5u);
  EXPECT_EQ(std::vector<PositionCost>(part.position_costs.begin(), part.position_costs.begin() + 3), of_f);
  EXPECT_EQ(part.functions[1].line, 57);
  EXPECT_EQ(part.functions[2].line, 42) << "the target, too, is relative to the last self cost";
}

TEST(CallgrindReader, TheSourceOfAJumpDoesNotMoveThePositionsAfterIt) {
  const CallgrindPart part = with_positions(
      "positions: instr line\nevents: Ir\nfl=a.cpp\nfn=f\n0x100 50 1\n"
      "jump=3 +0x20 +7\n+4 +1 \njcnd=1/4 -0x20 -7\n+8 +2 \nfi=b.h\n+12 -40 2\nfe=a.cpp\n+3 +41 4\ntotals: 7\n");
  const std::vector<PositionCost> expected = {{0, 0, 0x100, 50, {1}}, {0, 0, 0x10f, 51, {4}}, {0, 1, 0x10c, 10, {2}}};
  EXPECT_EQ(part.position_costs, expected);
}

// Were the record or its source not read as such, or the line after them taken along, another position had the costs.
void expect_costs_beside_a_jump(const std::string& record) {
  const CallgrindPart part = with_positions("positions: instr line\nevents: Ir\nfl=a.cpp\nfn=f\n0x100 50 1\n" + record +
                                            "\n+4 +1 \n+8 +2 2\n* * 4\ntotals: 7\n");
  const std::vector<PositionCost> expected = {{0, 0, 0x100, 50, {1}}, {0, 0, 0x108, 52, {6}}};
  EXPECT_EQ(part.position_costs, expected) << record;
}

TEST(CallgrindReader, AJumpHasOneLineForItsSource) { expect_costs_beside_a_jump("jump=3 +0x20 +7"); }

TEST(CallgrindReader, AConditionalJumpHasOneLineForItsSource) {
  expect_costs_beside_a_jump("jcnd=1/4 +0x20 +7");
  expect_costs_beside_a_jump("jcnd=4 1 +0x20 +7");
}

TEST(CallgrindReader, ThePositionsOfAPartDoNotGoOnFromThePartBefore) {
  EXPECT_THAT(error_of("part: 1\nevents: Ir\nfn=f\n7 5\ntotals: 5\npart: 2\nevents: Ir\nfn=f\n-1 5\ntotals: 5\n"),
              HasSubstr("profile:9"));
}

TEST(CallgrindReader, PositionsOfLinesHaveNoAddressAndThoseOfInstructionsNoLine) {
  EXPECT_EQ(with_positions("events: Ir\nfn=f\n7 5\ntotals: 5\n").position_costs[0], (PositionCost{0, 0, 0, 7, {5}}));
  EXPECT_EQ(with_positions("positions: instr\nevents: Ir\nfn=f\n0x7 5\ntotals: 5\n").position_costs[0],
            (PositionCost{0, 0, 7, 0, {5}}));
}

TEST(CallgrindReader, DerivedEventsHaveTheirCostAtEveryPosition) {
  const CallgrindPart part = with_positions("event: Twice = 2 Ir : twice\nevents: Ir\nfn=f\n7 5\n8 6\ntotals: 11\n");
  ASSERT_EQ(part.position_costs.size(), 2u);
  EXPECT_EQ(part.position_costs[1].self, (std::vector<std::int64_t>{6, 12}));
}

TEST(CallgrindReader, AMissingFileIsAnErrorThatNamesIt) {
  const auto parts = read_callgrind("/nonexistent/callgrind.out");
  ASSERT_FALSE(parts);
  EXPECT_EQ(parts.error().where, "/nonexistent/callgrind.out");
}

const std::filesystem::path kGolden = STEELYARD_GOLDEN_CALLGRIND;

class CallgrindFiles : public ::testing::Test {
 protected:
  CallgrindFiles() { std::filesystem::create_directories(folder_); }
  ~CallgrindFiles() override { std::filesystem::remove_all(folder_); }

  void write(const std::string& name, const std::string& text) const { std::ofstream(folder_ / name) << text; }
  static std::string profile(int part, int thread, int cost) {
    const std::string number = std::to_string(cost);
    return "part: " + std::to_string(part) + "\n" + (thread == 0 ? "" : "thread: " + std::to_string(thread) + "\n") +
           "events: Ir\nfn=f\n1 " + number + "\ntotals: " + number + "\n";
  }
  std::vector<std::int64_t> totals(const std::string& name) const {
    std::vector<std::int64_t> found;
    const auto parts = read_callgrind_program(folder_ / name);
    EXPECT_TRUE(parts) << parts.error().text();
    if (!parts) return found;
    for (const CallgrindPart& part : *parts) found.push_back(part.totals[0]);
    return found;
  }

  const std::filesystem::path folder_ =
      std::filesystem::temp_directory_path() / ("steelyard_callgrind_files_" + std::to_string(getpid()));
};

TEST_F(CallgrindFiles, AnEmptyFileStandsForTheThreadsBesideIt) {
  const auto parts = read_callgrind_program(kGolden / "05_threads/callgrind.out");
  ASSERT_TRUE(parts) << parts.error().text();
  ASSERT_EQ(parts->size(), 3u);
  EXPECT_EQ((*parts)[0].totals[0], 1715363);
  EXPECT_EQ((*parts)[1].totals[0], 12224);
  EXPECT_EQ((*parts)[2].totals[0], 22392);
}

TEST_F(CallgrindFiles, AFileWithTextStandsForItselfAlone) {
  const auto parts = read_callgrind_program(kGolden / "06_parts_toggle/callgrind.out");
  ASSERT_TRUE(parts);
  EXPECT_EQ(parts->size(), 1u);
}

TEST_F(CallgrindFiles, FindsPartsAndThreadsInOrderAndNothingElse) {
  for (const std::string suffix : {"", ".10", ".2", ".2-01", "-11", "-02", ".x", "-", ".", ".1-", "-1x", ".0", "x"}) {
    write("F" + suffix, "");
  }
  std::vector<std::string> names;
  for (const CallgrindFile& file : find_callgrind_files(folder_ / "F")) names.push_back(file.path.filename().string());
  EXPECT_EQ(names, (std::vector<std::string>{"F.2", "F.2-01", "F.10", "F-02", "F-11"}));
}

TEST_F(CallgrindFiles, ReadsEarlierPartsOfThreadsBeforeTheLast) {
  write("F", "");
  write("F-01", profile(2, 1, 30));
  write("F-02", profile(2, 2, 40));
  write("F.1-01", profile(1, 1, 10));
  write("F.1-02", profile(1, 2, 20));
  EXPECT_EQ(totals("F"), (std::vector<std::int64_t>{10, 20, 30, 40}));
}

TEST_F(CallgrindFiles, LeavesOutTheProfileOfAnotherProcess) {
  write("F", "");
  write("F-01", profile(1, 1, 30));
  write("F.4711", profile(1, 0, 99));
  EXPECT_EQ(totals("F"), std::vector<std::int64_t>{30});
}

TEST_F(CallgrindFiles, RefusesAProgramThatLacksAThread) {
  write("F", "");
  write("F-01", profile(1, 1, 30));
  write("F-03", profile(1, 3, 30));
  const auto parts = read_callgrind_program(folder_ / "F");
  ASSERT_FALSE(parts);
  EXPECT_THAT(parts.error().text(), HasSubstr("no file of thread 2"));
}

TEST_F(CallgrindFiles, RefusesAnEmptyFileAloneAndAThreadThatWasCut) {
  write("F", "");
  auto parts = read_callgrind_program(folder_ / "F");
  ASSERT_FALSE(parts);
  EXPECT_THAT(parts.error().text(), HasSubstr("an empty file"));
  write("F-01", "part: 1\nthread: 1\nevents: Ir\nfn=f\n1 5\n");
  parts = read_callgrind_program(folder_ / "F");
  ASSERT_FALSE(parts);
  EXPECT_THAT(parts.error().where, HasSubstr("F-01:5"));
}

TEST(Costs, AreAddedEventByEventAndMissingOnesAreZero) {
  std::vector<std::int64_t> sum{1, 2, 3};
  EXPECT_TRUE(add_costs(sum, std::vector<std::int64_t>{10, 20}));
  EXPECT_EQ(sum, (std::vector<std::int64_t>{11, 22, 3}));
  EXPECT_TRUE(add_costs(sum, {}));
}

// A counted program may be a stranger's: without a bound a pipe would be waited for until the job's end.
TEST(CallgrindReader, OfAProgramThatMayBeAStrangersFollowsNoLinkAndWaitsForNoPipe) {
  std::string pattern = (std::filesystem::temp_directory_path() / "callgrind_left_XXXXXX").string();
  const std::filesystem::path folder = mkdtemp(pattern.data());
  std::ofstream(folder / "profile") << with_body("fn=a\n1 5 6\n", "totals: 5 6\n");
  ASSERT_EQ(mkfifo((folder / "pipe").c_str(), 0600), 0);
  std::filesystem::create_symlink(folder / "profile", folder / "link");
  EXPECT_TRUE(read_callgrind(folder / "profile", {.is_left = true}));
  EXPECT_TRUE(read_callgrind(folder / "link"));
  for (const char* name : {"pipe", "link"}) {
    const auto read = read_callgrind(folder / name, {.is_left = true});
    ASSERT_FALSE(read) << name;
    EXPECT_THAT(read.error().text(), HasSubstr("no regular file"));
  }
  std::filesystem::remove_all(folder);
}

TEST(Costs, ASumThatDoesNotFitIsTold) {
  constexpr std::int64_t kMax = std::numeric_limits<std::int64_t>::max();
  std::vector<std::int64_t> sum{0, kMax};
  EXPECT_TRUE(add_costs(sum, std::vector<std::int64_t>{kMax, 0}));
  EXPECT_FALSE(add_costs(sum, std::vector<std::int64_t>{0, 1}));
}

TEST(Costs, AreZeroWhereEachIs) {
  EXPECT_TRUE(is_zero({}));
  EXPECT_TRUE(is_zero(std::vector<std::int64_t>{0, 0}));
  EXPECT_FALSE(is_zero(std::vector<std::int64_t>{0, -1}));
}

}  // namespace

}  // namespace steelyard::bench::callgrind_reader_test
