// Keeps the report whole: while benchmarks run, what they write to standard output goes to standard error, and only the
// report goes to where standard output was.
#pragma once

#include <ostream>
#include <streambuf>
#include <string>

namespace steelyard {

// Writes to a file descriptor.
class DescriptorBuffer : public std::streambuf {
 public:
  explicit DescriptorBuffer(int descriptor) : descriptor_(descriptor) {}
  ~DescriptorBuffer() override { sync(); }

 protected:
  int_type overflow(int_type character) override;
  std::streamsize xsputn(const char* text, std::streamsize length) override;
  int sync() override;

 private:
  int descriptor_;
  std::string pending_;
};

class ReservedOutput {
 public:
  ReservedOutput();
  ReservedOutput(const ReservedOutput&) = delete;
  ReservedOutput& operator=(const ReservedOutput&) = delete;
  ~ReservedOutput();

  // To where standard output was.
  std::ostream& report() { return stream_; }

 private:
  int original_;  // -1: there is none, and nothing is redirected
  DescriptorBuffer buffer_;
  std::ostream stream_;
};

}  // namespace steelyard
