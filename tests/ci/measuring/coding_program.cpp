// Encodes and decodes. Built twice: OTHER_ENCODER encodes by other code, short texts to the same and long ones to more.
#include <benchmark/benchmark.h>

#include <array>
#include <cstddef>

namespace {

struct Code {
  std::array<unsigned, 512> words{};
  std::size_t size = 0;
};

void encode(std::size_t length, Code& code) {
  code.size = 0;
  for (std::size_t i = 0; i < length; ++i) {
#ifdef OTHER_ENCODER
    benchmark::DoNotOptimize(code.words[code.size] = 0);
#endif
    code.words[code.size++] = static_cast<unsigned>(i % 7);
  }
#ifdef OTHER_ENCODER
  if (length > 64) code.words[code.size++] = 1;
#endif
}

// So that no compiler lets its knowledge of the encoder reach into who calls it.
void (*volatile const encoder)(std::size_t, Code&) = encode;

__attribute__((noinline)) unsigned decode(const Code& code) {
  unsigned sum = 1;
  for (std::size_t i = 0; i < code.size; ++i) benchmark::DoNotOptimize(sum = sum * 3 + code.words[i]);
  return sum;
}

void decode_short(benchmark::State& state) {
  Code code;
  encoder(50, code);
  for ([[maybe_unused]] auto _ : state) benchmark::DoNotOptimize(decode(code));
}
BENCHMARK(decode_short);

void decode_long(benchmark::State& state) {
  Code code;
  encoder(100, code);
  for ([[maybe_unused]] auto _ : state) benchmark::DoNotOptimize(decode(code));
}
BENCHMARK(decode_long);

void encode_short(benchmark::State& state) {
  Code code;
  for ([[maybe_unused]] auto _ : state) encoder(50, code);
}
BENCHMARK(encode_short);

}  // namespace

BENCHMARK_MAIN();
