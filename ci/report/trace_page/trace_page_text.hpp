// The texts of ci/report/trace_page/page/, compiled in so that the program needs no file beside it.
#pragma once

#include <string_view>

namespace steelyard::ci {

extern const std::string_view kTracePage;  // HTML with @title@, @policy@, @style@, @body@, @data@ and @script@
extern const std::string_view kTraceStyle;
extern const std::string_view kTraceScript;

}  // namespace steelyard::ci
