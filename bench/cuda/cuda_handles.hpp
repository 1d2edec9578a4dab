// CUDA calls that are checked, and what they make owned: streams, events, graphs and host memory that the device sees.
#pragma once

#include <cuda_runtime_api.h>
#include <driver_types.h>

#include <cstddef>
#include <new>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>

#include "bench/model/quantity.hpp"

namespace steelyard::cuda {

// A CUDA call that did not succeed: which call, what the runtime says, on which device. Thrown inside a workload and
// caught by the harness, which makes a failed row of it.
//
//     check(cudaMemcpyAsync(...), "copying the weights");
//     check(cudaGetLastError(), "launching layer_norm");

class CudaError : public std::runtime_error {
 public:
  CudaError(cudaError_t error_code, const std::string& text);

  cudaError_t code;
  // Nothing more can be done in this process: its context is lost, every later call fails too.
  bool is_sticky;
};

// Throws where `code` is no success. `what`: what was being done, for the message.
void check(cudaError_t code, std::string_view what);

// Launch failures, illegal addresses, a lost device, ...: what the context does not survive.
bool is_sticky_error(cudaError_t code);

// Streams, events, graphs and host memory that the device sees: each with one owner, given back without throwing.

template <class Handle, cudaError_t (*Destroy)(Handle)>
class Owned {
 public:
  Owned() = default;
  explicit Owned(Handle handle) : handle_(handle) {}
  ~Owned() { reset(); }
  Owned(Owned&& other) noexcept : handle_(std::exchange(other.handle_, Handle{})) {}
  Owned& operator=(Owned&& other) noexcept {
    std::swap(handle_, other.handle_);
    return *this;
  }

  Handle get() const { return handle_; }
  void reset() {
    if (handle_ != Handle{}) static_cast<void>(Destroy(handle_));
    handle_ = Handle{};
  }

 private:
  Handle handle_{};
};

using Graph = Owned<cudaGraph_t, cudaGraphDestroy>;
using ExecutableGraph = Owned<cudaGraphExec_t, cudaGraphExecDestroy>;

// Does not wait for the default stream, nor that for it.
class Stream {
 public:
  Stream() {
    cudaStream_t stream = nullptr;
    check(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking), "creating a stream");
    stream_ = Owned<cudaStream_t, cudaStreamDestroy>(stream);
  }
  cudaStream_t get() const { return stream_.get(); }
  void wait() const { check(cudaStreamSynchronize(get()), "waiting for the device"); }

 private:
  Owned<cudaStream_t, cudaStreamDestroy> stream_;
};

class Event {
 public:
  Event() {
    cudaEvent_t event = nullptr;
    check(cudaEventCreate(&event), "creating an event");
    event_ = Owned<cudaEvent_t, cudaEventDestroy>(event);
  }
  void record(const Stream& stream) const { record(stream.get()); }
  void record(cudaStream_t stream) const { check(cudaEventRecord(event_.get(), stream), "recording an event"); }
  void wait() const { check(cudaEventSynchronize(event_.get()), "waiting for an event"); }
  // Precondition: both were recorded and have passed.
  Nanoseconds since(const Event& earlier) const {
    float ms = 0;
    check(cudaEventElapsedTime(&ms, earlier.event_.get(), event_.get()), "reading the time between two events");
    return milliseconds(static_cast<double>(ms));
  }

 private:
  Owned<cudaEvent_t, cudaEventDestroy> event_;
};

// `count` values in the host's memory that the device reads and writes in place; zero at first.
template <class T>
class SharedWords {
 public:
  explicit SharedWords(std::size_t count) : count_(count) {
    void* host = nullptr;
    check(cudaHostAlloc(&host, count * sizeof(T), cudaHostAllocMapped), "allocating host memory for the device");
    memory_ = Owned<void*, cudaFreeHost>(host);
    void* device = nullptr;
    check(cudaHostGetDevicePointer(&device, host, 0), "mapping host memory for the device");
    on_device_ = static_cast<T*>(device);
    clear();
  }
  std::size_t count() const { return count_; }
  T* on_device() const { return on_device_; }
  void clear() {
    for (std::size_t i = 0; i < count_; ++i) new (on_host() + i) T{};
  }
  // While the device may read or write the word: plain integers only.
  void set(std::size_t i, T value) { static_cast<volatile T*>(on_host())[i] = value; }
  T get(std::size_t i) const { return static_cast<const volatile T*>(on_host())[i]; }
  // While the device does not: after waiting for it.
  std::span<const T> values() const { return {on_host(), count_}; }

 private:
  T* on_host() const { return static_cast<T*>(memory_.get()); }

  Owned<void*, cudaFreeHost> memory_;
  T* on_device_ = nullptr;
  std::size_t count_;
};

}  // namespace steelyard::cuda
