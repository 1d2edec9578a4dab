#include "bench/counting/collection_failure.hpp"

#include <csignal>

#include "tests/promised.hpp"

namespace steelyard {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

// As valgrind-3.19.0 writes it.
constexpr std::string_view kLog =
    "==57== Command: ./avx\n"
    "vex amd64->IR: unhandled instruction bytes: 0x62 0xF1 0xFD 0x48 0x6F 0x7 0xC3 0xE8 0xF4 0xFF\n"
    "vex amd64->IR:   REX=0 REX.W=0 REX.R=0 REX.X=0 REX.B=0\n"
    "==57== valgrind: Unrecognised instruction at address 0x109129.\n"
    "==57==    at 0x109129: scale_wide (avx.c:1)\n"
    "==57==    by 0x109134: main (avx.c:2)\n"
    "==57== Process terminating with default action of signal 4 (SIGILL)\n"
    "==57==    at 0x109129: scale_wide (avx.c:1)\n";

ChildResult ended_by(int signal) {
  ChildResult child;
  child.end = ChildEnd::signalled;
  child.signal = signal;
  return child;
}

TEST(UnknownInstruction, IsNamedByItsBytesAndItsFunction) {
  EXPECT_EQ(unknown_instruction(kLog), "62 f1 fd 48 6f 07 c3 e8 f4 ff in scale_wide (avx.c:1)");
}

TEST(UnknownInstruction, IsEmptyWhereTheLogHasNone) {
  EXPECT_EQ(unknown_instruction(""), "");
  EXPECT_EQ(unknown_instruction("==57==    at 0x109129: scale_wide (avx.c:1)\n"), "");
}

TEST(UnknownInstruction, OfALogThatBreaksOffIsAsFarAsItGoes) {
  for (std::size_t length = 0; length < kLog.size(); ++length) unknown_instruction(kLog.substr(0, length));
  EXPECT_EQ(unknown_instruction("unhandled instruction bytes: 0x62 0x"), "62 00");
  EXPECT_EQ(unknown_instruction("Unrecognised instruction\n==1==    at 0x10: f (a.c:1)"), "in f (a.c:1)");
}

TEST(CollectionFailure, AnInstructionThatValgrindDoesNotKnowIsInTheRow) {
  const Error error = explain_end(ended_by(SIGILL), kLog, "valgrind-3.19.0");
  EXPECT_THAT(error.found, HasSubstr("AVX-512 instruction that valgrind-3.19.0 does not know: 62 f1 fd"));
  EXPECT_THAT(error.found, HasSubstr("in scale_wide (avx.c:1)"));
  EXPECT_THAT(error.mend, HasSubstr("-march=x86-64-v3"));
}

TEST(CollectionFailure, OtherSignalsAreNoInstructions) {
  const Error error = explain_end(ended_by(SIGSEGV), "==57== some last line\n", "valgrind-3.19.0");
  EXPECT_THAT(error.found, HasSubstr("signal 11"));
  EXPECT_THAT(error.found, HasSubstr("some last line"));
  EXPECT_THAT(error.found, Not(HasSubstr("instruction that")));
}

// As valgrind-3.19.0 ends on what clang 14 writes with -g.
constexpr std::string_view kDwarf5Log =
    "==57== Command: ./bench\n"
    "### unhandled dwarf2 abbrev form code 0x25\n"
    "==57== Valgrind: debuginfo reader: ensure_valid failed:\n"
    "==57== Valgrind:   during call to ML_(img_get)\n"
    "==57== Valgrind:   request for range [13849298, +4) exceeds\n"
    "==57== Valgrind:   valid image size of 33936 for image:\n"
    "==57== Valgrind:   \"/src/build/bench\"\n"
    "==57== \n"
    "==57== Valgrind: debuginfo reader: Possibly corrupted debuginfo file.\n"
    "==57== Valgrind: I can't recover.  Giving up.  Sorry.\n"
    "==57== \n";

ChildResult left_with(int exit_code) {
  ChildResult child;
  child.end = ChildEnd::exited;
  child.exit_code = exit_code;
  return child;
}

TEST(CollectionFailure, DebugInformationThatValgrindCannotReadIsNamedWithTheMend) {
  const Error error = explain_end(left_with(1), kDwarf5Log, "valgrind-3.19.0");
  EXPECT_EQ(error.found, "valgrind-3.19.0 cannot read the debug information of \"/src/build/bench\"");
  EXPECT_THAT(error.mend, HasSubstr("-gdwarf-4"));
}

TEST(CollectionFailure, ALogThatBreaksOffIsReadAsFarAsItGoes) {
  for (std::size_t length = 0; length < kDwarf5Log.size(); ++length) {
    EXPECT_NE(explain_end(left_with(1), kDwarf5Log.substr(0, length), "valgrind-3.19.0").found, "") << length;
  }
}

TEST(CollectionFailure, LinesOnWhichValgrindSaysNothingExplainNothing) {
  const Error error = explain_end(left_with(1), "==57== out of memory\n==57== \n==57==\n", "valgrind-3.19.0");
  EXPECT_EQ(error.found, "the program exited with 1 under Callgrind: out of memory");
}

TEST(CollectionFailure, ATimeLimitIsNamed) {
  ChildResult child;
  child.end = ChildEnd::timed_out;
  child.timeout = seconds(2);
  EXPECT_THAT(explain_end(child, kLog, "valgrind-3.19.0").found, HasSubstr("limit of 2.00 s under Callgrind"));
}

}  // namespace
}  // namespace steelyard
