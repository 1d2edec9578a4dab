#include "ci/measuring/listed_pair.hpp"

#include <filesystem>
#include <system_error>

namespace steelyard {
namespace {

bool exists(const Program& program) {
  std::error_code ignored;
  return std::filesystem::exists(program.executable, ignored);
}

}  // namespace

Result<ListedPair> list_pair(const ProgramPair& pair, const MeasuringSettings& settings,
                             const std::atomic<bool>* cancelled) {
  ListedPair listed;
  listed.is_new = !exists(pair.baseline) && exists(pair.candidate);
  STEELYARD_TRY(listed.candidate, list_benchmarks(pair.candidate, settings, cancelled));
  listed.baseline.program = pair.baseline;
  if (listed.is_new) return listed;
  STEELYARD_TRY(listed.baseline, list_benchmarks(pair.baseline, settings, cancelled));
  return listed;
}

}  // namespace steelyard
