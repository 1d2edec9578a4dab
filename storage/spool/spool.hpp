// Runs and comparisons on disk that the store has not got yet. A run is written here before anything else happens to
// it; whoever next reaches the store that it is meant for delivers what waits, in order, each once. Not a queue between
// live processes: it only bridges the time until the store answers.
//
//     Spool spool(state_folder(), address.place());
//     STEELYARD_CHECK(spool.keep(run));                   // from here on the run cannot be lost
//     auto delivery = spool.deliver(destination(store));  // an error leaves it waiting for the next command
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "bench/model/comparison.hpp"
#include "bench/model/quantity.hpp"
#include "bench/model/result.hpp"
#include "bench/model/run.hpp"
#include "storage/place/files.hpp"

namespace steelyard::storage {

// A comparison as it reads back from its document (as_kept): of what is no part of that nothing is kept.
struct SpooledComparison {
  std::filesystem::path path;  // of the document; empty: it could not be written
  std::string id;              // comparison_id()
  Comparison comparison;
};

// A run as its archive has it.
struct SpooledRun {
  std::filesystem::path path;
  Run run;
};

// What the one that delivers holds in memory of what waits: it is handed on as it is, and its file is not read again.
struct AtHand {
  std::vector<const Run*> runs;
  const SpooledComparison* comparison = nullptr;  // as keep() gave it
};

// The archive of a run of which is not known yet whether it is to be kept, as of a file that may prove bad further on:
// so that it need not be held in memory meanwhile. It is removed unless Spool::keep() takes it; those of a process
// which was killed are removed by the next that drafts or delivers: at once where it ran on this machine, in this
// container and since it was booted, else after a day.
class SpoolDraft {
 public:
  SpoolDraft(std::filesystem::path path, std::filesystem::path kept) : path_(std::move(path)), kept_(std::move(kept)) {}
  SpoolDraft(SpoolDraft&& other) noexcept
      : path_(std::exchange(other.path_, {})), kept_(std::exchange(other.kept_, {})) {}
  SpoolDraft& operator=(SpoolDraft&& other) noexcept {
    std::swap(path_, other.path_);
    std::swap(kept_, other.kept_);
    return *this;
  }
  SpoolDraft(const SpoolDraft&) = delete;
  SpoolDraft& operator=(const SpoolDraft&) = delete;
  ~SpoolDraft();

 private:
  friend class Spool;
  std::filesystem::path path_;  // empty: it is gone
  std::filesystem::path kept_;  // its place as a kept run
};

class Spool {
 public:
  // Uses state/spool for what waits, state/spool/bad for what cannot be read, and state/runs and state/comparisons for
  // what was delivered: these files stay the truth from which a database can be filled again. What is kept is meant for
  // `store` (StoreAddress::place()) and waits in a folder of that name: no other store is given it. What lies in
  // state/spool itself, as older versions left it, is meant for whichever store is reached; empty: for that as well.
  explicit Spool(std::filesystem::path state, const std::string& store = "");

  // The path of the archive that now holds the run (sealed). The same run kept twice is one file.
  Result<std::filesystem::path> keep(const Run& run);
  // The run (sealed) as a draft, and a draft as a kept run.
  // The first draft of a Spool clears away those of processes that were killed.
  Result<SpoolDraft> draft(const Run& run);
  Result<void> keep(SpoolDraft draft);
  // With the path of the document that now holds it.
  Result<SpooledComparison> keep(const Comparison& comparison);
  std::vector<std::filesystem::path> folders() const;  // of what waits, for whichever store
  // Where keep() puts what waits.
  const std::filesystem::path& waiting_folder() const { return own_; }
  // For this store: oldest first, by the time at which the run was taken; a comparison right after the runs of its
  // candidate's time.
  std::vector<std::filesystem::path> waiting() const;
  // The time in the name that keep() gave a file, by which files stand in order unopened. Absent: another's name.
  static std::optional<std::int64_t> time_in_name(const std::filesystem::path& file);
  // Whether keep() would give the run or comparison of that id such a name.
  static bool is_named(const std::filesystem::path& file, const std::string& id);
  struct Count {
    std::size_t runs = 0;
    std::size_t comparisons = 0;
    bool operator==(const Count&) const = default;
  };
  Count count_waiting() const;
  struct ForAnother {
    std::string store;  // as it was given to the Spool that kept them
    Count count;
  };
  // What this Spool delivers to no store, by the stores' names.
  std::vector<ForAnother> waiting_for_others() const;
  // Where the archives of delivered runs and the documents of delivered comparisons stay; absent before the first.
  const std::filesystem::path& delivered_folder() const { return delivered_; }
  const std::filesystem::path& delivered_comparisons() const { return delivered_comparisons_; }
  // Whether the run was delivered and does not wait again.
  bool has_delivered(const RunHeader& run) const;
  // Whether its archive is there, for this store: delivered or waiting.
  bool has_archive(const RunHeader& run) const;

  // Of what waits and what was delivered, whose id begins so (at least 6 characters) and whose content has it. Absent:
  // none, several, or none of those that could be read.
  std::optional<SpooledRun> find_run(const std::string& id) const;

  struct Delivery {
    int delivered = 0;  // runs
    int already_there = 0;
    int comparisons = 0;  // delivered
    int comparisons_already_there = 0;
    // Files that cannot be read or that the store will never take: moved to spool/bad, each with its reason in a file
    // beside it, and named here. One of a newer version is named too, and keeps waiting for a newer program.
    std::vector<Error> bad;
    // This login may not write them, or the service does not take them as it is: they keep waiting, and the first is
    // named in bad.
    int left_for_another_login = 0;
  };
  using PutRun = std::function<Result<bool>(const Run&)>;
  using PutComparison = std::function<Result<bool>(const Comparison&)>;
  // What takes runs and comparisons, such as a store (storage/delivery.hpp).
  struct Destination {
    // True: it is new there; false: it was there already.
    PutRun put_run;
    PutComparison put_comparison{};  // empty: comparisons keep waiting
    // Whether the error just given is about that one thing, which another login or service may take; empty: it never
    // is.
    std::function<bool()> is_for_another{};
  };
  // Stops at the first error of the destination itself; what was not delivered stays. Safe beside other processes doing
  // the same: one that delivers is waited for, at most `longest_wait`; then an error of kind store.
  Result<Delivery> deliver(const Destination& to, const AtHand& at_hand = {}, Nanoseconds longest_wait = seconds(60));

 private:
  // Absent where the file stays or was set aside, as `delivery` says.
  std::optional<Run> read_waiting_run(const std::filesystem::path& path, Delivery& delivery);
  std::optional<Comparison> read_waiting_comparison(const std::filesystem::path& path, Delivery& delivery);
  Result<void> hand_on(const std::filesystem::path& path, const Run& run, const Destination& to, Delivery& delivery);
  Result<void> hand_on(const std::filesystem::path& path, const Comparison& comparison, const Destination& to,
                       Delivery& delivery);
  // The file waits for a login that may write it; those after it do not wait.
  Result<void> leave(const std::filesystem::path& path, Error why, Delivery& delivery);
  // Moves a file whose content was put to `folder`, or aside where it was refused; absent then.
  Result<std::optional<bool>> settle(const std::filesystem::path& path, Result<bool> is_new,
                                     const std::filesystem::path& folder, Delivery& delivery);
  void move_aside(const std::filesystem::path& path, Error why, Delivery& delivery);

  std::filesystem::path folder_;
  std::filesystem::path own_;  // of the store that it is for
  std::filesystem::path delivered_;
  std::filesystem::path delivered_comparisons_;
  bool has_drafted_ = false;
};

// The right to deliver from one spool: one process at a time has it, and loses it when it ends, however it ends.
// Internal to storage/spool.
//
//     STEELYARD_TRY(const DeliveryLock lock, DeliveryLock::take(folder, seconds(60)));

class DeliveryLock {
 public:
  // Error (store): another process still has it after `longest_wait`; or the lock file cannot be made.
  static Result<DeliveryLock> take(const std::filesystem::path& folder, Nanoseconds longest_wait);

 private:
  explicit DeliveryLock(FileLock lock) : lock_(std::move(lock)) {}
  FileLock lock_;
};

}  // namespace steelyard::storage
