// Who called whom in a sample (StackSample, spans/span_file.hpp): the copied top of a stack is unwound by libdw, with
// the tables of the files that the process had mapped.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "bench/model/result.hpp"
#include "bench/profile/spans/span_file.hpp"

namespace steelyard::bench {

// Functions by the symbols and the debug information that there are; what has no name is told by its file.
class StackUnwinder {
 public:
  // `mappings`: as /proc/PID/maps tells them. Error (input): libdw makes nothing of them.
  static Result<StackUnwinder> open(const std::string& mappings);
  StackUnwinder(StackUnwinder&&) noexcept;
  ~StackUnwinder();

  // Of the innermost kMaxFrames, the innermost first. Of functions that the compiler put into others, each.
  // `span_object`: the address of a Span: functions below it on the stack alone; 0: all. Empty: the sample was taken in
  // the very function that began the span.
  std::vector<std::string> functions(const StackSample& sample, std::span<const char> stack, std::uint64_t span_object);
  // Whether any of the files was changed after `unix_ns`.
  bool has_newer_files(std::int64_t unix_ns) const;

  static constexpr std::size_t kMaxFrames = 512;

 private:
  class Session;
  explicit StackUnwinder(std::unique_ptr<Session> session);
  std::unique_ptr<Session> session_;
};

}  // namespace steelyard::bench
