#include "ci/app/progress.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <ostream>

#include "bench/model/number_text.hpp"
#include "bench/model/text.hpp"

namespace steelyard::ci {
namespace {

constexpr double kMinSecondsBetween = 0.1;
constexpr std::size_t kBarColumns = 24;
constexpr std::size_t kMaxFound = 10;  // lines of them; the others are a number
constexpr std::size_t kMaxToldAtOnce = 3;

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

// Rounded down: 100 % is said when it is true.
std::string percent_text(double done) { return std::to_string(static_cast<int>(done * 100)) + " %"; }

std::string bar_of(double done) {
  const auto filled = static_cast<std::size_t>(std::floor(done * static_cast<double>(kBarColumns)));
  return "[" + std::string(filled, '=') + std::string(kBarColumns - filled, ' ') + "]";
}

ProgressStyle bar_or_nothing(bool enabled, int width) {
  ProgressStyle style;
  style.form = enabled ? ProgressForm::bar : ProgressForm::none;
  style.width = width;
  return style;
}

}  // namespace

ProgressLine::ProgressLine(std::ostream& err, const ProgressStyle& style)
    : err_(err), style_(style), begun_s_(now_s()) {
  style_.width = std::max(style_.width, 20);
}

ProgressLine::ProgressLine(std::ostream& err, bool enabled, int width)
    : ProgressLine(err, bar_or_nothing(enabled, width)) {}

ProgressLine::~ProgressLine() { clear(); }

ProgressLine::ProgressNow ProgressLine::progress_now(const std::string& what, double done, Nanoseconds left) const {
  ProgressNow now;
  const double own = std::isfinite(done) ? std::clamp(done, 0.0, 1.0) : 0.0;
  now.done = part_.from + own * (part_.to - part_.from);
  // How long one part takes says nothing of the others.
  if (part_.name.empty()) now.left = left_text(left);
  now.what = printable(part_.name.empty() ? what : part_.name + ": " + what, style_.unicode);
  return now;
}

void ProgressLine::show(const std::string& what, double done, Nanoseconds left) {
  if (style_.form == ProgressForm::none) return;
  const double now = now_s();
  if (style_.form == ProgressForm::lines) {
    // What is over before the first line is due is said by its result.
    if (last_drawn_s_ < 0) last_drawn_s_ = now;
    if (now - last_drawn_s_ < kSecondsBetweenLines) return;
    last_drawn_s_ = now;
    print(progress_now(what, done, left));
    return;
  }
  if (!drawn_.empty() && now - last_drawn_s_ < kMinSecondsBetween) return;
  last_drawn_s_ = now;
  const ProgressNow now_shown = progress_now(what, done, left);
  if (style_.form == ProgressForm::live) {
    draw(live_lines(now_shown));
  } else {
    draw({bar_text(now_shown)});
  }
}

void ProgressLine::show_until_end(const std::string& what, Nanoseconds left) {
  const double spent_s = now_s() - begun_s_;
  const double whole_s = spent_s + in_seconds(left);
  show(what, whole_s > 0 ? spent_s / whole_s : 0, left);
}

void ProgressLine::begin() { begun_s_ = now_s(); }

std::string ProgressLine::bar_text(const ProgressNow& now) const {
  std::string tail = "  " + padded(percent_text(now.done), 5, Align::right);
  if (!now.left.empty()) tail += "  " + now.left;
  // The last column stays free, because a character there makes some terminals wrap.
  const std::size_t room = static_cast<std::size_t>(style_.width) - 1;
  std::string bar;
  if (room >= kBarColumns + 4 + tail.size() + 12) bar = "  " + bar_of(now.done);
  const std::size_t name_room = room > bar.size() + tail.size() ? room - bar.size() - tail.size() : 0;
  const std::string name = name_room >= 5 ? shortened(now.what, name_room, false) : "";
  return name + bar + tail.substr(0, room);
}

std::vector<std::string> ProgressLine::live_lines(const ProgressNow& now) const {
  const std::size_t room = static_cast<std::size_t>(style_.width) - 1;
  std::vector<std::string> lines;
  lines.push_back(shortened(now.what, room, style_.unicode));
  std::string bar = bar_of(now.done) + "  " + padded(percent_text(now.done), 5, Align::right);
  if (!now.left.empty()) bar += "  " + now.left;
  lines.push_back(shortened(bar, room, false));
  if (found_.empty()) return lines;
  // Two lines above, the title, what says how many more there are, and one that stays free.
  const auto rows = static_cast<std::size_t>(std::max(style_.rows, 0));
  const std::size_t most = std::min(kMaxFound, rows > 5 ? rows - 5 : 0);
  if (most == 0) return lines;
  lines.push_back("so far:");
  for (std::size_t i = 0; i < std::min(found_.size(), most); ++i) {
    const std::string text = shortened("  " + printable(found_[i].text, style_.unicode), room, style_.unicode);
    lines.push_back(paint(text, found_[i].tone, style_.color));
  }
  if (found_.size() > most) {
    lines.push_back("  and " + grouped_text(found_.size() - most) + " more");
  }
  return lines;
}

// The cursor goes up to the first line that differs and comes back; lines that are as they were are not written.
void ProgressLine::draw(std::vector<std::string> lines) {
  if (lines == drawn_) return;
  std::string text = "\r";
  if (drawn_.size() > 1) text += "\x1b[" + std::to_string(drawn_.size() - 1) + "A";
  const std::size_t count = std::max(lines.size(), drawn_.size());
  for (std::size_t i = 0; i < count; ++i) {
    if (i > 0) text += "\r\n";
    const bool is_there = i < drawn_.size();
    if (i < lines.size() && is_there && lines[i] == drawn_[i]) continue;
    const std::string line = i < lines.size() ? lines[i] : "";
    text += line;
    if (style_.erases) {
      text += "\x1b[K";
    } else if (is_there && drawn_[i].size() > line.size()) {
      text += std::string(drawn_[i].size() - line.size(), ' ');
    }
  }
  if (count > lines.size()) text += "\x1b[" + std::to_string(count - lines.size()) + "A";
  drawn_ = std::move(lines);
  err_ << text << std::flush;
}

// "timing BM_sort, round 3 of 12; 25 %, 40 s left; found: ..., and 2 more".
void ProgressLine::print(const ProgressNow& now) {
  std::string line = now.what + "; " + percent_text(now.done) + (now.left.empty() ? "" : ", " + now.left);
  std::vector<const FoundLine*> fresh;
  for (const FoundLine& one : found_) {
    if (told_found_.insert(one.told_as()).second) fresh.push_back(&one);
  }
  if (!fresh.empty()) line += "; so far: ";
  line += some_joined(fresh, kMaxToldAtOnce, ", ", ", and ",
                      [&](const FoundLine* one) { return printable(one->text, style_.unicode); });
  err_ << log_text(line) << '\n' << std::flush;
}

void ProgressLine::clear() {
  if (drawn_.empty()) return;
  std::string text = "\r";
  if (drawn_.size() > 1) text += "\x1b[" + std::to_string(drawn_.size() - 1) + "A\x1b[J";
  if (drawn_.size() == 1) text += style_.erases ? "\x1b[K" : std::string(drawn_.front().size(), ' ') + "\r";
  drawn_.clear();
  err_ << text << std::flush;
}

}  // namespace steelyard::ci
