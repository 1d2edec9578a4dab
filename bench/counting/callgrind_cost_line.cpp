#include "bench/counting/callgrind_cost_line.hpp"

namespace steelyard {
namespace {

// 18 decimal and 15 hexadecimal digits fit into 63 bits.
constexpr std::ptrdiff_t kMostDecimals = 18;
constexpr std::ptrdiff_t kMostHexadecimals = 15;

// The newline that follows ends every loop below: no other check is needed.
inline const char* scan_decimal(const char* at, std::uint64_t& number) {
  const char* const start = at;
  std::uint64_t value = 0;
  for (unsigned digit = 0; (digit = static_cast<unsigned>(*at) - '0') <= 9; ++at) value = value * 10 + digit;
  number = value;
  return at == start || at - start > kMostDecimals ? nullptr : at;
}

inline const char* scan_hexadecimal(const char* at, std::uint64_t& number) {
  const char* const start = at;
  std::uint64_t value = 0;
  for (;; ++at) {
    unsigned digit = static_cast<unsigned>(*at) - '0';
    if (digit > 9) {
      digit = static_cast<unsigned>(*at) - 'a';
      if (digit > 5) break;
      digit += 10;
    }
    value = value * 16 + digit;
  }
  number = value;
  return at == start || at - start > kMostHexadecimals ? nullptr : at;
}

inline const char* scan_number(const char* at, std::uint64_t& number) {
  return at[0] == '0' && at[1] == 'x' ? scan_hexadecimal(at + 2, number) : scan_decimal(at, number);
}

inline const char* scan_position(const char* at, std::uint64_t& position) {
  std::uint64_t number = 0;
  switch (*at) {
    case '*':
      return at + 1;
    case '+':
      at = scan_number(at + 1, number);
      return at == nullptr || __builtin_add_overflow(position, number, &position) ? nullptr : at;
    case '-':
      at = scan_number(at + 1, number);
      return at == nullptr || __builtin_sub_overflow(position, number, &position) ? nullptr : at;
    default:
      return scan_number(at, position);
  }
}

}  // namespace

const char* scan_cost_line(const char* at, std::size_t columns, std::size_t maximum, CallgrindCostLine& line) {
  CallgrindPositions position = line.position;
  for (std::size_t column = 0; column < columns; ++column) {
    if (column > 0 && *at++ != ' ') return nullptr;
    at = scan_position(at, position[column]);
    if (at == nullptr) return nullptr;
  }
  std::size_t count = 0;
  while (*at == ' ') {
    ++at;
    if (*at == '\n') break;
    std::uint64_t number = 0;
    if (count == maximum || (at = scan_number(at, number)) == nullptr) return nullptr;
    line.cost[count++] = static_cast<std::int64_t>(number);
  }
  if (*at != '\n') return nullptr;
  line.position = position;
  line.cost_count = count;
  return at + 1;
}

}  // namespace steelyard
