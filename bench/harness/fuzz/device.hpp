// Where the storage of a buffer lies. The CPU's memory is here; a GPU's is added by deriving from Device: items are
// made and hashed on the CPU, then copied, so that the same seed is the same input on every device.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>

#include "bench/model/result.hpp"

namespace steelyard {

class Device {
 public:
  virtual ~Device() = default;
  virtual std::string name() const = 0;  // "cpu", "cuda:0"
  // Memory of the device that holds a copy of `bytes`; its last owner frees it, on the device that made it.
  virtual Result<std::shared_ptr<void>> copy_in(std::span<const std::byte> bytes) = 0;
  // The first bytes of what copy_in gave. Precondition: it was this device's, and has as many.
  virtual Result<void> copy_out(const void* storage, std::span<std::byte> bytes) = 0;
};

class CpuDevice final : public Device {
 public:
  std::string name() const override { return "cpu"; }
  Result<std::shared_ptr<void>> copy_in(std::span<const std::byte> bytes) override;
  Result<void> copy_out(const void* storage, std::span<std::byte> bytes) override;
};

// Not initialized, aligned to 64 bytes: a cache line, and the widest vector of x86-64. Error (input): the memory is not
// to be had.
Result<std::shared_ptr<void>> allocate_on_cpu(std::int64_t bytes);

}  // namespace steelyard
