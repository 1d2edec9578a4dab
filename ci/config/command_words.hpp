// A command as one writes it in a file or an option, taken apart into its words: blanks separate, quotes and
// backslashes keep together as in a shell; nothing is expanded. Not a shell: pipes and variables are plain text.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "bench/model/result.hpp"

namespace steelyard {

// Error (input): a quote that is not closed, no word at all. `where` names the option or key.
Result<std::vector<std::string>> command_words(std::string_view text, const std::string& where);

}  // namespace steelyard
