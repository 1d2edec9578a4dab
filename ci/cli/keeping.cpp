#include "ci/cli/keeping.hpp"

#include <ostream>

#include "ci/cli/messages.hpp"
#include "storage/spool/spool.hpp"

namespace steelyard {
namespace {

std::string runs_text(std::size_t count) { return count == 1 ? "1 run" : std::to_string(count) + " runs"; }

void say_what_waits(const Error& error, Streams& streams) {
  report_error(error, streams);
  const std::size_t waiting = Spool(state_folder()).waiting().size();
  if (waiting == 0) return;
  streams.err << "steelyard: " << runs_text(waiting) << (waiting == 1 ? " waits" : " wait") << " in the spool at "
              << (state_folder() / "spool").string() << "; the next command that reaches the store delivers "
              << (waiting == 1 ? "it" : "them") << '\n';
}

}  // namespace

Result<StoreAddress> store_address(const Configuration& configuration) {
  return parse_store_address(configuration.store,
                             configuration.store_where.empty() ? "--store" : configuration.store_where);
}

Result<Store> open_store(const Configuration& configuration, const CommonOptions& common, Streams& streams) {
  STEELYARD_TRY(const StoreAddress address, store_address(configuration));
  STEELYARD_TRY(Store store, Store::open(address, state_folder()));
  Spool spool(state_folder());
  const std::size_t waiting = spool.waiting().size();
  if (waiting == 0) return store;
  const Result<Spool::Delivery> delivery = spool.deliver(store);
  if (!delivery) {
    report_error(delivery.error(), streams);
    return store;
  }
  for (const Error& bad : delivery->bad) report_error(bad, streams);
  if (delivery->delivered > 0) {
    note("delivered from the spool: " + runs_text(static_cast<std::size_t>(delivery->delivered)), common, streams);
  }
  return store;
}

ExitCode keep_in_spool(const std::vector<const Run*>& runs, Streams& streams) {
  Spool spool(state_folder());
  ExitCode code = ExitCode::success;
  for (const Run* run : runs) {
    const Result<std::filesystem::path> kept = spool.keep(*run);
    if (kept) continue;
    report_error(kept.error(), streams);
    code = ExitCode::store_away;
  }
  return code;
}

ExitCode deliver_to_store(const Configuration& configuration, const Comparison* comparison, const CommonOptions& common,
                          Streams& streams) {
  const Result<StoreAddress> address = store_address(configuration);
  if (!address) return report_error(address.error(), streams);
  Result<Store> store = Store::open(*address, state_folder());
  if (!store) return say_what_waits(store.error(), streams), ExitCode::store_away;
  const Result<Spool::Delivery> delivery = Spool(state_folder()).deliver(*store);
  if (!delivery) return say_what_waits(delivery.error(), streams), ExitCode::store_away;
  for (const Error& bad : delivery->bad) report_error(bad, streams);
  if (comparison != nullptr) {
    const Result<bool> put = store->put_comparison(*comparison);
    if (!put) return report_error(put.error(), streams), ExitCode::store_away;
  }
  note("kept in the store: " + address->safe_text(), common, streams);
  return ExitCode::success;
}

}  // namespace steelyard
