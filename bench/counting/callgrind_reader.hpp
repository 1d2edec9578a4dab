// Reads callgrind.out files (Valgrind manual, "Callgrind Format Specification"): every part with its functions, calls
// and costs. Whatever cannot be read exactly is an error with file and line, never a smaller program.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "bench/model/counted_profile.hpp"
#include "bench/model/result.hpp"

namespace steelyard {

struct CallgrindPart {
  int part = 1;         // part: of the header; 1 where absent
  std::string thread;   // thread: of the header; empty where absent
  std::string command;  // cmd:
  std::vector<std::string> events;
  std::vector<std::int64_t> totals;  // as the file states them; equal to the sum of all self costs (checked)
  std::vector<ProfiledFunction> functions;
  std::vector<CallArc> arcs;
};

// Empty files (what --separate-threads leaves behind) yield no parts. `name` is for messages.
Result<std::vector<CallgrindPart>> parse_callgrind(std::string_view text, std::string_view name);
Result<std::vector<CallgrindPart>> read_callgrind(const std::filesystem::path& file);

}  // namespace steelyard
