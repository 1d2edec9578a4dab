// A judgement as files that are no page of text: SARIF, which editors and code scanning read, GitLab's code quality,
// and a badge for a project's page. All are bounded and hold names from strangers' code as plain text. Pure: values in,
// text out.
#pragma once

#include <string>
#include <vector>

#include "bench/model/comparison.hpp"
#include "ci/report/annotations.hpp"
#include "ci/report/comment.hpp"

namespace steelyard::ci {

// "3 regressions, 4 unchanged"; with what the status adds where the rows do not say it. Null: nothing was judged.
std::string headline_of(const Comparison* comparison, int status);
// Of a fork's run, which is judged in a job of its own; status 2: there were no archives to judge.
std::string headline_of_strangers_nothing(int status);

// SARIF 2.1.0 (OASIS Standard, Errata 01, 2023): a result for each note at a line, by the rules
// performance-regression (error where it fails the gate, else warning) and performance-improvement (of the kind
// informational, which is no problem). What has no line is a notification of the invocation: services refuse a file
// with a result that has no place. Null: nothing was compared, and the invocation says that it did not succeed.
std::string sarif_report(const Comparison* comparison, const Publication& publication);

// Code quality as GitLab reads it (a subset of the Code Climate specification): an array, one object a note.
std::string code_quality_report(const std::vector<Annotation>& annotations);

// An SVG of one line: the key, what came out, the day it was measured and the candidate's commit, where they are known.
// Green says that nothing is left open: all rows are unchanged, better or new. No script, font or picture from
// elsewhere; its title and description are for a screen reader. Null: nothing was compared.
std::string badge_svg(const Comparison* comparison, const Publication& publication);

}  // namespace steelyard::ci
