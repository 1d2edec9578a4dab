// What measurements take on disk: rows, indexes and all.
//
//     build/check/bin/stored_bytes [RUNS]        default 300; as root the server runs as user postgres
//
// Runs of 10,000 measurements of 20 samples are put into a store of the program's own, by the program's own writer.
// Then runs go to the next partition, and the store's own maintenance closes the one before.
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <string>

#include "storage/run_store.hpp"
#include "storage/upkeep.hpp"
#include "tests/studies/storage/large_runs.hpp"
#include "tests/studies/storage/own_server.hpp"

namespace steelyard::storage_study {
namespace {

double number(storage::Session& session, const std::string& question) {
  storage::Transaction transaction = must(storage::Transaction::begin(session));
  return must(transaction.run(question, {}, storage::kOneRow)).number(0, 0);
}

struct Sizes {
  double rows = 0;
  double key = 0;
  double by_run = 0;
  double others = 0;
};
Sizes sizes_of(storage::Session& session) {
  Sizes sizes;
  const auto index = [&](const char* kind) {
    return number(session, std::string("select sum(pg_relation_size(i.indexrelid))::float8 from pg_index i "
                                       "join pg_class c on c.oid = i.indexrelid join pg_am a on a.oid = c.relam where "
                                       "i.indrelid = 'steelyard.measurements_0'::regclass and a.amname = '") +
                               kind + "'");
  };
  sizes.rows = number(session, "select pg_table_size('steelyard.measurements_0')::float8");
  sizes.key = index("btree");
  sizes.by_run = index("brin");
  sizes.others = number(session,
                        "select sum(pg_total_relation_size(oid))::float8 from pg_class where relnamespace = "
                        "'steelyard'::regnamespace and relkind = 'r' and not relispartition");
  return sizes;
}

void print(const char* when, const Sizes& sizes, double samples) {
  const double all = sizes.rows + sizes.key + sizes.by_run + sizes.others;
  std::printf("%-20s %9.2f %12.2f %9.3f %16.2f %8.2f\n", when, sizes.rows / samples, sizes.key / samples,
              sizes.by_run / samples, sizes.others / samples, all / samples);
}

void measure(int runs) {
  const OwnServer server;
  storage::Store store = server.open_store();
  storage::Session session = server.open_session();
  LargeRuns wanted;
  for (int i = 0; i < runs; ++i) must(storage::RunStore(store).put(large_run(wanted, i)));
  const double samples = number(session, "select sum(samples)::float8 from steelyard.runs");
  const double packed = number(session, "select avg(length(packed))::float8 from steelyard.measurements");
  std::printf("%d measurements of %d samples, in %.1f packed bytes each; bytes a sample:\n\n",
              runs * wanted.measurements, static_cast<int>(wanted.invocations) * wanted.samples_each, packed);
  std::printf("%-20s %9s %12s %9s %16s %8s\n", "", "rows", "primary key", "by run", "all other tables", "all");
  print("as written", sizes_of(session), samples);
  {
    // As if as many runs had come as a partition takes.
    storage::Transaction transaction = must(storage::Transaction::begin(session));
    must(transaction.run_script("alter table steelyard.runs alter column run_key restart with 8192"));
    must(transaction.commit());
  }
  wanted.measurements = 1;
  must(storage::RunStore(store).put(large_run(wanted, runs)));
  must(storage::Upkeep(store).close_partitions({}));
  print("partition closed", sizes_of(session), samples);
}

}  // namespace
}  // namespace steelyard::storage_study

int main(int argc, char** argv) {
  const int runs = argc > 1 ? std::atoi(argv[1]) : 300;
  if (runs < 1) {
    std::fprintf(stderr, "usage: stored_bytes [RUNS]\n");
    return 3;
  }
  try {
    steelyard::storage_study::measure(runs);
  } catch (const std::exception& trouble) {
    std::fprintf(stderr, "stored_bytes: %s\n", trouble.what());
    return 1;
  }
}
