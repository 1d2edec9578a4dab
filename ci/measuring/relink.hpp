// The same code in other layouts: the user's own command links each side's program again, for each of a few seeds, with
// its object files or functions in another order (docs/method/code_layout.md). Both sides get the same seeds; where
// both are one file, others, as the same seed would make one program of it for both.
//
// What the command yields is looked at before it is measured: it must be a program that lists the same benchmarks, and
// holds the same functions in the same amount of code. Two seeds that give one program are one layout, and further
// seeds are tried.
#pragma once

#include <atomic>

#include "bench/model/result.hpp"
#include "bench/runner/fresh_copy.hpp"
#include "bench/runner/settings.hpp"
#include "ci/measuring/measure_programs.hpp"

namespace steelyard::ci {

// The command is run by /bin/sh where the program is run, with the caller's environment as a build has it, and
// $STEELYARD_LAYOUT_SEED (a whole number from 1 to 2^31 - 1), $STEELYARD_PROGRAM (the program as it was built),
// $STEELYARD_BUILD (the folder it lies in) and $STEELYARD_OUTPUT (where the new one is wanted; the folder is there).
//
// Fills `layouts` of both programs, settings.relinks of them. They lie in the folder that is returned, and go with it.
// Nothing, and no error: a side did not answer when it was asked for its benchmarks, or it was cancelled. Each command
// has settings.timeout; all of them end within ten minutes and one such limit. Errors (input), each with the side and
// the seed: the command fails, hangs, or yields nothing; its program is none, lists other benchmarks or is other code;
// four times as many seeds give too few different programs; a side is a script.
Result<bench::PrivateFolder> relink(ListedPair& pair, const bench::MeasuringSettings& settings,
                                    const std::atomic<bool>* cancelled);

}  // namespace steelyard::ci
