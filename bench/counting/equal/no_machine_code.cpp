#include "bench/counting/equal/machine_code.hpp"

namespace steelyard::bench {

Result<NormalizedCode> normalize_code(const CodeBytes&) {
  return input_error("", "steelyard was built without Capstone", "", "install libcapstone-dev and build it again");
}

}  // namespace steelyard::bench
