#include "bench/main/standard_output.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <iostream>

namespace steelyard {
namespace {

constexpr std::size_t kMostPending = std::size_t{64} << 10;

int copy_of_standard_output() {
  std::cout.flush();
  std::fflush(stdout);
  // Not handed on to a program that a benchmark starts.
  return fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 3);
}

}  // namespace

DescriptorBuffer::int_type DescriptorBuffer::overflow(int_type character) {
  if (traits_type::eq_int_type(character, traits_type::eof())) return traits_type::not_eof(character);
  pending_ += traits_type::to_char_type(character);
  return pending_.size() < kMostPending || sync() == 0 ? character : traits_type::eof();
}

std::streamsize DescriptorBuffer::xsputn(const char* text, std::streamsize length) {
  pending_.append(text, static_cast<std::size_t>(length));
  return pending_.size() < kMostPending || sync() == 0 ? length : 0;
}

int DescriptorBuffer::sync() {
  std::size_t done = 0;
  while (done < pending_.size()) {
    const ssize_t written = write(descriptor_, pending_.data() + done, pending_.size() - done);
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) break;
    done += static_cast<std::size_t>(written);
  }
  const bool is_all = done == pending_.size();
  pending_.clear();
  return is_all ? 0 : -1;
}

ReservedOutput::ReservedOutput()
    : original_(copy_of_standard_output()), buffer_(original_ >= 0 ? original_ : STDOUT_FILENO), stream_(&buffer_) {
  if (original_ >= 0) dup2(STDERR_FILENO, STDOUT_FILENO);
}

ReservedOutput::~ReservedOutput() {
  stream_.flush();
  if (original_ < 0) return;
  std::cout.flush();
  std::fflush(stdout);
  dup2(original_, STDOUT_FILENO);
  close(original_);
}

}  // namespace steelyard
