#include "ci/report/charts/svg_picture.hpp"

#include <fmt/format.h>

#include <utility>

#include "bench/model/text.hpp"
#include "ci/app/terminal_text.hpp"

namespace steelyard {

std::string svg_text(std::string_view text) { return markup_text(printable(text, true)); }

SvgPicture::SvgPicture(const SvgHead& head) {
  text_ = fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {0:.0f} {1:.0f}\" width=\"{0:.0f}\" "
      "height=\"{1:.0f}\" role=\"img\" ",
      head.width, head.height);
  if (head.description.empty()) {
    text_ += fmt::format("aria-label=\"{}\">\n", svg_text(head.title));
  } else {
    text_ +=
        fmt::format("aria-labelledby=\"title desc\">\n<title id=\"title\">{}</title>\n<desc id=\"desc\">{}</desc>\n",
                    svg_text(head.title), svg_text(head.description));
  }
  text_ += fmt::format("<style>{2}</style>\n<rect class=\"back\" width=\"{0:.0f}\" height=\"{1:.0f}\"/>\n", head.width,
                       head.height, head.style);
}

void SvgPicture::words(double x, double y, std::string_view style, std::string_view content, std::string_view more) {
  text_ +=
      fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\" class=\"{}\"{}>{}</text>\n", x, y, style, more, svg_text(content));
}

void SvgPicture::line(double x1, double y1, double x2, double y2, std::string_view style) {
  text_ += fmt::format("<line x1=\"{:.1f}\" y1=\"{:.1f}\" x2=\"{:.1f}\" y2=\"{:.1f}\" class=\"{}\"/>\n", x1, y1, x2, y2,
                       style);
}

void SvgPicture::frame(const PlotArea& area) {
  text_ += fmt::format("<rect x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" class=\"frame\"/>\n", area.left, area.top,
                       area.right - area.left, area.bottom - area.top);
}

void SvgPicture::value_axis(const NiceAxis& axis, const PlotArea& area, const std::string& unit) {
  for (const double tick : axis.ticks) {
    const double y = area.y(axis.share(tick));
    line(area.left, y, area.right, y, "grid");
    words(area.left - 8, y + 4, "dim", axis_label(tick, axis, unit), kRightAligned);
  }
  frame(area);
}

std::string SvgPicture::finish() && { return std::move(text_) + "</svg>\n"; }

}  // namespace steelyard
