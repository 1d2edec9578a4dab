// Who may do what in a store, as hostile_sql_test.cpp tries it. Whoever adds a table, a column that refers to another,
// a dictionary or a function gives it its line here.
#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

namespace steelyard::storage_test::expected_rights {

// "sees own": rows of its project and no others. "adds own": rows that belong to its project by every key, those of a
// run with their run alone. "adds": rows of dictionaries, under the identity of their content. "changes own".
struct Rights {
  const char* reader;      // of one project
  const char* writer;      // of one project
  const char* all_reader;  // of every project
  const char* all_writer;
};
inline const std::map<std::string, Rights> kRelations{
    // Of a project.
    {"accepted_levels", {"sees own", "sees own, adds own", "sees", "sees, adds"}},
    {"alert_assignments", {"sees own", "sees own, adds own", "sees", "sees, adds"}},
    {"alert_events", {"sees own", "sees own, adds own", "sees", "sees, adds"}},
    {"alert_life", {"sees own", "sees own, adds own, changes own", "sees", "sees, adds, changes"}},
    {"alert_notices", {"sees own", "sees own, adds own", "sees", "sees, adds"}},
    {"alert_states", {"sees own", "sees own, adds own, changes own", "sees", "sees, adds, changes"}},
    {"branch_positions", {"sees own", "sees own, adds own, changes own", "sees", "sees, adds, changes"}},
    {"branches", {"sees own", "sees own, adds own, changes own", "sees", "sees, adds, changes"}},
    {"change_point_log", {"sees own", "sees own, adds own", "sees", "sees, adds"}},
    {"change_points", {"sees own", "sees own, adds own, changes own", "sees", "sees, adds, changes"}},
    {"commit_parents", {"sees own", "sees own, adds own", "sees", "sees, adds"}},
    {"comparison_creeps", {"sees own", "sees own, adds own", "sees", "sees, adds"}},
    {"comparison_drifts", {"sees own", "sees own, adds own", "sees", "sees, adds"}},
    {"comparison_functions", {"sees own", "sees own, adds own", "sees", "sees, adds"}},
    {"comparison_histories", {"sees own", "sees own, adds own", "sees", "sees, adds"}},
    {"comparison_policies", {"sees own", "sees own, adds own", "sees", "sees, adds"}},
    {"comparison_rows", {"sees own", "sees own, adds own", "sees", "sees, adds"}},
    {"comparison_sides", {"sees own", "sees own, adds own", "sees", "sees, adds"}},
    {"comparison_solo_checks", {"sees own", "sees own, adds own", "sees", "sees, adds"}},
    {"comparisons", {"sees own", "sees own, adds own", "sees", "sees, adds"}},
    {"failures", {"sees own", "sees own, adds own", "sees", "sees, adds"}},
    {"invocations", {"sees own", "sees own, adds own", "sees", "sees, adds"}},
    {"measurements", {"sees own", "sees own, adds own", "sees", "sees, adds"}},
    {"profiles", {"sees own", "sees own, adds own", "sees", "sees, adds"}},
    {"projects", {"sees own", "sees own", "sees", "sees, adds"}},
    {"runs", {"sees own", "sees own, adds own", "sees", "sees, adds"}},
    {"series", {"sees own", "sees own, adds own", "sees", "sees, adds"}},
    {"target_verdicts", {"sees own", "sees own, adds own", "sees", "sees, adds"}},
    {"request_runs", {"sees own", "sees own, adds own", "sees", "sees, adds"}},
    // Dictionaries that projects share.
    {"benchmarks", {"sees own", "sees, adds", "sees", "sees, adds"}},
    {"calibrations", {"sees own", "sees, adds", "sees", "sees, adds"}},
    {"commits", {"sees own", "sees, adds", "sees", "sees, adds"}},
    {"count_bases", {"sees", "sees, adds", "sees", "sees, adds"}},
    {"environments", {"sees", "sees, adds", "sees", "sees, adds"}},
    {"functions", {"sees", "sees, adds", "sees", "sees, adds"}},
    {"metrics", {"sees", "sees, adds", "sees", "sees, adds"}},
    {"origins", {"sees", "sees, adds", "sees", "sees, adds"}},
    {"targets", {"sees own", "sees, adds", "sees", "sees, adds"}},
    // Of the store.
    {"audit_trail", {"", "adds", "sees", "sees, adds"}},
    {"derivations", {"sees", "sees", "sees", "sees, adds, changes"}},
    {"project_grants", {"", "", "sees", "sees"}},
    {"prunings", {"sees own", "sees own", "sees", "sees"}},
    {"schema_migrations", {"sees", "sees", "sees", "sees"}},
    {"token_uses", {"", "", "sees", "sees, adds"}},
    {"tokens", {"", "", "", "sees"}},
    // Reached through their table.
    {"measurements_0", {"", "", "", ""}},
    {"measurements_1", {"", "", "", ""}},
    // Views.
    {"alerts", {"sees own", "sees own", "sees", "sees"}},
    {"commit_order", {"sees own", "sees own", "sees", "sees"}},
    {"history", {"sees own", "sees own", "sees", "sees"}},
    {"renames", {"sees own", "sees own", "sees", "sees"}},
    {"samples", {"sees own", "sees own", "sees", "sees"}},
};

// Columns that say whose a row is: none takes another project's.
inline const std::set<std::string> kKeysOfProjects{"project_key",    "run_key",          "series_key", "project",
                                                   "comparison_key", "change_point_key", "alert"};
// Keys of dictionaries: whoever writes may find the rows of others there (docs/operations/access.md).
inline const std::set<std::string> kSharedKeys{"benchmark_key",   "metric_key", "commit_key",     "environment_key",
                                               "count_basis_key", "target_key", "calibration_key"};

// Rows that are found by the identity of their content.
inline const std::set<std::string> kDictionaries{"benchmarks", "calibrations", "commits", "count_bases", "environments",
                                                 "functions",  "metrics",      "origins", "series",      "targets"};

// Who may call a function: everybody who may use the schema, unless it has its owner's rights.
inline const std::map<std::string, std::string> kFunctions{
    {"bits_of_double", "anybody"},
    {"bytes_identity", "anybody"},
    {"bytes_of", "anybody"},
    {"bytes_of_kept", "anybody"},
    {"check_new_series", "anybody"},
    {"check_run_is_new", "anybody"},
    {"close_partition", "as owner: nobody"},
    {"close_small_partition", "as owner: writer of all"},
    {"content_identity", "anybody"},
    {"doubles_of_bits", "anybody"},
    {"doubles_of_ranks", "anybody"},
    {"ensure_partitions", "as owner: writer, writer of all"},
    {"has_samples", "anybody"},
    {"is_benchmark", "anybody"},
    {"is_calibration", "anybody"},
    {"is_closed", "anybody"},
    {"is_environment", "anybody"},
    {"make_partition", "as owner: nobody"},
    {"my_projects", "as owner: reader, writer, reader of all, writer of all"},
    {"packed_doubles", "anybody"},
    {"packed_integers", "anybody"},
    {"packed_invocations", "anybody"},
    {"packed_section", "anybody"},
    {"packed_structure", "anybody"},
    {"packed_varint", "anybody"},
    {"partitions_ahead", "anybody"},
    {"partitions_to_close", "as owner: nobody"},
    {"unfold_sign", "anybody"},
    {"unpack", "anybody"},
    {"unpack_section", "anybody"},
    {"unpack_set_aside", "anybody"},
    {"unpacked_values", "anybody"},
    {"was_carried_over", "as owner: nobody"},
    {"without_samples", "anybody"},
};

// What nobody gets by a function that has its owner's rights, asked as the least of those who may call it; a setting
// says besides that the session sees "hidden" alone.
inline const std::map<std::string, std::vector<std::string>> kHostileCalls{
    {"close_small_partition",
     {"steelyard.close_small_partition(9223372036854775807) is null", "steelyard.close_small_partition(null) is null"}},
    {"ensure_partitions",
     {"steelyard.ensure_partitions(-2147483648) = 0", "steelyard.ensure_partitions(null) = 0",
      "steelyard.ensure_partitions(2147483647) <= 65"}},
    {"my_projects",
     {"(select array_agg(name) = '{mine}' from steelyard.projects where project_key = any (steelyard.my_projects()))"}},
};

// Values as JSON that a column could have instead, as far as its own checks let it.
inline const std::map<std::string, std::vector<std::string>> kWords{
    {"better", {"\"higher\"", "\"undeclared\"", "\"lower\""}},
    {"kind", {"\"counted\"", "\"noisy\""}},
    {"scope", {"\"whole program\"", "\"timed region\""}},
    {"of_what", {"\"rate\""}},
    {"parameter_names", {"[\"size\", \"order\"]", "[null, \"order\"]", "[\"\"]", "[[\"\", \"order\"]]"}},
    {"facts", {"[]", "{}", "[{\"name\": \"x\", \"value\": \"y\"}]"}},
    {"threads", {"-1", "7"}}};

// None of them is for anybody but the owner and the server's administrator.
inline const std::vector<std::string> kRefused{
    "create table steelyard.mine (x int)",
    "create view steelyard.mine as select 1",
    "create function steelyard.mine() returns int language sql as 'select 1'",
    "create schema mine",
    "create trigger t before insert on steelyard.runs execute function steelyard.check_new_series()",
    "create policy p on steelyard.runs",
    "drop policy of_my_projects on steelyard.runs",
    "alter table steelyard.runs disable row level security",
    "alter table steelyard.metrics drop constraint metrics_identity_check",
    "alter table steelyard.series disable trigger all",
    "alter function steelyard.my_projects() set search_path = public",
    "create or replace view steelyard.history as select 1",
    "create rule r as on insert to steelyard.runs do instead nothing",
    "drop table steelyard.runs",
    "drop schema steelyard cascade",
    "alter sequence steelyard.runs_run_key_seq restart",
    "select setval('steelyard.runs_run_key_seq', 2147483647)",
    "select nextval('steelyard.runs_run_key_seq')",
    "do $$ begin lock table steelyard.runs in access exclusive mode; end $$",
    "set role steelyard_owner",
};

// These are for the administrator alone.
inline const std::vector<std::string> kRefusedToAll{
    "copy steelyard.runs to program 'true'",
    "copy steelyard.runs to '/tmp/runs'",
    "copy steelyard.functions (name) from program 'echo x'",
    "select lo_import('/etc/passwd')",
    "select pg_read_file('/etc/passwd')",
    "select pg_ls_dir('.')",
    "select pg_reload_conf()",
    "select * from pg_authid",
    "alter system set fsync = off",
    "set session_replication_role = replica",
    "set session authorization steelyard",
    "alter role steelyard_reader bypassrls",
    "set role steelyard",
    "grant steelyard_owner to otto",
    "grant steelyard_writer to otto",
};

}  // namespace steelyard::storage_test::expected_rights
