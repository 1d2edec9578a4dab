#include "bench/doctor/machine_setting.hpp"

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

class MachineSettings : public ::testing::Test {
 protected:
  void write(const std::string& file, const std::string& text) {
    std::filesystem::create_directories((root() / file).parent_path());
    std::ofstream(root() / file) << text << '\n';
  }
  const std::filesystem::path& root() const { return folder_.path(); }

 private:
  testing::TemporaryFolder folder_;
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

}  // namespace
}  // namespace steelyard
