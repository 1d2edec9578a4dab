#include "textkit/edit_distance.hpp"

#include <algorithm>
#include <cstdint>
#include <vector>

namespace textkit {

std::size_t edit_distance(std::string_view from, std::string_view to) {
  // row[j]: distance between the part of `from` read so far and the first j characters of `to`.
  std::vector<std::uint32_t> row(to.size() + 1);
  for (std::size_t j = 0; j < row.size(); ++j) row[j] = static_cast<std::uint32_t>(j);
  for (const char c : from) {
    std::uint32_t diagonal = row[0]++;
    for (std::size_t j = 0; j < to.size(); ++j) {
      const std::uint32_t replaced = diagonal + (c == to[j] ? 0 : 1);
      diagonal = row[j + 1];
      row[j + 1] = std::min(replaced, std::min(row[j], diagonal) + 1);
    }
  }
  return row.back();
}

}  // namespace textkit
