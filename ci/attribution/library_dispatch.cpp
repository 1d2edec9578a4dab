#include "ci/attribution/library_dispatch.hpp"

#include <algorithm>
#include <string_view>

#include "bench/counting/count.hpp"

namespace steelyard {
namespace {

bool contains(const std::string& text, std::string_view part) { return text.find(part) != std::string::npos; }

}  // namespace

const std::string* different_dispatch(const Run& run) {
  const std::string* fact = run.environment.find(kDispatchFact);
  return fact && tells_of_other_code(*fact) ? fact : nullptr;
}

bool calls_a_dispatching_library(const CountedProfile& profile) {
  return std::any_of(profile.functions.begin(), profile.functions.end(), [](const ProfiledFunction& function) {
    // Linked statically its object is the program; the names of its interface remain.
    return contains(function.object, "openblas") || contains(function.name, "openblas") ||
           contains(function.name, "cblas_");
  });
}

}  // namespace steelyard
