// Fills an empty store as `generate` and its shape say.
#pragma once

#include <string>

#include "storage/store.hpp"
#include "tests/studies/storage/grown_store.hpp"

namespace steelyard::storage_study {

// url: of the store's database, with a login that owns the tables. Throws what goes wrong; is_quiet: no steps are told.
void fill_store(storage::Store& store, const std::string& url, const GrownStore& shape, bool is_quiet);

}  // namespace steelyard::storage_study
