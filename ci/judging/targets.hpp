// What a run is held against and how it came out: the targets of steelyard.toml and of the benchmarks' labels, the
// ceilings kept of its machine, datasheets for its devices, judged by regress/targets; drawn as a roofline, and kept.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "bench/model/run.hpp"
#include "bench/model/target.hpp"
#include "ci/app/app.hpp"
#include "ci/config/configuration.hpp"
#include "ci/report/charts/roofline.hpp"
#include "regress/targets/benchmark_rates.hpp"
#include "regress/targets/judge_targets.hpp"

namespace steelyard::ci {

// Where ceilings of the run's machine come from.
struct CeilingSource {
  std::filesystem::path state;    // the state folder, which keeps them by fingerprint
  std::filesystem::path archive;  // named by the user, whatever machine it is of; empty: the state folder's
};

// All that a judgement of this run asks for. Error (input): the named archive cannot be read or holds no ceilings.
// Trouble with kept ceilings is no error: `trouble` says it, and nothing is known of the machine then.
struct AskedTargets {
  std::vector<regress::BenchmarkRates> rates;
  regress::TargetQuestion question;
  std::vector<std::string> trouble;
  bool knows_the_machine = false;  // ceilings of the CPU are there
};
Result<AskedTargets> ask_targets(const Run& run, const Configuration& configuration, const CeilingSource& source);

// The verdicts, with what was trouble among the warnings, and the hint how to get ceilings where they are missing and
// would be of use.
TargetReport report_targets(const AskedTargets& asked);

// Adds an undecided row for each target of steelyard.toml that none of these benchmarks has, and sorts all of them.
void add_unmatched_targets(const Configuration& configuration, const std::vector<regress::BenchmarkRates>& rates,
                           const std::vector<DeviceCeilings>& devices, std::vector<TargetRow>& rows);

// For run, ab and gate. expect_every_target: a configured target that no benchmark of the run has is undecided.
TargetReport report_targets(const Run& run, const Configuration& configuration, bool expect_every_target);

// The roofline of one run: its benchmarks as points, and those ceilings of its machine that they are held against, all
// levels and all dtypes at the numbers of threads that the benchmarks used. Without any known, points alone.
Roofline roofline_of_run(const Run& run, const AskedTargets& asked);

// Keeps how a run that is in the store came out beside it: ceilings and steelyard.toml change later. Trouble is
// reported and no failure: the verdicts can be judged again.
void keep_target_verdicts(const Configuration& configuration, const std::string& run, const TargetReport& targets,
                          const App& app);

}  // namespace steelyard::ci
