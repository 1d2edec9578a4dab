#include "ci/config/target_table.hpp"

#include "regress/targets/declared_target.hpp"

namespace steelyard {
namespace {

constexpr std::size_t kMostTables = 1000;
constexpr CountRange kThreads{1, 4096};

// The word in the target and the key beside it must not say different things.
Result<void> lay_over(std::string& from_text, const std::string& from_key, const char* key, const std::string& where) {
  if (from_key.empty()) return {};
  if (!from_text.empty() && from_text != from_key) {
    return input_error(where, "a target of " + from_text + " beside " + key + " = \"" + from_key + '"',
                       "one " + std::string(key), "leave one of them out");
  }
  from_text = from_key;
  return {};
}

}  // namespace

std::vector<std::string> target_keys() {
  return {"benchmark", "target", "level", "access", "dtype", "threads", "device", "over", "ceiling"};
}

Result<void> TargetTables::take(const TomlEntry& entry, const std::string& where) {
  if (entry.index < 0) return input_error(where, "[target]", "[[target]]: there may be several");
  const auto index = static_cast<std::size_t>(entry.index);
  if (index >= kMostTables) return input_error(where, "more than 1000 targets", "at most 1000");
  if (tables_.size() <= index) tables_.resize(index + 1);
  Table& table = tables_[index];
  if (entry.name.empty()) {
    table.where = where;
    return {};
  }
  const std::string key_where = where + ": [[target]] " + entry.name;
  if (!entry.value) return input_error(key_where, "something else", "text in quotes");
  if (entry.name == "threads") {
    STEELYARD_TRY(const std::int64_t threads, read_count(*entry.value, key_where, kThreads));
    table.declared.target.threads = static_cast<int>(threads);
    return {};
  }
  STEELYARD_TRY(std::string text, read_text(*entry.value, key_where));
  if (text.empty()) return input_error(key_where, "\"\"", "text");
  Target& target = table.declared.target;
  if (entry.name == "benchmark") table.declared.benchmark = text;
  if (entry.name == "level") target.level = text;
  if (entry.name == "access") target.access = text;
  if (entry.name == "dtype") target.dtype = text;
  if (entry.name == "ceiling") target.source = text;
  if (entry.name == "device") target.device = text;
  if (entry.name == "over") target.over = text;
  if (entry.name == "target") {
    table.text = text;
    table.target_where = where;
  }
  return {};
}

Result<std::vector<DeclaredTarget>> TargetTables::finish() const {
  std::vector<DeclaredTarget> targets;
  for (const Table& table : tables_) {
    const std::string where = table.where + ": [[target]]";
    if (table.declared.benchmark.empty()) {
      return input_error(where, "no benchmark", "benchmark = \"NAME\"", "* stands for any characters");
    }
    if (table.text.empty()) return input_error(where, "no target", "target = \"0.6 of bandwidth\"");
    Target chosen = table.declared.target;
    STEELYARD_CHECK(check_ceiling_choice(chosen, where));
    STEELYARD_TRY(Target target, parse_target(table.text, table.target_where));
    STEELYARD_CHECK(lay_over(target.level, chosen.level, "level", where));
    STEELYARD_CHECK(lay_over(target.dtype, chosen.dtype, "dtype", where));
    STEELYARD_CHECK(lay_over(target.source, chosen.source, "ceiling", where));
    target.access = chosen.access;
    target.threads = chosen.threads;
    target.device = chosen.device;
    target.over = chosen.over;
    targets.push_back({table.declared.benchmark, std::move(target)});
  }
  return targets;
}

std::string to_toml(const DeclaredTarget& declared) {
  const Target& target = declared.target;
  std::string text = "[[target]]\nbenchmark = " + quoted_for_toml(declared.benchmark) +
                     "\ntarget = " + quoted_for_toml(target.text) + '\n';
  if (!target.level.empty()) text += "level = " + quoted_for_toml(target.level) + '\n';
  if (!target.access.empty()) text += "access = " + quoted_for_toml(target.access) + '\n';
  if (!target.dtype.empty()) text += "dtype = " + quoted_for_toml(target.dtype) + '\n';
  if (!target.source.empty()) text += "ceiling = " + quoted_for_toml(target.source) + '\n';
  if (!target.device.empty()) text += "device = " + quoted_for_toml(target.device) + '\n';
  if (!target.over.empty()) text += "over = " + quoted_for_toml(target.over) + '\n';
  if (target.threads) text += "threads = " + std::to_string(*target.threads) + '\n';
  return text;
}

}  // namespace steelyard
