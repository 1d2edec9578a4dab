// What JSON and Markdown are made of, whatever the report.
#pragma once

#include <cstddef>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <string_view>

#include "bench/model/comparison.hpp"

namespace steelyard::ci {

// The small values that every JSON document of ours has: what is absent or not finite is null, numbers have all digits.
using Json = nlohmann::ordered_json;

Json json_number(double value);
Json json_number(const std::optional<double>& value);
Json json_text(const std::string& text);  // null: empty
Json json_interval(const std::optional<Interval>& interval);

// The whole document, newline at the end. Bytes that are no UTF-8 are replaced: a stranger's benchmark name must not
// cost the reader the document.
std::string json_document(const Json& json, int indent = 1);

}  // namespace steelyard::ci

// Words from strangers' code as GitHub's and GitLab's Markdown can take them: none of it can format, mention or link.
namespace steelyard::ci::markdown {

std::string replaced(std::string text, std::string_view from, std::string_view to);

inline constexpr std::size_t kLongestName = 160;  // columns

// A name in a code span whose fence is longer than any run of backticks inside. In a table a pipe needs its backslash
// even there (GitHub Flavored Markdown, 4.10, example 200). At most kLongestName; empty for an empty name.
std::string code(const std::string& name, bool in_table);

// A sentence from outside as plain words; at most 600 columns.
std::string words(const std::string& sentence);

}  // namespace steelyard::ci::markdown
