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

namespace steelyard {

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

  // Why addresses of the object are unknown, in words and with the mend; empty where all that was asked for was read.
  std::string why_unknown(const std::string& object);

 private:
  class DebuggedObject;
  DebuggedObject* opened(const std::string& object);  // null: too many are

  std::filesystem::file_time_type written_;
  std::mutex mutex_;
  std::map<std::string, std::unique_ptr<DebuggedObject>> objects_;
};

}  // namespace steelyard
