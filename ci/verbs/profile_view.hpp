// What the profile verb shows of profiles, and under which names: its options --fold, --standardize, --filter, and the
// table of a difference.
#pragma once

#include <string>

#include "bench/model/result.hpp"
#include "ci/app/options.hpp"
#include "ci/grammar/verb.hpp"
#include "ci/verbs/profile_source.hpp"

namespace steelyard {

void add_view_options(Verb& verb, ProfileOptions& profile);

// Names as asked for: folded, without the folders of a build. Error (input): a word that --fold does not know; sums
// beyond 63 bits.
Result<void> rename_functions(const ProfileOptions& options, ProfileSource& source);

// Drops the functions that the filter does not want, and what ran in them. Totals stay those of the whole profile. For
// tables alone: what calls what is lost. Error (input): the filter is no regular expression.
Result<void> keep_functions(const ProfileOptions& options, ProfileSource& source);

// Error (input): a part of `source` without the event that was asked for.
Result<void> check_event(const ProfileOptions& options, const ProfileSource& source);

// What changed from `against` to `source`, function by function, with renamed ones matched: as a table, or with --json
// beside what json_profile() tells of `source`. Error (input): several
// benchmarks on a side, other events, an event that is not there, files of --repeats that cannot be read.
Result<std::string> difference_text(const ProfileOptions& options, const ProfileSource& source,
                                    const ProfileSource& against);

}  // namespace steelyard
