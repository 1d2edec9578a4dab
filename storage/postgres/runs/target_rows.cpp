#include "storage/postgres/runs/target_rows.hpp"

#include <optional>

#include "storage/postgres/session/dictionaries.hpp"

namespace steelyard::storage {
namespace {

SqlValues row_values(std::int64_t run_key, std::size_t position, std::int64_t target_key, const TargetRow& row) {
  SqlValues values;
  values.integer(run_key).integer(static_cast<std::int64_t>(position)).integer(target_key).text(row.benchmark);
  values.text(row.metric)
      .number(row.achieved)
      .number(low_of(row.achieved_interval))
      .number(high_of(row.achieved_interval));
  values.number(row.ceiling ? std::optional(row.ceiling->value) : std::nullopt).number(row.utilization);
  values.number(low_of(row.utilization_interval)).number(high_of(row.utilization_interval)).number(row.intensity);
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
  STEELYARD_TRY(const auto keys, keys_of_targets(transaction, rows));
  STEELYARD_CHECK(transaction.copy({"steelyard.target_verdicts",
                                    {"run_key", "position", "target_key", "benchmark", "metric", "achieved",
                                     "achieved_low", "achieved_high", "ceiling", "utilization", "utilization_low",
                                     "utilization_high", "intensity", "bound", "invocations", "verdict", "reason"}},
                                   rows.size(),
                                   [&](std::size_t i) { return row_values(run_key, i, keys[i], rows[i]); }));
  if (beside) STEELYARD_CHECK(beside(transaction));
  STEELYARD_CHECK(transaction.commit());
  return true;
}

}  // namespace steelyard::storage
