#include "bench/doctor/change_journal.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include "tests/bench/runner/temporary_folder.hpp"

namespace steelyard {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

const std::string kCpu = "sys/devices/system/cpu/";

ChangeJournal sample(const std::string& root) {
  return {root,
          4711,
          {{kCpu + "cpu0/cpufreq/scaling_governor", "powersave", "performance"}, {kCpu + "cpufreq/boost", "1", "0"}}};
}

TEST(ChangeJournal, ReadsBackAsItWasWritten) {
  const testing::TemporaryFolder folder;
  const auto file = folder.path() / "journal";
  ASSERT_TRUE(write_journal(file, sample("/")));
  const auto read = read_journal(file);
  ASSERT_TRUE(read);
  EXPECT_EQ(**read, sample("/"));
  EXPECT_FALSE(std::filesystem::exists(folder.path() / "journal.partial"));
}

TEST(ChangeJournal, IsAbsentWhereThereIsNone) {
  const testing::TemporaryFolder folder;
  const auto read = read_journal(folder.path() / "journal");
  ASSERT_TRUE(read);
  EXPECT_EQ(*read, std::nullopt);
}

TEST(ChangeJournal, IsRefusedWhenCutAnywhere) {
  const std::string text = journal_text(sample("/"));
  for (std::size_t size = 0; size + 1 < text.size(); ++size) {
    EXPECT_FALSE(parse_journal(text.substr(0, size), "journal")) << size;
  }
  EXPECT_TRUE(parse_journal(text, "journal"));
}

TEST(ChangeJournal, IsRefusedWhereItNamesAnythingElse) {
  const auto error_of = [](const std::string& line) {
    const auto parsed = parse_journal("steelyard doctor journal 1\nroot\t/\n" + line + "\nend\n", "journal");
    return parsed ? std::string() : parsed.error().text();
  };
  EXPECT_EQ(error_of("process\t1"), "");
  EXPECT_THAT(error_of("change\tetc/passwd\ta\tb"),
              HasSubstr("journal:3: found a setting that the doctor never changes"));
  EXPECT_THAT(error_of("change\t" + kCpu + "cpufreq/boost\t1"), HasSubstr("never changes"));
  EXPECT_THAT(error_of("change\t" + kCpu + "cpufreq/boost\t1\t0\tmore"), HasSubstr("never changes"));
  EXPECT_THAT(error_of("hello"), HasSubstr("none of a journal"));
}

class Restoring : public ::testing::Test {
 protected:
  void SetUp() override {
    std::filesystem::create_directories(folder_.path() / kCpu / "cpu0/cpufreq");
    std::filesystem::create_directories(folder_.path() / kCpu / "cpufreq");
  }
  void write(const std::string& governor, const std::string& boost) {
    std::ofstream(folder_.path() / kCpu / "cpu0/cpufreq/scaling_governor") << governor << '\n';
    std::ofstream(folder_.path() / kCpu / "cpufreq/boost") << boost << '\n';
  }
  std::string governor() const { return *read_setting(folder_.path(), kCpu + "cpu0/cpufreq/scaling_governor"); }
  std::string boost() const { return *read_setting(folder_.path(), kCpu + "cpufreq/boost"); }
  RestoreOutcome run() const { return restore(sample(folder_.path().string())); }

  testing::TemporaryFolder folder_;
};

TEST_F(Restoring, SetsBackWhatWasSet) {
  write("performance", "0");
  const RestoreOutcome outcome = run();
  EXPECT_EQ(outcome.restored.size(), 2U);
  EXPECT_THAT(outcome.failed, IsEmpty());
  EXPECT_EQ(governor(), "powersave");
  EXPECT_EQ(boost(), "1");
  EXPECT_THAT(run().restored, IsEmpty());  // twice is once
}

TEST_F(Restoring, PassesOverWhatWasNeverReached) {
  write("performance", "1");
  EXPECT_EQ(run().restored.size(), 1U);
  EXPECT_EQ(governor(), "powersave");
}

TEST_F(Restoring, LeavesWhatSomeoneElseChanged) {
  write("ondemand", "0");
  const RestoreOutcome outcome = run();
  EXPECT_THAT(outcome.left, ElementsAre(HasSubstr("governor of core 0 is ondemand now")));
  EXPECT_EQ(governor(), "ondemand");
  EXPECT_EQ(boost(), "1");
}

TEST_F(Restoring, FinishesAWriteThatWasCutShort) {
  write("performance", "0");
  std::ofstream(folder_.path() / kCpu / "cpufreq/boost") << "";
  EXPECT_EQ(run().restored.size(), 2U);
  EXPECT_EQ(boost(), "1");
}

TEST_F(Restoring, LeavesWhatIsGone) {
  write("performance", "0");
  std::filesystem::remove(folder_.path() / kCpu / "cpufreq/boost");
  EXPECT_THAT(run().left, ElementsAre(HasSubstr("is gone now")));
}

}  // namespace
}  // namespace steelyard
