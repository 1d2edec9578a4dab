// Which shared libraries the dynamic loader brings for a program, by the loader itself (`ld.so --list`).
//
//     STEELYARD_TRY(const auto libraries, libraries_of(program.executable, child_environment(program), folder));
//
// Not for what a program opens while it runs (dlopen).
#pragma once

#include <atomic>
#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "bench/model/result.hpp"

namespace steelyard {

struct LoadedLibrary {
  std::string name;            // as the program asks for it: "libfoo.so.1"; the loader's own is a path
  std::filesystem::path path;  // empty: it was not found
  bool operator==(const LoadedLibrary&) const = default;
};

// In the loader's order, the loader itself among them; empty for a static program and for what is no ELF program. The
// loader is run, and never the program: one that is static, or whose loader does not know LD_TRACE_LOADED_OBJECTS,
// would run all its benchmarks. Error (program): the loader does not answer, or not within 20 s.
Result<std::vector<LoadedLibrary>> libraries_of(const std::filesystem::path& executable,
                                                const std::map<std::string, std::string>& environment,
                                                const std::filesystem::path& working_directory,
                                                const std::atomic<bool>* cancelled = nullptr);

// What `ld.so --list` prints. What the kernel brings (linux-vdso.so.1) has no file and is left out.
Result<std::vector<LoadedLibrary>> parse_loader_list(std::string_view text);

}  // namespace steelyard
