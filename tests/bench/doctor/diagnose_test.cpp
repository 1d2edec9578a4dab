#include "bench/doctor/diagnose.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>

#include "bench/environment/read_environment.hpp"

namespace steelyard::bench::diagnose_test {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::Field;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

// A machine on which nothing is wrong.
Environment good_machine() {
  Environment environment;
  for (const auto& [name, value] : std::vector<std::pair<const char*, const char*>>{{"cpu.model", "A"},
                                                                                    {"cpu.threads", "4"},
                                                                                    {"cpu.threads_per_core", "1"},
                                                                                    {"cpu.governor", "performance"},
                                                                                    {"cpu.turbo", "off"},
                                                                                    {"hypervisor", "none"},
                                                                                    {"memory.bytes", "1073741824"},
                                                                                    {"memory.swap_bytes", "0"},
                                                                                    {"kernel.clocksource", "tsc"},
                                                                                    {"kernel.perf_event_paranoid", "1"},
                                                                                    {"kernel.isolated_cores", "2-3"},
                                                                                    {"numa.nodes", "1"},
                                                                                    {"steal.percent", "0.00"},
                                                                                    {"load", "0.10"},
                                                                                    {"thp", "madvise"},
                                                                                    {"aslr", "2"}}) {
    environment.set(name, value, false);
  }
  return environment;
}

Diagnosis with(std::initializer_list<std::pair<const char*, const char*>> facts) {
  Environment environment = good_machine();
  for (const auto& [name, value] : facts) environment.set(name, value, false);
  return diagnose(environment, std::nullopt);
}

// "severe load" for each finding.
std::vector<std::string> found(const Diagnosis& diagnosis) {
  std::vector<std::string> lines;
  for (const Finding& finding : diagnosis.findings)
    lines.push_back(std::string(to_text(finding.severity)) + " " + finding.id);
  return lines;
}

TEST(Diagnose, FindsNothingOnAGoodMachine) {
  const Diagnosis diagnosis = with({});
  EXPECT_THAT(found(diagnosis), IsEmpty());
  EXPECT_THAT(diagnosis.unseen, IsEmpty());
  EXPECT_EQ(diagnosis.fitness, Fitness::fit);
}

TEST(Diagnose, NeverTakesAnAbsentFactForAGoodOne) {
  const Diagnosis diagnosis = diagnose(Environment(), std::nullopt);
  EXPECT_THAT(found(diagnosis), IsEmpty());
  EXPECT_EQ(diagnosis.fitness, Fitness::unknown);
  EXPECT_EQ(diagnosis.unseen.size(), 12U);
  EXPECT_THAT(diagnosis.unseen, Contains(Field(&Unseen::id, "governor")));
}

TEST(Diagnose, WeighsTheLoadByTheThreads) {
  EXPECT_THAT(found(with({{"load", "0.59"}})), IsEmpty());
  EXPECT_THAT(found(with({{"load", "0.60"}})), ElementsAre("warning load"));
  EXPECT_THAT(found(with({{"load", "2.00"}})), ElementsAre("severe load"));
  EXPECT_THAT(found(with({{"load", "2.00"}, {"cpu.threads", "64"}})), IsEmpty());
}

TEST(Diagnose, JudgesByTheWorstFinding) {
  EXPECT_EQ(with({{"kernel.mitigations", "off"}}).fitness, Fitness::fit);
  EXPECT_EQ(with({{"cpu.turbo", "on"}}).fitness, Fitness::with_care);
  const Diagnosis worst = with({{"kernel.mitigations", "off"}, {"cpu.turbo", "on"}, {"power.source", "battery"}});
  EXPECT_EQ(worst.fitness, Fitness::not_fit);
  EXPECT_THAT(found(worst), ElementsAre("severe battery", "warning turbo", "note mitigations"));
}

TEST(Diagnose, SaysWhichCanBeFixed) {
  const Diagnosis diagnosis = with({{"cpu.governor", "powersave"},
                                    {"cpu.governors", "performance powersave"},
                                    {"cpu.turbo", "on"},
                                    {"cpu.frequency_driver", "intel_pstate"},
                                    {"thp", "always"},
                                    {"cpu.threads_per_core", "2"},
                                    {"cpu.smt", "on"}});
  for (const Finding& finding : diagnosis.findings) {
    EXPECT_EQ(finding.fixable, finding.id != "smt") << finding.id;
    EXPECT_TRUE(finding.needs_root) << finding.id;
    EXPECT_TRUE(finding.fix_is_command) << finding.id;
  }
  EXPECT_THAT(found(diagnosis), ElementsAre("warning governor", "warning turbo", "warning smt", "note huge_pages"));
  EXPECT_THAT(diagnosis.findings[1].fix, HasSubstr("intel_pstate/no_turbo"));
  EXPECT_THAT(with({{"cpu.turbo", "on"}}).findings[0].fix, HasSubstr("cpufreq/boost"));
  EXPECT_FALSE(with({{"cpu.governor", "schedutil"}, {"cpu.governors", "schedutil"}}).findings[0].fixable);
}

TEST(Diagnose, TellsAQuotaFromItsEffect) {
  EXPECT_THAT(found(with({{"cgroup.cores", "4.00"}})), IsEmpty());
  EXPECT_THAT(found(with({{"cgroup.cores", "1.50"}})), ElementsAre("warning quota"));
  EXPECT_THAT(found(with({{"cgroup.cores", "0.50"}})), ElementsAre("severe quota"));
  EXPECT_THAT(found(with({{"cgroup.periods", "1000"}, {"cgroup.throttled_periods", "9"}})),
              ElementsAre("warning throttled"));
  EXPECT_THAT(found(with({{"cgroup.periods", "1000"}, {"cgroup.throttled_periods", "10"}})),
              ElementsAre("severe throttled"));
  EXPECT_THAT(found(with({{"cgroup.periods", "1000"}, {"cgroup.throttled_periods", "0"}})), IsEmpty());
}

TEST(Diagnose, KnowsTheSlowClocks) {
  const Diagnosis hpet = with({{"kernel.clocksource", "hpet"}, {"kernel.clocksources", "tsc hpet acpi_pm"}});
  EXPECT_THAT(found(hpet), ElementsAre("severe clock_source"));
  EXPECT_TRUE(hpet.findings[0].fix_is_command);
  const Diagnosis no_tsc = with({{"kernel.clocksource", "hpet"}, {"kernel.clocksources", "hpet acpi_pm"}});
  EXPECT_FALSE(no_tsc.findings[0].fix_is_command);
  for (const char* good : {"kvm-clock", "arch_sys_counter", "hyperv_clocksource_tsc_page", "xen"}) {
    EXPECT_THAT(found(with({{"kernel.clocksource", good}})), IsEmpty()) << good;
  }
}

TEST(Diagnose, WantsRandomizedAddresses) {
  EXPECT_THAT(found(with({{"aslr", "0"}})), ElementsAre("warning addresses"));
  EXPECT_THAT(found(with({{"aslr", "1"}})), IsEmpty());
}

TEST(Diagnose, NamesTheMachineBehindAnAnonymousHypervisor) {
  EXPECT_EQ(with({{"hypervisor", "present (Maker Virtual Machine)"}}).findings[0].found,
            "this is a virtual machine (Maker Virtual Machine)");
  EXPECT_EQ(with({{"hypervisor", "present"}}).findings[0].found, "this is a virtual machine");
  EXPECT_EQ(with({{"hypervisor", "KVMKVMKVM"}}).findings[0].found, "this is a virtual machine (KVMKVMKVM)");
}

TEST(Diagnose, SaysHowTheProgramWasBuilt) {
  EXPECT_THAT(
      found(with(
          {{"program.optimization", "-O0"}, {"program.assertions", "present"}, {"program.debug_info", "present"}})),
      ElementsAre("severe optimization", "warning assertions"));
  EXPECT_THAT(found(with({{"program.optimization", "-O0 in 1 of 3 units, -O2 in 2"},
                          {"program.unoptimized_units", "1"},
                          {"program.debug_info", "present"}})),
              ElementsAre("warning optimization"));
  EXPECT_THAT(found(with({{"program.optimization", "-O2"}, {"program.debug_info", "present"}})), IsEmpty());
  EXPECT_THAT(found(with({{"program.optimization", "-Og"}, {"program.debug_info", "present"}})),
              ElementsAre("warning optimization"));
  EXPECT_THAT(found(with({{"program.instruments", "address sanitizer"}})), ElementsAre("severe instruments"));
  EXPECT_THAT(found(with({{"program.debug_info", "none"}})), ElementsAre("note debug_info"));
  EXPECT_THAT(found(with({{"program.debug_info", "compressed"}})), ElementsAre("note debug_info"));
  EXPECT_THAT(found(with({{"program.debug_info", "present"}})), ElementsAre("note switches"));
}

TEST(Diagnose, ReadsTheProbe) {
  ProbeResult quiet;
  quiet.clock = {20, 25};
  quiet.slices = {1000, 100e3, 0.004, 0.002, 1.2};
  EXPECT_THAT(found(diagnose(good_machine(), quiet)), IsEmpty());
  ProbeResult noisy = quiet;
  noisy.slices.spread = 0.03;
  noisy.slices.lost = 0.06;
  noisy.steal = 0.02;
  noisy.throttled_periods = 3;
  EXPECT_THAT(found(diagnose(good_machine(), noisy)),
              ElementsAre("severe interruptions", "severe steal_now", "severe throttled_now", "warning unsteady"));
  ProbeResult coarse = quiet;
  coarse.clock = {1000, 1000};
  EXPECT_THAT(found(diagnose(good_machine(), coarse)), ElementsAre("severe clock_step"));
  coarse.clock = {100, 200};
  EXPECT_THAT(found(diagnose(good_machine(), coarse)), ElementsAre("warning clock_reading"));
}

TEST(Diagnose, GivesEveryFindingItsPriceAndItsFix) {
  for (const char* name : {"laptop", "server", "bare_metal", "virtual_machine", "container", "arm", "garbled"}) {
    const Diagnosis diagnosis =
        diagnose(read_environment(std::filesystem::path(STEELYARD_FIXTURE) / name), std::nullopt);
    for (const Finding& finding : diagnosis.findings) {
      EXPECT_NE(finding.found, "") << finding.id;
      EXPECT_NE(finding.cost, "") << finding.id;
      EXPECT_NE(finding.fix, "") << finding.id;
      EXPECT_TRUE(finding.needs_root || !finding.fixable) << finding.id;
    }
  }
}

TEST(Diagnose, HasEveryFindingInItsDocumentation) {
  const std::filesystem::path source = STEELYARD_SOURCE_FOLDER;
  const auto text_of = [](const std::filesystem::path& file) {
    std::ifstream stream(file, std::ios::binary);
    return std::string(std::istreambuf_iterator<char>(stream), {});
  };
  const std::string page = text_of(source / "docs/guide/doctor.md");
  int ids = 0;
  const std::string code = text_of(source / "bench/doctor/diagnose.cpp");
  for (const std::string& made : {std::string("push_back({"), std::string("Finding finding{")}) {
    for (std::size_t at = code.find(made); at != std::string::npos; at = code.find(made, at + 1)) {
      const std::size_t open = code.find('"', at);
      const std::string id = code.substr(open + 1, code.find('"', open + 1) - open - 1);
      if (code.substr(at + made.size(), 1) == "e") continue;  // the list of what is not visible
      EXPECT_THAT(page, HasSubstr("`" + id + "`"));
      ++ids;
    }
  }
  EXPECT_GT(ids, 25);
}

TEST(Diagnose, TellsWhereRoundsHaveNoFreshCopies) {
  EXPECT_THAT(found(with({{"copies.folder", "/tmp"}, {"copies.execution", "allowed"}, {"program.pages", "copied"}})),
              IsEmpty());
  EXPECT_THAT(found(with({{"copies.obstacle", "/tmp: found Read-only file system"}})), ElementsAre("severe copies"));
  const Diagnosis reread =
      with({{"copies.folder", "/tmp"}, {"copies.execution", "forbidden"}, {"program.pages", "reread"}});
  EXPECT_THAT(found(reread), ElementsAre("note copies"));
  EXPECT_THAT(reread.findings[0].found, HasSubstr("/tmp (mounted noexec)"));
  const Diagnosis kept = with({{"copies.folder", "/tmp"},
                               {"copies.execution", "forbidden"},
                               {"program.pages", "kept"},
                               {"program.pages_reason", "its pages stay in memory"}});
  EXPECT_THAT(found(kept), ElementsAre("warning copies"));
  EXPECT_THAT(kept.findings[0].found, HasSubstr("its pages stay in memory"));
}

}  // namespace
}  // namespace steelyard::bench::diagnose_test
