#include "ci/measuring/listed_pair.hpp"

#include <filesystem>
#include <system_error>

#include "bench/runner/measure.hpp"

namespace steelyard {
namespace {

bool exists(const Program& program) {
  std::error_code ignored;
  return std::filesystem::exists(program.executable, ignored);
}

}  // namespace

Result<ListedSide> list_side(const Program& program, const MeasuringSettings& settings,
                             const std::atomic<bool>* cancelled) {
  Result<ProgramListing> listing = list_benchmarks(program, settings.filter, settings.timeout, cancelled);
  if (listing) return ListedSide{std::move(listing->benchmarks), listing->start, std::nullopt};
  if (listing.error().kind != ErrorKind::program) return listing.error();
  return ListedSide{{}, {}, listing.error()};
}

Result<ListedPair> list_pair(const ProgramPair& pair, const MeasuringSettings& settings,
                             const std::atomic<bool>* cancelled) {
  ListedPair listed;
  listed.is_new = !exists(pair.baseline) && exists(pair.candidate);
  STEELYARD_TRY(listed.candidate, list_side(pair.candidate, settings, cancelled));
  if (listed.is_new) return listed;
  STEELYARD_TRY(listed.baseline, list_side(pair.baseline, settings, cancelled));
  return listed;
}

}  // namespace steelyard
