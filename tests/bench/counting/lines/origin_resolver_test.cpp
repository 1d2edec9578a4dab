#include <gmock/gmock.h>

#include <filesystem>
#include <set>
#include <thread>

#include "bench/counting/lines/origin_resolver.hpp"
#include "bench/counting/net_profile.hpp"
#include "tests/bench/counting/lines/build_folder.hpp"
#include "tests/promised.hpp"

namespace steelyard::bench::origin_resolver_test {
namespace {

using lines_test::BuildFolder;
using ::testing::AllOf;
using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::IsSupersetOf;
using ::testing::Not;

// work() with a member of a template, a function of no linkage and a lambda inlined into it, and one in another.
constexpr const char* kHeader = R"(#pragma once
namespace lined {
template <class Number>
struct Mixer {
  Number seed;
  Number mix(Number value) const {
    Number sum = seed;
    for (Number i = 0; i < 5; ++i) sum += value * i ^ (sum >> 3);
    return sum;
  }
};
}  // namespace lined
)";
constexpr const char* kSource = R"(#include "mixer.hpp"
namespace outer {
namespace {
inline unsigned hidden(unsigned value) { return value * 2654435761u ^ value >> 5; }
}  // namespace
__attribute__((noinline)) unsigned work(const unsigned* values, unsigned count) {
  unsigned sum = 1;
  const auto fold = [&](unsigned value) { sum = (sum << 7 | sum >> 25) + value; };
  for (unsigned i = 0; i < count; ++i) {
    fold(lined::Mixer<unsigned>{values[i]}.mix(hidden(values[i])));
  }
  return sum;
}

}  // namespace outer
extern "C" unsigned twice(unsigned value) { return value * 2; }
int main(int count, char**) {
  const unsigned values[] = {1, 2, static_cast<unsigned>(count)};
  return static_cast<int>(outer::work(values, 3) + twice(values[2])) & 1;
}
)";
const std::string kMix = "lined::Mixer<unsigned int>::mix(unsigned int) const";
const std::string kHidden = "outer::(anonymous namespace)::hidden";

class OriginResolverTest : public ::testing::Test {
 protected:
  void SetUp() override {
    STEELYARD_SKIP_WITHOUT("compiler", lines_test::cannot_build().empty(), lines_test::cannot_build());
    folder_.write("mixer.hpp", kHeader);
    folder_.write("work.cpp", kSource);
  }

  std::string object(const std::string& name = "program") const { return (folder_.path() / name).string(); }

  // Names of all origins of the code of outer::work().
  std::set<std::string> origins_of_work(OriginResolver& resolver) {
    const auto code = lines_test::addresses_of(folder_, "program", "outer::work(");
    return origins(resolver, code, "program");
  }
  std::set<std::string> origins(OriginResolver& resolver, lines_test::CodeAddresses code, const std::string& name) {
    std::set<std::string> names;
    for (std::uint64_t address = code.begin; address < code.end; ++address) {
      if (const CodeOrigin* origin = resolver.find(object(name), address)) names.insert(origin->function);
    }
    return names;
  }
  std::set<std::string> origins_built_with(const std::string& flags) {
    folder_.compile("-O2 " + flags + " work.cpp -o program");
    OriginResolver resolver;
    const std::set<std::string> names = origins_of_work(resolver);
    EXPECT_EQ(resolver.why_unknown(object()), "");
    return names;
  }

  BuildFolder folder_;
};

TEST_F(OriginResolverTest, NamesTheInnermostInlinedFunctionAsCallgrindPrintsIt) {
  const std::set<std::string> names = origins_built_with("-g");
  EXPECT_THAT(names, IsSupersetOf({kMix, kHidden, std::string("outer::work(unsigned int const*, unsigned int)")}));
  EXPECT_THAT(names, Contains("outer::work::{lambda}::operator()"));
}

TEST_F(OriginResolverTest, ReadsEveryFormOfDebugInformation) {
  for (const char* flags : {"-gdwarf-4", "-gdwarf-5", "-g -gz=zlib", "-g -fdebug-types-section", "-g -fno-pie -no-pie",
                            "-g -ffunction-sections -Wl,--gc-sections"}) {
    EXPECT_THAT(origins_built_with(flags), IsSupersetOf({kMix, kHidden})) << flags;
  }
}

TEST_F(OriginResolverTest, KnowsExportedNamesAfterLinkTimeOptimization) {
  EXPECT_THAT(origins_built_with("-g -flto"), Contains(kMix));
}

TEST_F(OriginResolverTest, ReadsSplitDebugInformationAndSaysWhereItIsMissing) {
  for (const char* flags : {"-g -gsplit-dwarf", "-gdwarf-4 -gsplit-dwarf"}) {
    folder_.compile(std::string("-O2 ") + flags + " -c work.cpp -o work.o");
    folder_.compile("work.o -o program");
    OriginResolver resolver;
    EXPECT_THAT(origins_of_work(resolver), IsSupersetOf({kMix, kHidden})) << flags;
    folder_.run("rm work.dwo");
    OriginResolver without;
    EXPECT_THAT(origins_of_work(without), IsEmpty());
    EXPECT_THAT(without.why_unknown(object()), AllOf(HasSubstr(".dwo"), HasSubstr("-gsplit-dwarf")));
  }
}

TEST_F(OriginResolverTest, FindsTheFileThatTheDebugLinkNamesAndNotOneOfAnotherBuild) {
  folder_.compile("-O2 -g -Wl,--build-id=none work.cpp -o program");
  const auto code = lines_test::addresses_of(folder_, "program", "outer::work(");
  folder_.run(
      "cp program whole && objcopy --only-keep-debug program program.debug && strip program && "
      "objcopy --add-gnu-debuglink=program.debug program");
  OriginResolver beside;
  EXPECT_THAT(origins(beside, code, "program"), Contains(kMix));
  folder_.run("mkdir .debug && mv program.debug .debug");
  OriginResolver in_folder;
  EXPECT_THAT(origins(in_folder, code, "program"), Contains(kMix));
  folder_.run("cp whole .debug/program.debug");
  OriginResolver of_another;
  EXPECT_THAT(origins(of_another, code, "program"), IsEmpty()) << "its checksum differs";
  EXPECT_THAT(of_another.why_unknown(object()), HasSubstr("no debug information"));
}

TEST_F(OriginResolverTest, ABuildIdIsEnoughToTellABuildFromAnother) {
  folder_.compile("-O2 -g -Wl,--build-id=sha1 work.cpp -o program");
  const auto code = lines_test::addresses_of(folder_, "program", "outer::work(");
  folder_.run(
      "cp program whole && strip program && touch x.debug && objcopy --add-gnu-debuglink=x.debug program && "
      "objcopy --add-section .more=work.cpp whole x.debug");
  OriginResolver resolver;
  EXPECT_THAT(origins(resolver, code, "program"), Contains(kMix)) << "the checksum differs, the build is the same";
}

TEST_F(OriginResolverTest, SaysWhatIsMissing) {
  folder_.compile("-O2 work.cpp -o program");
  folder_.write("text", "no program");
  OriginResolver resolver;
  EXPECT_THAT(origins_of_work(resolver), IsEmpty());
  EXPECT_THAT(resolver.why_unknown(object()), AllOf(HasSubstr("no debug information"), HasSubstr("-g")));
  EXPECT_EQ(resolver.find(object("gone"), 0x1000), nullptr);
  EXPECT_THAT(resolver.why_unknown(object("gone")), HasSubstr("No such file"));
  EXPECT_EQ(resolver.find(object("text"), 0x1000), nullptr);
  EXPECT_THAT(resolver.why_unknown(object("text")), HasSubstr("no ELF file"));
  folder_.run("mkfifo pipe");  // nobody writes: to open it as a file would wait forever
  EXPECT_THAT(resolver.why_unknown(object("pipe")), HasSubstr("no ELF file"));
}

TEST_F(OriginResolverTest, AProgramThatChangedAfterItsProfileWasWrittenIsAnotherOne) {
  folder_.compile("-O2 -g work.cpp -o program");
  const auto built = std::filesystem::last_write_time(object());
  OriginResolver as_old(built);
  EXPECT_THAT(origins_of_work(as_old), Contains(kMix));
  OriginResolver older(built - std::chrono::seconds(1));
  EXPECT_THAT(origins_of_work(older), IsEmpty());
  EXPECT_THAT(older.why_unknown(object()), HasSubstr("changed after the profile"));
}

TEST_F(OriginResolverTest, TellsWhereTheFunctionThatHasTheCodeIsDeclared) {
  folder_.compile("-O2 -g work.cpp -o program");
  OriginResolver resolver;
  const auto code = lines_test::addresses_of(folder_, "program", "outer::work(");
  int inlined = 0;
  for (std::uint64_t address = code.begin; address < code.end; ++address) {
    const CodeOrigin* origin = resolver.find(object(), address);
    ASSERT_NE(origin, nullptr);
    inlined += origin->is_inlined ? 1 : 0;
    EXPECT_EQ(origin->owner_file, object("work.cpp")) << origin->function;
    EXPECT_EQ(origin->owner_line, lines_test::line_with(kSource, "unsigned work(")) << origin->function;
  }
  EXPECT_GT(inlined, 0);
}

TEST_F(OriginResolverTest, AFunctionOfCHasNoScopeAndNoParameters) {
  folder_.compile("-O2 -g work.cpp -o program");
  OriginResolver resolver;
  const auto code = lines_test::addresses_of(folder_, "program", "twice");
  EXPECT_EQ(origins(resolver, code, "program"), std::set<std::string>{"twice"});
}

TEST_F(OriginResolverTest, AnswersManyThreads) {
  folder_.compile("-O2 -g work.cpp -o program");
  OriginResolver resolver;
  const auto expected = origins_of_work(resolver);
  const auto code = lines_test::addresses_of(folder_, "program", "outer::work(");
  OriginResolver shared;
  std::vector<std::set<std::string>> found(4);
  {
    std::vector<std::jthread> threads;
    for (auto& names : found) threads.emplace_back([&] { names = origins(shared, code, "program"); });
  }
  for (const auto& names : found) EXPECT_EQ(names, expected);
}

// Debug information that was cut or overwritten: no crash, no end of time; origins or none.
TEST_F(OriginResolverTest, DamagedDebugInformationEndsWell) {
  folder_.compile("-O2 -g work.cpp -o program");
  const auto code = lines_test::addresses_of(folder_, "program", "outer::work(");
  std::string bytes = folder_.run("cat program");
  std::uint64_t state = 88172645463325252ull;  // xorshift64: the same damage each time
  const auto next = [&] { return state ^= state << 13, state ^= state >> 7, state ^= state << 17; };
  for (int round = 0; round < 60; ++round) {
    std::string damaged = bytes;
    for (int i = 0; i < 40; ++i) damaged[next() % damaged.size()] = static_cast<char>(next());
    if (round % 3 == 0) damaged.resize(next() % damaged.size());
    folder_.write("damaged", damaged);
    OriginResolver resolver;
    for (const std::string& name : origins(resolver, code, "damaged")) EXPECT_LT(name.size(), 100'000U);
    for (std::uint64_t address = code.begin; address < code.end; ++address)
      resolver.file_of(object("damaged"), address, 3);
  }
}

using ::testing::ElementsAre;

CallgrindPart part_of(const std::string& body) {
  const auto parts = parse_callgrind("positions: instr line\nevents: Ir\n" + body, "profile", {.keep_positions = true});
  EXPECT_TRUE(parts) << (parts ? "" : parts.error().text());
  return parts ? parts->front() : CallgrindPart{};
}

// work() with five lines of a header inlined, n and 2n times; set up once.
const CallgrindPart kOnce = part_of(
    "ob=program\nfl=work.cpp\nfn=work\n0x10 5 10\n0x14 6 100\nfi=hot.h\n0x18 3 200\n0x1c 3 50\nfe=work.cpp\n0x20 7 10\n"
    "fl=main.cpp\nfn=set_up\n0x100 9 77\ntotals: 447\n");
const CallgrindPart kTwice = part_of(
    "ob=program\nfl=main.cpp\nfn=set_up\n0x100 9 77\nfl=work.cpp\nfn=work\n0x10 5 10\n0x14 6 200\nfi=hot.h\n0x18 3 "
    "400\n"
    "0x1c 3 100\n0x24 4 1\nfe=work.cpp\n0x20 7 10\ntotals: 798\n");

TEST(SourceCosts, LinesOfANetProfileAreThoseOfTheDifference) {
  const auto profile = subtract(kTwice, kOnce);
  ASSERT_TRUE(profile);
  ASSERT_EQ(profile->functions.size(), 1U);
  EXPECT_EQ(profile->functions[0].name, "work");
  EXPECT_THAT(profile->sources, ElementsAre(SourceCost{0, "hot.h", "", 3, {250}}, SourceCost{0, "hot.h", "", 4, {1}},
                                            SourceCost{0, "work.cpp", "", 6, {100}}));
  EXPECT_EQ(profile->functions[0].self, std::vector<std::int64_t>{351});
}

TEST(SourceCosts, AFunctionWhoseLinesOnlyMovedStays) {
  const CallgrindPart before = part_of("fl=a.cpp\nfn=f\n0x10 1 5\n0x14 2 7\nfn=g\n0x20 9 1\ntotals: 13\n");
  const CallgrindPart after = part_of("fl=a.cpp\nfn=f\n0x10 1 7\n0x14 2 5\nfn=g\n0x20 9 2\ntotals: 14\n");
  const auto profile = subtract(after, before);
  ASSERT_TRUE(profile);
  ASSERT_EQ(profile->functions.size(), 2U);
  EXPECT_THAT(profile->sources, ElementsAre(SourceCost{0, "a.cpp", "", 1, {2}}, SourceCost{0, "a.cpp", "", 2, {-2}},
                                            SourceCost{1, "a.cpp", "", 9, {1}}));
}

TEST(SourceCosts, ThereAreNoneWherePositionsWereNotKept) {
  CallgrindPart without = kTwice;
  without.position_costs.clear();
  CallgrindPart less = kOnce;
  less.position_costs.clear();
  const auto profile = subtract(without, less);
  ASSERT_TRUE(profile);
  EXPECT_TRUE(profile->sources.empty());
  EXPECT_EQ(profile->functions.size(), 1U);
}

// One side with positions and the other without would be lines that do not add up.
TEST(SourceCosts, LinesThatDoNotAddUpAreABug) {
  CallgrindPart without = kOnce;
  without.position_costs.clear();
  const auto profile = subtract(kTwice, without);
  ASSERT_FALSE(profile);
  EXPECT_EQ(profile.error().kind, ErrorKind::bug);
}

TEST(SourceCosts, AddUpIsToldPerFunction) {
  CountedProfile profile = profile_of(kOnce).value();
  EXPECT_TRUE(sources_add_up(profile));
  // The same sum, one function's cost given to another.
  profile.sources.front().function = profile.sources.back().function;
  EXPECT_FALSE(sources_add_up(profile));
}

TEST(SourceCosts, OneTakenOffTheOtherWayRoundIsItsNegative) {
  const auto there = subtract(kTwice, kOnce);
  const auto back = subtract(kOnce, kTwice);
  ASSERT_TRUE(there && back);
  ASSERT_EQ(there->sources.size(), back->sources.size());
  for (const SourceCost& source : there->sources) {
    SourceCost negative = source;
    negative.self[0] = -negative.self[0];
    EXPECT_THAT(back->sources, ::testing::Contains(negative));
  }
}

// Real profiles with and without addresses, one and several events, threads and recursion: what of a function stands on
// its lines is all that it costs.
TEST(SourceCosts, OfEveryProfileOfTheCorpusAddUp) {
  int profiles = 0;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(STEELYARD_GOLDEN_CALLGRIND)) {
    const std::string name = entry.path().filename().string();
    if (!entry.is_regular_file() || !name.starts_with("callgrind.out") || name.ends_with(".tsv")) continue;
    const auto parts = read_callgrind(entry.path(), {.keep_positions = true});
    ASSERT_TRUE(parts) << parts.error().text();
    for (const CallgrindPart& part : *parts) {
      OriginResolver resolver;
      const auto profile = profile_of(part, &resolver);
      ASSERT_TRUE(profile) << entry.path();
      EXPECT_EQ(profile->totals, part.totals) << entry.path();
      EXPECT_EQ(profile->sources.empty(), profile->functions.empty()) << entry.path();
      ++profiles;
    }
  }
  EXPECT_GE(profiles, 15);
}

}  // namespace

}  // namespace steelyard::bench::origin_resolver_test
