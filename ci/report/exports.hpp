// One run in the formats of other tools and of plain tables: a row for each, from which `steelyard export`, its help
// and docs/guide/importing.md follow. What is excluded of the judgement is in none of them. Not for a verdict.
//
//     find_export("csv")->write(run)
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "bench/model/run.hpp"

namespace steelyard::ci {

struct ExportFormat {
  std::string_view name;    // as people type it
  std::string_view ending;  // of a file that is in this format unless another one is asked for; empty: of none
  std::string_view what;    // who reads it, and what of a run it holds
  std::string (*write)(const Run& run);
};

std::span<const ExportFormat> export_formats();

}  // namespace steelyard::ci
