// Other ways to score samples and rounds, judged as the engine's own way was when its constants were chosen
// (regress/ab/sample_scores.hpp): pooled ranks of all samples through a curve, with a share of a second view, and the
// sides of each round exchanged. docs/method/judgement.md has the table.
#pragma once

#include <vector>

#include "tests/studies/judging/rule.hpp"

namespace steelyard::judging {

// By what they do: "u, none", "-1 / (u + .1), a half", ...
std::vector<Rule> score_variants();

}  // namespace steelyard::judging
