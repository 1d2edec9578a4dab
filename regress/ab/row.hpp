// One matched (benchmark, metric) as a row: what can be said of it without the others. Missing, new, skipped,
// failed, incomparable and counted rows are finished here; a noisy row gets its levels and its evidence, and is decided
// when all rows are known, because q and drift take all of them.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "bench/model/comparison.hpp"
#include "regress/ab/calibrated.hpp"
#include "regress/ab/judged.hpp"
#include "regress/ab/match.hpp"
#include "regress/ab/rules.hpp"
#include "regress/ab/sequential.hpp"
#include "regress/ab/verdict.hpp"

namespace steelyard::regress {

// Of a gate's earlier looks, what they reckoned.
struct GateMemory {
  JointMemory joint;
  std::map<std::pair<std::string, std::string>, EffectMemory> effects;  // by benchmark and metric
};

struct RowContext {
  const Run& baseline;
  const Run& candidate;
  const ComparisonPolicy& policy;
  Layout layout = Layout::separate;
  const CalibratedNoise& calibrated;
  bool on_different_machines = false;  // so that no row can be compared
  LookPlan plan = {};                  // of both runs; empty: the number of rounds was fixed beforehand
  Rules rules = kNewestRules;
  GateMemory* memory = nullptr;  // null: nothing was reckoned
  bool runs_have_all = true;     // benchmarks that there are; false: the newest run of a history may lack some
};

struct RowDraft {
  ComparisonRow row;
  RowFacts facts = {};
  std::optional<NoisyEvidence> evidence = {};  // absent: the row is finished
  OwnNoise own_noise = {};                     // where the layout is not concurrent
};

RowDraft draft_row(const Matched& matched, const RowContext& context);

// Sets q of every row that has a p, adjusted over all of them: jointly (joint.hpp) where they were measured in rounds,
// together; otherwise by Holm's rule, as before Rules::rounds_4. Where some rows of a gate have no pairs of rounds,
// those and the others each have the part of the level that is theirs by number (before Rules::rounds_5 all went by
// Holm's rule then). One alone keeps its p. q is never below p. Of fewer than kMinRounds rounds, which are never
// called, it is p times the number of rows.
Family adjust(std::vector<RowDraft>& drafts, const RowContext& context);

// As the row shares the level: without pairs of rounds it has no part in what is adjusted jointly.
Family family_of(const RowDraft& draft, const Family& family);

}  // namespace steelyard::regress
