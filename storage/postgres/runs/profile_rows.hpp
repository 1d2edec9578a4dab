// Counted profiles as rows of steelyard.profiles: parallel arrays, functions and the origins of lines by
// their keys in the dictionaries.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "bench/model/counted_profile.hpp"
#include "bench/model/result.hpp"
#include "storage/postgres/session/dictionaries.hpp"
#include "storage/postgres/session/session.hpp"

namespace steelyard::storage {

// An input error where a function, arc or line does not have one cost per event: such a profile has no meaning to keep.
Result<void> check_profiles(const Run& run);
// Precondition: check_profiles().
Result<void> write_profiles(Transaction& transaction, std::int64_t run_key, const Run& run, const RunKeys& keys);
// A store error that begins with `where` for a row that does not fit itself: who may write may write that.
Result<std::vector<CountedProfile>> read_profiles(Transaction& transaction, std::int64_t run_key,
                                                  const std::string& where);

}  // namespace steelyard::storage
