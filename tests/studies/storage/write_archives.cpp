// Writes a folder of archives, to time a history without a server: one run a commit, each the child of the one before,
// with as many benchmarks of 20 samples as are asked for.
//
//     build/check/bin/write_archives FOLDER ARCHIVES BENCHMARKS [SEED]      default 1
#include <charconv>
#include <cstdio>
#include <filesystem>
#include <random>
#include <string>
#include <string_view>

#include "bench/model/sha256.hpp"
#include "storage/archive/archive.hpp"

namespace {

using namespace steelyard;

constexpr std::int64_t kFirstCommitUnixS = 1'600'000'000;
constexpr std::int64_t kCommitEveryS = 3600;
constexpr int kInvocations = 2;
constexpr int kSamples = 10;

std::string sha_of(int commit) { return sha256_hex("commit " + std::to_string(commit)).substr(0, 40); }

Run run_of(int commit, int benchmarks, std::mt19937_64& random) {
  Run run;
  run.header.created_at_unix_ns = (kFirstCommitUnixS + commit * kCommitEveryS) * 1'000'000'000;
  run.header.tool = "write_archives";
  run.header.project = "archived";
  run.header.commit.sha = sha_of(commit);
  if (commit > 0) run.header.commit.parent = sha_of(commit - 1);
  run.header.commit.branch = "main";
  run.header.commit.committed_at_unix_s = kFirstCommitUnixS + commit * kCommitEveryS;
  run.environment.facts = {{"cpu.model", "any", true}, {"compiler", "g++ 12.2", false}};
  for (std::int32_t i = 0; i < kInvocations; ++i) {
    run.invocations.push_back({i, 0, -1, run.header.created_at_unix_ns, 1'000'000'000});
  }
  for (int number = 0; number < benchmarks; ++number) {
    Measurement measurement;
    measurement.benchmark.name = "BM_" + std::to_string(number);
    measurement.metric = *well_known_metric(kRealTime);
    for (std::uint32_t invocation = 0; invocation < kInvocations; ++invocation) {
      InvocationSamples samples{invocation, {}, {}};
      for (int i = 0; i < kSamples; ++i) {
        samples.iterations.push_back(1000);
        samples.values.push_back(100 * (number + 1) + static_cast<double>(random() % 1000) / 1000);
      }
      measurement.invocations.push_back(std::move(samples));
    }
    run.measurements.push_back(std::move(measurement));
  }
  storage::seal(run);
  return run;
}

int number_of(std::string_view text) {
  int number = 0;
  const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), number);
  return code == std::errc() && end == text.data() + text.size() ? number : 0;
}

}  // namespace

int main(int argc, char** argv) {
  const bool has_all = argc == 4 || argc == 5;
  const int archives = has_all ? number_of(argv[2]) : 0;
  const int benchmarks = has_all ? number_of(argv[3]) : 0;
  const int seed = argc == 5 ? number_of(argv[4]) : 1;
  if (archives <= 0 || benchmarks <= 0 || seed <= 0) {
    std::fprintf(stderr, "usage: write_archives FOLDER ARCHIVES BENCHMARKS [SEED]\n");
    return 3;
  }
  std::mt19937_64 random(static_cast<std::uint64_t>(seed));
  for (int commit = 0; commit < archives; ++commit) {
    const std::filesystem::path file = std::filesystem::path(argv[1]) / (sha_of(commit) + ".syrun");
    if (const auto written = storage::write_archive(file, run_of(commit, benchmarks, random)); !written) {
      std::fprintf(stderr, "%s\n", written.error().text().c_str());
      return 3;
    }
  }
  return 0;
}
