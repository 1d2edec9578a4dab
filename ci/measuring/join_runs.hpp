// Makes one run of the runs of several programs of the same side and session.
#pragma once

#include "bench/model/run.hpp"

namespace steelyard {

// Appends what `part` measured to `whole`, whose header and environment stay. Only where the whole was not measured
// together with another side so far (it has no session: a program that is new), it takes session, layout, settings and
// environment of a part that was: else all pairs would be judged as if apart. Where concurrent layouts differ, the
// whole calls itself interleaved: it is concurrent, and no more than that holds of all of it.
void join_run(Run& whole, Run part);

}  // namespace steelyard
