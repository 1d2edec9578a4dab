// All samples of one measurement as the database keeps them: which invocations, how many samples each, their
// iterations, and what was excluded. Packing and unpacking gives the same samples to the last bit: a run's id is a hash
// of its content. Reading is total: any bytes yield samples or an error, and memory in proportion to their number.
//
//   1 byte       bits 0-2: version, 1; bit 3: samples were dropped, only the structure is left; bit 4: a second section
//                with what was excluded; bit 5: the first one is regular; bit 6: regular, with iterations
//   structure    regular: varint n, varint k: invocations 0 to n - 1 with k samples each, all with iterations or none.
//                Otherwise: varint n, then for each invocation its number less that of the one before plus one (signed
//                varint; before the first: -1), its samples and its iterations (varints). Of the second section, if
//                any: in the same form, never regular.
//   contents     of each section: block of all iterations, all samples (both in packed_doubles.hpp)
//
// SQL reads the same bytes: steelyard.unpack() of migration 0010.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "bench/model/measurement.hpp"
#include "bench/model/result.hpp"
#include "storage/packing/packed_doubles.hpp"

namespace steelyard::storage {

// Packs one measurement after the other, and keeps its memory in between.
class SamplePacker {
 public:
  // Good until the next call.
  std::string_view pack(const std::vector<InvocationSamples>& invocations,
                        const std::vector<InvocationSamples>& excluded);

 private:
  void append_contents(const std::vector<InvocationSamples>& section);

  std::string bytes_;
  std::vector<double> samples_;
  std::vector<std::int64_t> iterations_;
  DoublePacker doubles_;
};

struct UnpackedSamples {
  std::vector<InvocationSamples> invocations;
  std::vector<InvocationSamples> excluded;
  bool dropped = false;  // by the store's retention: then both are empty
};
// Errors: kind store; `where` says whose samples they are.
Result<UnpackedSamples> unpack_samples(std::string_view packed, const std::string& where);

}  // namespace steelyard::storage
