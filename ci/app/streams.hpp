// Where a verb reads and writes, and what is known of it: whether a person watches, how wide, in which characters.
#pragma once

#include <iosfwd>

#include "ci/app/options.hpp"
#include "ci/report/report.hpp"

namespace steelyard {

struct Streams {
  std::istream& in;
  std::ostream& out;
  std::ostream& err;
  bool out_is_terminal = false;
  bool err_is_terminal = false;
};

// Knows the process's own streams by their address; any other, as in tests, is no terminal.
Streams make_streams(std::istream& in, std::ostream& out, std::ostream& err);

// Colour: as asked for; automatic means a terminal and no NO_COLOR (https://no-color.org). Width: the terminal's, else
// $COLUMNS, else 100. Unicode: where the locale's variables say UTF-8.
TerminalStyle terminal_style(const Streams& streams, ColorChoice color);
int progress_width();

}  // namespace steelyard
