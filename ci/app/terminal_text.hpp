// Text for a terminal: tone, and what of a benchmark's name is shown. Its layout is bench/model/text.hpp's.
#pragma once

#include <algorithm>
#include <cstddef>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "bench/model/text.hpp"

namespace steelyard::ci {

// What is longer is cut even where nothing reads columns: one name would make every line of its table as long.
inline constexpr std::size_t kWholeNameColumns = 240;

struct TerminalStyle {
  bool color = false;
  bool unicode = true;     // false: ASCII only
  int width = 100;         // columns
  bool cuts_names = true;  // false: what reads it has no width, so names stay whole up to kWholeNameColumns

  // That text has beside what takes some, and no fewer than `least`.
  std::size_t columns(int taken = 0, int least = 40) const {
    return static_cast<std::size_t>(std::max(width - taken, least));
  }
};

// What a stretch of text means to the reader; never the only carrier of that meaning.
enum class Tone { plain, good, bad, doubtful, dim, strong };
// Wrapped in the terminal's colour codes, or as it is where `color` is false.
std::string paint(std::string_view text, Tone tone, bool color);
// A table with its first line dim.
std::string with_dim_head(std::string_view table, bool color);

// Lines for a log that a CI service reads as well: what could move a cursor is '?', and nothing that a stranger wrote
// stands where the service takes it for a command: a line's own "::" (GitHub, "Workflow commands"; also behind
// and between what nobody sees) gets a bar before it, and "##[" and "##name[" a blank inside (older GitHub, Azure
// Pipelines, TeamCity).
std::string log_text(std::string_view text);

// A benchmark's canonical text without its device, which is long and the same for all rows of a run: "gemv/n:8
// [suite=x,device=NVIDIA H200]" is "gemv/n:8 [suite=x]".
std::string without_device(std::string_view benchmark);

// How the rows of one table are named: as their program wrote the names, without a device that all share, cut to at
// most `columns` where they do not differ (shortened_apart()). Different benchmarks have different names.
//
//     const ShownNames names(benchmarks, style, 40);
//     names.of("gemv/n:8 [device=NVIDIA H200]")   "gemv/n:8"
class ShownNames {
 public:
  // benchmarks: canonical texts, in any order, repeated at will.
  ShownNames(const std::vector<std::string>& benchmarks, const TerminalStyle& style, std::size_t columns);
  const std::string& of(const std::string& benchmark) const;  // one of those given
  std::size_t columns() const { return columns_; }            // of the widest; 0: there is none

 private:
  std::map<std::string, std::string, std::less<>> shown_;
  std::size_t columns_ = 0;
};

}  // namespace steelyard::ci
