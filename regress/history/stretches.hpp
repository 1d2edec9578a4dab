// A series cut into stretches by steps, and how strong each step is. Cost of each question: O(log n), of moving a step:
// the length of both its stretches.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "regress/history/noise.hpp"

namespace steelyard {

class Stretches {
 public:
  // steps: ascending, in 1 .. n - 1. `noise` must outlive this.
  Stretches(std::span<const double> values, const Noise& noise, std::span<const std::size_t> steps);

  std::size_t steps() const { return bounds_.size() - 2; }
  std::size_t begin(std::size_t k) const { return bounds_[k + 1]; }
  std::size_t left(std::size_t k) const { return bounds_[k + 1] - bounds_[k]; }
  std::size_t right(std::size_t k) const { return bounds_[k + 2] - bounds_[k + 1]; }
  double size(std::size_t k) const;  // mean after less mean before
  // Size over its standard deviation; of the whole stretches and of ever shorter ones around the step, the largest:
  // where noise wanders only the values near the step tell. Never negative.
  double t(std::size_t k) const;
  // Whether the values from step k to the next are few and lead back to about where they began.
  bool is_burst(std::size_t k) const;

  void remove(std::size_t k);
  // To where two means explain most. A step that is `kept` stays while its place is not clearly worse.
  void move_to_best(std::size_t k, bool kept);
  // Smallest and largest place that explain not clearly less than the present one.
  std::pair<std::size_t, std::size_t> range(std::size_t k) const;

 private:
  double mean(std::size_t from, std::size_t to) const;
  double explained(std::size_t k, std::size_t cut) const;

  std::vector<double> sums_;
  std::vector<std::size_t> bounds_;
  const Noise& noise_;
  double clear_;  // a difference of explained squares that tells places apart
};

}  // namespace steelyard
