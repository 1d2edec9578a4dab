#include "tests/studies/storage/fill_store.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <numbers>
#include <random>

#include "storage/archive/archive.hpp"
#include "storage/packing/packed_samples.hpp"
#include "storage/postgres/runs/run_writer.hpp"
#include "storage/postgres/session/session.hpp"
#include "storage/run_store.hpp"
#include "storage/upkeep.hpp"
#include "tests/must.hpp"

namespace steelyard::storage_study {
namespace {

constexpr int kLevels = 64;
constexpr int kPayloadsOfLevel = 64;
constexpr double kLowestLevelNs = 100;
constexpr double kLevelRatio = 1.2;
constexpr double kBlockNs = 10e6;
constexpr double kNoise = 0.01;
constexpr int kInvocations = 2;
constexpr int kSamplesOfInvocation = 10;

using testkit::must;

// Box and Muller's, of our own: standard distributions differ between libraries.
double standard_normal(std::mt19937_64& random) {
  const auto uniform = [&] { return (static_cast<double>(random() >> 11) + 0.5) / 9007199254740992.0; };
  const double radius = std::sqrt(-2 * std::log(uniform()));
  return radius * std::cos(2 * std::numbers::pi * uniform());
}

Measurement noisy_measurement(int level, std::mt19937_64& random) {
  const double time_ns = kLowestLevelNs * std::pow(kLevelRatio, level);
  const auto iterations = static_cast<std::int64_t>(std::max(1.0, kBlockNs / time_ns));
  Measurement measurement;
  measurement.metric = *well_known_metric(kRealTime);
  for (std::uint32_t invocation = 0; invocation < kInvocations; ++invocation) {
    InvocationSamples samples{invocation, {}, {}};
    for (int i = 0; i < kSamplesOfInvocation; ++i) {
      const double total = time_ns * static_cast<double>(iterations) * (1 + kNoise * standard_normal(random));
      samples.values.push_back(std::round(total) / static_cast<double>(iterations));
      samples.iterations.push_back(iterations);
    }
    measurement.invocations.push_back(std::move(samples));
  }
  return measurement;
}

// Writes the dictionaries and series of one machine by way of a real run.
void put_first_run(storage::Store& store, const GrownStore& shape, const std::string& machine, int results,
                   int number) {
  std::mt19937_64 random(shape.seed);
  Run run;
  run.header.created_at_unix_ns = (kFirstCommitUnixS - 3600 + number) * 1'000'000'000;
  run.header.tool = "generate";
  run.header.project = kProject;
  run.environment.facts = {{"cpu.model", machine, true}, {"compiler", "g++ 12.2", false}};
  for (std::int32_t i = 0; i < kInvocations; ++i) {
    run.invocations.push_back({i, 0, -1, run.header.created_at_unix_ns, 1'000'000'000});
  }
  for (int i = 0; i < results; ++i) {
    Measurement measurement = noisy_measurement(i % kLevels, random);
    measurement.benchmark = benchmark_number(i);
    run.measurements.push_back(std::move(measurement));
  }
  storage::seal(run);
  must(storage::RunStore(store).put(run));
}

class Generation {
 public:
  Generation(const GrownStore& shape, storage::Store& store, const std::string& url, bool is_quiet)
      : shape_(shape), store_(store), session_(must(storage::Session::connect(url, "generate"))), is_quiet_(is_quiet) {}

  void run() {
    say("dictionaries and series");
    put_first_run(store_, shape_, kMachine, std::max(shape_.results, kComparedResults), 0);
    put_first_run(store_, shape_, kOtherMachine, shape_.results, 1);
    say("payloads");
    write_payloads();
    say("commits and runs");
    script(runs_script(shape_));
    say("order of the branches");
    must(storage::Upkeep(store_).rebuild_commit_order());
    for (int partition = 0; partition < partitions(shape_); ++partition) {
      say("partition " + std::to_string(partition));
      script(partition_script(shape_, partition));
    }
    script("drop schema generator cascade");
    say("vacuum");
    must(session_.run_alone("vacuum (freeze, analyze)"));
    must(session_.run_alone("checkpoint"));
    say("done");
  }

 private:
  void say(const std::string& what) const {
    if (!is_quiet_) std::fprintf(stderr, "%s\n", what.c_str());
  }

  void script(const std::string& statements) {
    storage::Transaction transaction = must(storage::Transaction::begin(session_));
    must(transaction.run_script(statements));
    must(transaction.commit());
  }

  void write_payloads() {
    std::mt19937_64 random(shape_.seed);
    storage::Transaction transaction = must(storage::Transaction::begin(session_));
    must(transaction.run_script(
        "create schema generator; "
        "create table generator.payloads (number integer primary key, value float8, packed text)"));
    storage::SamplePacker packer;
    must(transaction.copy({"generator.payloads", {"number", "value", "packed"}}, kLevels * kPayloadsOfLevel,
                          [&](std::size_t i) {
                            const Measurement drawn = noisy_measurement(static_cast<int>(i) / kPayloadsOfLevel, random);
                            return storage::SqlValues()
                                .integer(static_cast<std::int64_t>(i))
                                .number(storage::median_of_medians(drawn))
                                .bytes(std::string(packer.pack(drawn.invocations, {})));
                          }));
    must(transaction.run_script("alter table generator.payloads alter column packed type bytea using packed::bytea"));
    must(transaction.commit());
  }

  GrownStore shape_;
  storage::Store& store_;
  storage::Session session_;
  bool is_quiet_;
};

}  // namespace

void fill_store(storage::Store& store, const std::string& url, const GrownStore& shape, bool is_quiet) {
  Generation(shape, store, url, is_quiet).run();
}

}  // namespace steelyard::storage_study
