#include "bench/cuda/device_memory.hpp"

#include <cuda_runtime_api.h>

#include <atomic>
#include <cassert>
#include <string>

#include "bench/cuda/cuda_handles.hpp"

namespace steelyard::cuda {
namespace {

// Of the process, as the memory is.
std::atomic<std::int64_t> allocated_bytes{0};
std::atomic<std::int64_t> peak_bytes{0};

void count_allocation(std::int64_t bytes) {
  const std::int64_t now = allocated_bytes.fetch_add(bytes) + bytes;
  std::int64_t peak = peak_bytes.load();
  while (now > peak && !peak_bytes.compare_exchange_weak(peak, now)) {
  }
}

Bytes as_bytes(std::size_t bytes) { return Bytes(static_cast<std::int64_t>(bytes)); }

}  // namespace

DeviceBlock::DeviceBlock(std::size_t bytes) {
  if (bytes == 0) return;
  const cudaError_t code = cudaMalloc(&data_, bytes);
  if (code == cudaErrorMemoryAllocation) {
    static_cast<void>(cudaGetLastError());
    std::size_t free = 0;
    std::size_t total = 0;
    std::string text = "out of device memory: asked for " + to_text(as_bytes(bytes));
    if (cudaMemGetInfo(&free, &total) == cudaSuccess) {
      text += ", free are " + to_text(as_bytes(free)) + " of " + to_text(as_bytes(total));
    }
    throw CudaError(code, text + "; leave the benchmark out, or take a device with more memory");
  }
  check(code, "allocating " + to_text(as_bytes(bytes)) + " of device memory");
  bytes_ = bytes;
  count_allocation(static_cast<std::int64_t>(bytes));
}

DeviceBlock::~DeviceBlock() {
  if (data_ == nullptr) return;
  // After a sticky error nothing can be given back, and the process ends soon.
  static_cast<void>(cudaFree(data_));
  allocated_bytes.fetch_sub(static_cast<std::int64_t>(bytes_));
}

void DeviceBlock::fill(int byte) {
  if (bytes_ == 0) return;
  check(cudaMemset(data_, byte, bytes_), "filling device memory");
  check(cudaDeviceSynchronize(), "filling device memory");
}

void DeviceBlock::upload(const void* from, std::size_t bytes) {
  assert(bytes <= bytes_);
  if (bytes == 0) return;
  check(cudaMemcpy(data_, from, bytes, cudaMemcpyHostToDevice), "copying to the device");
  // The copy may return before its last bytes arrive, and streams of ours do not wait for the default one.
  check(cudaStreamSynchronize(nullptr), "copying to the device");
}

void DeviceBlock::download(void* to, std::size_t bytes, std::size_t first_byte) const {
  assert(first_byte + bytes <= bytes_);
  if (bytes == 0) return;
  // The copy waits for the default stream only.
  check(cudaDeviceSynchronize(), "waiting for the device");
  check(cudaMemcpy(to, static_cast<const std::byte*>(data_) + first_byte, bytes, cudaMemcpyDeviceToHost),
        "copying from the device");
}

DeviceMemoryUse device_memory_use() { return {Bytes(allocated_bytes.load()), Bytes(peak_bytes.load())}; }

void restart_memory_peak() { peak_bytes.store(allocated_bytes.load()); }

}  // namespace steelyard::cuda
