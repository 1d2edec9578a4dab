#include "storage/postgres/session/key_cache.hpp"

#include <bit>
#include <string_view>

namespace steelyard {
namespace {

// Some 25 MB at names of a hundred characters.
constexpr std::size_t kMostEntries = 100'000;

// Each field with its length, so that different fields never read the same.
void append(std::string& name, std::int64_t number) {
  const auto bits = static_cast<std::uint64_t>(number);
  for (unsigned shift = 0; shift < 64; shift += 8) name += static_cast<char>((bits >> shift) & 0xFFU);
}
void append(std::string& name, std::string_view text) {
  append(name, static_cast<std::int64_t>(text.size()));
  name += text;
}

std::optional<std::int64_t> find(const std::unordered_map<std::string, std::int64_t>& keys, const std::string& name) {
  const auto found = keys.find(name);
  return found == keys.end() ? std::nullopt : std::optional(found->second);
}

}  // namespace

KeyCache::Scope KeyCache::scope_of(const std::string& project, const std::string& fingerprint) {
  name_.clear();
  append(name_, std::string_view(project));
  append(name_, std::string_view(fingerprint));
  return {scopes_.try_emplace(name_, static_cast<std::int64_t>(scopes_.size())).first->second};
}

const std::string& KeyCache::name_of(Scope scope, const Measurement& measurement) {
  name_.clear();
  append(name_, scope.number);
  const BenchmarkId& benchmark = measurement.benchmark;
  append(name_, benchmark.threads ? std::int64_t{*benchmark.threads} : INT64_MIN);
  for (const std::string* text : {&benchmark.suite, &benchmark.name, &benchmark.device, &benchmark.dtype}) {
    append(name_, std::string_view(*text));
  }
  append(name_, static_cast<std::int64_t>(benchmark.parameters.size()));
  for (const Parameter& parameter : benchmark.parameters) {
    append(name_, std::string_view(parameter.name));
    append(name_, std::string_view(parameter.value));
  }
  append(name_, std::string_view(measurement.metric.name));
  append(name_, std::string_view(measurement.metric.unit));
  append(name_, static_cast<std::int64_t>(measurement.metric.better));
  append(name_, static_cast<std::int64_t>(measurement.metric.kind));
  append(name_, std::string_view(measurement.count_key));
  return name_;
}

const std::string& KeyCache::name_of(const CountBasis& basis) {
  name_.clear();
  append(name_, static_cast<std::int64_t>(basis.scope));
  append(name_, std::int64_t{basis.jitter ? 1 : 0});
  append(name_, basis.jitter ? std::bit_cast<std::int64_t>(*basis.jitter) : 0);
  append(name_, std::string_view(basis.jitter_from));
  append(name_, std::string_view(basis.proof));
  return name_;
}

std::optional<std::int64_t> KeyCache::find_series(Scope scope, const Measurement& measurement) {
  return find(series_, name_of(scope, measurement));
}
void KeyCache::keep_series(Scope scope, const Measurement& measurement, std::int64_t key) {
  series_.insert_or_assign(name_of(scope, measurement), key);
}
std::optional<std::int64_t> KeyCache::find_count_basis(const CountBasis& basis) {
  return find(count_bases_, name_of(basis));
}
void KeyCache::keep_count_basis(const CountBasis& basis, std::int64_t key) {
  count_bases_.insert_or_assign(name_of(basis), key);
}

void KeyCache::belong_to(const std::string& database) {
  if (database_ == database) return;
  clear();
  database_ = database;
}

void KeyCache::trim() {
  if (scopes_.size() + series_.size() + count_bases_.size() > kMostEntries) clear();
}
void KeyCache::clear() {
  scopes_.clear();
  series_.clear();
  count_bases_.clear();
}

}  // namespace steelyard
