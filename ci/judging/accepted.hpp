// Changes that are meant. Who makes a benchmark slower on purpose says so where it is reviewed: in the commit's
// message,
//
//     Perf-accept: gemv/*  the checksum is worth 3 %
//     Perf-accept: gemv/*  until=2026-12-31 the checksum goes with the next release
//
// or on the pull or merge request (ci/publish/accepting.hpp), or by --accept. The benchmarks of that pattern are judged
// and reported as ever and fail nothing, and the report and the comparison name who accepted them, and why.
// The commit is the next one's baseline, so its level is the new normal.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "bench/model/comparison.hpp"
#include "bench/model/result.hpp"
#include "ci/config/configuration.hpp"
#include "ci/git/repository.hpp"

namespace steelyard::ci {

inline constexpr std::string_view kAcceptTrailer = "Perf-accept";

// "PATTERN REASON", or "PATTERN until=DAY REASON", as a table of the policy that holds before all others; a pattern
// with blanks stands in quotes. `who`: what the table's `where` begins with. Error (input): no pattern, or no reason;
// `where` names the line.
Result<PatternPolicy> read_accepted(std::string_view text, const std::string& who, const std::string& where);

struct AcceptedChanges {
  std::vector<PatternPolicy> tables;
  // A line of the report each: what was accepted, is so no more, or why a line was not understood.
  std::vector<std::string> notes;
};

// "BASELINE..CANDIDATE" of full hashes: the trailers of the commits that the candidate has and the baseline has not,
// the newest first (git-interpret-trailers(1)); at most 100 lines, of which the first 1000 bytes are read. A line that
// is not understood is a note.
AcceptedChanges accepted_by_commits(const GitRepository& repository, const std::string& range);
// From what `git log` prints of them: records that end in U+001E, in which U+001F stands between the hash, the author
// and the trailers, with or without their key.
AcceptedChanges accepted_in_log(std::string_view log);
// Of --accept, as typed. Error (input): one is not understood.
Result<AcceptedChanges> accepted_by_options(const std::vector<std::string>& options);
// Of the file that `steelyard accepted` has written, in its order, with its notes; what is not understood there is a
// note. Error (input): it cannot be read, or is another file.
Result<AcceptedChanges> accepted_in_file(const std::filesystem::path& file);

// As tables of the policy that hold before all of the file's, the first before the others.
void accept(const AcceptedChanges& accepted, PolicySettings& policy, std::vector<std::string>& notes);

}  // namespace steelyard::ci
