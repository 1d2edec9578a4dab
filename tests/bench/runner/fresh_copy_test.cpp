#include "bench/runner/fresh_copy.hpp"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <fstream>
#include <sstream>

#include "bench/runner/child_process.hpp"
#include "bench/runner/program_facts.hpp"
#include "tests/bench/runner/fixture_program.hpp"
#include "tests/bench/runner/temporary_folder.hpp"
#include "tests/promised.hpp"

namespace steelyard::bench::fresh_copy_test {
namespace {

using ::testing::HasSubstr;

std::string content_of(const std::filesystem::path& file) {
  std::ostringstream text;
  text << std::ifstream(file, std::ios::binary).rdbuf();
  return text.str();
}

ino_t inode_of(const std::filesystem::path& file) {
  struct stat status = {};
  ::stat(file.c_str(), &status);
  return status.st_ino;
}

// Longer than a page, and no whole number of them.
std::string some_program() {
  std::string bytes = "\x7f";
  bytes += "ELF";
  for (int i = 0; i < 20'001; ++i) bytes += static_cast<char>('a' + i % 23);
  return bytes;
}

Program program_at(const std::filesystem::path& file) {
  Program program;
  program.executable = file;
  return program;
}

TEST(FreshCopy, IsAnotherFileWithTheSameBytesAfterEveryRenewal) {
  const testkit::TemporaryFolder programs, folder;
  const auto file = programs.write("bench", some_program(), true);
  Result<FreshCopy> copy = FreshCopy::prepare(program_at(file), nullptr, folder.path());
  ASSERT_TRUE(copy) << copy.error().text();
  EXPECT_EQ(copy->pages(), PagesOf::copied);
  EXPECT_EQ(copy->size(), Bytes(20'005));
  ino_t last = inode_of(file);
  for (int round = 0; round < 4; ++round) {
    copy->renew(7, round);
    EXPECT_EQ(content_of(copy->executable()), some_program());
    EXPECT_NE(inode_of(copy->executable()), last);
    EXPECT_EQ(::access(copy->executable().c_str(), X_OK), 0);
    last = inode_of(copy->executable());
  }
  EXPECT_EQ(copy->renewals(), 4);
  EXPECT_EQ(copy->pages(), PagesOf::copied);
}

// A stranger's program may be a link, and its loader names the libraries that are copied for it.
TEST(FreshCopy, HasNoFileThatTheProgramDoesNotSeeAndWaitsForNoPipe) {
  const testkit::TemporaryFolder programs, hidden, folder, other_folder;
  std::filesystem::create_symlink(hidden.write("password", some_program(), false), programs.path() / "bench");
  Program program = program_at(programs.path() / "bench");
  const Result<FreshCopy> seen = FreshCopy::prepare(program, nullptr, other_folder.path());
  ASSERT_TRUE(seen) << seen.error().text();
  EXPECT_EQ(seen->pages(), PagesOf::copied);
  auto confinement = std::make_shared<Confinement>();
  confinement->hidden = {std::filesystem::canonical(hidden.path())};
  program.confinement = confinement;
  const Result<FreshCopy> unseen = FreshCopy::prepare(program, nullptr, folder.path());
  ASSERT_TRUE(unseen) << unseen.error().text();
  EXPECT_NE(unseen->pages(), PagesOf::copied);
  EXPECT_TRUE(std::filesystem::is_symlink(unseen->executable())) << "its bytes lie where the program sees them";
  EXPECT_THAT(unseen->why(), HasSubstr("does not see"));

  const std::string pipe = (programs.path() / "pipe").string();
  ASSERT_EQ(::mkfifo(pipe.c_str(), 0700), 0);
  EXPECT_FALSE(reread_pages(pipe, 7, 1));
}

TEST(FreshCopy, IsWrittenIntoItsOwnFolderWhateverIsPutInItsPlace) {
  const testkit::TemporaryFolder programs, folder, elsewhere;
  Result<FreshCopy> copy =
      FreshCopy::prepare(program_at(programs.write("bench", some_program(), true)), nullptr, folder.path());
  ASSERT_TRUE(copy) << copy.error().text();
  const std::filesystem::path place = copy->executable().parent_path(), moved = folder.path() / "moved";
  const ino_t before = inode_of(copy->executable());
  std::filesystem::rename(place, moved);
  std::filesystem::create_directory_symlink(elsewhere.path(), place);
  copy->renew(7, 1);
  EXPECT_TRUE(std::filesystem::is_empty(elsewhere.path()));
  EXPECT_EQ(content_of(moved / "bench"), some_program());
  EXPECT_NE(inode_of(moved / "bench"), before);
  copy->run_in_place("for this test");
  EXPECT_TRUE(std::filesystem::is_empty(elsewhere.path()));
}

TEST(FreshCopy, IsOfTheLayoutThatTheRoundAsksForAndElseAsBuilt) {
  const testkit::TemporaryFolder programs, folder;
  Program program = program_at(programs.write("bench", some_program(), true));
  for (const char* order : {"one", "another"}) {
    program.layouts.push_back({7, programs.write(order, some_program() + order, true)});
  }
  Result<FreshCopy> copy = FreshCopy::prepare(program, nullptr, folder.path());
  ASSERT_TRUE(copy) << copy.error().text();
  EXPECT_TRUE(copy->has_layouts());
  EXPECT_EQ(content_of(copy->executable()), some_program());
  for (const std::size_t layout : {0U, 1U, 1U, 0U}) {
    copy->renew(7, 0, layout);
    EXPECT_EQ(content_of(copy->executable()), some_program() + (layout == 0 ? "one" : "another"));
    EXPECT_EQ(copy->executable().filename(), "bench");
  }
  copy->renew(7, 1);
  EXPECT_EQ(content_of(copy->executable()), some_program());
}

// What a result says of its layout holds where pages are not renewed too.
TEST(FreshCopy, IsOfTheLayoutThatTheRoundAsksForWhereItIsNotCopiedToo) {
  const testkit::TemporaryFolder programs, folder;
  Program program = program_at(programs.write("bench", some_program(), true));
  program.layouts = {{7, programs.write("one", some_program() + "one", true)}};
  Result<FreshCopy> copy = FreshCopy::prepare(program, nullptr, folder.path());
  ASSERT_TRUE(copy) << copy.error().text();
  copy->run_in_place("the other side is not copied");
  for (int round = 0; round < 3; ++round) {
    copy->renew(7, round, 0);
    EXPECT_EQ(content_of(copy->executable()), some_program() + "one");
  }
  EXPECT_NE(copy->pages(), PagesOf::copied);
}

TEST(FreshCopy, HasItsProgramsNameAndAPathAsLongAsTheOtherSides) {
  const testkit::TemporaryFolder programs, folders;
  const Program one = program_at(programs.write("bench", some_program(), true));
  const Program other = program_at(programs.write("bench_of_the_candidate", some_program(), true));
  for (const char* side : {"base", "cand"}) std::filesystem::create_directory(folders.path() / side);
  const auto first = FreshCopy::prepare(one, &other, folders.path() / "base");
  const auto second = FreshCopy::prepare(other, &one, folders.path() / "cand");
  ASSERT_TRUE(first && second);
  EXPECT_EQ(first->executable().filename(), "bench");
  EXPECT_EQ(second->executable().filename(), "bench_of_the_candidate");
  EXPECT_EQ(first->executable().string().size(), second->executable().string().size());
}

TEST(FreshCopy, StaysWhatItWasWhereTheProgramIsBuiltAnewMeanwhile) {
  const testkit::TemporaryFolder programs, folder;
  const auto file = programs.write("bench", some_program(), true);
  Result<FreshCopy> copy = FreshCopy::prepare(program_at(file), nullptr, folder.path());
  ASSERT_TRUE(copy);
  programs.write("bench", some_program() + "more", true);
  copy->renew(7, 0);
  EXPECT_EQ(content_of(copy->executable()), some_program());
  EXPECT_EQ(copy->pages(), PagesOf::kept);
  EXPECT_THAT(copy->why(), HasSubstr("changed while it was measured"));
}

TEST(FreshCopy, LeavesAScriptWhereItIs) {
  const testkit::TemporaryFolder programs, folder;
  const auto script = programs.write("bench.sh", "#!/bin/sh\n", true);
  Result<FreshCopy> copy = FreshCopy::prepare(program_at(script), nullptr, folder.path());
  ASSERT_TRUE(copy);
  copy->renew(7, 0);
  EXPECT_EQ(copy->executable(), script);
  EXPECT_EQ(copy->pages(), PagesOf::kept);
  EXPECT_THAT(copy->why(), HasSubstr("script"));
}

TEST(FreshCopy, RunsALargeProgramInPlaceAndReadsItsPagesAnew) {
  const testkit::TemporaryFolder programs, folder;
  const auto file = programs.write("bench", some_program(), true);
  std::filesystem::resize_file(file, (std::uintmax_t{64} << 20) + 1);  // a hole, which costs no space
  Result<FreshCopy> copy = FreshCopy::prepare(program_at(file), nullptr, folder.path());
  ASSERT_TRUE(copy);
  EXPECT_EQ(copy->pages(), PagesOf::reread);
  EXPECT_EQ(std::filesystem::read_symlink(copy->executable()), file);
}

// The fixture finds a library by $ORIGIN, which is another folder for a copy.
TEST(FreshCopy, LoadsTheLibrariesThatTheProgramLoadsWhereItLies) {
  STEELYARD_NEEDS_FIXTURE();
  const testkit::TemporaryFolder folder;
  const Program program = testkit::fixture();
  Result<FreshCopy> copy = FreshCopy::prepare(program, &program, folder.path());
  ASSERT_TRUE(copy);
  ASSERT_EQ(copy->pages(), PagesOf::copied) << copy->why();
  const auto libraries = libraries_of(copy->executable(), copy->environment(), {});
  ASSERT_TRUE(libraries);
  for (const LoadedLibrary& library : *libraries) {
    if (library.name != "librunner_fixture_library.so") continue;
    EXPECT_EQ(std::filesystem::canonical(library.path),
              std::filesystem::canonical(program.executable.parent_path() / library.name));
    return;
  }
  FAIL() << "the copy does not load the library at all";
}

TEST(FreshCopy, BringsCopiesOfTheLibrariesThatTheOtherSideHasElsewhere) {
  STEELYARD_NEEDS_FIXTURE();
  const testkit::TemporaryFolder other_build, folder;
  const Program program = testkit::fixture();
  const std::string library = "librunner_fixture_library.so";
  std::filesystem::copy(program.executable, other_build.path() / "runner_fixture_benchmarks");
  std::filesystem::copy(program.executable.parent_path() / library, other_build.path() / library);
  const Program other = program_at(other_build.path() / "runner_fixture_benchmarks");
  Result<FreshCopy> copy = FreshCopy::prepare(program, &other, folder.path());
  ASSERT_TRUE(copy);
  ASSERT_EQ(copy->pages(), PagesOf::copied) << copy->why();
  const std::filesystem::path own = folder.path() / "lib" / library;
  EXPECT_FALSE(std::filesystem::is_symlink(own));
  const ino_t before = inode_of(own);
  copy->renew(7, 1);
  EXPECT_NE(inode_of(own), before);
  EXPECT_EQ(content_of(own), content_of(program.executable.parent_path() / library));
}

TEST(RereadPages, LeavesTheBytesAsTheyAre) {
  const testkit::TemporaryFolder folder;
  const auto file = folder.write("bench", some_program(), true);
  reread_pages(file, 7, 0);  // whether they can be dropped is the file system's affair
  EXPECT_EQ(content_of(file), some_program());
  EXPECT_FALSE(reread_pages(folder.path() / "absent", 7, 0));
}

TEST(TryRenewal, TellsHowAProgramWouldComeByNewPages) {
  const testkit::TemporaryFolder folder;
  const auto copied = try_renewal(program_at(folder.write("bench", some_program(), true)));
  ASSERT_TRUE(copied) << copied.error().text();
  EXPECT_EQ(copied->pages, PagesOf::copied) << copied->why;
  EXPECT_EQ(copied->size, Bytes(20'005));
  EXPECT_GT(copied->took.count(), 0);
  const auto kept = try_renewal(program_at(folder.write("bench.sh", "#!/bin/sh\n", true)));
  ASSERT_TRUE(kept);
  EXPECT_EQ(kept->pages, PagesOf::kept);
  EXPECT_THAT(kept->why, HasSubstr("script"));
}

TEST(FindCopyPlace, IsTheFolderForTemporaryFiles) {
  const auto place = find_copy_place();
  ASSERT_TRUE(place) << place.error().text();
  EXPECT_TRUE(std::filesystem::equivalent(place->folder, std::filesystem::temp_directory_path()));
}

}  // namespace
}  // namespace steelyard::bench::fresh_copy_test
