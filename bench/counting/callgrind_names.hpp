// The names of one number space of a callgrind.out file (objects, files or functions): "(7) name" defines 7, "(7)"
// refers to it, a name without a number stands for itself. Equal names get one index, however they were written.
//
// Holds views into the text it was given: the text must outlive it.
#pragma once

#include <cstdint>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "bench/model/result.hpp"

namespace steelyard {

class CallgrindNames {
 public:
  CallgrindNames();

  // Index of the name that `text` defines, refers to, or is. Errors carry no place: the caller knows the line.
  Result<std::uint32_t> resolve(std::string_view text);

  std::string_view name(std::uint32_t index) const { return names_[index]; }
  std::size_t size() const { return names_.size(); }

  static constexpr std::uint32_t kNone = 0;  // the empty name: nothing was said

 private:
  std::uint32_t index_of(std::string_view name);

  std::vector<std::string_view> names_;
  std::unordered_map<std::string_view, std::uint32_t> index_by_name_;
  std::unordered_map<std::uint64_t, std::uint32_t> index_by_number_;
};

}  // namespace steelyard
