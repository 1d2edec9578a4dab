// Whose line an address is: the function that was inlined there, or the one that has the code. Reads the debug
// information of executables and libraries (DWARF 2 to 5, compressed or split, in the file or beside it) with libdw,
// each compilation unit once and only where it is asked for.
//
//     OriginResolver resolver;
//     const CodeOrigin* origin = resolver.find("/src/build/bench", 0x16c0);
//     if (origin == nullptr) show(resolver.why_unknown("/src/build/bench"));
//
// Not for line numbers: Callgrind has already told those. Of their files it misses some, see file_of().
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <tuple>
#include <vector>

#include "bench/counting/reader/callgrind_reader.hpp"
#include "bench/model/counted_profile.hpp"

namespace steelyard::bench {

struct CodeOrigin {
  std::string function;  // the innermost one; demangled; empty: unknown
  bool is_inlined = false;
  // Where the function that has the code is declared, inlined or not.
  std::string owner_file;       // empty: unknown
  std::int32_t owner_line = 0;  // 0: unknown
};

class OriginResolver {
 public:
  // Objects that changed after `written`, the time of the profile, are not those that it is of: their origins are
  // unknown.
  explicit OriginResolver(std::filesystem::file_time_type written = std::filesystem::file_time_type::max());
  ~OriginResolver();
  OriginResolver(const OriginResolver&) = delete;
  OriginResolver& operator=(const OriginResolver&) = delete;

  // `address`: as the object's own file counts, and as Callgrind writes it. Null: unknown. What is returned lives as
  // long as the resolver. Any number of threads may ask; they wait for each other.
  const CodeOrigin* find(const std::string& object, std::uint64_t address);

  // The file of the line at the address; empty: unknown, or the line is not `line`. Where code goes on from a line to
  // the line of that number in another file, as with an inlined function, Callgrind stays in the first file.
  std::string file_of(const std::string& object, std::uint64_t address, std::int32_t line);

  // Why addresses of the object are unknown, in words and with the fix; empty where all that was asked for was read.
  std::string why_unknown(const std::string& object);

 private:
  class DebuggedObject;
  DebuggedObject* opened(const std::string& object);  // null: too many are

  std::filesystem::file_time_type written_;
  std::mutex mutex_;
  std::map<std::string, std::unique_ptr<DebuggedObject>> objects_;
};

// From costs per address to costs per source line: whose line each is comes from the debug information, the line itself
// from Callgrind. Sums are exact: nothing is merged but what has the same function, file, origin and line, and nothing
// dropped but what costs nothing.

// The positions of one part or, added up with their factors, of several.
class SourceCostSum {
 public:
  // `index_of`: for each of the part's functions its index in the profile that the sources are for.
  void add_part(const CallgrindPart& part, const std::vector<std::uint32_t>& index_of, std::int64_t factor);

  // By function, file, line and origin. `functions` are the profile's. Without a resolver all origins are unknown.
  std::vector<SourceCost> sources(const std::vector<ProfiledFunction>& functions, OriginResolver* resolver) const;

  // Gives functions the file and line of their declaration where the debug information has them: Callgrind takes those
  // of a function's first instruction, and that may have been inlined from a header. A function keeps its own where
  // another of the same name would then be equal to it.
  void set_declarations(std::vector<ProfiledFunction>& functions, OriginResolver& resolver) const;

 private:
  using Place = std::tuple<std::uint32_t, std::uint32_t, std::uint64_t, std::int32_t>;  // function, file, address, line

  std::uint32_t file_index(const std::string& name);

  std::vector<std::string> files_;
  std::map<std::string, std::uint32_t> index_of_file_;
  std::map<Place, std::vector<std::int64_t>> costs_;
};

// Whether the sources of each function add up to its self. Vacuous where there are none.
bool sources_add_up(const CountedProfile& profile);

}  // namespace steelyard::bench
