#include "bench/counting/algebra/whole_profile.hpp"

namespace steelyard {

CountedProfile whole_profile(const CallgrindPart& part) {
  CountedProfile profile;
  profile.events = part.events;
  profile.totals = part.totals;
  profile.functions = part.functions;
  profile.arcs = part.arcs;
  return profile;
}

}  // namespace steelyard
