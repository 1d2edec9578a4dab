// Text for a terminal: tone, and what of a benchmark's name is shown. Its layout is bench/model/text.hpp's.
#pragma once

#include <string>
#include <string_view>

#include "bench/model/text.hpp"

namespace steelyard {

struct TerminalStyle {
  bool color = false;
  bool unicode = true;  // false: ASCII only
  int width = 100;      // columns
};

// What a stretch of text means to the reader; never the only carrier of that meaning.
enum class Tone { plain, good, bad, doubtful, dim, strong };
// Wrapped in the terminal's colour codes, or as it is where `color` is false.
std::string paint(std::string_view text, Tone tone, bool color);

// A benchmark's canonical text without its device, which is long and the same for all rows of a run: "gemv/n:8
// [suite=x,device=NVIDIA H200]" is "gemv/n:8 [suite=x]".
std::string without_device(std::string_view benchmark);

}  // namespace steelyard
