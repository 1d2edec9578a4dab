// Stands between Google Benchmark and one of its reporters: takes out the records of blocks that were left out, and,
// for a display, joins the blocks of a repetition into one line, as it would read without them. Files keep every block.
#pragma once

#include <benchmark/benchmark.h>

#include <memory>
#include <string>
#include <vector>

#include "bench/main/block_budget.hpp"

namespace steelyard {

class BlockReporter : public benchmark::BenchmarkReporter {
 public:
  // `inner` writes to this reporter's streams. `joins`: one line a repetition.
  BlockReporter(benchmark::BenchmarkReporter& inner, BlockOrder order, bool joins)
      : inner_(inner), order_(order), joins_(joins && order.blocks > 1) {}

  bool ReportContext(const Context& context) override;
  void ReportRuns(const std::vector<Run>& runs) override;
  void Finalize() override;

 private:
  benchmark::BenchmarkReporter& inner_;
  BlockOrder order_;
  bool joins_;
};

using ReportedRuns = std::vector<benchmark::BenchmarkReporter::Run>;

// Without the blocks that were left out; those that stay say how many they are.
ReportedRuns without_left_out(const ReportedRuns& runs);
// At most `repetitions` groups of neighbours, each as one run: iterations and times added, counters averaged (rates
// over the time). A group with a failed block is that block. Aggregates stay where there are several repetitions.
ReportedRuns joined(const ReportedRuns& runs, int repetitions);

}  // namespace steelyard
