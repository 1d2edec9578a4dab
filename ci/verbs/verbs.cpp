#include "ci/verbs/verbs.hpp"

namespace steelyard::ci {

// One line a verb, in the order of the help. ci/verbs/NAME.cpp has its options, its help and what it does, and defines
// `Verb NAME_verb()`.
#define STEELYARD_VERBS(VERB) \
  VERB(run)                   \
  VERB(ab)                    \
  VERB(compare)               \
  VERB(gate)                  \
  VERB(publish)               \
  VERB(accepted)              \
  VERB(calibrate)             \
  VERB(verify)                \
  VERB(import)                \
  VERB(export)                \
  VERB(merge)                 \
  VERB(history)               \
  VERB(changes)               \
  VERB(bisect)                \
  VERB(backfill)              \
  VERB(alerts)                \
  VERB(sweep)                 \
  VERB(profile)               \
  VERB(config)                \
  VERB(completion)            \
  VERB(db)                    \
  VERB(serve)                 \
  VERB(targets)               \
  VERB(doctor)

#define STEELYARD_DECLARE_VERB(name) Verb name##_verb();
STEELYARD_VERBS(STEELYARD_DECLARE_VERB)
#undef STEELYARD_DECLARE_VERB

std::vector<Verb> all_verbs() {
  std::vector<Verb> verbs;
#define STEELYARD_MAKE_VERB(name) verbs.push_back(name##_verb());
  STEELYARD_VERBS(STEELYARD_MAKE_VERB)
#undef STEELYARD_MAKE_VERB
  return verbs;
}

}  // namespace steelyard::ci
