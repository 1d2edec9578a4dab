#include "storage/postgres/runs/target_rows.hpp"

#include <array>
#include <map>
#include <optional>

#include "storage/document/content_identity.hpp"

namespace steelyard::storage {
namespace {

constexpr std::array<const char*, 4> kOfWhat{"bandwidth", "flops", "roofline", "rate"};  // as Target::Of

std::string of_what(const Target& target) { return kOfWhat[static_cast<std::size_t>(target.of)]; }

std::optional<std::int64_t> threads_of(const Target& target) {
  return target.threads ? std::optional<std::int64_t>(*target.threads) : std::nullopt;
}

std::string identity_of(const Target& target) {
  ContentIdentity identity;
  identity.text(target.text).text(of_what(target)).number(target.least).text(target.metric).text(target.level);
  return identity.text(target.access).text(target.dtype).integer(target.threads.value_or(-1)).text(target.where).hex();
}

Result<std::int64_t> key_of(Transaction& transaction, const Target& target) {
  const std::string identity = identity_of(target);
  SqlValues values;
  values.text(identity).text(target.text).text(of_what(target)).number(target.least).text(target.metric);
  values.text(target.level).text(target.access).text(target.dtype).integer(threads_of(target)).text(target.where);
  STEELYARD_CHECK(
      transaction.run("insert into steelyard.targets (identity, target, of_what, least, metric, level, "
                      "access, dtype, threads, declared_by) values ($1, $2, $3, $4, $5, $6, $7, $8, $9, "
                      "$10) on conflict (identity) do nothing",
                      values, kAtMostOneRow));
  STEELYARD_TRY(const Rows rows, transaction.run("select target_key from steelyard.targets where identity = $1",
                                                 SqlValues().text(identity), kOneRow));
  return rows.integer(0, 0);
}

// In the order of identities, so that two writers of the same targets cannot deadlock.
Result<std::map<std::string, std::int64_t>> keys_of(Transaction& transaction, const std::vector<TargetRow>& rows) {
  std::map<std::string, const Target*> targets;
  for (const TargetRow& row : rows) targets[identity_of(row.target)] = &row.target;
  std::map<std::string, std::int64_t> keys;
  for (const auto& [identity, target] : targets) {
    STEELYARD_TRY(keys[identity], key_of(transaction, *target));
  }
  return keys;
}

std::optional<double> low(const std::optional<Interval>& interval) {
  return interval ? std::optional(interval->low) : std::nullopt;
}
std::optional<double> high(const std::optional<Interval>& interval) {
  return interval ? std::optional(interval->high) : std::nullopt;
}

SqlValues row_values(std::int64_t run_key, std::size_t position, std::int64_t target_key, const TargetRow& row) {
  SqlValues values;
  values.integer(run_key).integer(static_cast<std::int64_t>(position)).integer(target_key).text(row.benchmark);
  values.text(row.metric).number(row.achieved).number(low(row.achieved_interval)).number(high(row.achieved_interval));
  values.number(row.ceiling ? std::optional(row.ceiling->value) : std::nullopt).number(row.utilization);
  values.number(low(row.utilization_interval)).number(high(row.utilization_interval)).number(row.intensity);
  return values.text(row.bound).integer(row.invocations).text(to_text(row.verdict)).text(row.reason);
}

}  // namespace

Result<bool> write_target_verdicts(Session& session, const std::string& run, const std::vector<TargetRow>& rows,
                                   const std::function<Result<void>(Transaction&)>& beside) {
  STEELYARD_TRY(Transaction transaction, Transaction::begin(session));
  STEELYARD_TRY(const Rows known, transaction.run("select run_key from steelyard.runs where id = $1",
                                                  SqlValues().text(run), kAtMostOneRow));
  if (known.size() == 0) return input_error("run:" + run, "no such run in the store " + session.name());
  const std::int64_t run_key = known.integer(0, 0);
  STEELYARD_TRY(const Rows kept,
                transaction.run("select exists (select 1 from steelyard.target_verdicts where run_key = $1)",
                                SqlValues().integer(run_key), kOneRow));
  if (kept.boolean(0, 0) || rows.empty()) return false;
  STEELYARD_TRY(const auto keys, keys_of(transaction, rows));
  STEELYARD_CHECK(transaction.copy({"steelyard.target_verdicts",
                                    {"run_key", "position", "target_key", "benchmark", "metric", "achieved",
                                     "achieved_low", "achieved_high", "ceiling", "utilization", "utilization_low",
                                     "utilization_high", "intensity", "bound", "invocations", "verdict", "reason"}},
                                   rows.size(), [&](std::size_t i) {
                                     return row_values(run_key, i, keys.at(identity_of(rows[i].target)), rows[i]);
                                   }));
  if (beside) STEELYARD_CHECK(beside(transaction));
  STEELYARD_CHECK(transaction.commit());
  return true;
}

}  // namespace steelyard::storage
