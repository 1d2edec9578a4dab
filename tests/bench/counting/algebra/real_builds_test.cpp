// The algebra on profiles of programs that were built and counted here: two builds that differ in a name, repeats of a
// program with threads, a program that dumps its own repeats.
#include <gmock/gmock.h>

#include <cstdlib>
#include <filesystem>
#include <map>

#include "bench/counting/algebra/callgrind_stats.hpp"
#include "bench/counting/algebra/function_counts.hpp"
#include "bench/counting/algebra/profile_delta.hpp"
#include "bench/counting/algebra/profile_sum.hpp"
#include "bench/runner/child_process.hpp"
#include "tests/promised.hpp"

namespace steelyard::bench::real_builds_test {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

std::filesystem::path beside_this(const std::string& name) {
  return std::filesystem::read_symlink("/proc/self/exe").parent_path() / name;
}

class RealBuilds : public ::testing::Test {
 protected:
  void SetUp() override {
    STEELYARD_SKIP_WITHOUT("valgrind", find_in_path("valgrind").has_value(), "valgrind is not installed");
    folder_ = std::filesystem::temp_directory_path() / ("steelyard_algebra_XXXXXX");
    std::string name = folder_.string();
    ASSERT_NE(mkdtemp(name.data()), nullptr);
    folder_ = name;
  }
  void TearDown() override {
    std::error_code ignored;
    if (!folder_.empty()) std::filesystem::remove_all(folder_, ignored);
  }

  // Runs the program under Callgrind; the path that it writes to.
  std::filesystem::path count(const std::string& program, const std::vector<std::string>& options,
                              const std::vector<std::string>& arguments = {}) {
    ChildCommand command;
    const std::filesystem::path file = folder_ / (program + "." + std::to_string(++files_));
    command.executable = *find_in_path("valgrind");
    command.arguments = {"--tool=callgrind", "--callgrind-out-file=" + file.string()};
    command.arguments.insert(command.arguments.end(), options.begin(), options.end());
    command.arguments.push_back(beside_this(program).string());
    command.arguments.insert(command.arguments.end(), arguments.begin(), arguments.end());
    command.environment = {{"PATH", "/usr/bin:/bin"}, {"LC_ALL", "C"}};
    command.randomize_addresses = false;
    const auto child = run_child(command);
    EXPECT_TRUE(child && child->succeeded()) << (child ? child->describe() + child->error_output : "");
    return file;
  }

  CountedProfile profile(const std::string& program, const std::string& toggle) {
    const auto parts = read_callgrind(count(program, {"--toggle-collect=" + toggle}));
    EXPECT_TRUE(parts && parts->size() == 1) << (parts ? "" : parts.error().text());
    return parts && !parts->empty() ? whole_profile(parts->front()) : CountedProfile{};
  }

  std::filesystem::path folder_;
  int files_ = 0;
};

// Name in the candidate -> what it was matched with, and how.
std::map<std::string, std::string> matches_by_name(const ProfileDelta& delta) {
  std::map<std::string, std::string> matches;
  for (const FunctionDelta& function : delta.functions) {
    const std::string before = function.baseline ? function.baseline->key.function : "-";
    matches[function.candidate ? function.candidate->key.function : "(gone) " + before] =
        before + ", " + std::string(name_of(function.how));
  }
  return matches;
}

TEST_F(RealBuilds, ARenamedFunctionIsTheOnlyDifferenceAndCostsNothing) {
  const auto delta = profile_delta(profile("counting_algebra_words", "words::read_all*"),
                                   profile("counting_algebra_words_renamed", "words::read_all*"));
  ASSERT_TRUE(delta) << delta.error().text();
  EXPECT_THAT(delta->total_change, ElementsAre(0));
  std::map<std::string, std::string> renamed;
  for (const auto& [name, match] : matches_by_name(*delta)) {
    EXPECT_FALSE(match.ends_with("one side")) << name;
    if (match.ends_with("renamed")) renamed[name] = match;
  }
  const std::map<std::string, std::string> expected{
      {"words::stir(unsigned long, unsigned char)", "words::mix_letters(unsigned long, unsigned char), renamed"}};
  EXPECT_EQ(renamed, expected);
  for (const FunctionDelta& function : delta->functions) {
    EXPECT_THAT(function.self_change, ElementsAre(0)) << function.shown().key.function;
    EXPECT_THAT(function.inclusive_change, ElementsAre(0)) << function.shown().key.function;
  }
}

TEST_F(RealBuilds, TwoRenamedFunctionsOfWhichOneCallsTheOtherAreBothFound) {
  const auto delta = profile_delta(profile("counting_algebra_words", "words::read_all*"),
                                   profile("counting_algebra_words_renamed_twice", "words::read_all*"));
  ASSERT_TRUE(delta) << delta.error().text();
  const auto matches = matches_by_name(*delta);
  ASSERT_TRUE(matches.contains("words::stir(unsigned long, unsigned char)"));
  EXPECT_EQ(matches.at("words::stir(unsigned long, unsigned char)"),
            "words::mix_letters(unsigned long, unsigned char), renamed");
  std::size_t renamed = 0;
  for (const auto& [name, match] : matches) {
    renamed += match.starts_with("words::score_word") && match.ends_with("renamed") ? 1 : 0;
  }
  EXPECT_EQ(renamed, 1u);
}

// Renamed, and each of its calls dearer by an instruction or two: still one function, with its change.
TEST_F(RealBuilds, ARenamedFunctionThatAlsoCostsMoreKeepsItsChange) {
  const auto delta = profile_delta(profile("counting_algebra_words", "words::read_all*"),
                                   profile("counting_algebra_words_dearer", "words::read_all*"));
  ASSERT_TRUE(delta) << delta.error().text();
  ASSERT_GT(delta->total_change[0], 0);
  std::vector<std::string> changed;
  for (const FunctionDelta& function : delta->functions) {
    if (function.self_change[0] == 0) continue;
    changed.push_back(std::string(name_of(function.how)));
    EXPECT_EQ(function.self_change, delta->total_change);
    EXPECT_TRUE(function.shown().key.function.starts_with("words::rate_word")) << function.shown().key.function;
  }
  EXPECT_THAT(changed, ElementsAre("renamed"));
}

// Whatever the threads do to each other: what repeats of one program differ in is noise, and their own work is none.
TEST_F(RealBuilds, RepeatsOfAProgramWithThreadsDifferByNoiseAlone) {
  std::vector<FunctionCounts> repeats;
  for (int i = 0; i < 4; ++i) {
    const auto parts = read_callgrind(count("counting_algebra_threads", {}));
    ASSERT_TRUE(parts && parts->size() == 1);
    auto counts = FunctionCounts::of(parts->front(), CountKind::self);
    ASSERT_TRUE(counts);
    repeats.push_back(std::move(*counts));
  }
  const auto noise = learn_noise(repeats);
  ASSERT_TRUE(noise);
  for (std::size_t i = 1; i < repeats.size(); ++i) {
    const auto change = denoise(*repeats[i].minus(repeats[0]), *noise);
    ASSERT_TRUE(change);
    EXPECT_THAT(change->kept.rows(), IsEmpty());
  }
  std::size_t own = 0;
  const auto steady = steady_functions(repeats[0], *noise);
  ASSERT_TRUE(steady);
  for (const FunctionCount& row : steady->rows()) {
    own += row.key.function.find("work_alone") != std::string::npos ? 1 : 0;
  }
  EXPECT_EQ(own, 1u) << "work_alone costs the same however the threads take turns";
  // A function that really costs more is no noise, though others vary.
  std::vector<FunctionCount> dearer = repeats[1].rows();
  for (FunctionCount& row : dearer) {
    if (row.key.function.find("work_alone") != std::string::npos) row.counts[0] += 600;
  }
  const auto changed = FunctionCounts::of(CountKind::self, repeats[1].events(), dearer);
  const auto kept = denoise(*changed->minus(repeats[0]), *noise);
  ASSERT_EQ(kept->kept.rows().size(), 1u);
  EXPECT_THAT(kept->kept.rows()[0].counts, ElementsAre(600));
}

class SelfDumping : public RealBuilds {
 protected:
  void SetUp() override {
    RealBuilds::SetUp();
    if (IsSkipped()) return;
    STEELYARD_SKIP_WITHOUT("valgrind", std::filesystem::exists(beside_this("counting_algebra_repeats")),
                           "valgrind/callgrind.h is not installed");
  }
  CallgrindStats stats(const std::vector<std::string>& arguments) {
    const auto file = count("counting_algebra_repeats", {"--collect-atstart=no"}, arguments);
    const auto result = read_callgrind_stats(file, {.number_per_run = std::atoi(arguments.front().c_str())});
    EXPECT_TRUE(result) << (result ? "" : result.error().text());
    return result ? *result : CallgrindStats{};
  }
};

TEST_F(SelfDumping, CostsTheSameInEveryRepeatAndTwiceAsMuchTwice) {
  const CallgrindStats once = stats({"100"});
  ASSERT_EQ(once.repeats(), 3u);
  const auto cost = once.cost_of_a_pass();
  ASSERT_TRUE(cost);
  EXPECT_TRUE(cost->is_exact());
  EXPECT_GT(cost->least[0], 24) << "eight steps of three instructions at least";
  EXPECT_TRUE(once.learned_noise()->functions.empty());
  const auto linearity = check_linearity(once, stats({"200"}));
  ASSERT_TRUE(linearity) << linearity.error().text();
  EXPECT_TRUE(linearity->is_linear()) << linearity->expected[0] << " and " << linearity->found[0];
}

TEST_F(SelfDumping, AStatementThatGrowsIsFoundOut) {
  const auto linearity = check_linearity(stats({"100", "grow"}), stats({"200", "grow"}));
  ASSERT_TRUE(linearity);
  EXPECT_FALSE(linearity->is_linear());
}

// torch's child inherits the environment, and with it the place of the stack: fault (e).
TEST_F(SelfDumping, TheCallersEnvironmentDoesNotReachTheCount) {
  const CallgrindStats before = stats({"100"});
  ASSERT_EQ(setenv("STEELYARD_TEST_LARGE_VARIABLE", std::string(4096, 'x').c_str(), 1), 0);
  const CallgrindStats after = stats({"100"});
  unsetenv("STEELYARD_TEST_LARGE_VARIABLE");
  EXPECT_THAT(after.delta(before)->rows(), IsEmpty());
  EXPECT_EQ(after.first_stats(), before.first_stats());
}

}  // namespace
}  // namespace steelyard::bench::real_builds_test
