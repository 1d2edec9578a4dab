// Which very file was measured, how it was built and which libraries it loads, and how it would come by pages of its
// own, as facts that never decide comparability.
#pragma once

#include <atomic>
#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "bench/model/environment.hpp"
#include "bench/model/result.hpp"
#include "bench/runner/program.hpp"

namespace steelyard::bench {

// Sets program.bytes and program.sha256, and of an ELF program what add_binary_facts sets; leaves them out where the
// file cannot be read, or is above 4 GiB.
void add_program_facts(const std::filesystem::path& executable, Environment& environment);
// The program's facts, and program.preload where it runs with LD_PRELOAD: an allocator preloaded is the one in force.
void add_program_facts(const Program& program, Environment& environment);

// What a measurement here could do for fresh pages (fresh_copy.hpp), found out by doing it once. Sets copies.folder and
// copies.execution ("allowed" or "forbidden"), or copies.obstacle where there is no such folder. Of `program`, where it
// is not null, program.pages ("copied", "reread", "kept"), with program.pages_reason where it is not copied, and
// program.copy and program.renewal, what is copied and how long that takes.
void add_copy_facts(const Program* program, Environment& environment);

// Which shared libraries the dynamic loader brings for a program, by the loader itself (`ld.so --list`).
//
//     STEELYARD_TRY(const auto libraries, libraries_of(program.executable, child_environment(program), folder));
//
// Not for what a program opens while it runs (dlopen).
struct LoadedLibrary {
  std::string name;            // as the program asks for it: "libfoo.so.1"; the loader's own is a path
  std::filesystem::path path;  // empty: it was not found
  bool operator==(const LoadedLibrary&) const = default;
};

// In the loader's order, the loader itself among them; empty for a static program and for what is no ELF program. The
// loader that the program names is run, in `confinement`, and never the program: one that is static, or whose loader
// does not know LD_TRACE_LOADED_OBJECTS, would run all its benchmarks. Error (program): the loader does not answer, or
// not within 20 s.
Result<std::vector<LoadedLibrary>> libraries_of(const std::filesystem::path& executable,
                                                const std::map<std::string, std::string>& environment,
                                                const std::filesystem::path& working_directory,
                                                const std::atomic<bool>* cancelled = nullptr,
                                                const SharedConfinement& confinement = {});

// What `ld.so --list` prints. What the kernel brings (linux-vdso.so.1) has no file and is left out.
Result<std::vector<LoadedLibrary>> parse_loader_list(std::string_view text);

}  // namespace steelyard::bench
