#include "ci/measuring/kept_builds.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/ci/git/temporary_repository.hpp"

namespace steelyard::ci::kept_builds_test {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

class KeptBuildsTest : public testing::Test {
 protected:
  void SetUp() override {
    made_.write("source", "x");
    made_.write(".gitignore", "build/\n");
    made_.commit("first");
    made_.git("clone --quiet . '" + other().string() + "'");
  }
  fs::path tree() const { return made_.root(); }
  fs::path other() const { return made_.folder() / "other"; }
  fs::path folder() const { return made_.folder() / "kept"; }
  void build() const {
    made_.write("build/bin/bench", "program");
    fs::permissions(tree() / "build/bin/bench", fs::perms::owner_all);
    fs::create_symlink("bin/bench", tree() / "build/link");
    made_.write("beside", "not ignored");
  }
  std::string name_ = std::string(64, 'a');
  TemporaryRepository made_;
};

TEST_F(KeptBuildsTest, GivesBackWhatTheBuildAddedAndNothingElse) {
  const KeptBuilds kept(folder());
  EXPECT_FALSE(*kept.put_into(tree(), name_));
  build();
  const Result<void> done = kept.keep(tree(), name_);
  ASSERT_TRUE(done) << done.error().text();
  EXPECT_FALSE(fs::exists(folder() / name_ / "source")) << "the commit has it";
  const Result<bool> taken = kept.put_into(other(), name_);
  ASSERT_TRUE(taken) << taken.error().text();
  EXPECT_TRUE(*taken);
  EXPECT_EQ(fs::status(other() / "build/bin/bench").permissions(), fs::perms::owner_all);
  EXPECT_EQ(fs::last_write_time(other() / "build/bin/bench"), fs::last_write_time(tree() / "build/bin/bench"));
  EXPECT_EQ(fs::read_symlink(other() / "build/link"), "bin/bench");
  EXPECT_TRUE(fs::exists(other() / "beside"));
  EXPECT_TRUE(kept.keep(tree(), name_)) << "another process was first";
}

TEST_F(KeptBuildsTest, KeepsNoBuildThatChangedTheCommitsFilesOrIsTooLarge) {
  build();
  const Result<void> large = KeptBuilds(folder(), {3, 100}).keep(tree(), name_);
  ASSERT_FALSE(large);
  EXPECT_THAT(large.error().text(), HasSubstr("MiB, to be kept"));
  made_.write("source", "generated anew");
  const Result<void> changed = KeptBuilds(folder()).keep(tree(), name_);
  ASSERT_FALSE(changed);
  EXPECT_THAT(changed.error().text(), HasSubstr("it changed files of the commit"));
  EXPECT_FALSE(fs::exists(folder() / name_));
}

TEST_F(KeptBuildsTest, RemovesTheOldestBeyondItsLimit) {
  build();
  const KeptBuilds kept(folder(), {1000, 40});  // of 18 bytes each
  for (const char one : {'a', 'b', 'c'}) {
    ASSERT_TRUE(kept.keep(tree(), std::string(64, one)));
    fs::last_write_time(folder() / std::string(64, one),
                        fs::file_time_type::clock::now() - std::chrono::hours('d' - one));
  }
  ASSERT_TRUE(kept.keep(tree(), std::string(64, 'd')));
  EXPECT_FALSE(fs::exists(folder() / std::string(64, 'a')));
  EXPECT_FALSE(fs::exists(folder() / std::string(64, 'b')));
  EXPECT_TRUE(fs::exists(folder() / std::string(64, 'd')));
}

TEST_F(KeptBuildsTest, AreNamedByAllThatABuildDependsOn) {
  const BuildIdentity usual{"1234", "make", "/tmp/tree"};
  const std::string name = name_of(usual, nullptr);
  EXPECT_EQ(name.size(), 64U);
  EXPECT_EQ(name_of(usual, nullptr), name);
  EXPECT_NE(name_of({"1235", "make", "/tmp/tree"}, nullptr), name);
  EXPECT_NE(name_of({"1234", "make all", "/tmp/tree"}, nullptr), name);
  EXPECT_NE(name_of({"1234", "make", "/tmp/other"}, nullptr), name);
  EXPECT_NE(name_of({"1234", "make", "/tmp/tree", false}, nullptr), name);
  setenv("CXXFLAGS", "-O3", 1);
  EXPECT_NE(name_of(usual, nullptr), name);
  unsetenv("CXXFLAGS");
  setenv("STEELYARD_TEST_RUN_ID", "17", 1);
  EXPECT_EQ(name_of(usual, nullptr), name) << "no compiler reads it";
  unsetenv("STEELYARD_TEST_RUN_ID");
}

}  // namespace
}  // namespace steelyard::ci::kept_builds_test
