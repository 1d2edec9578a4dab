// Words from strangers' code as GitHub's and GitLab's Markdown can take them: none of it can format, mention or link.
#pragma once

#include <string>
#include <string_view>

namespace steelyard::markdown {

std::string replaced(std::string text, std::string_view from, std::string_view to);

// A name in a code span whose fence is longer than any run of backticks inside. In a table a pipe needs its backslash
// even there (GitHub Flavored Markdown, 4.10, example 200). At most 160 columns; empty for an empty name.
std::string code(const std::string& name, bool in_table);

// A sentence from outside as plain words; at most 600 columns.
std::string words(const std::string& sentence);

}  // namespace steelyard::markdown
