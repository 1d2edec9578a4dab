#include "bench/counting/lines/source_costs.hpp"

#include <algorithm>
#include <set>
#include <utility>

#include "bench/counting/algebra/file_name.hpp"
#include "bench/counting/costs.hpp"

namespace steelyard {
namespace {

using Costs = std::vector<std::int64_t>;

// Code that was not inlined is the function's own; it is called what Callgrind calls it, clone or not.
std::string origin_of(const ProfiledFunction& function, std::uint64_t address, OriginResolver* resolver) {
  const CodeOrigin* origin = resolver == nullptr ? nullptr : resolver->find(function.object, address);
  if (origin == nullptr) return "";
  return origin->is_inlined ? origin->function : function.name;
}

// What Callgrind says, unless the debug information has the line in a file of another name: of two ways to write one
// path, a profile has one.
std::string file_of(const std::string& told, const std::string& object, std::uint64_t address, std::int32_t line,
                    OriginResolver* resolver) {
  if (resolver == nullptr || line <= 0) return told;
  std::string found = resolver->file_of(object, address, line);
  return found.empty() || file_name(found) == file_name(told) ? told : found;
}

}  // namespace

void SourceCostSum::add_part(const CallgrindPart& part, const std::vector<std::uint32_t>& index_of,
                             std::int64_t factor) {
  std::vector<std::uint32_t> files;
  for (const std::string& name : part.position_files) files.push_back(file_index(name));
  for (const PositionCost& cost : part.position_costs) {
    add_times(costs_[{index_of[cost.function], files[cost.file], cost.address, cost.line}], cost.self, factor);
  }
}

std::uint32_t SourceCostSum::file_index(const std::string& name) {
  const auto [entry, is_new] = index_of_file_.try_emplace(name, static_cast<std::uint32_t>(files_.size()));
  if (is_new) files_.push_back(name);
  return entry->second;
}

std::vector<SourceCost> SourceCostSum::sources(const std::vector<ProfiledFunction>& functions,
                                               OriginResolver* resolver) const {
  std::map<std::tuple<std::uint32_t, std::string, std::int32_t, std::string>, Costs> by_line;
  for (const auto& [place, costs] : costs_) {
    if (is_zero(costs)) continue;
    const auto& [function, file, address, line] = place;
    const ProfiledFunction& ran_in = functions[function];
    std::string line_file = file_of(files_[file], ran_in.object, address, line, resolver);
    add_times(by_line[{function, std::move(line_file), line, origin_of(ran_in, address, resolver)}], costs, 1);
  }
  std::vector<SourceCost> sources;
  for (auto& [key, costs] : by_line) {
    if (is_zero(costs)) continue;
    const auto& [function, file, line, origin] = key;
    sources.push_back({function, file, origin, line, std::move(costs)});
  }
  return sources;
}

void SourceCostSum::set_declarations(std::vector<ProfiledFunction>& functions, OriginResolver& resolver) const {
  const auto key_of = [](const ProfiledFunction& function, const std::string& file) {
    return std::tuple(function.object, file, function.name);
  };
  std::set<std::tuple<std::string, std::string, std::string>> taken;
  for (const ProfiledFunction& function : functions) taken.insert(key_of(function, function.file));
  std::uint32_t last = UINT32_MAX;
  for (const auto& [place, costs] : costs_) {
    const std::uint32_t index = std::get<0>(place);
    if (index == last) continue;
    ProfiledFunction& function = functions[index];
    const CodeOrigin* origin = resolver.find(function.object, std::get<2>(place));
    if (origin == nullptr || origin->owner_file.empty()) continue;
    last = index;
    const bool is_free =
        origin->owner_file == function.file || taken.insert(key_of(function, origin->owner_file)).second;
    if (!is_free) continue;
    function.file = origin->owner_file;
    if (origin->owner_line > 0) function.line = origin->owner_line;
  }
}

bool sources_add_up(const CountedProfile& profile) {
  if (profile.sources.empty()) return true;
  std::vector<Costs> sums(profile.functions.size(), Costs(profile.events.size(), 0));
  for (const SourceCost& source : profile.sources) add_times(sums[source.function], source.self, 1);
  for (std::size_t i = 0; i < sums.size(); ++i) {
    if (sums[i] != profile.functions[i].self) return false;
  }
  return true;
}

}  // namespace steelyard
