#include "ci/app/streams.hpp"

#include <sys/ioctl.h>
#include <unistd.h>

#include <charconv>
#include <cstdlib>
#include <iostream>
#include <string>
#include <string_view>

namespace steelyard {
namespace {

constexpr int kDefaultWidth = 100;
constexpr int kLeastWidth = 60;  // below it no table fits; the terminal wraps
constexpr int kMostWidth = 200;  // wider lines are harder to follow than wrapped ones

std::string_view variable(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? std::string_view() : std::string_view(value);
}

int width_of(int descriptor) {
  winsize size{};
  if (ioctl(descriptor, TIOCGWINSZ, &size) == 0 && size.ws_col > 0) return size.ws_col;
  const std::string_view columns = variable("COLUMNS");
  int width = 0;
  std::from_chars(columns.data(), columns.data() + columns.size(), width);
  return width > 0 ? width : kDefaultWidth;
}

int bounded(int width) { return width < kLeastWidth ? kLeastWidth : width > kMostWidth ? kMostWidth : width; }

// The first of the three that is set decides (POSIX, "Internationalization Variables").
bool locale_is_utf8() {
  for (const char* name : {"LC_ALL", "LC_CTYPE", "LANG"}) {
    const std::string_view value = variable(name);
    if (value.empty()) continue;
    for (const char* encoding : {"UTF-8", "utf-8", "UTF8", "utf8"}) {
      if (value.find(encoding) != std::string_view::npos) return true;
    }
    return false;
  }
  return false;
}

}  // namespace

Streams make_streams(std::istream& in, std::ostream& out, std::ostream& err) {
  return {in, out, err, &out == &std::cout && isatty(STDOUT_FILENO) == 1,
          &err == &std::cerr && isatty(STDERR_FILENO) == 1};
}

TerminalStyle terminal_style(const Streams& streams, ColorChoice color) {
  TerminalStyle style;
  const bool automatic = streams.out_is_terminal && variable("NO_COLOR").empty() && variable("TERM") != "dumb";
  style.color = color == ColorChoice::always || (color == ColorChoice::automatic && automatic);
  style.unicode = locale_is_utf8();
  style.width = streams.out_is_terminal ? bounded(width_of(STDOUT_FILENO)) : kDefaultWidth;
  return style;
}

int progress_width() { return bounded(width_of(STDERR_FILENO)); }

}  // namespace steelyard
