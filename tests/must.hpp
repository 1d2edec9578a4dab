// Values of results that a test or study cannot go on without.
#pragma once

#include <stdexcept>
#include <type_traits>
#include <utility>

#include "bench/model/result.hpp"

namespace steelyard::testkit {

// Throws a std::runtime_error with the error's text where there is no value.
template <class T>
T must(Result<T> result) {
  if (!result) throw std::runtime_error(result.error().text());
  if constexpr (!std::is_void_v<T>) return std::move(result).value();
}

}  // namespace steelyard::testkit
