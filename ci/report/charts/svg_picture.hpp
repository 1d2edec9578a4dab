// A picture as SVG that needs nothing beside itself: no script, no font and no picture from elsewhere. Reads in light
// and dark as its style says. Text from strangers is made safe; bytes that are no UTF-8 are replaced.
//
//     SvgPicture picture({960, 372, "BM_sort  real_time", "3 values, 1 change.", kStyle});
//     picture.words(16, 28, "title", "BM_sort");
//     return std::move(picture).finish();
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace steelyard::ci {

// The axes that charts share: a linear one with ticks at round numbers (P. Heckbert, "Nice Numbers for Graph Labels",
// Graphics Gems, 1990: steps of 1, 2 and 5 times a power of ten), and a logarithmic one.

struct NiceAxis {
  double low = 0;
  double high = 1;
  std::vector<double> ticks;  // ascending, 3 to 7

  double share(double value) const;  // of the way from low to high, 0 to 1
};

// Room for all values and a little more; values that hardly differ fill no whole picture. Finite values; none: 0 to 1.
NiceAxis nice_axis(const std::vector<double>& values);

// In one scale for the whole axis, with the decimals that its steps need: "1.25 us".
std::string axis_label(double tick, const NiceAxis& axis, const std::string& unit);

struct LogAxis {
  double low = 1;    // above 0
  double high = 10;  // above low

  double share(double value) const;     // of the way from low to high; beyond them below 0, above 1
  double at(double share) const;        // the way back
  std::vector<double> decades() const;  // whole powers of ten within, ascending
};

// A file of its own, or a part of a page that has the style already: its Content-Security-Policy refuses one that it
// does not know, and ids would stand there twice.
enum class SvgForm { document, inlined };

struct SvgHead {
  double width = 960;
  double height = 0;
  std::string title;        // for a screen reader, as is the description
  std::string description;  // empty: the title says it all
  const char* style = "";   // CSS; has the classes back, grid, frame and dim
  const char* kind = "";    // the picture's own class, by which a page's style finds it; empty: none
  SvgForm form = SvgForm::document;
  double top = 0;  // what is above is cut off an inlined one
};

// The plot's area in the picture, in pixels.
struct PlotArea {
  double left, top, right, bottom;
  double x(double share) const { return left + (right - left) * share; }    // 0: left, 1: right
  double y(double share) const { return bottom - (bottom - top) * share; }  // 0: bottom, 1: top
};

class SvgPicture {
 public:
  SvgPicture() = default;
  explicit SvgPicture(const SvgHead& head);

  // `more`: further attributes.
  void words(double x, double y, std::string_view style, std::string_view content, std::string_view more = "");
  void line(double x1, double y1, double x2, double y2, std::string_view style);
  void frame(const PlotArea& area);
  // Grid lines at the ticks with their labels to the left, and the frame.
  void value_axis(const NiceAxis& axis, const PlotArea& area, const std::string& unit);
  void add(std::string_view elements) { text_ += elements; }
  std::string finish() &&;

 private:
  std::string text_;
};

inline constexpr std::string_view kCentred = " text-anchor=\"middle\"";
inline constexpr std::string_view kRightAligned = " text-anchor=\"end\"";

// Text as it may stand between two tags.
std::string svg_text(std::string_view text);

}  // namespace steelyard::ci
