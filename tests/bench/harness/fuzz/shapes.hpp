// The shapes of a fuzzer's first tensor as the goldens write them: "725x257", "78x5 d" where it is discontiguous.
#pragma once

#include <string>
#include <vector>

#include "bench/harness/fuzz/fuzzer.hpp"

namespace steelyard {

inline std::string shape_text(const std::vector<std::int64_t>& shape) {
  std::string text;
  for (const std::int64_t size : shape) text += (text.empty() ? "" : "x") + std::to_string(size);
  return text;
}

inline std::vector<std::string> shapes_of(const FuzzedItems& items) {
  std::vector<std::string> shapes;
  for (const ItemPlan& item : items.items) {
    const TensorPlan& x = item.tensors.front();
    shapes.push_back(shape_text(x.shape) + (x.is_contiguous ? "" : " d"));
  }
  return shapes;
}

}  // namespace steelyard
