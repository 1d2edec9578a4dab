// Where the profile verb's profiles come from: callgrind files, or a run (an archive, or from the store) that has
// counted ones.
#pragma once

#include <string>
#include <vector>

#include "bench/counting/reader/callgrind_reader.hpp"
#include "bench/model/counted_profile.hpp"
#include "ci/app/app.hpp"

namespace steelyard::ci {

// One of the two is empty.
struct ProfileSource {
  std::string name;                         // for titles: the files' names, or the run's as given
  std::vector<bench::CallgrindPart> parts;  // of the callgrind files
  std::vector<CountedProfile> profiles;     // of the run: those of the benchmark that was asked for, or all
  std::string lines_unknown;       // why lines or their functions are unknown, with the fix; empty: they are not
  bool has_shifted_lines = false;  // they may be others': an earlier reader told them
};

// One bad file stops all: sums over half of the files would be wrong without looking it.
Result<ProfileSource> load_callgrind_files(const std::vector<std::string>& files,
                                           const bench::CallgrindReadOptions& options = {});
// Turns the parts of `files`, read with their positions, into profiles with sources. Which function a line came from is
// told by the objects' debug information, where those are as old as the files; `lines_unknown` is of the program's own.
Result<void> find_lines(const std::vector<std::string>& files, ProfileSource& source);
// `benchmark` is a benchmark's name, or a part that only one has; empty: all.
Result<ProfileSource> load_run_profiles(const std::string& side, const std::string& benchmark, const App& app);
// A callgrind file where `is_callgrind` and it is no side by its look (run:, commit:, .syrun); else a side.
Result<ProfileSource> load_against(const std::string& name, bool is_callgrind, const std::string& benchmark,
                                   const App& app);

}  // namespace steelyard::ci
