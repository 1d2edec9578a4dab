// Why a program that was run under Callgrind did not come to a good end, in words for the benchmark's row.
#pragma once

#include <string>
#include <string_view>

#include "bench/model/result.hpp"
#include "bench/runner/child_process.hpp"

namespace steelyard {

// `log` is Valgrind's (--log-file), `valgrind_version` "valgrind-3.19.0". Error (program): `found` and `mend`. An
// instruction that Valgrind does not know is named by its bytes and the function it is in.
Error explain_end(const ChildResult& child, std::string_view log, const std::string& valgrind_version);

// "62 f1 fd 48 6f 07 in scale_wide (scale.c:1)": the first instruction of the log that Valgrind could not translate,
// with what follows it, and where it is; empty where the log has none.
std::string unknown_instruction(std::string_view log);

}  // namespace steelyard
