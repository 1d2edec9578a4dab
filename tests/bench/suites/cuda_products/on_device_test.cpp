// The script that measures on a device and the table that it ends with, on made-up numbers (made_up/).
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sys/wait.h>
#include <unistd.h>

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
    const int status = std::system((command + " >" + out.string() + " 2>&1").c_str());
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
  ASSERT_EQ(script("STEELYARD_NULL_GATES=1", "facts ours").first, 0);
  ASSERT_EQ(script("", "rest").first, 0);
  fs::copy_file(kMadeUp / "made_up_peer.json", out / "peer.json");
  const auto [status, table] = script("", "table");
  EXPECT_EQ(status, 0);
  // 8e5 of 7.6e5: 98 % of PyTorch's time is enough, 96 % is not.
  EXPECT_THAT(line_of(table, "matmul/dtype:bf16/n:8192"),
              MatchesRegex(".* 1 ms +980 us +- +95.0% +flops +>= 97% of PyTorch +reached"));
  EXPECT_THAT(line_of(table, "matmul/dtype:f8/n:8192"),
              MatchesRegex(".* 1 ms +960 us +- +10.0% +bandwidth +>= 97% of PyTorch +NOT REACHED"));
  // 95 % of the copy, whose median counts, and as fast as compiled.
  EXPECT_THAT(line_of(table, "gelu/dtype:bf16/form:fused/n:67108864"),
              MatchesRegex(".* 100 us +120 us +100 us +95.0% +bandwidth +>= 90% of copy, <= compiled +reached"));
  EXPECT_THAT(line_of(table, "gelu/dtype:bf16/form:chain/n:67108864"), HasSubstr(">= 8 x fused"));
  EXPECT_THAT(line_of(table, "gelu/dtype:bf16/form:chain/n:67108864"), MatchesRegex(".* reached"));
  // Faster than compiled, but 85 % of the copy.
  EXPECT_THAT(line_of(table, "layer_norm/columns:16384/dtype:bf16/form:fused/rows:4096"),
              MatchesRegex(".* 85.0% .* NOT REACHED"));
  // 96 % of the read bandwidth, but slower than compiled.
  EXPECT_THAT(line_of(table, "gemv/dtype:i8/n:16384"), MatchesRegex(".* 96.0% .* NOT REACHED"));
  // Nothing to compare with is no success.
  EXPECT_THAT(line_of(table, "gemv/dtype:i8/n:1024"), MatchesRegex(".* 9 us +- .* undecided"));
  // The target that the row declares.
  EXPECT_THAT(line_of(table, "mlp_layer_norm/batch:4096/dim:4096/dtype:bf16/hidden:14336"),
              MatchesRegex(".* 85.0% +flops +0.8 of flops +reached"));
  EXPECT_THAT(line_of(table, "add/dtype:bf16/n:67108864"), MatchesRegex(".* failed .*made-up fault"));
  EXPECT_THAT(table, HasSubstr("Made-up device, driver 0.0, PyTorch 0.0, 2000-01-01"));
  EXPECT_THAT(table, HasSubstr("failed in PyTorch: gemv/dtype:i8/n:1024: RuntimeError: made up"));
  EXPECT_THAT(table, HasSubstr("not reached in time by PyTorch: add/dtype:bf16/n:67108864"));
  EXPECT_THAT(contents(out / "table.json"), HasSubstr("\"schema\": \"steelyard.device_table/1\""));
  EXPECT_EQ(contents(out / "table.txt"), table);
}

TEST_F(OnDevice, WithoutPyTorchTheRestIsMeasuredAndNothingIsCalledReached) {
  // A Python that fails for the peer alone.
  const fs::path python = folder_ / "python";
  std::ofstream(python) << "#!/bin/sh\ncase $1 in *torch_peer*) echo no torch; exit 1;; esac\nexec python3 \"$@\"\n";
  fs::permissions(python, fs::perms::owner_all);
  const auto [status, output] =
      script("STEELYARD_PYTHON=" + python.string() + " STEELYARD_NULL_GATES=2 STEELYARD_NULL_ROUNDS=2", "");
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
    for (const char* name : {"ceiling/access:copy/level:DRAM", "layer_norm/", "gemv/dtype:i8/n:16384"}) {
      EXPECT_THAT(judged, HasSubstr(name));
    }
    EXPECT_THAT(judged, Not(HasSubstr("matmul")));
  }
  // A further call goes on where this one ended, and measures nothing anew.
  const fs::path first = folder_ / "out" / "null" / "01/a/1.json";
  const fs::file_time_type measured_at = fs::last_write_time(first);
  EXPECT_THAT(script("STEELYARD_NULL_GATES=3 STEELYARD_NULL_ROUNDS=2", "null").second,
              HasSubstr("null: 3 gates of 2 rounds"));
  EXPECT_EQ(fs::last_write_time(first), measured_at);
  EXPECT_TRUE(fs::exists(folder_ / "out" / "null" / "03/b/2.json"));
  // What `compare` has to know of how the sides took turns.
  const std::string second = contents(folder_ / "out" / "null" / "01/b/2.json");
  for (const char* fact :
       {R"("steelyard_layout": "interleaved")", R"("steelyard_round": "2")", R"("steelyard_order": "BA")"}) {
    EXPECT_THAT(second, HasSubstr(fact));
  }
}

TEST_F(OnDevice, WhenTimeIsUpEveryPartSaysSoAndTheTableIsPrintedAllTheSame) {
  ASSERT_EQ(script("", "facts ours").first, 0);
  const auto [status, output] = script("STEELYARD_DEVICE_SECONDS=10", "ours null table");
  EXPECT_EQ(status, 0);
  EXPECT_THAT(output, HasSubstr("no time left for: ours_rows"));
  EXPECT_THAT(output, HasSubstr("null: 0 of 20 gates are whole"));
  EXPECT_THAT(output, HasSubstr("1 of 12 benchmarks were not measured"));
  EXPECT_EQ(contents(folder_ / "out" / "names_left_out.txt"), "add/dtype:bf16/n:67108864\n");
  EXPECT_THAT(line_of(output, "gemv/dtype:i8/n:16384"), HasSubstr("100 us"));
}

TEST_F(OnDevice, WrongArgumentsAreSaid) {
  EXPECT_EQ(script("", "everything").first, 3);
  EXPECT_THAT(script("", "everything").second, HasSubstr("found part \"everything\""));
  const auto [status, output] = run((kSuite / "on_device.sh").string() + " /nowhere/program " + folder_.string());
  EXPECT_EQ(status, 3);
  EXPECT_THAT(output, HasSubstr("/nowhere/program is no program"));
  EXPECT_EQ(run((kSuite / "on_device.sh").string()).first, 3);
}

TEST_F(OnDevice, EveryBenchmarkHasACounterpartInPyTorchOrSaysThatItHasNone) {
  const fs::path names = folder_ / "names";
  std::ofstream(names) << "gemv/dtype:i8/n:4096\nmatmul/dtype:f8/n:8192\nceiling/access:copy/level:DRAM\nother/n:3\n";
  const auto [status, output] =
      run("python3 " + (kSuite / "peer" / "torch_peer.py").string() + " --plan --names " + names.string());
  EXPECT_EQ(status, 0);
  // The most important first.
  EXPECT_EQ(output,
            "ceiling/access:copy/level:DRAM: copy_\nmatmul/dtype:f8/n:8192: torch._scaled_mm\n"
            "gemv/dtype:i8/n:4096: w.to(bf16) @ x\nother/n:3: no counterpart\n");
}

}  // namespace
