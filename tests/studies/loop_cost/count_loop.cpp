#include "tests/studies/loop_cost/count_loop.hpp"

#include <unistd.h>

#include <cstdint>
#include <cstdlib>
#include <fstream>

namespace steelyard {
namespace {

constexpr std::int64_t kShort = 100'000;
constexpr std::int64_t kLong = 1'100'000;

std::string quoted(const std::string& text) { return '\'' + text + '\''; }

Result<std::int64_t> count(const std::filesystem::path& program, const std::string& loop, std::int64_t iterations) {
  const auto out = std::filesystem::temp_directory_path() /
                   ("steelyard_loop_" + std::to_string(getpid()) + '_' + loop + ".callgrind");
  const std::string command = "valgrind --tool=callgrind --callgrind-out-file=" + quoted(out.string()) +
                              " --toggle-collect=" + loop + ' ' + quoted(program.string()) + ' ' + loop + ' ' +
                              std::to_string(iterations) + " >/dev/null 2>&1";
  const int status = std::system(command.c_str());
  std::int64_t total = -1;
  std::ifstream file(out);
  for (std::string line; std::getline(file, line);) {
    if (line.starts_with("totals: ")) total = std::atoll(line.c_str() + 8);
  }
  std::error_code ignored;
  std::filesystem::remove(out, ignored);
  if (status != 0 || total < 0) return program_error(command, "it failed or counted nothing");
  return total;
}

}  // namespace

bool can_count_loops() { return std::system("valgrind --version >/dev/null 2>&1") == 0; }

Result<double> instructions_per_iteration(const std::filesystem::path& program, const std::string& loop) {
  STEELYARD_TRY(const std::int64_t few, count(program, loop, kShort));
  STEELYARD_TRY(const std::int64_t many, count(program, loop, kLong));
  return static_cast<double>(many - few) / static_cast<double>(kLong - kShort);
}

}  // namespace steelyard
