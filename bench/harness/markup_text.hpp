// Text between the tags of HTML or SVG, and inside their quoted attributes. Control characters are the caller's to
// replace first.
#pragma once

#include <string>
#include <string_view>

namespace steelyard {

// & < > " ' written as entities.
std::string markup_text(std::string_view text);

}  // namespace steelyard
