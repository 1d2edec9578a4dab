// Runs on disk that the store has not got yet. A run is written here before anything else happens to it; whoever next
// reaches the store delivers what waits, in order, each once. Not a queue between live processes: it only bridges the
// time until the store answers.
//
//     STEELYARD_CHECK(spool.keep(run));           // from here on the run cannot be lost
//     auto delivery = spool.deliver(store);       // an error leaves it waiting for the next command
#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "bench/model/quantity.hpp"
#include "bench/model/result.hpp"
#include "bench/model/run.hpp"
#include "storage/store.hpp"

namespace steelyard {

class Spool {
 public:
  // Uses state/spool for what waits, state/spool/bad for what cannot be read, and state/runs for what was delivered:
  // the archives stay the truth from which a database can be filled again.
  explicit Spool(std::filesystem::path state);

  // The path of the archive that now holds the run (sealed). The same run kept twice is one file.
  Result<std::filesystem::path> keep(const Run& run);
  // Oldest first, by the time at which the run was taken.
  std::vector<std::filesystem::path> waiting() const;
  // Where the archives of delivered runs stay; absent before the first delivery.
  const std::filesystem::path& delivered_folder() const { return delivered_; }

  struct Delivery {
    int delivered = 0;
    int already_there = 0;
    // Archives that cannot be read or that the store will never take: moved to spool/bad, each with its reason in a
    // file beside it, and named here. One of a newer version is named too, and keeps waiting for a newer program.
    std::vector<Error> bad;
  };
  // Stops at the first error of the store; what was not delivered stays. Safe beside other processes doing the same.
  Result<Delivery> deliver(Store& store);

  // The same with any place that takes runs: `put` gives true where the run is new there, false where it was there
  // already. Waits for another process that delivers, at most `longest_wait`; then an error of kind store.
  using PutRun = std::function<Result<bool>(const Run&)>;
  Result<Delivery> deliver(const PutRun& put, Nanoseconds longest_wait = seconds(60));

 private:
  Result<void> deliver_one(const std::filesystem::path& path, const PutRun& put, Delivery& delivery);
  void set_aside(const std::filesystem::path& path, Error why, Delivery& delivery);

  std::filesystem::path folder_;
  std::filesystem::path delivered_;
};

}  // namespace steelyard
