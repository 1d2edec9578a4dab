// The reader of callgrind.out files at its limits: what is very large, very deep or made to be. Bounded memory and
// time, and never a crash.
#include <gmock/gmock.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "bench/counting/reader/callgrind_part_builder.hpp"
#include "bench/counting/reader/callgrind_reader.hpp"
#include "tests/promised.hpp"

namespace steelyard::bench::callgrind_limits_test {
namespace {

using ::testing::HasSubstr;

constexpr int kMillion = 1'000'000;

std::string numbered(int i) { return "(" + std::to_string(i) + ")"; }

CallgrindPart only_part(const std::string& text) {
  Result<std::vector<CallgrindPart>> parts = parse_callgrind(text, "profile");
  EXPECT_TRUE(parts) << (parts ? "" : parts.error().text());
  return parts && parts->size() == 1 ? std::move(parts->front()) : CallgrindPart{};
}

std::string error_of(const std::string& text, const CallgrindReadOptions& options = {}) {
  const auto parts = parse_callgrind(text, "profile", options);
  return parts ? "was accepted" : parts.error().text();
}

// Function i costs 1 and calls i + 1; the last calls the first where they are a cycle.
std::string chain(int length, bool is_cycle) {
  std::string text = "events: Ir\n";
  for (int i = 1; i <= length; ++i) {
    text += "fn=" + numbered(i) + (i == 1 ? " f1" : "") + "\n1 1\n";
    const bool is_last = i == length;
    if (is_last && !is_cycle) break;
    text += "cfn=" + (is_last ? numbered(1) : numbered(i + 1) + " f" + std::to_string(i + 1)) + "\ncalls=1 1\n1 " +
            std::to_string(length - i) + "\n";
  }
  return text + "totals: " + std::to_string(length) + "\n";
}

TEST(CallgrindLimits, AMillionFunctionsAreRead) {
  std::string text = "events: Ir\n";
  for (int i = 1; i <= kMillion; ++i) text += "fn=" + numbered(i) + " f" + std::to_string(i) + "\n7 1\n";
  const CallgrindPart part = only_part(text + "totals: 1000000\n");
  ASSERT_EQ(part.functions.size(), std::size_t{kMillion});
  EXPECT_EQ(part.functions.back().name, "f1000000");
}

TEST(CallgrindLimits, AChainOfAMillionCallsNeedsNoStack) {
  const CallgrindPart part = only_part(chain(kMillion, false));
  ASSERT_EQ(part.functions.size(), std::size_t{kMillion});
  EXPECT_EQ(part.functions.front().inclusive[0], kMillion);
  EXPECT_EQ(part.functions[1].inclusive[0], kMillion - 1);
  EXPECT_EQ(part.functions.back().inclusive[0], 0 + 1);
}

TEST(CallgrindLimits, ACycleOfAMillionFunctionsIsChargedToItsFirst) {
  const CallgrindPart part = only_part(chain(kMillion, true));
  ASSERT_EQ(part.functions.size(), std::size_t{kMillion});
  EXPECT_EQ(part.functions.front().inclusive[0], kMillion);
  EXPECT_EQ(part.functions.back().inclusive[0], 0);
}

TEST(CallgrindLimits, ASharedLongNameIsBoundedInMemory) {
  // Every function would get its own copy of an object's name of a megabyte.
  std::string text = "events: Ir\nob=(1) " + std::string(1 << 20, 'o') + "\n";
  for (int i = 1; i <= 4000; ++i) text += "fn=f" + std::to_string(i) + "\n1 1\n";
  EXPECT_THAT(error_of(text + "totals: 4000\n", {.maximum_bytes = std::size_t{64} << 20}),
              HasSubstr("more than 64 MiB of memory"));
}

TEST(CallgrindLimits, ManyShortLinesAreBoundedInMemory) {
  const CallgrindReadOptions small = {.maximum_bytes = std::size_t{1} << 20};
  std::string functions = "events: a b c d e f g h i j k l m n o p q r s t u v w x y z\n";
  std::string calls = functions + "fn=f\n";
  std::string names = functions;
  std::string parts;
  for (int i = 0; i < 20'000; ++i) {
    const std::string number = std::to_string(i);
    functions += "fn=" + number + "\n";
    calls += "cfn=" + number + "\ncalls=1 1\n1\n";
    names += "jfn=" + number + "\n";
    parts += "events: a\ntotals: 0\n";
  }
  for (const std::string& text : {functions + "totals: 0\n", calls + "totals: 0\n", names + "totals: 0\n", parts}) {
    EXPECT_THAT(error_of(text, small), HasSubstr("more than 1 MiB of memory")) << text.substr(0, 120);
  }
}

TEST(CallgrindLimits, PositionsAreBoundedInMemoryWhereTheyAreKept) {
  std::string text = "events: Ir\nfn=f\n";
  for (int i = 0; i < 20'000; ++i) text += "+1 1\n";
  text += "totals: 20000\n";
  EXPECT_EQ(error_of(text, {.maximum_bytes = std::size_t{1} << 20}), "was accepted");
  EXPECT_THAT(error_of(text, {.keep_positions = true, .maximum_bytes = std::size_t{1} << 20}),
              HasSubstr("more than 1 MiB of memory"));
}

TEST(CallgrindLimits, HeadersHaveAtMostSoManyLinesAndEvents) {
  std::string events = "events:";
  std::string derived = "events: Ir\n";
  std::string unknown = "events: Ir\n";
  std::string formula = "event: Sum = Ir";
  for (int i = 0; i < 65; ++i) {
    events += " e" + std::to_string(i);
    derived += "event: d" + std::to_string(i) + " = Ir\n";
    unknown += "key: value\n";
    formula += " + Ir";
  }
  EXPECT_THAT(error_of(events + "\ntotals: 0\n"), HasSubstr("at most 64 events"));
  EXPECT_THAT(error_of(derived + "totals: 0\n"), HasSubstr("at most 64 lines"));
  EXPECT_THAT(error_of(unknown + "totals: 0\n"), HasSubstr("at most 64 lines"));
  EXPECT_THAT(error_of(formula + "\nevents: Ir\ntotals: 0\n"), HasSubstr("at most 64"));
}

TEST(CallgrindLimits, NumbersOfNamesMayBeAnyOf64Bits) {
  CallgrindNames names;
  const auto first = names.resolve("(18446744073709551615) f");
  const auto second = names.resolve("(8388607) g");
  const auto third = names.resolve("(8388608) h");
  ASSERT_TRUE(first && second && third);
  EXPECT_EQ(*names.resolve("(18446744073709551615)"), *first);
  EXPECT_EQ(*names.resolve("(8388607)"), *second);
  EXPECT_EQ(*names.resolve("(8388608)"), *third);
  EXPECT_FALSE(names.resolve("(8388606)"));
  EXPECT_FALSE(names.resolve("(18446744073709551614)"));
  EXPECT_FALSE(names.resolve("(18446744073709551615) g"));
}

TEST(CallgrindLimits, BytesThatAreNoTextDoNoHarm) {
  const std::string zero(1, '\0');
  EXPECT_EQ(only_part("events: Ir\nfn=a" + zero + "b\n1 1\ntotals: 1\n").functions[0].name, "a" + zero + "b");
  EXPECT_THAT(error_of("events: Ir\nfn=f\n1 " + zero + "\ntotals: 1\n"), HasSubstr("profile:3"));
  EXPECT_THAT(error_of(zero + "\n"), HasSubstr("profile:1"));
  EXPECT_THAT(error_of("events: Ir\nfn=f\n1 \x80\ntotals: 1\n"), HasSubstr("profile:3"));
}

class CallgrindBlocks : public ::testing::Test {
 protected:
  ~CallgrindBlocks() override { std::filesystem::remove(file_); }

  Result<std::vector<CallgrindPart>> read(const std::string& text) const {
    std::ofstream(file_, std::ios::binary) << text;
    return read_callgrind(file_);
  }

  const std::filesystem::path file_ =
      std::filesystem::temp_directory_path() / ("steelyard_callgrind_blocks_" + std::to_string(getpid()));
};

TEST_F(CallgrindBlocks, AFileOfManyBlocksReadsAsItsText) {
  std::string text = "positions: instr line\nevents: Ir\n";
  std::int64_t total = 0;
  for (int i = 1; i <= 60'000; ++i) {
    text += "fn=" + numbered(i % 977 + 1) + " f" + std::to_string(i % 977) + "\n+" + std::to_string(i % 19) +
            " * 1\n* " + std::to_string(i % 10007) + " " + std::to_string(i) + "\n";
    total += 1 + i;
  }
  text += "totals: " + std::to_string(total);  // and no newline
  ASSERT_GT(text.size(), std::size_t{1} << 20);
  const auto from_file = read(text);
  ASSERT_TRUE(from_file) << from_file.error().text();
  const CallgrindPart from_text = only_part(text);
  EXPECT_EQ((*from_file)[0].functions, from_text.functions);
  EXPECT_EQ((*from_file)[0].totals, from_text.totals);
}

TEST_F(CallgrindBlocks, ANameLongerThanABlockIsReadWhole) {
  const std::string name(700'000, 'n');
  const auto parts = read("events: Ir\nfn=" + name + "\n1 1\ntotals: 1\n");
  ASSERT_TRUE(parts) << parts.error().text();
  EXPECT_EQ((*parts)[0].functions[0].name, name);
}

TEST_F(CallgrindBlocks, ALineWithoutEndIsRefusedWithItsNumber) {
  const auto parts = read("events: Ir\nfn=f\n1 1\nfn=" + std::string(std::size_t{17} << 20, 'n') + "\ntotals: 1\n");
  ASSERT_FALSE(parts);
  EXPECT_EQ(parts.error().where, file_.string() + ":4");
  EXPECT_THAT(parts.error().found, HasSubstr("16 MiB"));
}

TEST_F(CallgrindBlocks, ErrorsFarIntoAFileNameTheirLine) {
  std::string text = "events: Ir\nfn=f\n";
  for (int i = 0; i < 200'000; ++i) text += "1 1\n";
  const auto parts = read(text + "1 x\n");
  ASSERT_FALSE(parts);
  EXPECT_EQ(parts.error().where, file_.string() + ":200003");
}

TEST_F(CallgrindBlocks, AFolderIsNoFile) {
  const auto parts = read_callgrind(std::filesystem::temp_directory_path());
  ASSERT_FALSE(parts);
  EXPECT_EQ(parts.error().where, std::filesystem::temp_directory_path().string());
}

}  // namespace
}  // namespace steelyard::bench::callgrind_limits_test
