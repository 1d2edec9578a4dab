// The DWARF debug information of an executable or library, wherever it lies on this machine: in the file itself, or in
// a separate one that its build id or its .gnu_debuglink names. Never fetched from a server.
#pragma once

#include <filesystem>
#include <string>

#include "bench/model/result.hpp"

struct Dwarf;  // libdw's

namespace steelyard {

class DebugFile {
 public:
  // `system` is where separate files of installed programs lie. Error (input): `found` says why there is none.
  static Result<DebugFile> open(const std::filesystem::path& object,
                                const std::filesystem::path& system = "/usr/lib/debug");
  DebugFile(DebugFile&& other) noexcept;
  DebugFile& operator=(DebugFile&&) = delete;
  ~DebugFile();

  Dwarf* dwarf() const { return dwarf_; }
  const std::filesystem::path& path() const { return path_; }  // where it was found

 private:
  DebugFile(std::filesystem::path path, int descriptor, Dwarf* dwarf);

  std::filesystem::path path_;
  int descriptor_ = -1;  // libdw looks beside it for .dwo files while it is open
  Dwarf* dwarf_ = nullptr;
};

}  // namespace steelyard
