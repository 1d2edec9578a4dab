#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include "bench/doctor/machine_setting.hpp"
#include "tests/bench/runner/temporary_folder.hpp"

namespace steelyard::bench::machine_setting_test {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

const std::string kCpu = "sys/devices/system/cpu/";

class MachineSettings : public ::testing::Test {
 protected:
  void write(const std::string& file, const std::string& text) {
    std::filesystem::create_directories((root() / file).parent_path());
    std::ofstream(root() / file) << text << '\n';
  }
  const std::filesystem::path& root() const { return folder_.path(); }

 private:
  testkit::TemporaryFolder folder_;
};

TEST_F(MachineSettings, ArePlannedWhereTheyHurt) {
  write(kCpu + "online", "0-2");
  write(kCpu + "cpu0/cpufreq/scaling_governor", "powersave");
  write(kCpu + "cpu0/cpufreq/scaling_available_governors", "performance powersave");
  write(kCpu + "cpu1/cpufreq/scaling_governor", "performance");
  write(kCpu + "cpu2/cpufreq/scaling_governor", "schedutil");
  write(kCpu + "cpu2/cpufreq/scaling_available_governors", "schedutil");  // offers nothing better
  write(kCpu + "intel_pstate/no_turbo", "0");
  write(kCpu + "cpufreq/boost", "1");  // Intel's own switch goes first
  write("sys/kernel/mm/transparent_hugepage/enabled", "[always] madvise never");
  EXPECT_THAT(plan_changes(root()),
              ElementsAre(SettingChange{kCpu + "cpu0/cpufreq/scaling_governor", "powersave", "performance"},
                          SettingChange{kCpu + "intel_pstate/no_turbo", "0", "1"},
                          SettingChange{"sys/kernel/mm/transparent_hugepage/enabled", "always", "madvise"}));
}

TEST_F(MachineSettings, PlanTheEnergyPreferenceBeforeTheGovernorThatForbidsToSetItBack) {
  write(kCpu + "online", "0-1");
  write(kCpu + "cpu0/cpufreq/scaling_governor", "powersave");
  write(kCpu + "cpu0/cpufreq/energy_performance_preference", "balance_performance");
  write(kCpu + "cpu1/cpufreq/scaling_governor", "performance");  // not touched, nor what goes with it
  write(kCpu + "cpu1/cpufreq/energy_performance_preference", "balance_performance");
  EXPECT_THAT(plan_changes(root()),
              ElementsAre(SettingChange{kCpu + "cpu0/cpufreq/energy_performance_preference", "balance_performance",
                                        "performance"},
                          SettingChange{kCpu + "cpu0/cpufreq/scaling_governor", "powersave", "performance"}));
}

TEST_F(MachineSettings, AreLeftWhereAllIsWellOrNothingIsShown) {
  EXPECT_THAT(plan_changes(root()), IsEmpty());
  write(kCpu + "online", "0");
  write(kCpu + "cpu0/cpufreq/scaling_governor", "performance");
  write(kCpu + "cpufreq/boost", "0");
  write("sys/kernel/mm/transparent_hugepage/enabled", "always [madvise] never");
  EXPECT_THAT(plan_changes(root()), IsEmpty());
}

TEST_F(MachineSettings, AreWrittenAndReadBack) {
  write(kCpu + "cpufreq/boost", "1");
  EXPECT_TRUE(write_setting(root(), kCpu + "cpufreq/boost", "0"));
  EXPECT_EQ(read_setting(root(), kCpu + "cpufreq/boost"), "0");
  const Result<void> missing = write_setting(root(), kCpu + "intel_pstate/no_turbo", "1");
  ASSERT_FALSE(missing);
  EXPECT_THAT(missing.error().text(), HasSubstr("no_turbo"));
}

TEST_F(MachineSettings, ThatDoNotTakeTheValueAreSaidToStay) {
  // Accepts every write and keeps nothing.
  std::filesystem::create_directories(root() / kCpu / "cpufreq");
  std::filesystem::create_symlink("/dev/null", root() / kCpu / "cpufreq/boost");
  const Result<void> written = write_setting(root(), kCpu + "cpufreq/boost", "0");
  ASSERT_FALSE(written);
  EXPECT_THAT(written.error().text(), HasSubstr("holds it"));
}

TEST(KnownChange, IsNoWayToWriteAnywhereElse) {
  EXPECT_TRUE(is_known_change({kCpu + "cpu12/cpufreq/scaling_governor", "ondemand", "performance"}));
  EXPECT_TRUE(is_known_change({kCpu + "intel_pstate/no_turbo", "0", "1"}));
  for (const std::string& file :
       {std::string("etc/passwd"), kCpu + "cpu/cpufreq/scaling_governor", kCpu + "cpu1x/cpufreq/scaling_governor",
        kCpu + "cpu1/../cpu2/cpufreq/scaling_governor", kCpu + "cpu1234567/cpufreq/scaling_governor",
        kCpu + "cpufreq/scaling_governor", std::string("/") + kCpu + "cpufreq/boost", std::string()}) {
    EXPECT_FALSE(is_known_change({file, "a", "b"})) << file;
  }
  for (const std::string& value :
       {std::string(), std::string("a b"), std::string("a\n"), std::string(33, 'a'), std::string("A")}) {
    EXPECT_FALSE(is_known_change({kCpu + "cpufreq/boost", value, "1"})) << value;
    EXPECT_FALSE(is_known_change({kCpu + "cpufreq/boost", "1", value})) << value;
  }
}

TEST(SettingName, IsForPeople) {
  EXPECT_EQ(setting_name(kCpu + "cpu3/cpufreq/scaling_governor"), "governor of core 3");
  EXPECT_EQ(setting_name(kCpu + "cpu3/cpufreq/energy_performance_preference"), "energy preference of core 3");
  EXPECT_EQ(setting_name("sys/kernel/mm/transparent_hugepage/enabled"), "transparent huge pages");
}

ChangeJournal sample(const std::string& root) {
  return {root,
          4711,
          {{kCpu + "cpu0/cpufreq/scaling_governor", "powersave", "performance"}, {kCpu + "cpufreq/boost", "1", "0"}}};
}

TEST(ChangeJournal, ReadsBackAsItWasWritten) {
  const testkit::TemporaryFolder folder;
  const auto file = folder.path() / "journal";
  ASSERT_TRUE(write_journal(file, sample("/")));
  const auto read = read_journal(file);
  ASSERT_TRUE(read);
  EXPECT_EQ(**read, sample("/"));
  EXPECT_FALSE(std::filesystem::exists(folder.path() / "journal.partial"));
}

TEST(ChangeJournal, IsAbsentWhereThereIsNone) {
  const testkit::TemporaryFolder folder;
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

  testkit::TemporaryFolder folder_;
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

}  // namespace steelyard::bench::machine_setting_test
