// The last component of a path in a profile, without a copy. A path that ends in a slash has an empty one.
#pragma once

#include <string_view>

namespace steelyard {

inline std::string_view file_name(std::string_view path) {
  const std::size_t slash = path.rfind('/');
  return slash == std::string_view::npos ? path : path.substr(slash + 1);
}

}  // namespace steelyard
