// From costs per address to costs per source line: whose line each is comes from the debug information, the line itself
// from Callgrind. Sums are exact: nothing is merged but what has the same function, file, origin and line, and nothing
// dropped but what costs nothing.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <tuple>
#include <vector>

#include "bench/counting/callgrind_reader.hpp"
#include "bench/counting/lines/origin_resolver.hpp"
#include "bench/model/counted_profile.hpp"

namespace steelyard {

// The positions of one part or, added up with their factors, of several.
class SourceCostSum {
 public:
  // `index_of`: for each of the part's functions its index in the profile that the sources are for.
  void add_part(const CallgrindPart& part, const std::vector<std::uint32_t>& index_of, std::int64_t factor);

  // By function, file, line and origin. `functions` are the profile's. Without a resolver all origins are unknown.
  std::vector<SourceCost> sources(const std::vector<ProfiledFunction>& functions, OriginResolver* resolver) const;

  // Gives functions the file and line of their declaration where the debug information has them: Callgrind takes those
  // of a function's first instruction, and that may have been inlined from a header. A function keeps its own where
  // another of the same name would then be equal to it.
  void set_declarations(std::vector<ProfiledFunction>& functions, OriginResolver& resolver) const;

 private:
  using Place = std::tuple<std::uint32_t, std::uint32_t, std::uint64_t, std::int32_t>;  // function, file, address, line

  std::uint32_t file_index(const std::string& name);

  std::vector<std::string> files_;
  std::map<std::string, std::uint32_t> index_of_file_;
  std::map<Place, std::vector<std::int64_t>> costs_;
};

// Whether the sources of each function add up to its self. Vacuous where there are none.
bool sources_add_up(const CountedProfile& profile);

}  // namespace steelyard
