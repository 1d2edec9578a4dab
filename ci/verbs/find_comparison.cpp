#include "ci/verbs/find_comparison.hpp"

#include <set>
#include <system_error>
#include <utility>

#include "storage/comparison/comparison_document.hpp"
#include "storage/spool/spool.hpp"
#include "storage/store.hpp"

namespace steelyard {
namespace {

constexpr std::size_t kShortestPrefix = 6;
constexpr std::size_t kIdInName = 16;    // characters, as the spool names its files
constexpr std::size_t kMostFiles = 100;  // of that name that are opened

}  // namespace

std::optional<Comparison> find_comparison_by_id(const std::string& id, const std::filesystem::path& state) {
  if (id.size() < kShortestPrefix) return std::nullopt;
  std::optional<Comparison> found;
  std::set<std::string> ids;
  std::size_t opened = 0;
  for (const std::filesystem::path& folder : {state / "spool", Spool(state).delivered_comparisons()}) {
    std::error_code code;
    for (std::filesystem::directory_iterator entry(folder, code), end; !code && entry != end; entry.increment(code)) {
      const std::string name = entry->path().filename().string();
      const bool is_named =
          entry->path().extension() == ".json" && name.find('-' + id.substr(0, kIdInName)) != name.npos;
      if (!is_named || opened == kMostFiles) continue;
      ++opened;
      Result<Comparison> comparison = read_comparison(entry->path());
      if (!comparison) continue;
      const std::string whole = comparison_id(*comparison);
      if (!whole.starts_with(id)) continue;
      ids.insert(whole);
      found = std::move(comparison).value();
    }
  }
  return ids.size() == 1 ? std::move(found) : std::nullopt;
}

}  // namespace steelyard
