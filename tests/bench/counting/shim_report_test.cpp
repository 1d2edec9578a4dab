#include "bench/counting/shim_report.hpp"

#include "tests/promised.hpp"

namespace steelyard {
namespace {

using ::testing::HasSubstr;

const std::string kWhole =
    "steelyard-count 1\npid 42\nforced 10\nconstructed 2\nstarted 2\nfinished 2\nskipped 0\niterations 20\nown_us "
    "5\nothers_us 6\nlibc "
    "2.36\nlibc_build 0a1b\n"
    "allocator /lib/libc.so.6\nallocator_build -\ndispatch 2c3d\ncpu x86 01 02\nend\n";

ShimReport good() { return *parse_shim_report(kWhole); }

TEST(ShimReport, ReadsEveryLine) {
  const auto report = parse_shim_report(kWhole);
  ASSERT_TRUE(report);
  EXPECT_EQ(report->process, 42);
  EXPECT_EQ(report->forced, 10);
  EXPECT_EQ(report->constructed, 2);
  EXPECT_EQ(report->iterations, 20);
  EXPECT_EQ(report->libc, "2.36");
  EXPECT_EQ(report->allocator, "/lib/libc.so.6");
  EXPECT_EQ(report->cpu, "x86 01 02");
  EXPECT_EQ(report->own_us, 5);
  EXPECT_EQ(report->others_us, 6);
  EXPECT_EQ(report->libc_build, "0a1b");
  EXPECT_EQ(report->allocator_build, "-");
  EXPECT_EQ(report->dispatch, "2c3d");
  EXPECT_EQ(what_is_wrong(*report, ""), "");
}

TEST(ShimReport, ACutReportIsNone) {
  for (std::size_t length = 0; length + 1 < kWhole.size(); ++length) {
    EXPECT_FALSE(parse_shim_report(kWhole.substr(0, length))) << length;
  }
  EXPECT_FALSE(parse_shim_report("something else\nend\n"));
  EXPECT_FALSE(parse_shim_report("steelyard-count 1\nstarted many\nend\n"));
}

TEST(ShimReport, SaysWhyNothingWasCounted) {
  ShimReport report = good();
  report.constructed = report.started = report.finished = 0;
  EXPECT_THAT(what_is_wrong(report, ""), HasSubstr("keep the program's symbols"));
  EXPECT_THAT(what_is_wrong(report, "Failed to match any benchmarks against regex: x"), HasSubstr("of that name"));
  report = good();
  report.constructed = 0;
  EXPECT_THAT(what_is_wrong(report, ""), HasSubstr("1.5 to 1.9"));
  report = good();
  report.started = report.finished = 0;
  EXPECT_THAT(what_is_wrong(report, ""), HasSubstr("never entered"));
  report = good();
  report.finished = 1;
  EXPECT_THAT(what_is_wrong(report, ""), HasSubstr("left its timed loop"));
  report = good();
  report.iterations = -1;
  EXPECT_THAT(what_is_wrong(report, ""), HasSubstr("could not be read"));
}

TEST(ShimReport, QuotesWhyABenchmarkSkippedItself) {
  ShimReport report = good();
  report.skipped = 1;
  EXPECT_EQ(what_is_wrong(report, "BM_x  ERROR OCCURRED: 'no data'\n"), "the benchmark skipped itself: \"no data\"");
  EXPECT_EQ(what_is_wrong(report, "BM_x  SKIPPED: 'no CPU'\n"), "the benchmark skipped itself: \"no CPU\"");
  EXPECT_EQ(what_is_wrong(report, ""), "the benchmark skipped itself");
}

TEST(ShimReport, AProgramThatRanUnseenHidesItsClock) {
  ShimReport nothing_seen, only_made, seen, skipped;
  only_made.constructed = 1;
  seen.constructed = seen.started = seen.finished = 1;
  skipped.constructed = skipped.skipped = 1;
  EXPECT_TRUE(hides_its_clock(nothing_seen, "BM_x 3 ns"));
  EXPECT_TRUE(hides_its_clock(only_made, ""));
  EXPECT_FALSE(hides_its_clock(seen, ""));
  EXPECT_FALSE(hides_its_clock(skipped, ""));
  EXPECT_FALSE(hides_its_clock(nothing_seen, "Failed to match any benchmarks against regex: ^x$"));
}

TEST(ShimReport, OtherThreadsWorkedWhereTheyTookAMillisecondAndAHundredthOfTheLoop) {
  ShimReport report;
  report.own_us = 200'000;
  report.others_us = 2001;
  EXPECT_TRUE(has_work_in_other_threads(report));
  report.others_us = 2000;
  EXPECT_FALSE(has_work_in_other_threads(report));
  report.own_us = 10;
  report.others_us = 1000;
  EXPECT_FALSE(has_work_in_other_threads(report));
}

}  // namespace
}  // namespace steelyard
