// Holds a stream by a kernel that waits for a word of the host, while work is queued behind it: once let go, the device
// runs the work without ever waiting for the host, and no launch latency is in a time.
//
//     StreamHold hold;
//     hold.close(stream);
//     ... queue events and launches ...
//     hold.open();
//     stream.wait();
//     hold.check();          // throws where the device gave up waiting
//
// What is queued must not wait for the device: it would wait for ever. The kernel therefore gives up after a limit, and
// check() says so.
#pragma once

#include "bench/cuda/cuda_handles.hpp"

namespace steelyard::cuda {

class StreamHold {
 public:
  explicit StreamHold(Nanoseconds limit = seconds(10)) : words_(2), limit_(limit) {}
  void close(const Stream& stream) { close(stream, limit_); }
  // With a limit of its own.
  void close(const Stream& stream, Nanoseconds limit);
  void open();
  // After waiting for the stream: whether the device gave up waiting.
  bool has_given_up() const { return words_.get(1) != 0; }
  void check() const;

 private:
  SharedWords<int> words_;  // open, given up
  Nanoseconds limit_;
};

}  // namespace steelyard::cuda
