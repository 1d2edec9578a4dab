#include "ci/cli/distribute_verb.hpp"

#include <ostream>
#include <string>
#include <vector>

#include "bench/model/quantity.hpp"
#include "ci/cli/json_output.hpp"
#include "ci/cli/keeping.hpp"
#include "ci/cli/messages.hpp"
#include "ci/cli/settings.hpp"
#include "ci/report/progress_line.hpp"
#include "ci/report/terminal_text.hpp"
#include "storage/store.hpp"

namespace steelyard {
namespace {

std::string table_of(const DistributionPlan& plan) {
  std::vector<std::vector<std::string>> rows{{"table", "place", "state", "size here", "why"}};
  for (const TablePlacement& placement : plan.tables) {
    const std::string key = placement.key.empty() ? "" : " by " + placement.key;
    rows.push_back({placement.table, to_text(placement.place) + key, placement.done ? "is there" : "to be moved",
                    to_text(Bytes(placement.bytes)), placement.why});
  }
  std::string text = aligned_rows(rows, {Align::left, Align::left, Align::left, Align::right, Align::left}, "");
  if (plan.nodes > 0) {
    text += std::to_string(plan.nodes) + (plan.nodes == 1 ? " node holds" : " nodes hold") + " the shards\n";
  }
  return text;
}

ExitCode print_plan(Store& store, const DbOptions& options, Streams& streams) {
  const Result<DistributionPlan> plan = store.distribution_plan();
  if (!plan) return report_error(plan.error(), streams);
  streams.out << (options.common.json ? json_distribution(*plan) : table_of(*plan)) << std::flush;
  if (plan->missing.empty()) return ExitCode::success;
  return report_error(input_error("steelyard db distribute", plan->missing.front()), streams);
}

// A cluster of one machine, on a socket that no other can reach.
Error not_the_embedded_store() {
  return input_error("steelyard db distribute", "the embedded store", "a server that other machines can reach",
                     "set up PostgreSQL servers with the extension citus (docs/operations/scale.md), give the first "
                     "one's postgresql:// address with --store, and fill it with `steelyard db rebuild`");
}

}  // namespace

ExitCode distribute_store(const DbOptions& options, const Configuration& configuration, Streams& streams) {
  const Result<StoreAddress> address = store_address(configuration);
  if (!address) return report_error(address.error(), streams);
  if (address->embedded && !options.dry_run) return report_error(not_the_embedded_store(), streams);
  Result<Store> store = open_store(configuration, options.common, streams);
  if (!store) return report_error(store.error(), streams);
  if (options.dry_run) return print_plan(*store, options, streams);
  {
    ProgressLine progress(streams.err, streams.err_is_terminal && !options.common.quiet, progress_width());
    const Result<void> done = store->distribute(options.distribute, [&](const std::string& table, double part) {
      progress.show("moving " + table, part, Nanoseconds());
    });
    progress.clear();
    if (!done) return report_error(done.error(), streams);
  }
  return print_plan(*store, options, streams);
}

}  // namespace steelyard
