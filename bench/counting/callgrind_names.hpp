// The names of one number space of a callgrind.out file (objects, files or functions): "(7) name" defines 7, "(7)"
// refers to it, a name without a number stands for itself. Equal names get one index, however they were written.
#pragma once

#include <cstdint>
#include <memory>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "bench/counting/index_table.hpp"
#include "bench/model/result.hpp"

namespace steelyard {

class CallgrindNames {
 public:
  CallgrindNames();

  // Index of the name that `text` defines, refers to, or is. Errors carry no place: the caller knows the line.
  Result<std::uint32_t> resolve(std::string_view text);

  std::string_view name(std::uint32_t index) const { return names_[index]; }
  std::size_t size() const { return names_.size(); }
  // About what all names take.
  std::size_t bytes() const { return bytes_; }

  static constexpr std::uint32_t kNone = 0;  // the empty name: nothing was said

 private:
  std::uint32_t index_of(std::string_view name);
  std::string_view keep(std::string_view name);
  std::uint32_t index_of_number(std::uint64_t number) const;
  void define(std::uint64_t number, std::uint32_t index);

  std::vector<std::string_view> names_;          // into the blocks
  std::vector<std::unique_ptr<char[]>> blocks_;  // a string of its own for each name took a tenth of the reader's time
  std::size_t left_ = 0;                         // in the last block, at its end
  char* free_ = nullptr;
  IndexTable index_by_name_;
  std::vector<std::uint32_t> index_by_number_;  // small numbers
  std::unordered_map<std::uint64_t, std::uint32_t> index_by_far_number_;
  std::size_t bytes_ = 0;
};

}  // namespace steelyard
