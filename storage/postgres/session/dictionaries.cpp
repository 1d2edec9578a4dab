#include "storage/postgres/session/dictionaries.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstddef>
#include <limits>
#include <map>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "bench/model/text.hpp"
#include "storage/document/content_identity.hpp"
#include "storage/postgres/session/sql_values.hpp"

namespace steelyard::storage {
namespace {

// Some 25 MB at names of a hundred characters.
constexpr std::size_t kMaxEntries = 100'000;

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
  append(name_, static_cast<std::int64_t>(basis.origin));
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
  if (scopes_.size() + series_.size() + count_bases_.size() > kMaxEntries) clear();
}
void KeyCache::clear() {
  scopes_.clear();
  series_.clear();
  count_bases_.clear();
}

namespace {

// One of the tables: rows that are the same exactly if their first column is.
struct Dictionary {
  const char* table;
  const char* key;
  std::vector<std::string> columns;  // the unique one first
};

// By the text of the unique column; ordered, so that two writers add in the same order and cannot deadlock.
using RowsByIdentity = std::map<std::string, SqlValues>;
using KeysByIdentity = std::unordered_map<std::string, std::int64_t>;

// A statement takes at most 65535 values.
constexpr std::size_t kRowsPerStatement = 1000;

std::string insert_statement(const Dictionary& dictionary, std::size_t rows) {
  const std::string names = joined_text(dictionary.columns, ", ");
  std::string statement = std::string("insert into ") + dictionary.table + " (" + names + ") values ";
  std::size_t number = 0;
  for (std::size_t row = 0; row < rows; ++row) {
    statement += row == 0 ? "(" : ", (";
    for (std::size_t column = 0; column < dictionary.columns.size(); ++column) {
      statement += (column == 0 ? "$" : ", $") + std::to_string(++number);
    }
    statement += ')';
  }
  return statement + " on conflict (" + dictionary.columns.front() + ") do nothing";
}

Result<void> find_keys(Transaction& transaction, const Dictionary& dictionary, const std::vector<std::string>& wanted,
                       KeysByIdentity& keys) {
  STEELYARD_TRY(const Rows rows,
                transaction.run("select " + dictionary.columns.front() + ", " + dictionary.key + " from " +
                                    dictionary.table + " where " + dictionary.columns.front() + " = any($1::text[])",
                                SqlValues().texts(wanted), {0, static_cast<std::int64_t>(wanted.size())}));
  for (std::int64_t row = 0; row < rows.size(); ++row) keys[rows.text(row, 0)] = rows.integer(row, 1);
  return {};
}

std::vector<std::string> identities_without_key(const RowsByIdentity& rows, const KeysByIdentity& keys) {
  std::vector<std::string> missing;
  for (const auto& [identity, values] : rows) {
    if (!keys.contains(identity)) missing.push_back(identity);
  }
  return missing;
}

// Of every row, adding those that are missing.
Result<KeysByIdentity> keys_of(Transaction& transaction, const Dictionary& dictionary, const RowsByIdentity& rows) {
  KeysByIdentity keys;
  if (rows.empty()) return keys;
  STEELYARD_CHECK(find_keys(transaction, dictionary, identities_without_key(rows, keys), keys));
  const std::vector<std::string> missing = identities_without_key(rows, keys);
  for (std::size_t begin = 0; begin < missing.size(); begin += kRowsPerStatement) {
    const std::size_t end = std::min(missing.size(), begin + kRowsPerStatement);
    SqlValues values;
    for (std::size_t i = begin; i < end; ++i) values.append(rows.at(missing[i]));
    // Fewer rows than sent: another writer was first with them.
    STEELYARD_CHECK(transaction.run(insert_statement(dictionary, end - begin), values,
                                    {0, static_cast<std::int64_t>(end - begin)}));
  }
  if (missing.empty()) return keys;
  STEELYARD_CHECK(find_keys(transaction, dictionary, missing, keys));
  if (!identities_without_key(rows, keys).empty()) {
    return store_error(dictionary.table, "rows that vanished after they were written", "an append-only table",
                       "remove what deletes rows from it");
  }
  return keys;
}

const Dictionary& commits() {
  static const Dictionary kTable{
      "steelyard.commits", "commit_key", {"identity", "sha", "parent", "subject", "committed_at_unix_s"}};
  return kTable;
}
const Dictionary& benchmarks() {
  static const Dictionary kTable{
      "steelyard.benchmarks",
      "benchmark_key",
      {"identity", "canonical", "suite", "name", "parameter_names", "parameter_values", "threads", "device", "dtype"}};
  return kTable;
}
const Dictionary& metrics() {
  static const Dictionary kTable{"steelyard.metrics", "metric_key", {"identity", "name", "unit", "better", "kind"}};
  return kTable;
}
const Dictionary& projects() {
  static const Dictionary kTable{"steelyard.projects", "project_key", {"name"}};
  return kTable;
}
const Dictionary& count_bases() {
  static const Dictionary kTable{
      "steelyard.count_bases", "count_basis_key", {"identity", "scope", "jitter", "jitter_from", "proof", "origin"}};
  return kTable;
}
const Dictionary& series() {
  static const Dictionary kTable{
      "steelyard.series",
      "series_key",
      {"identity", "project_key", "benchmark_key", "metric_key", "fingerprint", "count_key"}};
  return kTable;
}
const Dictionary& functions() {
  static const Dictionary kTable{"steelyard.functions", "function_key", {"identity", "object", "file", "name"}};
  return kTable;
}
const Dictionary& origins() {
  static const Dictionary kTable{"steelyard.origins", "origin_key", {"identity", "file", "name"}};
  return kTable;
}

const Dictionary& targets() {
  static const Dictionary kTable{
      "steelyard.targets",
      "target_key",
      {"identity", "target", "of_what", "least", "metric", "level", "access", "dtype", "threads", "declared_by"}};
  return kTable;
}

std::string identity_of(const Metric& metric) {
  return ContentIdentity()
      .text(metric.name)
      .text(metric.unit)
      .text(to_text(metric.better))
      .text(to_text(metric.kind))
      .hex();
}
void add(RowsByIdentity& rows, const std::string& identity, const Metric& metric) {
  if (rows.contains(identity)) return;
  rows[identity]
      .text(identity)
      .text(metric.name)
      .text(metric.unit)
      .text(to_text(metric.better))
      .text(to_text(metric.kind));
}

std::string identity_of(const BenchmarkId& benchmark) {
  ContentIdentity identity;
  identity.text(benchmark.suite).text(benchmark.name).text(benchmark.device).text(benchmark.dtype);
  identity.text(benchmark.threads ? std::to_string(*benchmark.threads) : "");
  for (const Parameter& parameter : benchmark.parameters) identity.text(parameter.name).text(parameter.value);
  return identity.hex();
}
void add(RowsByIdentity& rows, const std::string& identity, const BenchmarkId& benchmark) {
  if (rows.contains(identity)) return;
  std::vector<std::string> names;
  std::vector<std::string> values;
  for (const Parameter& parameter : benchmark.parameters) {
    names.push_back(parameter.name);
    values.push_back(parameter.value);
  }
  SqlValues& row = rows[identity];
  row.text(identity).text(benchmark.canonical()).text(benchmark.suite).text(benchmark.name).texts(names).texts(values);
  if (benchmark.threads) {
    row.integer(*benchmark.threads);
  } else {
    row.null();
  }
  row.text(benchmark.device).text(benchmark.dtype);
}

std::string identity_of(const CountBasis& basis) {
  // Identity of what is kept: of the texts in that form, and a database knows one NaN.
  const bool is_nan = basis.jitter && std::isnan(*basis.jitter);
  return ContentIdentity()
      .text(to_text(basis.scope))
      .number(is_nan ? std::optional(std::numeric_limits<double>::quiet_NaN()) : basis.jitter)
      .text(encode_database_text(basis.jitter_from))
      .text(encode_database_text(basis.proof))
      .text(word_of(basis.origin))
      .hex();
}
void add(RowsByIdentity& rows, const std::string& identity, const CountBasis& basis) {
  if (rows.contains(identity)) return;
  rows[identity].text(identity).text(to_text(basis.scope)).number(basis.jitter).text(basis.jitter_from);
  rows[identity].text(basis.proof).text(word_of(basis.origin));
}

std::string identity_of(const ProfiledFunction& function) {
  return ContentIdentity().text(function.object).text(function.file).text(function.name).hex();
}
void add(RowsByIdentity& rows, const std::string& identity, const ProfiledFunction& function) {
  if (rows.contains(identity)) return;
  rows[identity].text(identity).text(function.object).text(function.file).text(function.name);
}

std::string identity_of(const SourceCost& source) {
  return ContentIdentity().text(source.file).text(source.origin).hex();
}
void add(RowsByIdentity& rows, const std::string& identity, const SourceCost& source) {
  if (rows.contains(identity)) return;
  rows[identity].text(identity).text(source.file).text(source.origin);
}

std::string identity_of(const Target& target) {
  ContentIdentity identity;
  identity.text(target.text).text(word_of(target.of)).number(target.least).text(target.metric).text(target.level);
  return identity.text(target.access).text(target.dtype).integer(target.threads.value_or(-1)).text(target.where).hex();
}
void add(RowsByIdentity& rows, const std::string& identity, const Target& target) {
  if (rows.contains(identity)) return;
  SqlValues& row = rows[identity];
  row.text(identity).text(target.text).text(word_of(target.of)).number(target.least).text(target.metric);
  row.text(target.level).text(target.access).text(target.dtype);
  row.integer(target.threads ? std::optional<std::int64_t>(*target.threads) : std::nullopt).text(target.where);
}

// Identities in the order of the items; the rows they need are gathered once each.
class Gathering {
 public:
  template <class Item>
  void take(const Item& item) {
    identities_.push_back(identity_of(item));
    add(rows_, identities_.back(), item);
  }
  // The keys of all items, in their order.
  Result<std::vector<std::int64_t>> keys(Transaction& transaction, const Dictionary& dictionary) const {
    STEELYARD_TRY(const KeysByIdentity by_identity, keys_of(transaction, dictionary, rows_));
    std::vector<std::int64_t> result;
    result.reserve(identities_.size());
    for (const std::string& identity : identities_) result.push_back(by_identity.at(identity));
    return result;
  }

 private:
  std::vector<std::string> identities_;
  RowsByIdentity rows_;
};

Result<std::optional<std::int64_t>> key_of_commit(Transaction& transaction, const Commit& commit) {
  if (commit.sha.empty() && commit.parent.empty() && commit.subject.empty() && commit.committed_at_unix_s == 0) {
    return std::optional<std::int64_t>();
  }
  const std::string identity = ContentIdentity()
                                   .text(commit.sha)
                                   .text(commit.parent)
                                   .text(commit.subject)
                                   .integer(commit.committed_at_unix_s)
                                   .hex();
  RowsByIdentity rows;
  rows[identity]
      .text(identity)
      .text(commit.sha)
      .text(commit.parent)
      .text(commit.subject)
      .integer(commit.committed_at_unix_s);
  STEELYARD_TRY(const KeysByIdentity keys, keys_of(transaction, commits(), rows));
  return std::optional(keys.at(identity));
}

// Not a Dictionary: its facts are put together by the database.
Result<std::int64_t> key_of_environment(Transaction& transaction, const Environment& environment) {
  std::vector<std::string> names;
  std::vector<std::string> texts;
  std::vector<bool> decisive;
  ContentIdentity content;
  for (const Fact& fact : environment.facts) {
    names.push_back(fact.name);
    texts.push_back(fact.value);
    decisive.push_back(fact.decisive);
    content.text(fact.name).text(fact.value).integer(fact.decisive ? 1 : 0);
  }
  const std::string identity = content.hex();
  const std::string find = "select environment_key from steelyard.environments where identity = $1";
  STEELYARD_TRY(const Rows known, transaction.run(find, SqlValues().text(identity), kAtMostOneRow));
  if (known.size() == 1) return known.integer(0, 0);
  STEELYARD_CHECK(transaction.run(
      "insert into steelyard.environments (identity, fingerprint, facts) "
      "select $1, $2, coalesce(jsonb_agg(jsonb_build_object('name', f.name, 'value', f.value, 'decisive', f.decisive) "
      "order by f.number), '[]') "
      "from unnest($3::text[], $4::text[], $5::boolean[]) with ordinality as f(name, value, decisive, number) "
      "on conflict (identity) do nothing",
      SqlValues().text(identity).text(environment.fingerprint()).texts(names).texts(texts).booleans(decisive),
      kAtMostOneRow));
  STEELYARD_TRY(const Rows added, transaction.run(find, SqlValues().text(identity), kOneRow));
  return added.integer(0, 0);
}

Result<std::int64_t> key_of_project(Transaction& transaction, const std::string& project) {
  RowsByIdentity rows;
  rows[project].text(project);
  STEELYARD_TRY(const KeysByIdentity keys, keys_of(transaction, projects(), rows));
  return keys.at(project);
}

// Absent where nothing is known that the column's default does not say.
Result<std::vector<std::optional<std::int64_t>>> keys_of_count_bases(Transaction& transaction, const Run& run,
                                                                     KeyCache& cache) {
  std::vector<std::optional<std::int64_t>> keys(run.measurements.size());
  Gathering rows;
  std::vector<std::size_t> unknown;
  for (std::size_t i = 0; i < run.measurements.size(); ++i) {
    const CountBasis& basis = run.measurements[i].count_basis;
    if (basis == CountBasis{}) continue;
    keys[i] = cache.find_count_basis(basis);
    if (keys[i]) continue;
    unknown.push_back(i);
    rows.take(basis);
  }
  STEELYARD_TRY(const auto found, rows.keys(transaction, count_bases()));
  for (std::size_t i = 0; i < unknown.size(); ++i) keys[unknown[i]] = found[i];
  return keys;
}

// Series of measurements that the cache does not know.
struct UnknownSeries {
  std::vector<std::size_t> positions;
  std::vector<std::int64_t> benchmarks;  // keys; these run parallel
  std::vector<std::int64_t> metrics;
};

Result<void> add_series(Transaction& transaction, const Run& run, const UnknownSeries& unknown, RunKeys& keys) {
  const std::string fingerprint = run.environment.fingerprint();
  const std::string project = encode_database_text(run.header.project);
  std::vector<std::string> identities;
  RowsByIdentity rows;
  for (std::size_t i = 0; i < unknown.positions.size(); ++i) {
    const Measurement& measurement = run.measurements[unknown.positions[i]];
    // Identity of the texts as they are kept, since a database can compute the same of its rows.
    identities.push_back(ContentIdentity()
                             .text(project)
                             .text(identity_of(measurement.benchmark))
                             .text(identity_of(measurement.metric))
                             .text(fingerprint)
                             .text(encode_database_text(measurement.count_key))
                             .hex());
    if (rows.contains(identities.back())) continue;
    SqlValues& row = rows[identities.back()];
    row.text(identities.back()).integer(keys.project).integer(unknown.benchmarks[i]).integer(unknown.metrics[i]);
    row.text(fingerprint).text(measurement.count_key);
  }
  STEELYARD_TRY(const KeysByIdentity by_identity, keys_of(transaction, series(), rows));
  for (std::size_t i = 0; i < identities.size(); ++i) keys.series[unknown.positions[i]] = by_identity.at(identities[i]);
  return {};
}

// After the commit: what was rolled back has no key.
void remember(KeyCache& cache, KeyCache::Scope scope, const Run& run, const RunKeys& keys,
              const std::vector<std::size_t>& new_series) {
  for (const std::size_t i : new_series) cache.keep_series(scope, run.measurements[i], keys.series[i]);
  for (std::size_t i = 0; i < keys.count_bases.size(); ++i) {
    if (keys.count_bases[i]) cache.keep_count_basis(run.measurements[i].count_basis, *keys.count_bases[i]);
  }
}

std::vector<std::int64_t> take_front_keys(const std::vector<std::int64_t>& keys, std::size_t& at, std::size_t count) {
  const auto begin = keys.begin() + static_cast<std::ptrdiff_t>(at);
  at += count;
  return {begin, begin + static_cast<std::ptrdiff_t>(count)};
}

}  // namespace

Result<RunKeys> keys_of_run(Session& session, const Run& run, KeyCache& cache) {
  cache.trim();
  const KeyCache::Scope scope = cache.scope_of(run.header.project, run.environment.fingerprint());
  RunKeys keys;
  UnknownSeries unknown;
  Gathering benchmark_rows;
  Gathering metric_rows;
  Gathering function_rows;
  Gathering origin_rows;
  keys.series.resize(run.measurements.size());
  for (std::size_t i = 0; i < run.measurements.size(); ++i) {
    const Measurement& measurement = run.measurements[i];
    const std::optional<std::int64_t> known = cache.find_series(scope, measurement);
    if (known) {
      keys.series[i] = *known;
      continue;
    }
    unknown.positions.push_back(i);
    benchmark_rows.take(measurement.benchmark);
    metric_rows.take(measurement.metric);
  }
  for (const CountedProfile& profile : run.profiles) {
    benchmark_rows.take(profile.benchmark);
    for (const ProfiledFunction& function : profile.functions) function_rows.take(function);
    for (const SourceCost& source : profile.sources) origin_rows.take(source);
  }
  for (const Failure& failure : run.failures) benchmark_rows.take(failure.benchmark);

  STEELYARD_TRY(Transaction transaction, Transaction::begin(session));
  STEELYARD_TRY(keys.commit, key_of_commit(transaction, run.header.commit));
  STEELYARD_TRY(keys.environment, key_of_environment(transaction, run.environment));
  STEELYARD_TRY(keys.project, key_of_project(transaction, run.header.project));
  STEELYARD_TRY(const auto benchmark_keys, benchmark_rows.keys(transaction, benchmarks()));
  STEELYARD_TRY(unknown.metrics, metric_rows.keys(transaction, metrics()));
  std::size_t at = 0;
  unknown.benchmarks = take_front_keys(benchmark_keys, at, unknown.positions.size());
  keys.profile_benchmarks = take_front_keys(benchmark_keys, at, run.profiles.size());
  keys.failure_benchmarks = take_front_keys(benchmark_keys, at, run.failures.size());
  STEELYARD_TRY(keys.count_bases, keys_of_count_bases(transaction, run, cache));
  STEELYARD_CHECK(add_series(transaction, run, unknown, keys));
  STEELYARD_TRY(const auto function_keys, function_rows.keys(transaction, functions()));
  STEELYARD_TRY(const auto origin_keys, origin_rows.keys(transaction, origins()));
  STEELYARD_CHECK(transaction.commit());
  remember(cache, scope, run, keys, unknown.positions);

  at = 0;
  for (const CountedProfile& profile : run.profiles) {
    keys.profile_functions.push_back(take_front_keys(function_keys, at, profile.functions.size()));
  }
  at = 0;
  for (const CountedProfile& profile : run.profiles) {
    keys.profile_origins.push_back(take_front_keys(origin_keys, at, profile.sources.size()));
  }
  return keys;
}

Result<std::vector<std::int64_t>> keys_of_metrics(Session& session, const std::vector<Metric>& wanted) {
  Gathering rows;
  for (const Metric& metric : wanted) rows.take(metric);
  STEELYARD_TRY(Transaction transaction, Transaction::begin(session));
  STEELYARD_TRY(auto keys, rows.keys(transaction, metrics()));
  STEELYARD_CHECK(transaction.commit());
  return keys;
}

Result<std::vector<std::int64_t>> keys_of_targets(Transaction& transaction, const std::vector<TargetRow>& of_rows) {
  Gathering rows;
  for (const TargetRow& row : of_rows) rows.take(row.target);
  return rows.keys(transaction, targets());
}

Error taken_id(const std::string& table, const std::string& id, const std::string& project) {
  return input_error(table + ", id " + id, "something of another project under it",
                     "what has this id, of project \"" + project + '"',
                     "have the schema's owner remove that row, then send this again");
}

BenchmarkId benchmark_of(const Rows& rows, std::int64_t row, int first_column) {
  BenchmarkId benchmark;
  benchmark.suite = rows.text(row, first_column);
  benchmark.name = rows.text(row, first_column + 1);
  const std::vector<std::string> names = texts_of_array(rows.raw(row, first_column + 2));
  const std::vector<std::string> values = texts_of_array(rows.raw(row, first_column + 3));
  for (std::size_t i = 0; i < names.size() && i < values.size(); ++i) {
    benchmark.parameters.push_back({names[i], values[i]});
  }
  if (!rows.is_null(row, first_column + 4)) benchmark.threads = static_cast<int>(rows.integer(row, first_column + 4));
  benchmark.device = rows.text(row, first_column + 5);
  benchmark.dtype = rows.text(row, first_column + 6);
  return benchmark;
}

Metric metric_of(const Rows& rows, std::int64_t row, int first_column) {
  // The table's checks allow no other texts.
  return {rows.text(row, first_column), rows.text(row, first_column + 1),
          parse_better(rows.raw(row, first_column + 2)).value_or(Better::undeclared),
          parse_metric_kind(rows.raw(row, first_column + 3)).value_or(MetricKind::noisy)};
}

}  // namespace steelyard::storage
