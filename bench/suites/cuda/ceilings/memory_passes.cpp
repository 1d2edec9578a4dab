#include "bench/suites/cuda/ceilings/memory_passes.hpp"

#include <vector>

#include "bench/cuda/device_memory.hpp"
#include "bench/cuda/timing_kernels.hpp"
#include "bench/suites/cuda/arithmetic/seeded_inputs.hpp"
#include "bench/suites/cuda/ceilings/memory_kernels.hpp"
#include "bench/suites/cuda/products/device_matrix.hpp"
#include "bench/suites/cuda/products/product_kernels.hpp"

namespace steelyard::cuda_suite {
namespace {

constexpr int kPoison = 0xff;

Error wrong_pack(const char* what, std::size_t pack, const Pack& found, const Pack& wanted) {
  return program_error(std::string(what) + ", byte " + std::to_string(pack * sizeof(Pack)),
                       std::to_string(found.words[0]) + " ...", std::to_string(wanted.words[0]) + " ...");
}

std::vector<Pack> downloaded(const cuda::DeviceArray<Pack>& array) {
  std::vector<Pack> packs(array.size());
  array.download(packs);
  return packs;
}

bool equal(const Pack& one, const Pack& other) {
  for (int word = 0; word < 4; ++word) {
    if (one.words[word] != other.words[word]) return false;
  }
  return true;
}

void fill(cuda::DeviceArray<Pack>& array, std::uint64_t seed) {
  fill_seeded(NumberFormat::f32, array.data(), array.size() * 4, seed_of_operand(seed, 1), nullptr);
  wait_for_device("filling the memory");
}

class CopyPass final : public cuda::Workload {
 public:
  explicit CopyPass(std::size_t packs) : source_(packs), target_(packs) { fill(source_, 0); }
  OperatorCost cost() const override {
    const Bytes bytes = bytes_of(source_.size(), sizeof(Pack));
    return {Flops(0), bytes, bytes};
  }
  void launch(int, cudaStream_t stream) override {
    launch_copy_pass(source_.data(), target_.data(), source_.size(), stream);
  }
  Result<void> verify(std::uint64_t seed) override {
    fill(source_, seed);
    target_.fill_bytes(kPoison);
    launch(0, nullptr);
    wait_for_device("waiting for the copy");
    const std::vector<Pack> wanted = downloaded(source_);
    const std::vector<Pack> found = downloaded(target_);
    for (std::size_t i = 0; i < found.size(); ++i) {
      if (!equal(found[i], wanted[i])) return wrong_pack("copy", i, found[i], wanted[i]);
    }
    return {};
  }

 private:
  cuda::DeviceArray<Pack> source_;
  cuda::DeviceArray<Pack> target_;
};

class ReadPass final : public cuda::Workload {
 public:
  explicit ReadPass(std::size_t packs) : source_(packs), joined_(blocks_for(packs)) { fill(source_, 0); }
  OperatorCost cost() const override { return {Flops(0), bytes_of(source_.size(), sizeof(Pack)), Bytes(0)}; }
  void launch(int, cudaStream_t stream) override {
    launch_read_pass(source_.data(), source_.size(), joined_.data(), stream);
  }
  Result<void> verify(std::uint64_t seed) override {
    fill(source_, seed);
    joined_.fill_bytes(kPoison);
    launch(0, nullptr);
    wait_for_device("waiting for the reads");
    std::uint32_t wanted = 0;
    for (const Pack& pack : downloaded(source_)) {
      for (const std::uint32_t word : pack.words) wanted ^= word;
    }
    std::vector<std::uint32_t> words(joined_.size());
    joined_.download(words);
    std::uint32_t found = 0;
    for (const std::uint32_t word : words) found ^= word;
    if (found == wanted) return {};
    return program_error("read, all words joined", std::to_string(found), std::to_string(wanted));
  }

 private:
  cuda::DeviceArray<Pack> source_;
  cuda::DeviceArray<std::uint32_t> joined_;
};

class WritePass final : public cuda::Workload {
 public:
  explicit WritePass(std::size_t packs) : target_(packs) {}
  OperatorCost cost() const override { return {Flops(0), Bytes(0), bytes_of(target_.size(), sizeof(Pack))}; }
  void launch(int, cudaStream_t stream) override { launch_write_pass(target_.data(), target_.size(), key_, stream); }
  Result<void> verify(std::uint64_t seed) override {
    key_ = static_cast<std::uint32_t>(scrambled(seed, 0));
    target_.fill_bytes(kPoison);
    launch(0, nullptr);
    wait_for_device("waiting for the writes");
    const std::vector<Pack> found = downloaded(target_);
    for (std::size_t i = 0; i < found.size(); ++i) {
      Pack wanted;
      for (int word = 0; word < 4; ++word) wanted.words[word] = written_word(i, word, key_);
      if (!equal(found[i], wanted)) return wrong_pack("write", i, found[i], wanted);
    }
    return {};
  }

 private:
  cuda::DeviceArray<Pack> target_;
  std::uint32_t key_ = 0x9e3779b9u;
};

class EmptyLaunch final : public cuda::Workload {
 public:
  OperatorCost cost() const override { return {}; }
  void launch(int, cudaStream_t stream) override { cuda::launch_nothing(stream); }
  Result<void> verify(std::uint64_t) override { return {}; }
};

}  // namespace

std::unique_ptr<cuda::Workload> make_empty_launch() { return std::make_unique<EmptyLaunch>(); }

std::unique_ptr<cuda::Workload> make_memory_pass(const std::string& access, std::size_t bytes) {
  const std::size_t packs = bytes / sizeof(Pack);
  if (access == "copy") return std::make_unique<CopyPass>(packs);
  if (access == "read") return std::make_unique<ReadPass>(packs);
  return std::make_unique<WritePass>(packs);
}

}  // namespace steelyard::cuda_suite
