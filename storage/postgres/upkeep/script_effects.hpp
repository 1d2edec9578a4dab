// Which tables a migration creates, rewrites, fills and drops, read from its text. For the scripts of this repository,
// which are written to be read: what code in a DO block does is not seen.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace steelyard {

// Names without the schema, each once, in the order of the script.
struct ScriptEffects {
  std::vector<std::string> creates;
  std::vector<std::string> rewrites;  // a column gets another type, or every row another content
  std::vector<std::string> fills;
  std::vector<std::string> drops;
};
ScriptEffects effects_of_script(std::string_view script);

}  // namespace steelyard
