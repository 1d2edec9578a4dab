// steelyard profile diff: what changed between the traces of two builds.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "ci/app/app.hpp"
#include "ci/grammar/verb.hpp"

namespace steelyard::ci {

struct ProfileDiffOptions {
  bool is_wanted = false;               // the first name was "diff"
  std::vector<std::string> base, head;  // files, or folders of them; from the names, or the options
  std::string format;                   // "spans" or "chrome"; empty: by each file's beginning
  int rows = 30;
  std::string table_format = "text";  // text, markdown or csv
  std::filesystem::path flame;        // .html or .svg; empty: none
};

// --base and --head.
void add_diff_options(Verb& verb, ProfileDiffOptions& options);
// Takes what stands behind "diff". Error (input): not two sides; sides by name and by option.
Result<void> take_sides(ProfileDiffOptions& options, std::vector<std::string> names);

Result<ExitCode> run_profile_diff(const ProfileDiffOptions& options, const App& app);

}  // namespace steelyard::ci
