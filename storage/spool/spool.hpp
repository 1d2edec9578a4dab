// Runs on disk that the store has not got yet. A run is written here before anything else happens to it; whoever next
// reaches the store delivers what waits, in order, each once.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "bench/model/result.hpp"
#include "bench/model/run.hpp"
#include "storage/store.hpp"

namespace steelyard {

class Spool {
 public:
  explicit Spool(std::filesystem::path state);  // uses state/spool

  // The path of the archive that now holds the run (sealed).
  Result<std::filesystem::path> keep(const Run& run);
  // Oldest first.
  std::vector<std::filesystem::path> waiting() const;

  struct Delivery {
    int delivered = 0;
    int already_there = 0;
    std::vector<Error> bad;  // archives that cannot be read: moved to spool/bad, named here
  };
  // Stops at the first error of the store; what was not delivered stays. Safe beside other processes doing the same.
  Result<Delivery> deliver(Store& store);

 private:
  std::filesystem::path folder_;
};

}  // namespace steelyard
