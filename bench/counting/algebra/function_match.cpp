#include "bench/counting/algebra/function_match.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <string>
#include <tuple>
#include <utility>

#include "bench/counting/algebra/name_folding.hpp"
#include "bench/counting/algebra/renamed_functions.hpp"
#include "bench/counting/reader/callgrind_reader.hpp"

namespace steelyard::bench {
std::size_t common_components(std::string_view a, std::string_view b) {
  std::size_t count = 0;
  while (!a.empty() && !b.empty() && file_name(a) == file_name(b)) {
    ++count;
    a.remove_suffix(std::min(a.size(), file_name(a).size() + 1));
    b.remove_suffix(std::min(b.size(), file_name(b).size() + 1));
  }
  return count;
}

namespace {

bool is_address(std::string_view name) { return name.starts_with("0x"); }

// The name that all copies of a function share. A level of recursion ("'2") stays, and so does a piece that was split
// off, without its number.
std::string name_of_copies(std::string_view full_name) {
  auto [name, level] = recursion_level(full_name);
  std::string pieces;
  for (CloneMark mark = last_clone_mark(name); !mark.mark.empty(); mark = last_clone_mark(name)) {
    if (mark.mark == ".part" || mark.mark == ".cold") pieces.insert(0, mark.mark);
    name = mark.rest;
  }
  return std::string(name) + pieces + std::string(level);
}

using NameKey = std::pair<std::string_view, std::string>;  // object's file name, name
using IndicesBySide = std::array<std::vector<std::uint32_t>, 2>;

// Objects of the candidate under the names they have in the baseline. A program or library that only one side has is
// the other's under a new name if they share half of their functions' names, two at least.
std::map<std::string_view, std::string_view> same_objects(const CountedProfile& baseline,
                                                          const CountedProfile& candidate) {
  using NamesByObject = std::map<std::string_view, std::set<std::string_view>>;
  const auto names_of = [](const CountedProfile& profile) {
    NamesByObject names;
    for (const ProfiledFunction& function : profile.functions) {
      std::set<std::string_view>& of_object = names[file_name(function.object)];
      if (!is_address(function.name)) of_object.insert(function.name);
    }
    return names;
  };
  const NamesByObject before = names_of(baseline);
  const NamesByObject after = names_of(candidate);
  std::map<std::string_view, std::string_view> same;
  std::set<std::string_view> taken;
  for (const auto& [object, names] : after) {
    if (before.contains(object)) continue;
    for (const auto& [old_object, old_names] : before) {
      if (after.contains(old_object) || taken.contains(old_object)) continue;
      const auto is_known = [&known = old_names](std::string_view name) { return known.contains(name); };
      const auto common = static_cast<std::size_t>(std::count_if(names.begin(), names.end(), is_known));
      if (common < 2 || 2 * common < std::max(names.size(), old_names.size())) continue;
      same[object] = old_object;
      taken.insert(old_object);
      break;
    }
  }
  return same;
}

class Matching {
 public:
  Matching(const CountedProfile& baseline, const CountedProfile& candidate)
      : sides_{&baseline, &candidate}, same_objects_(same_objects(baseline, candidate)) {
    pairs_.candidate_of.assign(baseline.functions.size(), kNoPartner);
    pairs_.baseline_of.assign(candidate.functions.size(), kNoPartner);
    how_.assign(candidate.functions.size(), MatchedBy::one_side);
    score_.assign(candidate.functions.size(), 0);
  }

  void match_names() {
    const auto groups = group([](const ProfiledFunction& function) { return function.name; });
    for (const auto& [key, group] : groups) {
      if (!is_address(key.second)) pair_by_file(group, MatchedBy::same_name);
    }
    match_addresses(groups);
  }

  void match_clones() {
    for (const auto& [key, group] : group([](const auto& function) { return name_of_copies(function.name); })) {
      if (!is_address(key.second)) pair_by_file(group, MatchedBy::clone);
    }
  }

  void match_renamed(const MatchOptions& options) {
    for (const RenamedFunction& pair : find_renamed(*sides_[0], *sides_[1], options, pairs_)) {
      const ProfiledFunction& before = sides_[0]->functions[pair.baseline];
      const ProfiledFunction& after = sides_[1]->functions[pair.candidate];
      how_[pair.candidate] = how(before, after);
      score_[pair.candidate] = pair.score;
    }
  }

  std::vector<FunctionMatch> list() const {
    std::vector<FunctionMatch> matches;
    for (std::uint32_t i = 0; i < how_.size(); ++i) {
      FunctionMatch match{std::nullopt, i, how_[i], score_[i]};
      if (pairs_.baseline_of[i] != kNoPartner) match.baseline = pairs_.baseline_of[i];
      matches.push_back(match);
    }
    for (std::uint32_t i = 0; i < pairs_.candidate_of.size(); ++i) {
      if (pairs_.candidate_of[i] == kNoPartner) matches.push_back({i, std::nullopt});
    }
    note_copies(matches);
    return matches;
  }

 private:
  std::vector<std::uint32_t>& partners(std::size_t side) {
    return side == 0 ? pairs_.candidate_of : pairs_.baseline_of;
  }

  // How two were matched that were found by their place.
  MatchedBy how(const ProfiledFunction& before, const ProfiledFunction& after) const {
    const bool same_name = before.name == after.name;
    if (same_name && object_of(before, 0) == object_of(after, 1)) return MatchedBy::same_name;
    return same_name || (is_address(before.name) && is_address(after.name)) ? MatchedBy::moved : MatchedBy::renamed;
  }

  // File name of the object, as the baseline calls it.
  std::string_view object_of(const ProfiledFunction& function, std::size_t side) const {
    const std::string_view own = file_name(function.object);
    const auto other = side == 0 ? same_objects_.end() : same_objects_.find(own);
    return other == same_objects_.end() ? own : other->second;
  }

  // The functions without partner of both sides by `name_for` and object.
  template <class NameFor>
  std::map<NameKey, IndicesBySide> group(const NameFor& name_for) {
    std::map<NameKey, IndicesBySide> groups;
    for (std::size_t side = 0; side < 2; ++side) {
      for (std::uint32_t i = 0; i < sides_[side]->functions.size(); ++i) {
        const ProfiledFunction& function = sides_[side]->functions[i];
        if (partners(side)[i] != kNoPartner) continue;
        groups[{object_of(function, side), name_for(function)}][side].push_back(i);
      }
    }
    return groups;
  }

  void pair(std::uint32_t baseline, std::uint32_t candidate, MatchedBy how) {
    pairs_.candidate_of[baseline] = candidate;
    pairs_.baseline_of[candidate] = baseline;
    how_[candidate] = how;
    score_[candidate] = 1;
  }

  // Pairs of one group: files with most in common first, then what is left in the order of the profiles where it is one
  // of a side. Several of one name without a file in common are left to the search for renamed functions.
  void pair_by_file(const IndicesBySide& group, MatchedBy how) {
    const auto& [baseline, candidate] = group;
    if (baseline.size() == 1 && candidate.size() == 1) return pair(baseline[0], candidate[0], how);
    // A name that a profile has hundreds of times has no file to tell them apart.
    constexpr std::size_t kMax = 200;
    if (baseline.empty() || candidate.empty() || baseline.size() > kMax || candidate.size() > kMax) return;
    std::vector<std::tuple<std::size_t, std::uint32_t, std::uint32_t>> likeness;
    for (const std::uint32_t a : baseline) {
      for (const std::uint32_t b : candidate) {
        const std::size_t common = common_components(sides_[0]->functions[a].file, sides_[1]->functions[b].file);
        if (common > 0) likeness.emplace_back(common, a, b);
      }
    }
    std::stable_sort(likeness.begin(), likeness.end(),
                     [](const auto& a, const auto& b) { return std::get<0>(a) > std::get<0>(b); });
    const auto is_free = [&](std::uint32_t a, std::uint32_t b) {
      return pairs_.candidate_of[a] == kNoPartner && pairs_.baseline_of[b] == kNoPartner;
    };
    for (const auto& [common, a, b] : likeness) {
      if (is_free(a, b)) pair(a, b, how);
    }
    const auto last = [](const std::vector<std::uint32_t>& indices, const std::vector<std::uint32_t>& partner_of) {
      std::vector<std::uint32_t> left;
      for (const std::uint32_t i : indices) {
        if (partner_of[i] == kNoPartner) left.push_back(i);
      }
      return left.size() == 1 ? left[0] : kNoPartner;
    };
    const std::uint32_t a = last(baseline, pairs_.candidate_of);
    const std::uint32_t b = last(candidate, pairs_.baseline_of);
    if (a != kNoPartner && b != kNoPartner) pair(a, b, how);
  }

  // An address names the same code in both only if the object was not linked anew. It was not if most of the addresses
  // that both sides know cost the same.
  void match_addresses(const std::map<NameKey, IndicesBySide>& groups) {
    std::map<std::string_view, std::pair<std::size_t, std::size_t>> equal_of_all;
    const auto is_pair = [](const auto& entry) {
      return is_address(entry.first.second) && entry.second[0].size() == 1 && entry.second[1].size() == 1;
    };
    for (const auto& entry : groups) {
      auto& [equal, all] = equal_of_all[entry.first.first];
      if (!is_address(entry.first.second)) continue;
      ++all;
      if (!is_pair(entry)) continue;
      const ProfiledFunction& a = sides_[0]->functions[entry.second[0][0]];
      const ProfiledFunction& b = sides_[1]->functions[entry.second[1][0]];
      equal += a.self == b.self && a.calls == b.calls ? 1 : 0;
    }
    for (const auto& entry : groups) {
      const auto [equal, all] = equal_of_all[entry.first.first];
      if (is_pair(entry) && 2 * equal > all) pair(entry.second[0][0], entry.second[1][0], MatchedBy::same_name);
    }
  }

  // A function of one side beside a matched one whose name differs by the compiler's marks alone.
  void note_copies(std::vector<FunctionMatch>& matches) const {
    std::map<std::pair<std::string_view, std::string>, std::vector<std::uint32_t>> matched;
    const auto function_of = [&](const FunctionMatch& match, std::size_t side) -> const ProfiledFunction& {
      return sides_[side]->functions[side == 0 ? *match.baseline : *match.candidate];
    };
    const auto key_of = [&](const FunctionMatch& match, std::size_t side) {
      const ProfiledFunction& function = function_of(match, side);
      return NameKey{object_of(function, side), name_of_copies(function.name)};
    };
    for (std::uint32_t i = 0; i < matches.size(); ++i) {
      if (matches[i].baseline && matches[i].candidate) matched[key_of(matches[i], 1)].push_back(i);
    }
    for (FunctionMatch& match : matches) {
      if (match.baseline && match.candidate) continue;
      const std::size_t side = match.baseline ? 0 : 1;
      const auto found = matched.find(key_of(match, side));
      if (found == matched.end()) continue;
      for (const std::uint32_t other : found->second) {
        const bool is_alone = found->second.size() == 1;
        if (is_alone || function_of(matches[other], side).file == function_of(match, side).file) match.copy_of = other;
      }
    }
  }

  std::array<const CountedProfile*, 2> sides_;
  std::map<std::string_view, std::string_view> same_objects_;
  FunctionPairs pairs_;
  std::vector<MatchedBy> how_;  // of the candidate's functions
  std::vector<double> score_;   // of the candidate's functions
};

}  // namespace

std::string_view name_of(MatchedBy how) {
  switch (how) {
    case MatchedBy::one_side:
      return "one side";
    case MatchedBy::same_name:
      return "same name";
    case MatchedBy::clone:
      return "clone";
    case MatchedBy::moved:
      return "moved";
    case MatchedBy::renamed:
      return "renamed";
  }
  return "";
}

std::vector<FunctionMatch> match_functions(const CountedProfile& baseline, const CountedProfile& candidate,
                                           const MatchOptions& options) {
  Matching matching(baseline, candidate);
  matching.match_names();
  matching.match_clones();
  if (options.renamed) matching.match_renamed(options);
  return matching.list();
}

}  // namespace steelyard::bench
