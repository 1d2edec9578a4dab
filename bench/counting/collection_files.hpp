// The files of one collection, in the folder private to the collections of a program: removed at its end, and named so
// that every name has the same length, because the program sees some of them.
#pragma once

#include <cstddef>
#include <filesystem>
#include <string>

namespace steelyard {

// Valgrind's log and the report are some lines; nobody can make us read more.
inline constexpr std::size_t kMaximumTextBytes = std::size_t{1} << 20;

class CollectionFiles {
 public:
  CollectionFiles(const std::filesystem::path& folder, int number);
  CollectionFiles(const CollectionFiles&) = delete;
  CollectionFiles& operator=(const CollectionFiles&) = delete;
  ~CollectionFiles();

  std::filesystem::path report() const;   // of the preloaded library
  std::filesystem::path log() const;      // of Valgrind
  std::filesystem::path results() const;  // of the program: --benchmark_out
  // A forked child of the program writes a profile of its own; the process number keeps them apart.
  std::string profile(const std::string& process) const;

 private:
  std::filesystem::path folder_;
  std::string digits_;
};

// At most its first MiB; empty where it cannot be read.
std::string read_beginning(const std::filesystem::path& file);
// At most its last MiB, likewise: a trace of system calls can be longer, and why a program ended stands at its end.
std::string read_ending(const std::filesystem::path& file);

}  // namespace steelyard
