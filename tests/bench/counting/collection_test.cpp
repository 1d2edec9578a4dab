#include <csignal>
#include <cstdlib>
#include <filesystem>

#include "bench/counting/collection.hpp"
#include "tests/promised.hpp"

namespace steelyard::bench::collection_test {
namespace {

TEST(OpenBlasCore, IsReadFromALineOfItsOwn) {
  EXPECT_EQ(openblas_core_of("Core: Haswell\n"), "Haswell");
  EXPECT_EQ(openblas_core_of("warning: something\nCore: SkylakeX\nmore\n"), "SkylakeX");
  EXPECT_EQ(openblas_core_of("Core: Zen"), "Zen");
}

TEST(OpenBlasCore, IsEmptyWhereTheProgramSaysNothing) {
  EXPECT_EQ(openblas_core_of(""), "");
  EXPECT_EQ(openblas_core_of("my Core: is not it\n"), "");
  EXPECT_EQ(openblas_core_of("Core:"), "");
}

TEST(NotLoaded, StaticLinkingIsSaidOfProgramsWithoutALoaderAlone) {
  Program program;
  program.executable = "/proc/self/exe";
  CollectionPlace place;
  place.program = &program;
  place.folder = "/proc";
  const Error of_dynamic = why_not_loaded(place, "the library", "link libc dynamically");
  EXPECT_EQ(of_dynamic.found, "the library could not be loaded into the program");
  EXPECT_EQ(of_dynamic.fix, "");
  program.executable = "/proc/self/status";
  EXPECT_EQ(why_not_loaded(place, "the library", "link libc dynamically").fix, "") << "no ELF program";
  program.executable = std::filesystem::read_symlink("/proc/self/exe").parent_path() / "counting_static";
  EXPECT_EQ(why_not_loaded(place, "the library", "link libc dynamically").fix, "link libc dynamically");
}

using Environment = std::map<std::string, std::string>;

const CountingEnvironment kCounting{"/opt/lib/libsteelyard_count.so", "/tmp/steelyard-abcdef/report00000001", 100};

// What the strings and pointers of a program take on its stack.
std::size_t stack_bytes(const Environment& environment, const std::vector<std::string>& arguments) {
  std::size_t bytes = arguments.front().size() + 1;
  for (const std::string& argument : arguments) bytes += argument.size() + 1 + 8;
  for (const auto& [name, value] : environment) bytes += name.size() + 1 + value.size() + 1 + 8;
  return bytes;
}

TEST(CountingEnvironment, FillsWholePagesWhateverThePathsAndVariables) {
  for (std::size_t length = 1; length < 5000; length += 487) {
    Program program;
    program.environment["ANYTHING"] = std::string(length, 'v');
    const std::vector<std::string> arguments = {"/tmp/" + std::string(length / 7, 'p'), "--x"};
    EXPECT_EQ(stack_bytes(counting_environment(program, kCounting, arguments), arguments) % 4096, 0u) << length;
  }
}

TEST(CountingEnvironment, VariablesOfTheCallerStayOut) {
  ASSERT_EQ(::setenv("BENCHMARK_FILTER", "nothing", 1), 0);
  const Environment environment = counting_environment({}, kCounting, {"program"});
  ASSERT_EQ(::unsetenv("BENCHMARK_FILTER"), 0);
  EXPECT_EQ(environment.count("BENCHMARK_FILTER"), 0u);
  EXPECT_EQ(environment.at("PATH"), "/usr/bin:/bin");
  EXPECT_EQ(environment.at("OPENBLAS_NUM_THREADS"), "1");
}

TEST(CountingEnvironment, VariablesOfTheProgramWin) {
  Program program;
  program.environment["LC_ALL"] = "de_DE.UTF-8";
  program.environment["LD_PRELOAD"] = "/opt/liballocator.so";
  const Environment environment = counting_environment(program, kCounting, {"program"});
  EXPECT_EQ(environment.at("LC_ALL"), "de_DE.UTF-8");
  EXPECT_EQ(environment.at("LD_PRELOAD"), "/opt/lib/libsteelyard_count.so:/opt/liballocator.so");
}

TEST(CountingEnvironment, TheNumberOfIterationsHasOneLength) {
  CountingEnvironment one = kCounting, many = kCounting;
  one.iterations = 1;
  many.iterations = 20000;
  EXPECT_EQ(counting_environment({}, one, {"p"}).at("STEELYARD_COUNT_ITERATIONS"), "000000000001");
  EXPECT_EQ(counting_environment({}, many, {"p"}).at("STEELYARD_COUNT_ITERATIONS"), "000000020000");
}

TEST(CountingEnvironment, WithoutALibraryNothingIsPreloadedAndNoReportIsAskedFor) {
  const Environment environment = counting_environment({}, {}, {"p"});
  EXPECT_EQ(environment.count("LD_PRELOAD"), 0u);
  EXPECT_EQ(environment.count("STEELYARD_COUNT_REPORT"), 0u);
}

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

using ::testing::Not;

// A log as valgrind-3.19.0 writes it.
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
  EXPECT_THAT(error.fix, HasSubstr("-march=x86-64-v3"));
}

TEST(CollectionFailure, OtherSignalsAreNoInstructions) {
  const Error error = explain_end(ended_by(SIGSEGV), "==57== some last line\n", "valgrind-3.19.0");
  EXPECT_THAT(error.found, HasSubstr("signal 11"));
  EXPECT_THAT(error.found, HasSubstr("some last line"));
  EXPECT_THAT(error.found, Not(HasSubstr("instruction that")));
}

// A log as valgrind-3.19.0 ends on what clang 14 writes with -g.
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

TEST(CollectionFailure, DebugInformationThatValgrindCannotReadIsNamedWithTheFix) {
  const Error error = explain_end(left_with(1), kDwarf5Log, "valgrind-3.19.0");
  EXPECT_EQ(error.found, "valgrind-3.19.0 cannot read the debug information of \"/src/build/bench\"");
  EXPECT_THAT(error.fix, HasSubstr("-gdwarf-4"));
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

}  // namespace steelyard::bench::collection_test
