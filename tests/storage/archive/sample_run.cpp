#include "tests/storage/archive/sample_run.hpp"

#include <bit>
#include <cstdint>
#include <limits>

namespace steelyard::storage {
namespace {

RunHeader sample_header() {
  RunHeader header;
  header.created_at_unix_ns = 1'795'251'117'123'456'789;
  header.tool = "steelyard 0.1.0";
  header.project = "g\u00e4rtnerei \u65e5\u672c \U0001F33F";
  header.program = "build/bench --benchmark_filter='BM_.*'";
  header.commit = {"0123456789abcdef0123456789abcdef01234567",
                   "fedcba9876543210fedcba9876543210fedcba98",
                   "main",
                   "tokenizer: keep the reserve",
                   1'795'250'000,
                   true};
  header.session = "a1b2c3";
  header.layout = Layout::duet;
  header.seed = std::numeric_limits<std::uint64_t>::max();
  header.settings = {{"", "an empty key"}, {"min_time", "20ms"}, {"rounds_planned", "12"}};
  return header;
}

std::vector<double> awkward_numbers() {
  using Limits = std::numeric_limits<double>;
  return {0.0, -0.0, 1.0 / 3.0, Limits::denorm_min(), Limits::max(), Limits::infinity(), -Limits::infinity(),
          Limits::quiet_NaN(),
          // A NaN with its sign and a payload of its own.
          std::bit_cast<double>(std::uint64_t{0xFFF8'0000'DEAD'BEEF})};
}

Measurement sample_measurement() {
  Measurement measurement;
  measurement.benchmark = parse_google_benchmark_name("BM_copy<std::pair<a/b, c>>/size:64/8/threads:2");
  measurement.benchmark.suite = "cpu";
  measurement.benchmark.dtype = "f32";
  measurement.metric = *well_known_metric(kRealTime);
  const std::vector<double> values = awkward_numbers();
  measurement.invocations.push_back({0, values, std::vector<std::int64_t>(values.size(), 1'000'000'000'000)});
  measurement.invocations.push_back({2, {812.5}, {}});
  return measurement;
}

CountedProfile sample_profile() {
  CountedProfile profile;
  profile.benchmark = parse_google_benchmark_name("BM_sort/1024");
  profile.iterations = 7;
  profile.events = {"Ir", "Dr"};
  profile.totals = {123'456'789'012, -1};
  profile.functions = {{"bench", "src/sort.cpp", "sort(int*, int*)", 42, 7, {1, 2}, {3, 4}},
                       {"", "???", "memcpy", 0, 0, {0, 0}, {0, 0}}};
  profile.arcs = {{0, 1, 7, {2, 2}}, {1, 0, 0, {0, 0}}};
  profile.sources = {{0, "src/sort.cpp", "sort(int*, int*)", 42, {3, 2}},
                     {0, "/usr/include/g\u00e4nse.h", "", std::numeric_limits<std::int32_t>::max(), {-2, 0}}};
  return profile;
}

}  // namespace

Run sample_run() {
  Run run;
  run.header = sample_header();
  run.environment.set("cpu.model", "A processor @ 2.30GHz", true);
  run.environment.set("load", "0.25", false);
  run.invocations = {{0, 0, 1, 1'795'251'117'000'000'000, 20'000'000},
                     {0, 1, -1, 1'795'251'117'500'000'000, 0},
                     {std::numeric_limits<std::int32_t>::max(), 0, -1, -1, -1}};
  run.invocations.push_back({0, 0, 1, 1'795'251'118'000'000'000, 21'000'000});
  run.invocations.back().conditions = {1, 2, 0, 300, 4, 5'000'000, 6, 10'000'000, std::nullopt, 2999.5, 3000.25};
  run.invocations.back().disturbed_by = {"steal time", ""};
  run.invocations.back().excluded = true;
  run.measurements.push_back(sample_measurement());
  run.measurements.back().excluded = {{3, {1e-300, 2.0}, {5, 6}}};
  Measurement counted;
  counted.benchmark = parse_google_benchmark_name("BM_sort/1024");
  counted.metric = *well_known_metric(kInstructions);
  counted.count_key = "avx2;glibc 2.36";
  counted.invocations = {{1, {70.0}, {7}}};
  counted.count_basis = {CountScope::whole_program, 0.000125, "learned from 5 repeats",
                         "every loaded section is equal: sha256 \u65e5", CountOrigin::reused};
  run.measurements.push_back(counted);
  Measurement own;
  own.metric = {"hits", "1", Better::undeclared, MetricKind::noisy};
  own.benchmark.device = "gpu0";
  own.invocations = {{1, {3.0}, {}}};
  run.measurements.push_back(own);
  run.profiles.push_back(sample_profile());
  run.profiles.emplace_back();
  run.failures = {{parse_google_benchmark_name("BM_crash"), "real_time", 3, "exit status 139: segmentation fault"},
                  {{}, "", -1, ""}};
  run.labels = {{"BM_sort/1024", "target: 0.6 of bandwidth"}, {"hits", "G\u00e4nsef\u00fc\u00dfchen\n\ttab"}};
  return run;
}

}  // namespace steelyard::storage
