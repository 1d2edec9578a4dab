#include "storage/archive/run_payload.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>

#include "tests/storage/archive/sample_run.hpp"

namespace steelyard {
namespace {

using testing::HasSubstr;

Run without_nan() {
  steelyard::Run run = sample_run();
  run.measurements[0].invocations[0].values.assign(9, 1.5);
  return run;
}

TEST(RunPayload, EveryFieldComesBack) {
  const steelyard::Run run = without_nan();
  const auto read = decode_payload(encode_payload(run), "x");
  ASSERT_TRUE(read) << read.error().text();
  EXPECT_EQ(*read, run);
}

TEST(RunPayload, ValuesThatAreNoNumbersComeBackBitForBit) {
  const std::string payload = encode_payload(sample_run());
  const auto read = decode_payload(payload, "x");
  ASSERT_TRUE(read) << read.error().text();
  EXPECT_EQ(encode_payload(*read), payload);
}

TEST(RunPayload, EmptyRunComesBack) {
  const auto read = decode_payload(encode_payload(steelyard::Run{}), "x");
  ASSERT_TRUE(read) << read.error().text();
  EXPECT_EQ(*read, steelyard::Run{});
}

TEST(RunPayload, HugeTextComesBack) {
  steelyard::Run run;
  run.header.commit.subject = std::string(10'000'000, 's');
  run.measurements.resize(20'000);
  const auto read = decode_payload(encode_payload(run), "x");
  ASSERT_TRUE(read) << read.error().text();
  EXPECT_EQ(*read, run);
}

TEST(RunPayload, CutAnywhereItIsAnErrorWithItsOffset) {
  const std::string payload = encode_payload(sample_run());
  for (std::size_t length = 0; length < payload.size(); ++length) {
    const auto read = decode_payload(payload.substr(0, length), "x.syrun");
    ASSERT_FALSE(read) << length;
    ASSERT_THAT(read.error().text(), HasSubstr("x.syrun: payload byte ")) << length;
  }
}

// Nothing but the checksum protects a payload's content; a damaged one must still neither crash nor run away.
TEST(RunPayload, EveryFlippedBitIsReadOrRefusedInOrder) {
  const std::string payload = encode_payload(sample_run());
  int refused = 0;
  for (std::size_t i = 0; i < payload.size(); ++i) {
    for (unsigned bit = 0; bit < 8; ++bit) {
      std::string flipped = payload;
      flipped[i] = static_cast<char>(static_cast<unsigned char>(flipped[i]) ^ (1U << bit));
      const auto read = decode_payload(flipped, "x");
      if (!read) {
        ++refused;
        continue;
      }
      ASSERT_EQ(encode_payload(*read).size(), payload.size());
    }
  }
  EXPECT_GT(refused, 0);
}

TEST(RunPayload, PartThatPointsNowhereIsRefusedWhenReadAndWhenWritten) {
  struct Case {
    std::function<void(steelyard::Run&)> break_it;
    const char* flaw;
  };
  const Case cases[] = {
      {[](steelyard::Run& run) { run.measurements[0].invocations[0].invocation = 4; },
       "an invocation that is not there"},
      {[](steelyard::Run& run) { run.measurements[0].set_aside[0].invocation = 0; },
       "samples set aside of an invocation that counts"},
      {[](steelyard::Run& run) { run.invocations[0].left_out = true; }, "samples of an invocation that was left out"},
      {[](steelyard::Run& run) { run.measurements[1].invocations[0].values.clear(); }, "an invocation without samples"},
      {[](steelyard::Run& run) { run.measurements[0].invocations[0].iterations.pop_back(); },
       "iterations of another number"},
      {[](steelyard::Run& run) { run.profiles[0].arcs[0].callee = 2; }, "a call of a function that is not there"},
      {[](steelyard::Run& run) { run.profiles[0].arcs[1].inclusive.clear(); }, "a call with costs of other events"},
      {[](steelyard::Run& run) { run.profiles[0].functions[0].self.push_back(1); },
       "a function with costs of other events"},
      {[](steelyard::Run& run) { run.profiles[0].totals.clear(); }, "totals of other events"},
      {[](steelyard::Run& run) { run.profiles[0].sources[1].function = 2; }, "a line of a function that is not there"},
      {[](steelyard::Run& run) { run.profiles[0].sources[0].self.pop_back(); }, "a line with costs of other events"},
  };
  EXPECT_TRUE(check_run(sample_run(), "x"));
  for (const Case& wrong : cases) {
    steelyard::Run run = sample_run();
    wrong.break_it(run);
    const auto read = decode_payload(encode_payload(run), "x.syrun");
    ASSERT_FALSE(read) << wrong.flaw;
    EXPECT_EQ(read.error().kind, ErrorKind::input);
    EXPECT_THAT(read.error().text(), HasSubstr(wrong.flaw));
    const auto checked = check_run(run, "x.syrun");
    ASSERT_FALSE(checked) << wrong.flaw;
    EXPECT_EQ(checked.error().kind, ErrorKind::bug);
  }
}

}  // namespace
}  // namespace steelyard
