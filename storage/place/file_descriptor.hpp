// One owner of an open file descriptor; closes it, never throws. Named apart from bench's Descriptor: the two layers
// share nothing but the model, and one program links both.
#pragma once

#include <unistd.h>

#include <utility>

namespace steelyard {

class FileDescriptor {
 public:
  explicit FileDescriptor(int number = -1) : number_(number) {}
  FileDescriptor(FileDescriptor&& other) noexcept : number_(std::exchange(other.number_, -1)) {}
  FileDescriptor& operator=(FileDescriptor&&) = delete;
  ~FileDescriptor() { close(); }

  explicit operator bool() const { return number_ >= 0; }
  int number() const { return number_; }  // -1: closed
  // False where the system reports, only now, that something was not written.
  bool close() { return number_ < 0 || ::close(std::exchange(number_, -1)) == 0; }

 private:
  int number_;
};

}  // namespace steelyard
