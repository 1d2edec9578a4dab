#include "storage/postgres/upkeep/derivations.hpp"

#include <bit>
#include <optional>
#include <string>

#include "storage/packing/packed_samples.hpp"
#include "storage/postgres/alerts/alert_rows.hpp"
#include "storage/postgres/history/change_point_rows.hpp"
#include "storage/postgres/history/commit_graph.hpp"
#include "storage/postgres/runs/run_writer.hpp"
#include "storage/postgres/session/sql_fields.hpp"

namespace steelyard::storage {
namespace {

// Counted up whenever the same comparisons come to say something else.
constexpr std::int64_t kAlertRule = 4;
// Counted up whenever median_of_medians() comes to say something else of the same samples.
constexpr std::int64_t kValueRule = 1;

// Whether alerts are derived by the rule of today. A login that sees some projects only takes them for current: what it
// derived would not be all.
Result<bool> is_current(Session& session) {
  STEELYARD_TRY(Transaction transaction, Transaction::begin(session));
  STEELYARD_TRY(const Rows limited,
                transaction.run("select row_security_active('steelyard.alert_states')", {}, kOneRow));
  if (limited.boolean(0, 0)) return true;
  STEELYARD_TRY(const Rows rows,
                transaction.run("select rule from steelyard.derivations where name = 'alerts'", {}, kAtMostOneRow));
  return rows.size() == 1 && rows.integer(0, 0) >= kAlertRule;
}

// Two absent ones are equal, and so are two of the same bits: -0 is not 0.
bool is_same(const std::optional<double>& a, const std::optional<double>& b) {
  if (!a || !b) return a.has_value() == b.has_value();
  return std::bit_cast<std::int64_t>(*a) == std::bit_cast<std::int64_t>(*b);
}

Result<void> rebuild_run(Session& session, std::int64_t run_key, Derived& derived) {
  STEELYARD_TRY(Transaction transaction, Transaction::begin(session));
  STEELYARD_TRY(const Rows rows,
                transaction.run("select packed, series_key, position, value "
                                "from steelyard.measurements where run_key = $1 and packed is not null",
                                SqlValues().integer(run_key)));
  const std::int64_t changed_before = derived.changed_values;
  for (std::int64_t row = 0; row < rows.size(); ++row) {
    const std::string where = "run number " + std::to_string(run_key);
    STEELYARD_TRY(UnpackedSamples samples, unpack_samples(bytes_of_text(rows.raw(row, 0)), where));
    if (samples.dropped) continue;
    ++derived.measurements;
    Measurement measurement;
    measurement.invocations = std::move(samples.invocations);
    const std::optional<double> value = median_of_medians(measurement);
    std::int64_t series_key = 0;
    std::int64_t position = 0;
    std::optional<double> kept;
    read_in_order(rows, row, 1, series_key, position, kept);
    if (is_same(value, kept)) continue;
    SqlValues values;
    values.integer(series_key).integer(run_key).integer(position).number(value);
    STEELYARD_CHECK(
        transaction.run("update steelyard.measurements set value = $4 "
                        "where series_key = $1 and run_key = $2 and position = $3",
                        values, kOneRow));
    ++derived.changed_values;
  }
  if (derived.changed_values == changed_before) return {};
  // With the values: whoever remembers others (SeriesMemory) forgets them, whether or not the rest is ever done.
  STEELYARD_CHECK(transaction.run(
      "insert into steelyard.derivations (name, rule, derived_at) values ('values', $1, clock_timestamp()) "
      "on conflict (name) do update set rule = excluded.rule, derived_at = excluded.derived_at",
      SqlValues().integer(kValueRule), kOneRow));
  return transaction.commit();
}

// A run at a time, each in a transaction of its own; values whose samples were dropped stay.
Result<void> rebuild_values(Session& session, Derived& derived) {
  std::int64_t run_key = 0;
  for (;;) {
    std::optional<std::int64_t> next;
    {
      STEELYARD_TRY(Transaction transaction, Transaction::begin(session));
      STEELYARD_TRY(const Rows rows, transaction.run("select min(run_key) from steelyard.runs where run_key > $1",
                                                     SqlValues().integer(run_key), kOneRow));
      if (rows.is_null(0, 0)) return {};
      next = rows.integer(0, 0);
    }
    run_key = *next;
    STEELYARD_CHECK(rebuild_run(session, run_key, derived));
  }
}

}  // namespace

Result<void> ensure_derived(Session& session) {
  STEELYARD_TRY(const bool current, is_current(session));
  if (current) return {};
  const Result<Derived> done = rebuild_derived_alerts(session);
  if (!done && session.link() != Session::Link::up) return done.error();
  return {};
}

Result<Derived> rebuild_derived(Session& session) {
  Derived derived;
  STEELYARD_CHECK(rebuild_values(session, derived));
  STEELYARD_TRY(derived.changed_points, rebuild_change_points(session));
  STEELYARD_TRY(derived.branches, rebuild_commit_order(session));
  // Last: alerts are told from change points.
  STEELYARD_TRY(const Derived alerts, rebuild_derived_alerts(session));
  derived.alerts = alerts.alerts;
  return derived;
}

Result<Derived> rebuild_derived_alerts(Session& session) {
  STEELYARD_TRY(Transaction transaction, Transaction::begin(session));
  Derived derived;
  STEELYARD_TRY(derived.alerts, rebuild_alerts(transaction));
  STEELYARD_CHECK(
      transaction.run("insert into steelyard.derivations (name, rule) values ('alerts', $1) "
                      "on conflict (name) do update set rule = excluded.rule, derived_at = excluded.derived_at",
                      SqlValues().integer(kAlertRule), kOneRow));
  STEELYARD_CHECK(transaction.commit());
  return derived;
}

}  // namespace steelyard::storage
