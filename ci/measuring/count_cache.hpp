// Counts that were made before on this machine, kept in the state folder as small archives: what did not change is not
// counted again. An entry's name is the hash of all that its count depends on; what it read is checked again.
//
//     CountCache cache(state_folder() / "counts");
//     std::optional<Run> known = cache.find(name_of(identity), hash_now, warnings);
//     if (!known) ... count, then cache.keep(name, {part, hashes, folder}, warnings) ...
//
// Not the store: nothing here is history, and all of it may be deleted at any time. Safe with several processes: an
// entry is written beside its place and renamed.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "bench/counting/equal/counted_inputs.hpp"
#include "bench/model/run.hpp"

namespace steelyard::ci {

// What a count depends on as far as it is known before anything is counted. The count's own key is known only under
// Valgrind, but follows from these: Valgrind's version and the CPU's features decide the CPU it shows, the libraries
// are libc, allocator and BLAS.
struct CountIdentity {
  std::string loaded;  // LoadedProgram::sha256
  std::vector<std::string> arguments;
  std::map<std::string, std::string> environment;
  std::string suite;
  std::string benchmark;
  std::string method;   // Valgrind's version, this very steelyard, its preload library, its options
  std::string machine;  // the environment's fingerprint
};
std::string name_of(const CountIdentity& identity);  // 64 hex digits

struct CacheLimits {
  std::uint64_t bytes = std::uint64_t{256} << 20;
  std::size_t entries = 4096;
};

class CountCache {
 public:
  explicit CountCache(std::filesystem::path folder, CacheLimits limits = {});

  struct Kept {
    Run part;                   // counts_of(), ci/measuring/run_parts.hpp
    bench::InputHashes inputs;  // what the count read
    std::string folder;         // the program's working folder, below which the profile's paths may lie; empty: none
  };
  // `hash_now`: the hashes of what the count read, as it would be read now; an entry of other hashes is no answer. An
  // entry that cannot be read is a warning, and is removed.
  using HashInputs = std::function<Result<bench::InputHashes>(const bench::CountedInputs&)>;
  std::optional<Kept> find(const std::string& name, const HashInputs& hash_now, std::vector<std::string>& warnings);

  // Keeps a part; then the oldest beyond the limits are removed. A cache that cannot be written is a warning.
  void keep(const std::string& name, Kept kept, std::vector<std::string>& warnings);

 private:
  void remove_oldest() const;

  std::filesystem::path folder_;
  CacheLimits limits_;
};

}  // namespace steelyard::ci
