#include "bench/ceilings/ceiling_name.hpp"

namespace steelyard {

bool is_meant(std::string_view part, std::string_view name) {
  if (part.empty() || part == name) return true;
  if (part.size() >= name.size()) return false;
  return (name.starts_with(part) && name[part.size()] == '/') ||
         (name.ends_with(part) && name[name.size() - part.size() - 1] == '/');
}

}  // namespace steelyard
