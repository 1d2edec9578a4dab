// What the service serves and the program holds: the API's description, and the files of the page (ci/web/dist). The
// linker takes them as they are, so that the build does not grow with them (assets.cmake writes the source).
#pragma once

#include <span>
#include <string_view>

namespace steelyard::ci {

struct Asset {
  std::string_view name;  // of the file
  std::string_view bytes;
};
std::span<const Asset> page_assets();
std::string_view openapi_document();

}  // namespace steelyard::ci
