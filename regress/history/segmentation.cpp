#include "regress/history/segmentation.hpp"

#include <algorithm>
#include <cmath>

namespace steelyard {
namespace {

// Cost a m^2 + b m + c of the newest stretch having level m, for low <= m <= high, if that stretch begins at `begin`.
struct Piece {
  double low;
  double high;
  double a;
  double b;
  double c;
  std::size_t begin;
};

double at(const Piece& piece, double m) { return (piece.a * m + piece.b) * m + piece.c; }

double least(const Piece& piece) { return at(piece, std::clamp(-piece.b / (2 * piece.a), piece.low, piece.high)); }

void append(std::vector<Piece>& pieces, const Piece& piece) {
  if (!(piece.low < piece.high)) return;
  if (!pieces.empty() && pieces.back().begin == piece.begin)
    pieces.back().high = piece.high;
  else
    pieces.push_back(piece);
}

// The lower envelope of `pieces` and the constant `bound`, where a new stretch begins.
void cut_at(const std::vector<Piece>& pieces, double bound, std::size_t begin, std::vector<Piece>& result) {
  result.clear();
  for (const Piece& piece : pieces) {
    const Piece fresh = {piece.low, piece.high, 0, 0, bound, begin};
    const double discriminant = piece.b * piece.b - 4 * piece.a * (piece.c - bound);
    if (discriminant <= 0) {
      append(result, fresh);
      continue;
    }
    const double root = std::sqrt(discriminant);
    const double from = std::clamp((-piece.b - root) / (2 * piece.a), piece.low, piece.high);
    const double to = std::clamp((-piece.b + root) / (2 * piece.a), piece.low, piece.high);
    if (from >= to) {
      append(result, fresh);
      continue;
    }
    append(result, {piece.low, from, 0, 0, bound, begin});
    append(result, {from, to, piece.a, piece.b, piece.c, piece.begin});
    append(result, {to, piece.high, 0, 0, bound, begin});
  }
}

}  // namespace

std::vector<std::size_t> best_steps(std::span<const double> values, double penalty) {
  if (values.size() < 2) return {};
  const auto [low, high] = std::ranges::minmax(values);
  if (!(low < high)) return {};
  std::vector<std::size_t> begin_of_last(values.size());
  std::vector<Piece> pieces = {{low, high, 0, 0, 0, 0}};
  std::vector<Piece> next;
  for (std::size_t i = 0; i < values.size(); ++i) {
    const double y = values[i];
    double best = 0;
    for (std::size_t k = 0; k < pieces.size(); ++k) {
      Piece& piece = pieces[k];
      piece.a += 1;
      piece.b -= 2 * y;
      piece.c += y * y;
      const double cost = least(piece);
      if (k > 0 && cost >= best) continue;
      best = cost;
      begin_of_last[i] = piece.begin;
    }
    cut_at(pieces, best + penalty, i + 1, next);
    std::swap(pieces, next);
  }
  std::vector<std::size_t> steps;
  for (std::size_t i = begin_of_last.back(); i > 0; i = begin_of_last[i - 1]) steps.push_back(i);
  std::ranges::reverse(steps);
  return steps;
}

}  // namespace steelyard
