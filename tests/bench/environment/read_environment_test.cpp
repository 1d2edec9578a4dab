#include "bench/environment/read_environment.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <map>
#include <set>

#include "tests/bench/runner/temporary_folder.hpp"

namespace steelyard::bench::read_environment_test {
namespace {

using ::testing::HasSubstr;

std::filesystem::path fixture(const std::string& name) { return std::filesystem::path(STEELYARD_FIXTURE) / name; }

using Values = std::map<std::string, std::string>;

Values facts(const Environment& environment, bool decisive) {
  Values result;
  for (const Fact& fact : environment.facts) {
    if (fact.decisive == decisive) result[fact.name] = fact.value;
  }
  return result;
}

TEST(ReadEnvironment, TakesTheMachineForDecisive) {
  EXPECT_EQ(facts(read_environment(fixture("bare_metal")), true),
            (Values{{"cpu.model", "Intel(R) Xeon(R) E-2224 CPU @ 3.40GHz"},
                    {"cpu.features", "aes avx2 fpu sse"},
                    {"cpu.threads", "4"},
                    {"cpu.cores", "2"},
                    {"cpu.threads_per_core", "2"},
                    {"cpu.packages", "1"},
                    {"cpu.governor", "performance"},
                    {"cpu.turbo", "off"},
                    {"hypervisor", "none"},
                    {"memory.bytes", "16106127360"},  // 15.48 GiB: 15
                    {"kernel.release_line", "6.1"}}));
}

TEST(ReadEnvironment, RecordsTheRestWithoutLettingItDecide) {
  EXPECT_EQ(facts(read_environment(fixture("bare_metal")), false),
            (Values{{"machine", "Maker Inc. Tower 7"},
                    {"cpu.microcode", "0xf4"},
                    {"cpu.mhz", "2100"},
                    {"kernel.full", "6.1.0-18-amd64 #1 SMP PREEMPT_DYNAMIC Debian 6.1.76-1 (2024-02-01)"},
                    {"aslr", "2"},
                    {"thp", "madvise"},
                    {"kernel.clocksource", "tsc"},
                    {"host.name", "bench01"},
                    {"load", "0.42"},
                    {"os.release", "Debian GNU/Linux 12 (bookworm)"}}));
}

TEST(ReadEnvironment, NamesTheVirtualMachinesClassAndTheGroupsLimits) {
  const Environment environment = read_environment(fixture("virtual_machine"));
  const Values decisive = facts(environment, true);
  EXPECT_EQ(decisive.at("hypervisor"), "present (Microsoft Corporation Virtual Machine)");
  EXPECT_EQ(decisive.at("cpu.turbo"), "on");
  EXPECT_EQ(decisive.at("cpu.threads"), "2");
  EXPECT_EQ(decisive.count("cpu.cores"), 0U);  // the files do not say
  EXPECT_EQ(decisive.at("memory.bytes"), "8589934592");
  const Values recorded = facts(environment, false);
  EXPECT_EQ(recorded.at("cgroup.cores"), "1.50");
  EXPECT_EQ(recorded.at("cgroup.memory_bytes"), "4294967296");
}

TEST(ReadEnvironment, TellsApartTheKindsOfCoresOfOneMachine) {
  const Values decisive = facts(read_environment(fixture("arm")), true);
  EXPECT_EQ(decisive.at("cpu.model"), "ARM implementer 0x41 part 0xd03+0xd0b");
  EXPECT_EQ(decisive.at("cpu.features"), "asimd fp sve");
  EXPECT_EQ(decisive.at("kernel.release_line"), "5.10");
  EXPECT_EQ(decisive.at("memory.bytes"), "1073741824");  // never below one
}

TEST(ReadEnvironment, SaysWhatMovesTheClock) {
  const Environment laptop = read_environment(fixture("laptop"));
  const Values recorded = facts(laptop, false);
  EXPECT_EQ(recorded.at("power.source"), "battery");
  EXPECT_EQ(recorded.at("cpu.frequency_driver"), "intel_pstate");
  EXPECT_EQ(recorded.at("cpu.mhz.max"), "4400");
  EXPECT_EQ(recorded.at("cpu.mhz.min"), "800");
  EXPECT_EQ(recorded.at("cpu.thermal_throttles"), "68");
  EXPECT_EQ(recorded.at("cpu.smt"), "on");
  const Values arm = facts(read_environment(fixture("arm")), false);
  EXPECT_EQ(arm.at("cpu.mhz"), "600");  // its /proc/cpuinfo has none
  EXPECT_EQ(arm.at("cpu.capacities"), "2");
}

// What `power.source` is with an adapter that is on or off and a battery of this status; empty: not said.
std::string power_source(const std::string& online, const std::string& status) {
  const testkit::TemporaryFolder folder;
  const auto write = [&](const std::string& file, const std::string& text) {
    const auto path = folder.path() / "sys/class/power_supply" / file;
    std::filesystem::create_directories(path.parent_path());
    std::ofstream(path) << text << '\n';
  };
  if (!online.empty()) {
    write("AC/type", "Mains");
    write("AC/online", online);
  }
  if (!status.empty()) {
    write("BAT0/type", "Battery");
    write("BAT0/status", status);
  }
  const Environment environment = read_environment(folder.path());
  const std::string* source = environment.find("power.source");
  return source == nullptr ? "" : *source;
}

TEST(ReadEnvironment, TellsMainsFromBattery) {
  EXPECT_EQ(power_source("1", "Full"), "mains");
  EXPECT_EQ(power_source("0", "Discharging"), "battery");
  EXPECT_EQ(power_source("0", "Charging"), "mains");  // by USB
  EXPECT_EQ(power_source("0", "Unknown"), "battery");
  EXPECT_EQ(power_source("1", "Unknown"), "mains");
  EXPECT_EQ(power_source("", "Discharging"), "battery");
  EXPECT_EQ(power_source("0", ""), "mains");  // it runs, and has no battery
  EXPECT_EQ(power_source("", ""), "");
}

TEST(ReadEnvironment, SaysWhatTheKernelChose) {
  const Values server = facts(read_environment(fixture("server")), false);
  EXPECT_EQ(server.at("kernel.clocksource"), "tsc");
  EXPECT_EQ(server.at("kernel.clocksources"), "tsc hpet acpi_pm");
  EXPECT_EQ(server.at("kernel.perf_event_paranoid"), "1");
  EXPECT_EQ(server.at("kernel.isolated_cores"), "2-3");
  EXPECT_EQ(server.at("kernel.nohz_full"), "2-3");
  EXPECT_EQ(server.at("kernel.mitigations"), "off");
  EXPECT_EQ(server.at("kernel.vulnerabilities"), "1");
  EXPECT_EQ(server.at("numa.nodes"), "2");
  EXPECT_EQ(server.count("power.source"), 0U);  // nothing is listed
}

TEST(ReadEnvironment, SaysHowTheCachesAreShared) {
  const Values server = facts(read_environment(fixture("server")), false);
  EXPECT_EQ(server.at("cpu.cache.l1d"), "49152");
  EXPECT_EQ(server.at("cpu.cache.l1i"), "32768");
  EXPECT_EQ(server.at("cpu.cache.l2"), "1310720");
  EXPECT_EQ(server.at("cpu.cache.l3"), "50331648");
  EXPECT_EQ(server.at("cpu.cache.last_level_threads"), "4");
}

TEST(ReadEnvironment, SaysWhatWasTakenAway) {
  const Values guest = facts(read_environment(fixture("virtual_machine")), false);
  EXPECT_EQ(guest.at("steal.percent"), "25.00");  // 2500 of the 10000 ticks that were not idle
  const Values container = facts(read_environment(fixture("container")), false);
  EXPECT_EQ(container.at("container"), "kubepods");
  EXPECT_EQ(container.at("cgroup.cores"), "0.50");
  EXPECT_EQ(container.at("cgroup.periods"), "4000");
  EXPECT_EQ(container.at("cgroup.throttled_periods"), "1300");
  const Values laptop = facts(read_environment(fixture("laptop")), false);
  EXPECT_EQ(laptop.at("memory.swap_bytes"), "2147479552");
  EXPECT_EQ(laptop.at("memory.swap_used_bytes"), "536870912");
}

TEST(ReadEnvironment, LeavesOutWhatItCannotRead) {
  EXPECT_TRUE(read_environment(fixture("no such machine")).facts.empty());
  const Environment garbled = read_environment(fixture("garbled"));
  EXPECT_EQ(facts(garbled, true), Values{});
  EXPECT_EQ(facts(garbled, false), (Values{{"kernel.full", "unknown"}}));
}

TEST(ReadEnvironment, GivesEachMachineAFingerprintOfItsOwn) {
  std::set<std::string> fingerprints;
  for (const char* name : {"bare_metal", "virtual_machine", "arm", "laptop", "server", "container"}) {
    fingerprints.insert(read_environment(fixture(name)).fingerprint());
    EXPECT_EQ(read_environment(fixture(name)).fingerprint(), read_environment(fixture(name)).fingerprint());
  }
  EXPECT_EQ(fingerprints.size(), 6U);
}

TEST(ReadEnvironment, KnowsThisMachine) {
  const Environment environment = read_environment();
  ASSERT_NE(environment.find("cpu.threads"), nullptr);
  ASSERT_NE(environment.find("memory.bytes"), nullptr);
  ASSERT_NE(environment.find("kernel.release_line"), nullptr);
  ASSERT_NE(environment.find("libc"), nullptr);
  EXPECT_THAT(*environment.find("libc"), HasSubstr("glibc 2."));
  EXPECT_EQ(environment.fingerprint(), read_environment().fingerprint());
}

}  // namespace
}  // namespace steelyard::bench::read_environment_test
