// Keeps how a run came out against its targets beside the run: ceilings and steelyard.toml change later.
#pragma once

#include <string>

#include "bench/model/target.hpp"
#include "ci/app/streams.hpp"
#include "ci/config/configuration.hpp"

namespace steelyard {

// Of a run that is in the store. Trouble is told and fails nothing: the verdicts can be judged again.
void keep_target_verdicts(const Configuration& configuration, const std::string& run, const TargetReport& targets,
                          Streams& streams);

}  // namespace steelyard
