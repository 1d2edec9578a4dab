// Inlined into lined_program.cpp: its lines are known by their marks.
#pragma once

namespace lined {

template <class Number>
struct Mixer {
  Number seed;
  Number mix(Number value) const {
    Number sum = seed;
    for (Number i = 0; i < 5; ++i) {
      sum += value * i ^ (sum >> 3);  // mark: mixed
    }
    return sum;
  }
};

}  // namespace lined
