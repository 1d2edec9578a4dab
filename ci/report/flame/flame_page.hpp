// The texts of ci/report/flame/page/, compiled in so that the program needs no file beside it (CMakeLists.txt writes
// the source).
#pragma once

#include <string_view>

namespace steelyard::ci {

extern const std::string_view kFlamePage;    // HTML with @title@, @style@, @data@ and @script@ to be filled in
extern const std::string_view kFlameStyle;   // of the page alone
extern const std::string_view kFlameColors;  // of page and SVG
extern const std::string_view kFlameScript;

}  // namespace steelyard::ci
