#include "ci/grammar/verb.hpp"

#include "ci/verbs/verb_rows.hpp"

namespace steelyard {

std::vector<std::unique_ptr<Verb>> make_verbs() {
  std::vector<std::unique_ptr<Verb>> verbs;
  for (const auto make :
       {make_run, make_ab, make_compare, make_gate, make_calibrate, make_verify, make_import, make_export, make_history,
        make_changes, make_alerts, make_sweep, make_profile, make_config, make_db, make_targets, make_doctor}) {
    verbs.push_back(make());
  }
  return verbs;
}

}  // namespace steelyard
