#include "ci/judging/keep_verdicts.hpp"

#include "ci/app/keeping.hpp"
#include "ci/app/messages.hpp"

namespace steelyard {

void keep_target_verdicts(const Configuration& configuration, const std::string& run, const TargetReport& targets,
                          Streams& streams) {
  if (targets.targets.empty()) return;
  const auto keep = [&]() -> Result<bool> {
    STEELYARD_TRY(const StoreAddress address, store_address(configuration));
    STEELYARD_TRY(Store store, Store::open(address, state_folder()));
    return store.put_target_verdicts(run, targets.targets);
  };
  if (const Result<bool> kept = keep(); !kept) report_error(kept.error(), streams);
}

}  // namespace steelyard
