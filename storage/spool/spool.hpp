// Runs and comparisons on disk that the store has not got yet. A run is written here before anything else happens to
// it; whoever next reaches the store delivers what waits, in order, each once. Not a queue between live processes: it
// only bridges the time until the store answers.
//
//     STEELYARD_CHECK(spool.keep(run));           // from here on the run cannot be lost
//     auto delivery = spool.deliver(store);       // an error leaves it waiting for the next command
#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "bench/model/comparison.hpp"
#include "bench/model/quantity.hpp"
#include "bench/model/result.hpp"
#include "bench/model/run.hpp"
#include "storage/store.hpp"

namespace steelyard {

class Spool {
 public:
  // Uses state/spool for what waits, state/spool/bad for what cannot be read, and state/runs and state/comparisons for
  // what was delivered: these files stay the truth from which a database can be filled again.
  explicit Spool(std::filesystem::path state);

  // The path of the archive that now holds the run (sealed). The same run kept twice is one file.
  Result<std::filesystem::path> keep(const Run& run);
  // Likewise its document. Of what is no part of that (as_kept) nothing is kept.
  Result<std::filesystem::path> keep(const Comparison& comparison);
  // Oldest first, by the time at which the run was taken; a comparison right after the runs of its candidate's time.
  std::vector<std::filesystem::path> waiting() const;
  struct Count {
    std::size_t runs = 0;
    std::size_t comparisons = 0;
    bool operator==(const Count&) const = default;
  };
  Count count_waiting() const;
  // Where the archives of delivered runs and the documents of delivered comparisons stay; absent before the first.
  const std::filesystem::path& delivered_folder() const { return delivered_; }
  const std::filesystem::path& delivered_comparisons() const { return delivered_comparisons_; }

  struct Delivery {
    int delivered = 0;  // runs
    int already_there = 0;
    int comparisons = 0;  // delivered
    int comparisons_already_there = 0;
    // Files that cannot be read or that the store will never take: moved to spool/bad, each with its reason in a file
    // beside it, and named here. One of a newer version is named too, and keeps waiting for a newer program.
    std::vector<Error> bad;
    int left_for_another_login = 0;  // this one may not write them: they keep waiting, and the first is named in bad
  };
  // Stops at the first error of the store itself; what was not delivered stays. Safe beside other processes doing the
  // same.
  Result<Delivery> deliver(Store& store);

  // The same with any place that takes runs and comparisons: each function gives true where one is new there, false
  // where it was there already. Without a function for comparisons they keep waiting. Waits for another process that
  // delivers, at most `longest_wait`; then an error of kind store.
  using PutRun = std::function<Result<bool>(const Run&)>;
  using PutComparison = std::function<Result<bool>(const Comparison&)>;
  // is_for_another: whether the error that one of them just gave is about that one thing and this login alone.
  using IsForAnother = std::function<bool()>;
  Result<Delivery> deliver(const PutRun& put_run, const PutComparison& put_comparison = {},
                           Nanoseconds longest_wait = seconds(60), const IsForAnother& is_for_another = {});

 private:
  Result<void> deliver_run(const std::filesystem::path& path, const PutRun& put, const IsForAnother& is_for_another,
                           Delivery& delivery);
  Result<void> deliver_comparison(const std::filesystem::path& path, const PutComparison& put,
                                  const IsForAnother& is_for_another, Delivery& delivery);
  // It waits for a login that may, and those after it do not.
  Result<void> leave(const std::filesystem::path& path, Error why, Delivery& delivery);
  // Moves a file whose content was put to `folder`, or aside where it was refused; absent then.
  Result<std::optional<bool>> settle(const std::filesystem::path& path, Result<bool> is_new,
                                     const std::filesystem::path& folder, Delivery& delivery);
  void set_aside(const std::filesystem::path& path, Error why, Delivery& delivery);

  std::filesystem::path folder_;
  std::filesystem::path delivered_;
  std::filesystem::path delivered_comparisons_;
};

}  // namespace steelyard
