#include "bench/harness/axes/axis_grid.hpp"

#include <algorithm>
#include <exception>
#include <stdexcept>
#include <utility>

namespace steelyard {

AxisPoint::AxisPoint(std::shared_ptr<const std::vector<Axis>> axes, std::vector<std::size_t> choice)
    : axes_(std::move(axes)), choice_(std::move(choice)) {}

std::int64_t AxisPoint::integer(std::string_view axis) const {
  return value(axis, {AxisKind::integer, AxisKind::power_of_two, AxisKind::threads}).integer;
}

double AxisPoint::real(std::string_view axis) const {
  return value(axis, {AxisKind::integer, AxisKind::power_of_two, AxisKind::threads, AxisKind::real}).real;
}

const std::string& AxisPoint::text(std::string_view axis) const { return value(axis, {}).text; }

std::size_t AxisPoint::type_index(std::string_view axis) const {
  return static_cast<std::size_t>(value(axis, {AxisKind::type}).integer);
}

std::int64_t AxisPoint::threads() const { return has_threads() ? integer(kThreadsAxis) : 1; }

bool AxisPoint::has_threads() const {
  AxisKind kind{};
  return find(kThreadsAxis, kind) != nullptr;
}

std::string AxisPoint::name(std::string_view benchmark) const {
  std::string text(benchmark);
  for (std::size_t i = 0; i < choice_.size(); ++i) {
    const Axis& axis = (*axes_)[i];
    if (axis.kind != AxisKind::threads) text += '/' + axis.name + ':' + written_in_name(axis.values[choice_[i]].text);
  }
  return text;
}

const AxisValue& AxisPoint::value(std::string_view axis, std::initializer_list<AxisKind> kinds) const {
  AxisKind kind{};
  const AxisValue* found = find(axis, kind);
  if (found == nullptr) {
    throw std::out_of_range("found no axis \"" + std::string(axis) + "\", wanted one of: " + names());
  }
  if (kinds.size() > 0 && std::find(kinds.begin(), kinds.end(), kind) == kinds.end()) {
    throw std::out_of_range("axis \"" + std::string(axis) + "\": found one of the kind " + std::string(to_text(kind)) +
                            ", wanted " + std::string(to_text(*kinds.begin())));
  }
  return *found;
}

const AxisValue* AxisPoint::find(std::string_view axis, AxisKind& kind) const {
  for (std::size_t i = 0; i < choice_.size(); ++i) {
    if ((*axes_)[i].name != axis) continue;
    kind = (*axes_)[i].kind;
    return &(*axes_)[i].values[choice_[i]];
  }
  return nullptr;
}

std::string AxisPoint::names() const {
  std::string text;
  for (std::size_t i = 0; i < choice_.size(); ++i) text += (i == 0 ? "" : ", ") + (*axes_)[i].name;
  return text.empty() ? "none" : text;
}

namespace {

// A getter with a wrong name throws, in a filter too.
Result<bool> passes(const AxisFilter& filter, const AxisPoint& point) {
  if (!filter) return true;
  std::string thrown = "an exception that is no std::exception";
  try {
    return filter(point);
  } catch (const std::exception& exception) {
    thrown = exception.what();
  } catch (...) {
  }
  return input_error("axes", "a filter that threw: " + thrown, "one that says true or false");
}

}  // namespace

Result<std::vector<AxisPoint>> points_of(std::vector<Axis> axes, const AxisFilter& filter) {
  std::sort(axes.begin(), axes.end(), [](const Axis& a, const Axis& b) { return a.name < b.name; });
  std::size_t combinations = 1;
  for (std::size_t i = 0; i < axes.size(); ++i) {
    if (i > 0 && axes[i].name == axes[i - 1].name) {
      return input_error("axis \"" + axes[i].name + '"', "two axes of this name", "one of each name");
    }
    combinations *= axes[i].values.size();  // at most kMostAxisPoints times kMostAxisValues: no overflow
    if (combinations > kMostAxisPoints) {
      return input_error("axes", "more than " + std::to_string(kMostAxisPoints) + " combinations", "fewer values");
    }
  }
  const auto shared = std::make_shared<const std::vector<Axis>>(std::move(axes));
  std::vector<AxisPoint> points;
  std::vector<std::size_t> choice(shared->size(), 0);
  for (std::size_t i = 0; i < combinations; ++i) {
    AxisPoint point(shared, choice);
    STEELYARD_TRY(const bool is_run, passes(filter, point));
    if (is_run) points.push_back(std::move(point));
    for (std::size_t digit = choice.size(); digit-- > 0;) {
      if (++choice[digit] < (*shared)[digit].values.size()) break;
      choice[digit] = 0;
    }
  }
  if (points.empty()) {
    return input_error("axes", "a filter that leaves none of " + std::to_string(combinations) + " combinations",
                       "at least one");
  }
  return points;
}

}  // namespace steelyard
