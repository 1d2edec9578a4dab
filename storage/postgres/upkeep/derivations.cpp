#include "storage/postgres/upkeep/derivations.hpp"

#include "storage/postgres/alerts/alert_rows.hpp"
#include "storage/postgres/history/change_point_rows.hpp"
#include "storage/postgres/history/commit_graph.hpp"
#include "storage/postgres/upkeep/value_rebuild.hpp"

namespace steelyard {
namespace {

// Counted up whenever alert_of() comes to say something else of the same facts.
constexpr std::int64_t kAlertRule = 1;

// Nor is it the affair of a login that sees some projects only: what it derived would not be all.
Result<bool> is_current(Session& session) {
  STEELYARD_TRY(Transaction transaction, Transaction::begin(session));
  STEELYARD_TRY(const Rows limited,
                transaction.run("select row_security_active('steelyard.alert_states')", {}, kOneRow));
  if (limited.boolean(0, 0)) return true;
  STEELYARD_TRY(const Rows rows,
                transaction.run("select rule from steelyard.derivations where name = 'alerts'", {}, kAtMostOneRow));
  return rows.size() == 1 && rows.integer(0, 0) >= kAlertRule;
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
  // Alerts are told from change points.
  STEELYARD_TRY(const std::int64_t changed_points, rebuild_change_points(session));
  STEELYARD_TRY(Derived derived, rebuild_derived_alerts(session));
  derived.changed_points = changed_points;
  STEELYARD_TRY(derived.branches, rebuild_commit_order(session));
  STEELYARD_CHECK(rebuild_values(session, derived));
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

}  // namespace steelyard
