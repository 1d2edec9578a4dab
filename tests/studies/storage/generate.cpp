// Fills an empty store with a measured project of years, to see how questions grow with it.
//
//     build/check/bin/generate postgresql://... MEASUREMENTS [SEED [COMMITS]]
//
// 10,000 commits (or COMMITS) of branch main, each measured on one machine and every 20th on a second one; a release
// branch, and twenty feature branches of ten commits. MEASUREMENTS (1,000,000 to 100,000,000) are spread evenly over
// those runs, but for the newest 102 of main, which have 3,500 results each, so that the same question can be asked of
// every size. One series in twenty has a step. Samples: 20 in two processes, 1 % noise, a clock of one nanosecond over
// blocks of 10 ms, packed by the program's own codec into a pool of payloads that rows are drawn from by a hash of
// series, run and SEED (default 1). Dictionaries and series are written by RunStore::put; runs and measurements by the
// server (insert ... select, partition by partition, indexes afterwards), since that takes minutes for 100 million
// rows. The ids of such runs are no hashes of their content. Needs a login that owns the tables.
#include <cstdio>
#include <cstdlib>
#include <stdexcept>

#include "storage/upkeep.hpp"
#include "tests/studies/storage/fill_store.hpp"

namespace {

template <class T>
T value_of(steelyard::Result<T> result) {
  if (!result) throw std::runtime_error(result.error().text());
  return std::move(result).value();
}

}  // namespace

int main(int count, char** arguments) {
  using namespace steelyard;
  using namespace steelyard::storage_study;
  if (count < 3 || count > 5) {
    std::fprintf(stderr, "generate postgresql://... MEASUREMENTS [SEED [COMMITS]]\n");
    return 3;
  }
  try {
    const GrownStore shape =
        grown_store(std::atoll(arguments[2]), count > 3 ? std::strtoull(arguments[3], nullptr, 10) : 1,
                    count > 4 ? std::atoi(arguments[4]) : kMainCommits);
    const storage::StoreAddress address = value_of(storage::parse_store_address(arguments[1], "generate"));
    storage::Store store = value_of(storage::Store::open(address, storage::state_folder()));
    if (value_of(storage::Upkeep(store).status()).runs > 0) throw std::runtime_error("the store is not empty");
    fill_store(store, address.url, shape, false);
  } catch (const std::exception& trouble) {
    std::fprintf(stderr, "generate: %s\n", trouble.what());
    return 1;
  }
  return 0;
}
