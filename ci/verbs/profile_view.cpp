#include "ci/verbs/profile_view.hpp"

#include <algorithm>
#include <functional>
#include <memory>
#include <sstream>
#include <utility>

#include "bench/counting/algebra/file_name.hpp"
#include "bench/counting/algebra/learned_noise.hpp"
#include "bench/counting/algebra/profile_delta.hpp"
#include "bench/counting/algebra/profile_folding.hpp"
#include "bench/counting/algebra/profile_sum.hpp"
#include "bench/counting/algebra/standard_names.hpp"
#include "bench/counting/algebra/whole_profile.hpp"
#include "ci/app/name_filter.hpp"
#include "ci/grammar/verb_options.hpp"
#include "ci/report/profile_report.hpp"

namespace steelyard {
namespace {

std::vector<std::string> words_of(const std::string& list) {
  std::vector<std::string> words;
  std::istringstream stream(list);
  for (std::string word; std::getline(stream, word, ',');) {
    if (!word.empty()) words.push_back(std::move(word));
  }
  return words;
}

Result<NameFolding> folding_of(const std::string& list) {
  NameFolding folding{.recursion_levels = false, .clones = false};
  for (const std::string& word : words_of(list)) {
    if (word == "recursion") {
      folding.recursion_levels = true;
    } else if (word == "clones") {
      folding.clones = true;
    } else {
      return input_error("--fold", '"' + word + '"', "recursion, clones or both, with a comma between");
    }
  }
  return folding;
}

// Rows stay apart: two libraries may be of one name.
void standardize(const StandardNames& names, std::vector<ProfiledFunction>& functions) {
  for (ProfiledFunction& function : functions) {
    function.object = std::string(file_name(function.object));
    function.file = standard_file(function.file, names);
  }
}

bool is_kept(const NameFilter& filter, const ProfiledFunction& function) {
  return filter.matches(function.file + ":" + function.name + " [" + function.object + "]");
}

void keep(const NameFilter& filter, std::vector<ProfiledFunction>& functions) {
  std::erase_if(functions, [&](const ProfiledFunction& function) { return !is_kept(filter, function); });
}

// The lines of those that ran in a function that stays.
void keep_lines(const NameFilter& filter, CountedProfile& profile) {
  constexpr std::uint32_t kGone = UINT32_MAX;
  std::vector<std::uint32_t> index_of;
  std::uint32_t kept = 0;
  for (const ProfiledFunction& function : profile.functions) {
    index_of.push_back(is_kept(filter, function) ? kept++ : kGone);
  }
  std::erase_if(profile.sources, [&](const SourceCost& source) { return index_of[source.function] == kGone; });
  for (SourceCost& source : profile.sources) source.function = index_of[source.function];
}

Result<CountedProfile> one_profile(const ProfileSource& source) {
  if (source.profiles.size() > 1) {
    return input_error("steelyard profile", std::to_string(source.profiles.size()) + " profiles in " + source.name,
                       "one of them", "name it with --benchmark");
  }
  std::vector<CountedProfile> profiles = source.profiles;
  for (const CallgrindPart& part : source.parts) profiles.push_back(whole_profile(part));
  return sum_of_profiles(profiles);
}

Result<std::size_t> event_of(const std::string& wanted, const std::vector<std::string>& events) {
  const std::string name = wanted.empty() ? "Ir" : wanted;
  const auto found = std::find(events.begin(), events.end(), name);
  if (found != events.end()) return static_cast<std::size_t>(found - events.begin());
  if (wanted.empty() && !events.empty()) return std::size_t{0};
  std::string known;
  for (const std::string& event : events) known += (known.empty() ? "" : ", ") + event;
  return input_error("--event", '"' + name + '"', known.empty() ? "a profile with events" : "one of " + known);
}

Result<LearnedNoise> noise_of(const ProfileOptions& options) {
  std::vector<FunctionCounts> repeats;
  for (const std::string& file : words_of(options.repeats)) {
    STEELYARD_TRY(ProfileSource source, load_callgrind_files({file}));
    STEELYARD_CHECK(rename_functions(options, source));
    STEELYARD_TRY(const CountedProfile profile, one_profile(source));
    STEELYARD_TRY(FunctionCounts counts, FunctionCounts::of(profile, CountKind::self));
    repeats.push_back(std::move(counts));
  }
  return learn_noise(repeats);
}

}  // namespace

void add_view_options(Verb& verb, ProfileOptions& profile) {
  verb.options.push_back(flag_option("--inclusive", profile.inclusive, "tables by inclusive cost"));
  verb.options.push_back(
      flag_option("--lines", profile.lines, "tables by source line, inlined ones with their origin"));
  verb.options.push_back(text_option("--filter", "REGEX", profile.filter,
                                     "tables of functions whose \"file:name [object]\" has it in it"));
  verb.options.push_back(text_option("--fold", "WHAT,...", profile.fold,
                                     "one row for the levels of a recursion (recursion), for a function's copies "
                                     "by the compiler (clones)"));
  verb.options.push_back(text_option("--standardize", "FOLDER,...", profile.standardize,
                                     "cut these folders off source files, and every folder off objects"));
  verb.options.push_back(text_option("--repeats", "FILE,...", profile.repeats,
                                     "with --read and --against: repeats of the baseline's program; what they differ "
                                     "in is noise"));
}

Result<void> rename_functions(const ProfileOptions& options, ProfileSource& source) {
  STEELYARD_TRY(const NameFolding folding, folding_of(options.fold));
  StandardNames names;
  for (const std::string& folder : words_of(options.standardize)) names.folders.emplace_back(folder);
  for (CallgrindPart& part : source.parts) {
    if (!options.standardize.empty()) standardize(names, part.functions);
    if (folding.recursion_levels || folding.clones) {
      STEELYARD_TRY(part, fold_names(part, folding));
    }
  }
  for (CountedProfile& profile : source.profiles) {
    if (!options.standardize.empty()) standardize(names, profile.functions);
    STEELYARD_TRY(profile, fold_names(profile, folding));
  }
  return {};
}

Result<void> keep_functions(const ProfileOptions& options, ProfileSource& source) {
  if (options.filter.empty()) return {};
  STEELYARD_TRY(const NameFilter filter, NameFilter::of(options.filter, "--filter"));
  for (CallgrindPart& part : source.parts) {
    keep(filter, part.functions);
    part.arcs.clear();
    part.inlined.clear();
    part.position_costs.clear();
  }
  for (CountedProfile& profile : source.profiles) {
    keep_lines(filter, profile);
    keep(filter, profile.functions);
    profile.arcs.clear();
  }
  return {};
}

Result<std::string> difference_text(const ProfileOptions& options, const ProfileSource& source,
                                    const ProfileSource& against) {
  STEELYARD_TRY(const CountedProfile candidate, one_profile(source));
  STEELYARD_TRY(const CountedProfile baseline, one_profile(against));
  STEELYARD_TRY(const std::size_t event, event_of(options.event, candidate.events));
  ProfileDeltaOptions delta_options;
  LearnedNoise noise;
  if (!options.repeats.empty()) {
    STEELYARD_TRY(noise, noise_of(options));
    delta_options.baseline_noise = &noise;
  }
  STEELYARD_TRY(const ProfileDelta delta, profile_delta(baseline, candidate, delta_options));
  std::function<bool(const FunctionDelta&)> is_wanted;
  if (!options.filter.empty()) {
    STEELYARD_TRY(NameFilter compiled, NameFilter::of(options.filter, "--filter"));
    const auto filter = std::make_shared<const NameFilter>(std::move(compiled));
    const auto matches = [filter](const std::optional<FunctionSide>& side) {
      return side && filter->matches(side->key.file + ":" + side->key.function + " [" + side->key.object + "]");
    };
    // The old name counts as well: who looks for it wants to see what became of it.
    is_wanted = [matches](const FunctionDelta& function) {
      return matches(function.baseline) || matches(function.candidate);
    };
  }
  if (!options.common.json) {
    return terminal_profile_difference(delta, {.event = event, .rows = options.rows, .by_inclusive = options.inclusive},
                                       is_wanted);
  }
  ProfileSource kept = source;
  STEELYARD_CHECK(keep_functions(options, kept));
  const JsonDifference difference{against.name, delta, is_wanted};
  return kept.profiles.empty() ? json_profile(kept.parts, difference) : json_profile(kept.profiles, difference);
}

Result<void> check_event(const ProfileOptions& options, const ProfileSource& source) {
  if (options.event.empty()) return {};
  for (const CallgrindPart& part : source.parts) {
    if (const auto event = event_of(options.event, part.events); !event) return event.error();
  }
  for (const CountedProfile& profile : source.profiles) {
    if (const auto event = event_of(options.event, profile.events); !event) return event.error();
  }
  return {};
}

}  // namespace steelyard
