// The script that measures on a device and the table that it ends with, on made-up numbers (made_up/).
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "tests/promised.hpp"

namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;
using testing::MatchesRegex;
using testing::Not;

const fs::path kMadeUp = STEELYARD_MADE_UP;
const fs::path kSuite = STEELYARD_CUDA_SUITE_SOURCES;

std::string contents(const fs::path& path) {
  std::ifstream file(path);
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

class OnDevice : public testing::Test {
 protected:
  void SetUp() override {
    STEELYARD_SKIP_WITHOUT("python3", std::system("python3 -c 'import json' 2>/dev/null") == 0,
                           "python3 is not installed");
    folder_ = fs::path(testing::TempDir()) / ("on_device_" + std::to_string(::getpid()) + "_" +
                                              testing::UnitTest::GetInstance()->current_test_info()->name());
    fs::create_directories(folder_);
  }
  void TearDown() override { fs::remove_all(folder_); }

  // Status and all output of a shell command.
  std::pair<int, std::string> run(const std::string& command) {
    const fs::path out = folder_ / "output";
    const int status = std::system(("PYTHONDONTWRITEBYTECODE=1 " + command + " >" + out.string() + " 2>&1").c_str());
    return {WIFEXITED(status) ? WEXITSTATUS(status) : -1, contents(out)};
  }
  std::pair<int, std::string> script(const std::string& before, const std::string& arguments) {
    return run(before + " " + (kSuite / "on_device.sh").string() + " " + (kMadeUp / "made_up_device.py").string() +
               " " + (folder_ / "out").string() + " " + arguments);
  }
  // What the table says of a benchmark.
  static std::string line_of(const std::string& table, const std::string& name) {
    std::istringstream lines(table);
    for (std::string line; std::getline(lines, line);) {
      if (line.starts_with(name + " ")) return line;
    }
    return "no line of " + name;
  }

  fs::path folder_;
};

TEST_F(OnDevice, TheTableSaysWhatIsReachedAndWhatIsNot) {
  const fs::path out = folder_ / "out";
  ASSERT_EQ(script("", "facts smoke ours decoding").first, 0);
  fs::copy_file(kMadeUp / "made_up_peer.json", out / "peer.json");
  const auto [status, table] = script("", "table");
  EXPECT_EQ(status, 0);
  // 8e5 of 7.6e5: 98 % of PyTorch's time is enough, 96 % is not.
  EXPECT_THAT(line_of(table, "matmul/dtype:bf16/n:8192"),
              MatchesRegex(".* 1 ms +980 us +- +95.0% +flops +>= 97% of PyTorch +reached"));
  EXPECT_THAT(line_of(table, "matmul/dtype:f8/n:8192"),
              MatchesRegex(".* 1 ms +960 us +- +10.0% +bandwidth +>= 97% of PyTorch +NOT REACHED"));
  // 95 % of the copy, whose median counts, and as fast as compiled.
  EXPECT_THAT(
      line_of(table, "gelu/dtype:bf16/form:fused/n:67108864"),
      MatchesRegex(".* 100 us +120 us +100 us +95.0% +bandwidth +>= 90% of copy, <= compiled, noise unknown +reached"));
  EXPECT_THAT(line_of(table, "gelu/dtype:bf16/form:chain/n:67108864"), HasSubstr(">= 8 x fused"));
  EXPECT_THAT(line_of(table, "gelu/dtype:bf16/form:chain/n:67108864"), MatchesRegex(".* reached"));
  // Faster than compiled, but 85 % of the copy.
  EXPECT_THAT(line_of(table, "layer_norm/columns:16384/dtype:bf16/form:fused/rows:4096"),
              MatchesRegex(".* 85.0% .* NOT REACHED"));
  // 96 % of the read bandwidth, but slower than compiled.
  EXPECT_THAT(line_of(table, "gemv/dtype:i8/n:16384"), MatchesRegex(".* 96.0% .* NOT REACHED"));
  // The target that the row declares.
  EXPECT_THAT(line_of(table, "mlp_layer_norm/batch:4096/dim:4096/dtype:bf16/hidden:14336"),
              MatchesRegex(".* 85.0% +flops +0.85 of measured flops +reached"));
  // Of what reads alone: 80 % of the read bandwidth.
  EXPECT_THAT(line_of(table, "decoding/llama/dtype:bf16"),
              MatchesRegex(".* 1 s +- +- +80.0% +bandwidth +0.85 of measured read bandwidth +NOT REACHED"));
  EXPECT_THAT(line_of(table, "add/dtype:bf16/n:67108864"), MatchesRegex(".* failed .*made-up fault"));
  EXPECT_THAT(table, HasSubstr("Made-up device, driver 0.0, PyTorch 0.0, 2000-01-01"));
  EXPECT_THAT(table, HasSubstr("cuBLASLt: ours 13.0.0, PyTorch's 13.1.0"));
  EXPECT_THAT(table, HasSubstr("failed in PyTorch, eager: gemv/dtype:i8/n:1024: RuntimeError: made up"));
  EXPECT_THAT(table, HasSubstr("not reached in time by PyTorch: compiled add/dtype:bf16/n:67108864"));
  EXPECT_THAT(contents(out / "table.json"), HasSubstr("\"schema\": \"steelyard.device_table/1\""));
  EXPECT_EQ(contents(out / "table.txt"), table);
}

TEST_F(OnDevice, ARowOfLessThanFiveLaunchesOfNothingIsJudgedByHotTimesOfBothSides) {
  ASSERT_EQ(script("", "facts smoke").first, 0);
  fs::copy_file(kMadeUp / "made_up_peer.json", folder_ / "out" / "peer.json");
  // 5 us cold, where nothing takes 2: slower than the compiled 3, but hot 4 us against 4.1.
  EXPECT_THAT(line_of(script("", "table").second, "gemv/dtype:i8/n:1024"),
              MatchesRegex(".* 5 us +9 us +3 us .*<= compiled, noise unknown +reached"));
}

TEST_F(OnDevice, ProductsAreJudgedTurnByTurnAndByCyclesWhereTheClocksDiffer) {
  const fs::path out = folder_ / "out";
  ASSERT_EQ(script("PYTHONPATH=" + kMadeUp.string(), "turns").first, 0);
  const auto peer_of = [&](int turn, const std::string& row) {
    std::ofstream(out / "turns" / std::to_string(turn) / "peer.json")
        << R"({"rows": [{"name": "matmul/dtype:bf16/n:8192", )" << row << "}]}";
  };
  const auto judged = [&] { return line_of(script("", "table").second, "matmul/dtype:bf16/n:8192"); };
  // Ours: 1 ms at 1.5 GHz. 90 % of the time, but at a clock that is 10 % above: 99 % of the cycles.
  peer_of(1, R"("eager_ns": 900000, "eager_sm_clock": 1.65e9, "eager_cycles": 1485000)");
  peer_of(2, R"("eager_ns": 900000, "eager_sm_clock": 1.65e9, "eager_cycles": 1485000)");
  EXPECT_THAT(judged(), MatchesRegex(".*>= 97% of PyTorch \\(cycles, turns 0.0% apart\\) +reached"));
  // Clocks within 1 %: the time decides.
  peer_of(1, R"("eager_ns": 900000, "eager_sm_clock": 1.51e9, "eager_cycles": 1485000)");
  peer_of(2, R"("eager_ns": 900000, "eager_sm_clock": 1.51e9, "eager_cycles": 1485000)");
  EXPECT_THAT(judged(), MatchesRegex(".*>= 97% of PyTorch \\(turns 0.0% apart\\) +NOT REACHED"));
  // A turn of 102 % and one of 90 %: 96 % between them.
  peer_of(1, R"("eager_ns": 1020000)");
  EXPECT_THAT(judged(), MatchesRegex(".* NOT REACHED"));
  peer_of(2, R"("eager_ns": 940000)");
  EXPECT_THAT(judged(), MatchesRegex(".* reached"));
}

TEST_F(OnDevice, WithoutPyTorchTheRestIsMeasuredAndNothingIsCalledReached) {
  // A Python that fails for the peer alone.
  const fs::path python = folder_ / "python";
  std::ofstream(python) << "#!/bin/sh\ncase $1 in *torch_peer*) echo no torch; exit 1;; esac\nexec python3 \"$@\"\n";
  fs::permissions(python, fs::perms::owner_all);
  const auto [status, output] = script(
      "STEELYARD_PYTHON=" + python.string() + " STEELYARD_NULL_GATES=2 STEELYARD_NULL_ROUNDS=2", "first second third");
  EXPECT_EQ(status, 0);
  EXPECT_THAT(output, HasSubstr("peer: ended with status 1"));
  EXPECT_THAT(output, HasSubstr("null: 2 gates of 2 rounds"));
  EXPECT_THAT(output, HasSubstr("no PyTorch to compare with"));
  EXPECT_THAT(line_of(output, "matmul/dtype:bf16/n:8192"), MatchesRegex(".* 1 ms +- +- .* undecided"));
  for (const char* file : {"01/a/1.json", "01/b/2.json", "02/a/2.json", "02/b/1.json"}) {
    EXPECT_TRUE(fs::exists(folder_ / "out" / "null" / file)) << file;
  }
  EXPECT_THAT(output, HasSubstr("the same build against itself, 2 gates, gelu/dtype:bf16/form:fused/n:67108864: ratio "
                                "1.0000 to 1.0000, standard deviation 0.000%"));
  // A process is the unit of a verdict.
  EXPECT_THAT(output, HasSubstr("targets: 6 of 6 processes"));
  for (const char* process : {"1", "6"}) {
    const std::string judged = contents(folder_ / "out" / "targets" / (std::string(process) + ".json"));
    for (const char* name :
         {"ceiling/access:copy/level:DRAM", "ceiling/dtype:bf16", "layer_norm/", "gemv/dtype:i8/n:16384"}) {
      EXPECT_THAT(judged, HasSubstr(name));
    }
    EXPECT_THAT(judged, Not(HasSubstr("matmul")));
  }
  // What `compare` has to know of how the sides took turns.
  const std::string second = contents(folder_ / "out" / "null" / "01/b/2.json");
  for (const char* fact :
       {R"("steelyard_layout": "interleaved")", R"("steelyard_round": "2")", R"("steelyard_order": "BA")"}) {
    EXPECT_THAT(second, HasSubstr(fact));
  }
}

TEST_F(OnDevice, TheDevicesTestsAreRunWhereTheyLieBesideTheProgram) {
  const fs::path beside = folder_ / "bin";
  fs::create_directories(beside);
  const fs::path program = beside / "steelyard_cuda_suite";
  std::ofstream(program) << "#!/bin/sh\nexec " << (kMadeUp / "made_up_device.py").string() << " \"$@\"\n";
  std::ofstream(beside / "cuda_device_tests")
      << "#!/bin/sh\necho $STEELYARD_TESTS_PROMISED $STEELYARD_CUDA_SUITE; echo {} >${1#*json:}\n";
  std::ofstream(beside / "cuda_kernels_device_tests") << "#!/bin/sh\nexit 1\n";
  for (const char* name : {"steelyard_cuda_suite", "cuda_device_tests", "cuda_kernels_device_tests"}) {
    fs::permissions(beside / name, fs::perms::owner_all);
  }
  const auto [status, output] =
      run((kSuite / "on_device.sh").string() + " " + program.string() + " " + (folder_ / "out").string() + " tests");
  EXPECT_EQ(status, 0);
  EXPECT_THAT(output, HasSubstr("cuda_device_tests: all passed"));
  EXPECT_THAT(output, HasSubstr("cuda_kernels_device_tests: ended with status 1"));
  EXPECT_THAT(output, HasSubstr("cuda_products_device_tests: there is none beside"));
  EXPECT_EQ(contents(folder_ / "out/logs/cuda_device_tests.txt"), "gpu " + program.string() + "\n");
}

// What hangs, and does not end when it is asked to.
TEST_F(OnDevice, EveryPartEndsInItsTimeWhateverTheProgramDoes) {
  const fs::path program = folder_ / "hangs";
  std::ofstream(program) << "#!/bin/bash\ncase \"$*\" in *list*) exec " << (kMadeUp / "made_up_device.py").string()
                         << " \"$@\";; esac\ntrap '' TERM\nwhile true; do sleep 0.1; done\n";
  fs::permissions(program, fs::perms::owner_all);
  const auto begin = std::chrono::steady_clock::now();
  const auto [status, output] =
      run("STEELYARD_PART_SECONDS=10 STEELYARD_DEVICE_SECONDS=60 " + (kSuite / "on_device.sh").string() + " " +
          program.string() + " " + (folder_ / "out").string() + " facts smoke targets null table");
  EXPECT_EQ(status, 0);
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(60));
  EXPECT_THAT(output, HasSubstr("smoke_all: ended with status 137 after at most"));
  EXPECT_THAT(output, HasSubstr("targets: 0 of 6 processes"));
  EXPECT_THAT(output, HasSubstr("null: 0 of 1 gates are whole, 0 rounds of the next"));
}

TEST_F(OnDevice, WhenTimeIsUpEveryPartSaysSoAndTheTableIsPrintedAllTheSame) {
  ASSERT_EQ(script("", "facts ours").first, 0);
  const auto [status, output] = script("STEELYARD_DEVICE_SECONDS=10", "smoke null table");
  EXPECT_EQ(status, 0);
  EXPECT_THAT(output, HasSubstr("no time left for: smoke_all"));
  EXPECT_THAT(output, HasSubstr("null: 0 of 1 gates are whole"));
  EXPECT_THAT(output, HasSubstr("5 of 15 benchmarks were not measured"));
  EXPECT_THAT(contents(folder_ / "out" / "names_left_out.txt"), HasSubstr("add/dtype:bf16/n:67108864\n"));
  EXPECT_THAT(line_of(output, "gemv/dtype:i8/n:16384"), HasSubstr("100 us"));
}

TEST_F(OnDevice, WrongArgumentsAreSaid) {
  EXPECT_EQ(script("", "everything").first, 3);
  EXPECT_THAT(script("", "everything").second, HasSubstr("found part \"everything\""));
  const auto [status, output] =
      run((kSuite / "on_device.sh").string() + " /nowhere/program " + folder_.string() + " ours");
  EXPECT_EQ(status, 3);
  EXPECT_THAT(output, HasSubstr("/nowhere/program is no program"));
  EXPECT_EQ(run((kSuite / "on_device.sh").string()).first, 3);
}

TEST_F(OnDevice, EveryBenchmarkHasACounterpartInPyTorchOrSaysThatItHasNone) {
  const fs::path names = folder_ / "names";
  std::ofstream(names) << "gemv/dtype:i8/n:4096\nmatmul/dtype:f8/n:8192\nceiling/access:copy/level:DRAM\n"
                          "ceiling/launch\nother/n:3\n";
  const auto [status, output] =
      run("python3 " + (kSuite / "peer" / "torch_peer.py").string() + " --plan --names " + names.string());
  EXPECT_EQ(status, 0);
  // The most important first.
  EXPECT_EQ(output,
            "ceiling/access:copy/level:DRAM: copy_\nceiling/launch: no counterpart\n"
            "matmul/dtype:f8/n:8192: torch._scaled_mm\ngemv/dtype:i8/n:4096: w.to(bf16) @ x\n"
            "other/n:3: no counterpart\n");
}

TEST_F(OnDevice, PyTorchsCallsAreTimedAndKeptByTheirRules) {
  const auto [status, output] = run("python3 " + (kMadeUp.parent_path() / "peer_test.py").string());
  EXPECT_EQ(status, 0) << output;
  EXPECT_THAT(output, HasSubstr("Ran 22 tests"));
}

TEST_F(OnDevice, KilledAtAnyMomentTheThreeCallsLoseNothingThatWasWhole) {
  const auto [status, output] =
      run("python3 " + (kMadeUp.parent_path() / "rehearsal.py").string() + " " + (kSuite / "on_device.sh").string() +
          " " + kMadeUp.string() + " " + (folder_ / "out").string());
  EXPECT_EQ(status, 0) << output;
  EXPECT_THAT(output, HasSubstr("things were whole after 14 kills"));
}

}  // namespace
