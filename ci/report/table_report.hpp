// Tables of cells as JSON for scripts; bench/harness/render_table.hpp has the forms that people read.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "bench/harness/significance_table.hpp"

namespace steelyard {

// The interface steelyard.table/1; one object, newline at the end.
std::string json_tables(std::span<const SignificanceTable> tables, const std::vector<std::string>& warnings);

}  // namespace steelyard
