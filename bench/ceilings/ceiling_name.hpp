// Which ceilings a part of a name means where some are asked for. Names are "f64" and "DRAM/triad-nt", without threads.
#pragma once

#include <string_view>

namespace steelyard {

// The whole name, or all before or after a slash of it: "f16" is not "bf16", and "DRAM/triad" not "DRAM/triad-nt". An
// empty part means every name.
bool is_meant(std::string_view part, std::string_view name);

}  // namespace steelyard
