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

TEST(CollectionFailure, ATimeLimitIsNamed) {
  ChildResult child;
  child.end = ChildEnd::timed_out;
  child.timeout = seconds(2);
  EXPECT_THAT(explain_end(child, kLog, "valgrind-3.19.0").found, HasSubstr("limit of 2.00 s under Callgrind"));
}

}  // namespace
}  // namespace steelyard
