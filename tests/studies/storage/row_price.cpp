// What a row of steelyard.measurements costs the server: each index and each foreign key by itself.
//
//     build/check/bin/row_price [RUNS]        default 30; as root the server runs as user postgres
//
// Runs of 10,000 measurements of 20 samples are copied from a file on the server's side, a run a transaction, into
// tables that have more and more of what the real one has. Figures: processor time of the server's process, median over
// the runs, and bytes on disk a row as written and with indexes built anew.
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <string>
#include <vector>

#include "bench/model/quantile.hpp"
#include "storage/run_store.hpp"
#include "tests/studies/storage/large_runs.hpp"
#include "tests/studies/storage/own_server.hpp"

namespace steelyard::storage_study {
namespace {

constexpr const char* kColumns =
    "value float8, run_key integer not null, series_key integer not null, position integer not null, "
    "samples integer not null, count_basis_key integer, packed bytea";
constexpr const char* kKey = "alter table T add primary key (series_key, run_key, position);";
constexpr const char* kWideKey =
    "alter table T add primary key (series_key, run_key, position) include (samples, value);";
constexpr const char* kToRuns = "alter table T add foreign key (run_key) references steelyard.runs;";
constexpr const char* kToSeries = "alter table T add foreign key (series_key) references steelyard.series;";
constexpr const char* kToBases = "alter table T add foreign key (count_basis_key) references steelyard.count_bases;";
constexpr const char* kBtree = "create index on T (run_key);";
constexpr const char* kBrin = "create index on T using brin (run_key) with (pages_per_range = 32);";

struct Variant {
  const char* name;
  std::vector<const char*> parts;
};
const std::vector<Variant>& variants() {
  static const std::vector<Variant> kAll{
      {"rows alone", {}},
      {"primary key", {kKey}},
      {"primary key with samples and value", {kWideKey}},
      {"that and BRIN on run_key", {kWideKey, kBrin}},
      {"that and B-tree on run_key", {kWideKey, kBtree}},
      {"B-tree, foreign key to runs", {kWideKey, kBtree, kToRuns}},
      {"B-tree, to runs and series", {kWideKey, kBtree, kToRuns, kToSeries}},
      {"B-tree, to runs, series, count_bases", {kWideKey, kBtree, kToRuns, kToSeries, kToBases}},
      {"BRIN, to runs, series, count_bases", {kWideKey, kBrin, kToRuns, kToSeries, kToBases}}};
  return kAll;
}

std::string with_table(std::string statement, const std::string& table) {
  for (std::size_t at = statement.find(" T "); at != std::string::npos; at = statement.find(" T ")) {
    statement.replace(at, 3, " " + table + " ");
  }
  return statement;
}

void run_in_transaction(storage::Session& session, const std::string& script) {
  storage::Transaction transaction = must(storage::Transaction::begin(session));
  must(transaction.run_script(script));
  must(transaction.commit());
}

std::string only_cell(storage::Session& session, const std::string& question) {
  storage::Transaction transaction = must(storage::Transaction::begin(session));
  return must(transaction.run(question, {}, storage::kOneRow)).text(0, 0);
}

// Runs 2 to `runs` as headers that are like the first, and a file with the rows of each.
void prepare(storage::Session& session, const std::string& file, int runs) {
  run_in_transaction(
      session,
      "insert into steelyard.runs (id, created_at_unix_ns, tool, project_key, program, commit_key, branch, dirty, "
      "session, layout, seed, settings, environment_key, measurements, samples) "
      "select id || n, created_at_unix_ns, tool, project_key, program, commit_key, branch, dirty, session, layout, "
      "seed, settings, environment_key, measurements, samples from steelyard.runs, generate_series(2, " +
          std::to_string(runs) + ") n;");
  for (int run = 1; run <= runs; ++run) {
    run_in_transaction(session, "copy (select value, " + std::to_string(run) +
                                    ", series_key, position, samples, count_basis_key, packed from "
                                    "steelyard.measurements order by position) to '" +
                                    file + std::to_string(run) + "';");
  }
}

void measure(storage::Session& session, const Variant& variant, const std::string& file, int runs, double rows_each) {
  std::string script = "create table steelyard.price (" + std::string(kColumns) + ");";
  for (const char* part : variant.parts) script += with_table(part, "steelyard.price");
  run_in_transaction(session, script);
  std::vector<double> microseconds;
  for (int run = 1; run <= runs; ++run) {
    storage::Transaction transaction = must(storage::Transaction::begin(session));
    const ServerProcess server(transaction);
    const double before = server.cpu_seconds();
    must(transaction.run_script("copy steelyard.price from '" + file + std::to_string(run) + "'"));
    must(transaction.commit());
    microseconds.push_back((server.cpu_seconds() - before) / rows_each * 1e6);
  }
  const double rows = rows_each * runs;
  const double heap = std::stod(only_cell(session, "select pg_table_size('steelyard.price')")) / rows;
  const double indexes = std::stod(only_cell(session, "select pg_indexes_size('steelyard.price')")) / rows;
  run_in_transaction(session, "reindex table steelyard.price;");
  const double packed = std::stod(only_cell(session, "select pg_indexes_size('steelyard.price')")) / rows;
  std::printf("%-38s %8.2f %10.1f %10.1f %10.1f\n", variant.name, median(microseconds), heap, indexes, packed);
  run_in_transaction(session, "drop table steelyard.price;");
}

int run_all(int argc, char** argv) {
  const int runs = argc > 1 ? std::atoi(argv[1]) : 30;
  if (runs < 2) {
    std::fprintf(stderr, "usage: row_price [RUNS]\n");
    return 3;
  }
  const OwnServer server;
  const LargeRuns wanted;
  {
    storage::Store store = server.open_store();
    must(storage::RunStore(store).put(large_run(wanted, 1)));
  }
  storage::Session session = server.open_session();
  const std::string file = (server.data() / "price.copy.").string();
  prepare(session, file, runs);
  std::printf("%-38s %8s %10s %10s %10s\n", "", "us/row", "row bytes", "indexes", "reindexed");
  for (const Variant& variant : variants()) measure(session, variant, file, runs, wanted.measurements);
  return 0;
}

}  // namespace
}  // namespace steelyard::storage_study

int main(int argc, char** argv) {
  try {
    return steelyard::storage_study::run_all(argc, argv);
  } catch (const std::exception& trouble) {
    std::fprintf(stderr, "row_price: %s\n", trouble.what());
    return 1;
  }
}
