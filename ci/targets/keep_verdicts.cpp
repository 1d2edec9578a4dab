#include "ci/targets/keep_verdicts.hpp"

#include "ci/cli/keeping.hpp"
#include "ci/cli/messages.hpp"
#include "storage/run_store.hpp"

namespace steelyard {

void keep_target_verdicts(const Configuration& configuration, const std::string& run, const TargetReport& targets,
                          Streams& streams) {
  if (targets.targets.empty()) return;
  const auto keep = [&]() -> Result<bool> {
    STEELYARD_TRY(const StoreAddress address, store_address(configuration));
    STEELYARD_TRY(Store store, Store::open(address, state_folder()));
    return RunStore(store).put_target_verdicts(run, targets.targets);
  };
  if (const Result<bool> kept = keep(); !kept) report_error(kept.error(), streams);
}

}  // namespace steelyard
