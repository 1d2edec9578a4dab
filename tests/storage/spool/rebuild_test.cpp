#include "storage/spool/rebuild.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>

#include "storage/archive/archive.hpp"
#include "tests/storage/archive/sample_run.hpp"

namespace steelyard::storage::rebuild_test {
namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

steelyard::Run run_at(std::int64_t created_at_unix_ns) {
  auto run = sample_run();
  run.header.created_at_unix_ns = created_at_unix_ns;
  seal(run);
  return run;
}

class RebuildTest : public testing::Test {
 protected:
  void SetUp() override {
    std::string pattern = fs::temp_directory_path() / "steelyard_rebuild_XXXXXX";
    ASSERT_NE(mkdtemp(pattern.data()), nullptr);
    folder_ = pattern;
  }
  void TearDown() override { fs::remove_all(folder_); }
  void write(const std::string& name, std::int64_t time) {
    fs::create_directories((folder_ / name).parent_path());
    ASSERT_TRUE(write_archive(folder_ / name, run_at(time)));
  }
  // Takes every run once, as a store does, and remembers their times in order.
  Spool::PutRun put() {
    return [this](const steelyard::Run& run) -> Result<bool> {
      const std::int64_t time = run.header.created_at_unix_ns;
      if (std::find(times_.begin(), times_.end(), time) != times_.end()) return false;
      times_.push_back(time);
      return true;
    };
  }
  fs::path folder_;
  std::vector<std::int64_t> times_;
};

TEST_F(RebuildTest, PutsOldestFirstWhateverTheNamesAndHoweverDeep) {
  write("a.syrun", 30);
  write("b.syrun", 10);
  write("deeper/c.syrun", 20);
  std::ofstream(folder_ / "notes.txt") << "no archive";
  const auto done = rebuild_from_archives(folder_, put(), {});
  ASSERT_TRUE(done) << done.error().text();
  EXPECT_EQ(done->runs, 3);
  EXPECT_EQ(done->already_there, 0);
  EXPECT_THAT(done->bad, IsEmpty());
  EXPECT_THAT(times_, ElementsAre(10, 20, 30));
}

TEST_F(RebuildTest, CountsWhatWasThereAlready) {
  write("a.syrun", 1);
  write("copy-of-a.syrun", 1);
  write("b.syrun", 2);
  ASSERT_TRUE(rebuild_from_archives(folder_, put(), {}));
  const auto again = rebuild_from_archives(folder_, put(), {});
  ASSERT_TRUE(again);
  EXPECT_EQ(again->runs, 3);
  EXPECT_EQ(again->already_there, 3);
  EXPECT_THAT(times_, ElementsAre(1, 2));
}

TEST_F(RebuildTest, NamesWhatCannotBeReadOrIsRefusedLeavesItAndGoesOn) {
  write("a.syrun", 1);
  write("b.syrun", 2);
  write("d.syrun", 4);
  std::ofstream(folder_ / "c.syrun") << "damaged";
  const auto take = put();
  const auto done = rebuild_from_archives(folder_,
                                          [&](const steelyard::Run& run) -> Result<bool> {
                                            if (run.header.created_at_unix_ns == 2)
                                              return input_error("store main", "invalid byte sequence");
                                            return take(run);
                                          },
                                          {});
  ASSERT_TRUE(done) << done.error().text();
  EXPECT_EQ(done->runs, 2);
  ASSERT_THAT(done->bad, SizeIs(2));
  EXPECT_THAT(done->bad[0].text(), HasSubstr("c.syrun"));
  EXPECT_THAT(done->bad[1].text(), HasSubstr("b.syrun: store main: invalid byte sequence"));
  EXPECT_TRUE(fs::exists(folder_ / "b.syrun") && fs::exists(folder_ / "c.syrun"));
  EXPECT_THAT(times_, ElementsAre(1, 4));
}

TEST_F(RebuildTest, ArchiveThatIsDamagedBehindItsHeaderIsNamedInItsTurn) {
  write("a.syrun", 2);
  write("b.syrun", 1);
  fs::resize_file(folder_ / "a.syrun", fs::file_size(folder_ / "a.syrun") - 1);
  const auto done = rebuild_from_archives(folder_, put(), {});
  ASSERT_TRUE(done) << done.error().text();
  EXPECT_EQ(done->runs, 1);
  ASSERT_THAT(done->bad, SizeIs(1));
  EXPECT_THAT(done->bad[0].text(), HasSubstr("a.syrun: byte"));
  EXPECT_THAT(times_, ElementsAre(1));
}

TEST_F(RebuildTest, ArchiveWithTheIdOfAnotherContentIsNamedAndNotPut) {
  write("true.syrun", 1);
  steelyard::Run forged = run_at(2);
  forged.measurements[0].invocations[0].values.push_back(1);
  forged.measurements[0].invocations[0].iterations.clear();
  ASSERT_TRUE(write_archive(folder_ / "forged.syrun", forged));
  const auto done = rebuild_from_archives(folder_, put(), {});
  ASSERT_TRUE(done) << done.error().text();
  EXPECT_THAT(times_, ElementsAre(1));
  ASSERT_THAT(done->bad, SizeIs(1));
  EXPECT_THAT(done->bad[0].text(), HasSubstr("forged.syrun: found a run whose id is not that of its content"));
}

TEST_F(RebuildTest, PassesOverTheCountsThatAStateFolderKeepsForLaterRuns) {
  write("runs/a.syrun", 1);
  steelyard::Run kept = run_at(0);
  kept.header.settings[kKeptCountSetting] = "";
  seal(kept);
  fs::create_directories(folder_ / "counts");
  ASSERT_TRUE(write_archive(folder_ / "counts" / "b.syrun", kept));
  const auto done = rebuild_from_archives(folder_, put(), {});
  ASSERT_TRUE(done) << done.error().text();
  EXPECT_EQ(done->runs, 1);
  EXPECT_EQ(done->kept_counts, 1);
  EXPECT_THAT(done->bad, IsEmpty());
  EXPECT_THAT(times_, ElementsAre(1));
}

TEST_F(RebuildTest, StopsWhereTheStoreFails) {
  write("a.syrun", 1);
  write("b.syrun", 2);
  const auto done = rebuild_from_archives(
      folder_, [](const steelyard::Run&) -> Result<bool> { return store_error("store", "the link was lost"); }, {});
  ASSERT_FALSE(done);
  EXPECT_EQ(done.error().kind, ErrorKind::store);
}

TEST_F(RebuildTest, TellsHowFarItIs) {
  write("a.syrun", 1);
  write("b.syrun", 2);
  std::vector<double> parts;
  ASSERT_TRUE(rebuild_from_archives(folder_, put(), [&](double part) { parts.push_back(part); }));
  EXPECT_THAT(parts, ElementsAre(0.25, 0.5, 0.75, 1.0));
}

TEST_F(RebuildTest, FolderThatIsNotThereIsAnInputError) {
  const auto done = rebuild_from_archives(folder_ / "absent", put(), {});
  ASSERT_FALSE(done);
  EXPECT_EQ(done.error().kind, ErrorKind::input);
  EXPECT_THAT(done.error().text(), HasSubstr("absent: found No such file or directory"));
  const auto empty = rebuild_from_archives(folder_, put(), {});
  ASSERT_TRUE(empty);
  EXPECT_EQ(empty->runs, 0);
}

}  // namespace
}  // namespace steelyard::storage::rebuild_test
