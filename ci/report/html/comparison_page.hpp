// The texts of ci/report/html/page/, compiled in so that the program needs no file beside it (CMakeLists.txt writes the
// source).
#pragma once

#include <string_view>

namespace steelyard::ci {

extern const std::string_view kComparisonPage;  // HTML with @title@, @policy@, @style@, @body@, @data@ and @script@
extern const std::string_view kComparisonStyle;
extern const std::string_view kComparisonScript;

}  // namespace steelyard::ci
