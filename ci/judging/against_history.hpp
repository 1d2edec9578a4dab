// gate --against-history: for a nightly, or a runner that cannot rebuild the parent. The candidate, measured alone, is
// held against the recent level of each of its series on the same machine; where the store has a run of its parent that
// was measured together with it, against that.
#pragma once

#include <optional>
#include <string>

#include "ci/judging/judge.hpp"

namespace steelyard {

struct HistoryGate {
  std::string run;    // one side of compare that was measured before; empty: the head is measured
  std::string head;   // a commit; empty: HEAD
  std::string bench;  // the program in place of those configured
  std::optional<std::uint64_t> seed;
  const JudgementOutputs& outputs;
};

Result<ExitCode> gate_against_history(const HistoryGate& gate, const Configuration& configuration, const App& app);

}  // namespace steelyard
