// The sentences of targets: what a verdict stands on or why there is none, with what would decide one that is
// undecided, and what a report warns of. regress/targets hands out the facts.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "bench/model/run.hpp"
#include "bench/model/target.hpp"
#include "ci/report/charts/roofline.hpp"

namespace steelyard::ci {

// The command that measures what is absent.
inline constexpr std::string_view kMeasureCeilings = "`steelyard targets ceilings` measures them";

// Three significant digits in the unit that keeps them between 1 and 1000: "12.4 GB/s", "812 Gflop/s". metric:
// "bandwidth" or "flops".
std::string rate_text(double rate, const std::string& metric);

// One clause, with what would do.
std::string missing_text(const MissingCeiling& missing);

// Why a row has its verdict, of `why`: one sentence. Of a row that was read, or of a label that could not be: its own.
std::string reason_text(const TargetRow& row);

// judge_utilization() in words, with what to look at; empty where the utilization is plausible.
std::string utilization_doubt(double utilization, const Ceiling& ceiling);

// The hint of a report that lacks the ceilings of its machine.
std::string no_ceilings_text();

// Of a roofline: the note of a point, by its larger share, which is that of the bound that matters; the title, and
// under it what the run is of.
std::string point_text(const UtilizationRow& row);
std::string title_text(const Run& run);
std::string subtitle_text(const Run& run, const Roofline& roofline);

// Doubts about utilizations, each once and few of them; targets of devices that no benchmark ran on; that both sides
// were measured at once.
std::vector<std::string> target_warnings(const TargetReport& report);

}  // namespace steelyard::ci
