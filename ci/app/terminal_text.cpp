#include "ci/app/terminal_text.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <ostream>
#include <set>

#include "bench/model/benchmark_id.hpp"

namespace steelyard::ci {
namespace {

// Select Graphic Rendition codes (ECMA-48, 8.3.117), in the order of Tone.
constexpr std::array<std::string_view, 6> kToneCodes{"", "\x1b[32m", "\x1b[31m", "\x1b[33m", "\x1b[2m", "\x1b[1m"};

// Room for a character on both sides of a gap.
constexpr std::size_t kMinNameColumns = 8;

}  // namespace

std::string paint(std::string_view text, Tone tone, bool color) {
  const std::string_view code = kToneCodes.at(static_cast<std::size_t>(tone));
  if (!color || code.empty() || text.empty()) return std::string(text);
  return std::string(code) + std::string(text) + "\x1b[0m";
}

namespace {

// `line` without what begins a command in the middle of a line: "##[error]", "##vso[task]".
std::string without_commands(std::string_view line) {
  std::string text;
  for (std::size_t at = 0; at < line.size(); ++at) {
    text += line[at];
    if (!line.substr(0, at + 1).ends_with("##")) continue;
    const std::size_t bracket = line.find_first_not_of("abcdefghijklmnopqrstuvwxyz", at + 1);
    if (bracket != std::string_view::npos && line[bracket] == '[') text += ' ';
  }
  return text;
}

}  // namespace

std::string log_text(std::string_view text) {
  std::string result;
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    const std::string line = without_commands(printable_line(text.substr(begin, end - begin), true));
    const std::size_t first = line.find_first_not_of(' ');
    const bool is_command = first != std::string::npos && line.compare(first, 2, "::") == 0;
    result += (begin == 0 ? "" : "\n") + std::string(is_command ? "| " : "") + line;
    begin = end + 1;
  }
  return result;
}

std::string without_device(std::string_view benchmark) {
  constexpr std::string_view kKey = "device=";
  const std::size_t suffix = benchmark.rfind(" [");
  if (suffix == std::string_view::npos || !benchmark.ends_with(']')) return std::string(benchmark);
  const std::size_t at = benchmark.find(kKey, suffix);
  if (at == std::string_view::npos || (benchmark[at - 1] != '[' && benchmark[at - 1] != ',')) {
    return std::string(benchmark);
  }
  // Behind a device stands the dtype or nothing (BenchmarkId::canonical).
  const std::size_t dtype = benchmark.find(",dtype=", at);
  const std::size_t end = dtype == std::string_view::npos ? benchmark.size() - 1 : dtype;
  const bool is_first = benchmark[at - 1] == '[';
  if (is_first && dtype == std::string_view::npos) return std::string(benchmark.substr(0, suffix));
  const std::size_t begin = is_first ? at : at - 1;
  return std::string(benchmark.substr(0, begin)) + std::string(benchmark.substr(is_first ? end + 1 : end));
}

ShownNames::ShownNames(const std::vector<std::string>& benchmarks, const TerminalStyle& style, std::size_t columns) {
  const std::set<std::string> different(benchmarks.begin(), benchmarks.end());
  const std::vector<std::string> canonical(different.begin(), different.end());
  const auto written = [&](bool with_device) {
    std::vector<std::string> names;
    for (const std::string& benchmark : canonical) {
      names.push_back(printable(name_as_given(with_device ? benchmark : without_device(benchmark)), style.unicode));
    }
    return names;
  };
  std::vector<std::string> names = written(false);
  // Where the device is what tells two benchmarks apart it stays.
  if (std::set<std::string>(names.begin(), names.end()).size() < names.size()) names = written(true);
  if (style.cuts_names) names = shortened_apart(names, std::max(columns, kMinNameColumns), style.unicode);
  for (std::size_t i = 0; i < names.size(); ++i) {
    columns_ = std::max(columns_, columns_of(names[i]));
    shown_.emplace(canonical[i], std::move(names[i]));
  }
}

const std::string& ShownNames::of(const std::string& benchmark) const { return shown_.at(benchmark); }

namespace {

constexpr double kMinSecondsBetween = 0.1;

double now_s() {
  const auto since_start = std::chrono::steady_clock::now().time_since_epoch();
  return std::chrono::duration<double>(since_start).count();
}

std::string left_text(Nanoseconds left) {
  const double s = in_seconds(left);
  // A caller's estimate is a quotient; one that is no time is not shown.
  if (!(s > 0) || s > 1e6) return "";
  const auto whole = static_cast<long>(std::ceil(s));
  if (whole < 60) return std::to_string(whole) + " s left";
  return std::to_string(whole / 60) + " min " + std::to_string(whole % 60) + " s left";
}

}  // namespace

ProgressLine::ProgressLine(std::ostream& err, bool enabled, int width)
    : err_(err), enabled_(enabled), width_(std::max(width, 20)) {}

ProgressLine::~ProgressLine() { clear(); }

void ProgressLine::show(const std::string& what, double done, Nanoseconds left) {
  if (!enabled_) return;
  const double now = now_s();
  if (drawn_ && now - last_drawn_s_ < kMinSecondsBetween) return;
  last_drawn_s_ = now;
  drawn_ = true;
  const double own = std::isfinite(done) ? std::clamp(done, 0.0, 1.0) : 0.0;
  const double part = part_.from + own * (part_.to - part_.from);
  constexpr std::size_t kBarColumns = 24;
  const auto filled = static_cast<std::size_t>(std::floor(part * static_cast<double>(kBarColumns)));
  // Rounded down: 100 % is said when it is true.
  std::string tail = "  " + padded(std::to_string(static_cast<int>(part * 100)), 3, Align::right) + " %";
  // How long one part takes says nothing of the others.
  const std::string time = part_.name.empty() ? left_text(left) : "";
  if (!time.empty()) tail += "  " + time;
  // The last column stays free, because a character there makes some terminals wrap.
  const std::size_t room = static_cast<std::size_t>(width_) - 1;
  std::string bar;
  if (room >= kBarColumns + 4 + tail.size() + 12) {
    bar = "  [" + std::string(filled, '=') + std::string(kBarColumns - filled, ' ') + "]";
  }
  const std::size_t name_room = room > bar.size() + tail.size() ? room - bar.size() - tail.size() : 0;
  const std::string name =
      name_room >= 5
          ? shortened(printable(part_.name.empty() ? what : part_.name + ": " + what, true), name_room, false)
          : "";
  err_ << "\r" << name << bar << tail.substr(0, room) << "\x1b[K" << std::flush;
}

void ProgressLine::clear() {
  if (!drawn_) return;
  drawn_ = false;
  err_ << "\r\x1b[K" << std::flush;
}

}  // namespace steelyard::ci
