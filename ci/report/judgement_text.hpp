// The sentences of a judgement: why each row has its verdict (reason_text.hpp), why it does not gate (row_text.hpp),
// what is warned of as a whole. Facts (regress/ab/judged.hpp) become words once, where a comparison arises:
//
//     Comparison comparison = worded(regress::compare_runs(baseline, candidate, policy));
//
// Plain text without markup.
#pragma once

#include <cstddef>
#include <string>

#include "bench/model/comparison.hpp"
#include "bench/model/left_processes.hpp"
#include "bench/model/run.hpp"
#include "ci/attribution/attribute.hpp"
#include "regress/ab/judged.hpp"

namespace steelyard::ci {

// `reason` and `gate_note` of every row, and the warnings.
Comparison worded(regress::Judged judged);

// Decides anew which rows gate (regress/ab/gates.hpp), and says of each other one why it does not.
void decide_gates_in_words(Comparison& comparison);

// The row of a count that failed and that nobody asked for (regress::ungated::CountsNotAsked): it does not gate, with
// RowNote::not_asked_for. After which rows gate was decided: deciding knows of no options.
void excuse_in_words(ComparisonRow& row);

// attribute() (ci/attribution/attribute.hpp), and says what it found: of each row whose kernels changed which did,
// first in its reason, and in one warning of all; of each row whose count is of other code than was timed what was
// dispatched; in a warning where functions are named without lines. Then decides anew which rows gate.
void attribute_in_words(Comparison& comparison, const Run& baseline, const Run& candidate,
                        const AttributionOptions& options);

// A sentence of its own.
std::string warning_text(const regress::Caution& caution);

// "processes that the candidate left behind were ended: 4 by its build and 96 by BM_a"; empty where none was left.
std::string left_processes_text(const LeftProcesses& left, const std::string& who);

// Of a machine that was busy throughout (other_work_share() in bench/model/run.hpp).
std::string busy_machine_text(double share);

// Why a calibration that is not used (regress::is_used) is not, as a sentence's end: "it is of 3 A/A gates, by which up
// to 70.8 % of all gates may be false; at least 6 are wanted".
std::string too_few_gates_text(const ObservedRate& gates);

// A warning: one build serves both sides, as they differ in so many files of documentation, which building did not
// read.
std::string one_build_text(std::size_t files);

}  // namespace steelyard::ci
