// What JSON, Markdown and commands to type are made of, whatever the report.
#pragma once

#include <cstddef>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "bench/model/interval.hpp"

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

// In a shell's single quotes.
std::string in_shell_quotes(const std::string& text);
// The name that the program itself knows: without the suite, device and dtype that canonical text adds.
std::string name_in_program(const std::string& benchmark);

}  // namespace steelyard::ci

// Words from strangers' code as GitHub's and GitLab's Markdown can take them: none of it can format, mention or link.
namespace steelyard::ci::markdown {

std::string replaced(std::string_view text, std::string_view from, std::string_view to);

// A fence around the text needs one more.
std::size_t longest_run_of_backticks(std::string_view text);

inline constexpr std::size_t kLongestName = 160;  // columns

// A name in a code span whose fence is longer than any run of backticks inside. In a table a pipe needs its backslash
// even there (GitHub Flavored Markdown, 4.10, example 200). At most kLongestName; empty for an empty name.
std::string code(const std::string& name, bool in_table);

// A sentence from outside as plain words; at most 600 columns.
std::string words(const std::string& sentence);

}  // namespace steelyard::ci::markdown

// Pages that need nothing beside themselves.
namespace steelyard::ci::html {

inline constexpr std::size_t kLongestText = 4000;  // columns

// Words from outside between two tags or inside a quoted attribute: one line, without control characters and direction
// marks. What is longer than `longest` columns loses its middle.
std::string text(std::string_view words, std::size_t longest = kLongestText);

// "<h2 class="style">content</h2>"; the content is HTML already.
std::string element(std::string_view name, const std::string& content, std::string_view style = "");

// JSON inside a script element, where nothing is an entity and a '<' could end it.
std::string script_text(const Json& json);

// Each word of the page ("@data@") by its text, in one pass: what is filled in is not looked at again.
std::string filled(std::string_view page, const std::vector<std::pair<std::string_view, std::string>>& texts);

// A Content-Security-Policy that forbids everything but these two elements, whose texts it knows by their hashes (W3C,
// Content Security Policy Level 3, 2.3.1): a page with a stranger's names in it loads nothing and runs nothing else,
// even where one of them got past the escaping.
std::string content_security_policy(std::string_view style, std::string_view script);

// As such a policy names a text: 'sha256-...' in base64.
std::string source_hash(std::string_view text);

}  // namespace steelyard::ci::html
