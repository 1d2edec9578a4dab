// How the program was built, and whether it can have fresh pages in every round.
#include <string>

#include "bench/doctor/checks.hpp"

namespace steelyard {

void check_program(const FactReader& facts, Findings& findings) {
  if (facts.has("program.instruments")) {
    findings.push_back(
        {"instruments", Severity::severe, "the program was built with " + facts.text("program.instruments"),
         "it runs several times slower, and unevenly so", "build it without -fsanitize, --coverage and -pg"});
  }
  const std::string optimization = facts.text("program.optimization");
  const double unoptimized = facts.number("program.unoptimized_units").value_or(0);
  if (optimization == "-O0") {
    findings.push_back({"optimization", Severity::severe, "the program was built without optimization (-O0)",
                        "what is slow at -O0 says nothing of what is slow at -O2",
                        "cmake -B build -DCMAKE_BUILD_TYPE=RelWithDebInfo && cmake --build build", true});
  } else if (unoptimized > 0) {
    findings.push_back({"optimization", Severity::warning,
                        "parts of the program were built without optimization: " + optimization,
                        "these parts, if they are measured, run several times slower than they will",
                        "build every part at one level; program.switches of a run has the switches"});
  }
  if (optimization == "-Og") {
    findings.push_back({"optimization", Severity::warning, "the program was built for debugging (-Og)",
                        "it leaves out what -O2 does to the loops that a benchmark is about",
                        "cmake -B build -DCMAKE_BUILD_TYPE=RelWithDebInfo && cmake --build build", true});
  }
  if (facts.text("program.assertions") == "present") {
    findings.push_back({"assertions", Severity::warning, "the program checks assertions",
                        "checks that a release does not have are measured with it; some change the order of growth",
                        "build it with -DNDEBUG (CMAKE_BUILD_TYPE=Release or RelWithDebInfo)"});
  }
  const std::string debug_info = facts.text("program.debug_info");
  if (debug_info == "none") {
    findings.push_back({"debug_info", Severity::note, "the program has no debug information",
                        "functions have no files and lines in reports, and compiler and switches are not known",
                        "build it with -g: it does not change the code"});
  } else if (!debug_info.empty() && debug_info != "present") {
    findings.push_back({"debug_info", Severity::note, "the program's debug information is " + debug_info,
                        "compiler and switches cannot be read from it", "build it with plain -g"});
  } else if (debug_info == "present" && optimization.empty()) {
    findings.push_back({"switches", Severity::note, "the program's debug information names no switches",
                        "whether it was optimized is not known",
                        "GCC records them unless told not to; for Clang add -grecord-command-line"});
  }
}

void check_copies(const FactReader& facts, Findings& findings) {
  if (facts.has("copies.obstacle")) {
    findings.push_back({"copies", Severity::severe, "no folder for temporary files: " + facts.text("copies.obstacle"),
                        "nothing can be measured: each round runs fresh copies of the program from there",
                        "free space in /tmp, or set TMPDIR to a folder that you may write to"});
    return;
  }
  if (facts.text("program.pages") == "kept") {
    findings.push_back(
        {"copies", Severity::warning,
         "the program keeps its physical pages for a whole measurement: " + facts.text("program.pages_reason"),
         "the luck of a build's pages, of some benchmarks 0.4 to 2.4 %, looks like a change, and more "
         "rounds do not help",
         "set TMPDIR to a folder that programs may be run from; keep a program above 128 MiB on a disk, in a "
         "file of your own"});
  } else if (facts.text("copies.execution") == "forbidden") {
    findings.push_back({"copies", Severity::note,
                        "programs may not be run from " + facts.text("copies.folder") + " (mounted noexec)",
                        "the program's pages are read anew each round in place of a copy; file systems in memory and "
                        "files of others keep theirs",
                        "set TMPDIR to a folder that programs may be run from"});
  }
}

}  // namespace steelyard
