// From source to line: programs are built as users do, counted, and what one of them does more must stand on the line
// that does it, and nowhere else. Changes that do not touch what runs must not change a count.
#include <gmock/gmock.h>

#include <map>
#include <set>
#include <sstream>
#include <tuple>

#include "bench/counting/collection.hpp"
#include "bench/counting/count.hpp"
#include "bench/counting/reader/callgrind_reader.hpp"
#include "tests/bench/counting/lines/build_folder.hpp"
#include "tests/promised.hpp"

namespace steelyard::bench::changed_line_test {
namespace {

using lines_test::BuildFolder;
using lines_test::line_with;

constexpr const char* kDriver = R"(#include <benchmark/benchmark.h>
unsigned work(const unsigned* values, unsigned count);
static void works(benchmark::State& state) {
  unsigned values[100];
  for (unsigned i = 0; i < 100; ++i) values[i] = i * 7919u;
  for (auto _ : state) benchmark::DoNotOptimize(work(values, 100));
}
BENCHMARK(works);
BENCHMARK_MAIN();
)";
// Five steps for each of a hundred values.
const std::string kHeader = R"(#pragma once
inline unsigned stepped(unsigned value) {
  unsigned sum = value;
  for (unsigned i = 0; i < 5; ++i) {
    sum = (sum >> 3) ^ (sum + i);
    asm volatile("" : "+r"(sum));
  }
  return sum;
}
)";
const std::string kSource = R"(#include "stepped.hpp"
unsigned unrelated(const unsigned* values, unsigned count) {
  unsigned most = 0;
  for (unsigned i = 0; i < count; ++i) most = values[i] > most ? values[i] : most;
  return most;
}
unsigned finish(unsigned sum) { return sum ^ sum >> 16; }
unsigned work(const unsigned* values, unsigned count) {
  unsigned sum = 0;
  for (unsigned i = 0; i < count; ++i) {
    sum += stepped(values[i]);
    asm volatile("" : "+r"(sum));
  }
  return finish(sum);
}
)";

std::string replaced(std::string text, const std::string& what, const std::string& with) {
  const std::size_t at = text.find(what);
  EXPECT_NE(at, std::string::npos) << what;
  return text.replace(at, what.size(), with);
}

struct Variant {
  std::string folder = "base";
  std::string header = kHeader;
  std::string source = kSource;
  std::string link_order = "driver.o work.o";
  std::string flags = "-O2 -g -fno-align-loops -fno-align-jumps";
};

using Line = std::tuple<std::string, std::string, int>;  // origin, file's name, line

struct Counted {
  double instructions = 0;  // per iteration
  std::int64_t iterations = 0;
  CountedProfile profile;

  // Instructions per iteration of the lines of work().
  std::map<Line, double> lines() const {
    std::map<Line, double> costs;
    for (const SourceCost& source : profile.sources) {
      if (!profile.functions[source.function].name.starts_with("work(")) continue;
      const std::string file = std::filesystem::path(source.file).filename().string();
      costs[{source.origin, file, source.line}] +=
          static_cast<double>(source.self[0]) / static_cast<double>(profile.iterations);
    }
    return costs;
  }
  std::map<std::string, double> functions() const {
    std::map<std::string, double> costs;
    for (const ProfiledFunction& function : profile.functions) {
      costs[function.name] += static_cast<double>(function.self[0]) / static_cast<double>(profile.iterations);
    }
    return costs;
  }
};

class ChangedLine : public ::testing::Test {
 protected:
  static void SetUpTestSuite() { folder_ = new BuildFolder; }
  static void TearDownTestSuite() {
    delete folder_;
    folder_ = nullptr;
  }
  void SetUp() override {
    const auto missing = counting_unavailable({});
    STEELYARD_SKIP_WITHOUT("valgrind", !missing, *missing);
    STEELYARD_SKIP_WITHOUT("compiler", lines_test::cannot_build().empty(), lines_test::cannot_build());
#ifndef STEELYARD_HAS_BENCHMARK
    STEELYARD_SKIP_WITHOUT("benchmark", false, "Google Benchmark is not installed");
#endif
  }

  static Counted counted(const Variant& variant) {
    const std::string here = variant.folder + "/";
    folder_->write(here + "stepped.hpp", variant.header);
    folder_->write(here + "work.cpp", variant.source);
    if (!std::filesystem::exists(folder_->path() / "driver.o")) {
      folder_->write("driver.cpp", kDriver);
      folder_->compile("-O2 -g -c driver.cpp -o driver.o");
    }
    const std::string absolute = (folder_->path() / here).string();
    folder_->compile(variant.flags + " -c " + absolute + "work.cpp -o " + here + "work.o");
    folder_->run("cp driver.o " + here);
    folder_->run("cd " + here + " && '" STEELYARD_TEST_COMPILER "' " + variant.link_order +
                 " -lbenchmark -lpthread -o bench");
    Program program;
    program.executable = folder_->path() / variant.folder / "bench";
    steelyard::Run run;
    const Result<void> result = count_instructions({program}, {"works"}, {}, run);
    EXPECT_TRUE(result) << (result ? "" : result.error().text());
    for (const Failure& failure : run.failures) ADD_FAILURE() << failure.said;
    Counted count;
    if (run.measurements.size() != 1 || run.profiles.size() != 1) return count;
    count.instructions = run.measurements[0].invocations[0].values[0];
    count.profile = run.profiles[0];
    return count;
  }

  // Counted once for all tests.
  static const Counted& base() {
    static const Counted count = counted({});
    return count;
  }

  static void expect_equal_counts(const Variant& variant) {
    const Counted other = counted(variant);
    EXPECT_EQ(other.instructions, base().instructions) << variant.folder;
    EXPECT_EQ(other.functions(), base().functions()) << variant.folder;
  }

  static BuildFolder* folder_;
};

BuildFolder* ChangedLine::folder_ = nullptr;

// Of `more`, the line that has no fellow in `less` and what it costs; all others must cost what they did.
std::pair<Line, double> only_new_line(const Counted& more, const Counted& less, int moved_from, const char* in_file) {
  std::map<Line, double> before = less.lines();
  std::pair<Line, double> found;
  for (const auto& [line, cost] : more.lines()) {
    const auto& [origin, file, number] = line;
    const bool is_new = file == in_file && number == moved_from;
    const bool has_moved = file == in_file && number > moved_from;
    if (is_new) {
      found = {line, cost};
      continue;
    }
    const Line old = {origin, file, has_moved ? number - 1 : number};
    EXPECT_EQ(before[old], cost) << origin << ' ' << file << ':' << number;
  }
  return found;
}

TEST_F(ChangedLine, OneMoreInstructionInALoopBodyStandsOnItsLine) {
  Variant variant{"more_in_loop"};
  variant.source = replaced(kSource, "    sum += stepped(values[i]);\n",
                            "    sum += stepped(values[i]);\n    asm volatile(\"nop\");\n");
  const Counted more = counted(variant);
  EXPECT_EQ(more.instructions - base().instructions, 100);
  const int line = line_with(variant.source, "nop");
  const auto [place, cost] = only_new_line(more, base(), line, "work.cpp");
  EXPECT_EQ(place, Line("work(unsigned int const*, unsigned int)", "work.cpp", line));
  EXPECT_EQ(cost, 100);
}

TEST_F(ChangedLine, OneMoreInstructionInAnInlinedLoopStandsOnTheHeadersLineAndOrigin) {
  Variant variant{"more_in_header"};
  variant.header = replaced(kHeader, "    sum = (sum", "    asm volatile(\"nop\");\n    sum = (sum");
  const Counted more = counted(variant);
  EXPECT_EQ(more.instructions - base().instructions, 500);
  const int line = line_with(variant.header, "nop");
  const auto [place, cost] = only_new_line(more, base(), line, "stepped.hpp");
  EXPECT_EQ(place, Line("stepped(unsigned int)", "stepped.hpp", line));
  EXPECT_EQ(cost, 500);
}

// Callgrind does not see that the file changes where the number of the line stays.
TEST_F(ChangedLine, ALineOfTheSameNumberInTheHeaderStandsInTheHeader) {
  Variant variant{"same_number"};
  const int line = line_with(kSource, "sum += stepped");
  variant.header = "#pragma once" + std::string(static_cast<std::size_t>(line - 1), '\n') +
                   "inline unsigned stepped(unsigned sum) { for (unsigned i = 0; i < 5; ++i) { "
                   "sum = (sum >> 3) ^ (sum + i); asm volatile(\"\" : \"+r\"(sum)); } return sum; }\n";
  double in_header = 0;
  for (const auto& [place, cost] : counted(variant).lines()) {
    const auto& [origin, file, number] = place;
    EXPECT_EQ(origin == "stepped(unsigned int)", file == "stepped.hpp") << origin << ' ' << file << ':' << number;
    if (file == "stepped.hpp" && number == line) in_header += cost;
  }
  EXPECT_GE(in_header, 5 * 100);
}

TEST_F(ChangedLine, AFunctionIsDeclaredInItsOwnFileWhateverIsInlinedIntoIt) {
  for (const ProfiledFunction& function : base().profile.functions) {
    if (!function.name.starts_with("work(")) continue;
    EXPECT_EQ(std::filesystem::path(function.file).filename(), "work.cpp");
    EXPECT_EQ(function.line, line_with(kSource, "unsigned work("));
    return;
  }
  ADD_FAILURE() << "work() was not counted";
}

TEST_F(ChangedLine, AnotherFunctionsChangeIsNotOurs) {
  Variant variant{"more_elsewhere"};
  variant.source = replaced(kSource, "  unsigned most = 0;", "  unsigned most = count * 77u ^ count >> 3;");
  expect_equal_counts(variant);
}

TEST_F(ChangedLine, NeitherACommentNorAnotherFunctionsNameChangesACount) {
  Variant variant{"comment"};
  variant.header = "// a comment\n// and another line of it\n" + kHeader;
  variant.source = replaced(kSource, "unsigned finish", "// why: \xC3\xBC\n\n\nunsigned finish");
  variant.source = replaced(variant.source, "unrelated", "unrelated_but_of_a_far_longer_name_than_it_had_before");
  expect_equal_counts(variant);
}

TEST_F(ChangedLine, TheOrderOfFunctionsChangesNoCount) {
  Variant variant{"reordered"};
  const std::size_t first = kSource.find("unsigned unrelated"), second = kSource.find("unsigned finish");
  const std::size_t last = kSource.find("unsigned work");
  const std::string unrelated = kSource.substr(first, second - first), finish = kSource.substr(second, last - second);
  variant.source = kSource.substr(0, first) + finish + kSource.substr(last) + unrelated;
  expect_equal_counts(variant);
}

TEST_F(ChangedLine, NeitherAnotherBuildFolderNorTheOrderOfLinkingChangesACount) {
  Variant variant{"another/folder/of_quite_another_length_so_that_every_path_is_longer"};
  variant.link_order = "work.o driver.o";
  expect_equal_counts(variant);
}

TEST_F(ChangedLine, DebugInformationIsNoPartOfTheCount) {
  Variant variant{"no_debug_information"};
  variant.flags = "-O2 -fno-align-loops -fno-align-jumps";
  const Counted without = counted(variant);
  EXPECT_EQ(without.instructions, base().instructions);
  ASSERT_FALSE(without.lines().empty());
  for (const auto& [line, cost] : without.lines()) EXPECT_EQ(std::get<0>(line), "") << "an origin out of nothing";
}

// Where each cost stands, before anything is added up: held to what binutils read of the same program.
class CountedPositions : public ChangedLine {
 protected:
  static constexpr const char* kPausing = R"(#include <benchmark/benchmark.h>
#include <map>
static void looks_up(benchmark::State& state) {
  std::map<int, int> numbers;
  for (int i = 0; i < 100; ++i) numbers[i * 7] = i;
  int key = 0;
  for (auto _ : state) {
    state.PauseTiming();
    key = (key + 13) % 700;
    state.ResumeTiming();
    const auto found = numbers.lower_bound(key);
    if (found != numbers.end()) benchmark::DoNotOptimize(found->second);
  }
}
BENCHMARK(looks_up);
BENCHMARK_MAIN();
)";
  // Collection is switched inside functions that the loop calls: their call instructions cost nothing.
  static constexpr const char* kToggling = R"(#include <valgrind/callgrind.h>
#include <map>
__attribute__((noinline)) void begin() { CALLGRIND_TOGGLE_COLLECT; asm volatile("nop\n nop\n nop"); }
__attribute__((noinline)) void end() { asm volatile("nop\n nop"); CALLGRIND_TOGGLE_COLLECT; }
__attribute__((noinline)) int look(const std::map<int, int>& numbers, int count) {
  int sum = 0;
  for (int i = 0; i < count; ++i) {
    if (i % 10 == 3) begin();
    const auto found = numbers.lower_bound(i * 7 % count);
    if (found != numbers.end()) sum += found->second;
    if (i % 10 == 8) end();
  }
  return sum;
}
int main() {
  std::map<int, int> numbers;
  for (int i = 0; i < 200; ++i) numbers[i] = i;
  return look(numbers, 200) & 1;
}
)";

  // One collection as counting makes it.
  static CallgrindPart collected(const std::filesystem::path& executable, const std::string& benchmark) {
    const Result<CountingTools> tools = find_counting_tools({});
    Program program;
    program.executable = executable;
    CollectionPlace place;
    place.tools = &*tools;
    place.program = &program;
    place.link = executable;
    place.shim_link = tools->shim;
    place.folder = executable.parent_path();
    CollectionRequest request;
    request.benchmark = benchmark;
    request.iterations = 20;
    Result<Collection> collection = collect(place, request);
    EXPECT_TRUE(collection) << (collection ? "" : collection.error().text());
    return collection ? std::move(collection->part) : CallgrindPart{};
  }

  static std::set<std::uint64_t> instructions_of(const std::string& program) {
    std::istringstream lines(folder_->run("objdump -d " + program));
    std::set<std::uint64_t> addresses;
    for (std::string line; std::getline(lines, line);) {
      // "    5f12:	48 8b 07             	mov ...", and not "0000000000005f00 <name>:".
      if (line.starts_with(' ') && line.find(":\t") != std::string::npos)
        addresses.insert(std::stoull(line, nullptr, 16));
    }
    return addresses;
  }

  // The file's name and the line at each address.
  static std::vector<std::string> lines_at(const std::string& program, const std::vector<PositionCost>& costs) {
    std::ostringstream addresses;
    for (const PositionCost& cost : costs) addresses << std::hex << cost.address << '\n';
    folder_->write("addresses", addresses.str());
    std::istringstream lines(folder_->run("addr2line -s -e " + program + " < addresses"));
    std::vector<std::string> places;
    for (std::string line; std::getline(lines, line);) places.push_back(line.substr(0, line.find(' ')));
    EXPECT_EQ(places.size(), costs.size());
    places.resize(costs.size());
    return places;
  }

  using Costs = std::map<std::tuple<std::string, std::string, std::uint64_t, std::int32_t>, std::int64_t>;

  // By function, file, address and line, of the toggling program under Callgrind with these options.
  static Costs costs_with(const std::string& options) {
    const std::string valgrind = find_counting_tools({})->valgrind.string();
    folder_->run(valgrind + " --tool=callgrind -q --vgdb=no --collect-atstart=no --callgrind-out-file=toggling.out " +
                 options + " ./toggling || true");
    Costs costs;
    const auto parts = read_callgrind(folder_->path() / "toggling.out", {.keep_positions = true});
    EXPECT_TRUE(parts) << (parts ? "" : parts.error().text());
    if (!parts || parts->size() != 1) return costs;
    const CallgrindPart& part = parts->front();
    for (const PositionCost& cost : part.position_costs) {
      costs[{part.functions[cost.function].name, part.position_files[cost.file], cost.address, cost.line}] +=
          cost.self[0];
    }
    return costs;
  }
};

TEST_F(CountedPositions, AreInstructionsOfTheProgramOnTheLinesThatItsDebugInformationHas) {
  folder_->write("pausing.cpp", kPausing);
  folder_->compile("-O2 -g pausing.cpp -lbenchmark -lpthread -o pausing");
  CallgrindPart part = collected(folder_->path() / "pausing", "looks_up");
  std::erase_if(part.position_costs,
                [&](const PositionCost& cost) { return file_name(part.functions[cost.function].object) != "pausing"; });
  ASSERT_GT(part.position_costs.size(), 10u);
  const std::set<std::uint64_t> instructions = instructions_of("pausing");
  const std::vector<std::string> lines = lines_at("pausing", part.position_costs);
  bool has_inlined = false;
  for (std::size_t i = 0; i < lines.size(); ++i) {
    const PositionCost& cost = part.position_costs[i];
    const std::string place = std::string(file_name(part.position_files[cost.file])) + ":" + std::to_string(cost.line);
    EXPECT_TRUE(instructions.contains(cost.address)) << std::hex << cost.address << " in the middle of an instruction";
    EXPECT_EQ(place, lines[i]) << std::hex << cost.address;
    has_inlined = has_inlined || place.starts_with("stl_tree.h:");
  }
  EXPECT_TRUE(has_inlined);
}

TEST_F(CountedPositions, AreTheSameWrittenRelativelyAndInFull) {
  folder_->write("toggling.cpp", kToggling);
  folder_->compile("-O2 -g toggling.cpp -o toggling");
  for (const std::string options : {"--dump-instr=yes", "--dump-instr=yes --collect-jumps=yes", "--collect-jumps=yes",
                                    "--dump-instr=yes --dump-line=no"}) {
    const Costs in_full = costs_with(options + " --compress-pos=no --compress-strings=no");
    EXPECT_GT(in_full.size(), 10u) << options;
    EXPECT_EQ(costs_with(options), in_full) << options;
  }
}

}  // namespace
}  // namespace steelyard::bench::changed_line_test
