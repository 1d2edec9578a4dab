// steelyard compare --table: up to twenty sides next to each other. No verdicts: the exit status is 0 whatever the
// cells say.
#pragma once

#include "ci/app/exit_code.hpp"
#include "ci/app/options.hpp"
#include "ci/app/streams.hpp"

namespace steelyard {

inline constexpr std::size_t kMostTableSides = 20;

ExitCode do_compare_table(const CompareOptions& options, Streams& streams);

}  // namespace steelyard
