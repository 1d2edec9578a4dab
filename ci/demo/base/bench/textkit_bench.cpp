// Each benchmark makes its own input from a fixed seed, so that every build of every commit reads the same bytes.
#include <benchmark/benchmark.h>

#include <random>
#include <string>
#include <vector>

#include "textkit/edit_distance.hpp"
#include "textkit/intern.hpp"
#include "textkit/matrix.hpp"
#include "textkit/tokenize.hpp"
#include "textkit/top_words.hpp"

namespace {

using Random = std::mt19937;

// 0 to n-1. The library's distributions differ between implementations, the engine's bits do not.
std::uint32_t below(Random& random, std::uint32_t n) {
  return static_cast<std::uint32_t>((std::uint64_t{random()} * n) >> 32);
}

std::string make_word(Random& random, std::uint32_t shortest, std::uint32_t longest) {
  std::string word(shortest + below(random, longest - shortest + 1), 'a');
  for (char& c : word) c = static_cast<char>('a' + below(random, 26));
  return word;
}

// Words as in prose: few of them often, many of them seldom.
std::vector<std::string> make_words(std::size_t count, std::uint32_t distinct) {
  Random random(20240229);
  std::vector<std::string> vocabulary(distinct);
  for (std::string& word : vocabulary) word = make_word(random, 3, 12);
  std::vector<std::string> words;
  for (std::size_t i = 0; i < count; ++i) {
    words.push_back(vocabulary[below(random, 1 + below(random, distinct))]);
  }
  return words;
}

std::string make_text(std::size_t words) {
  Random random(7);
  std::string text;
  for (const std::string& word : make_words(words, 400)) {
    text += below(random, 12) == 0 ? std::to_string(below(random, 10000)) : word;
    if (below(random, 9) == 0) text += below(random, 2) == 0 ? ',' : '.';
    text += below(random, 11) == 0 ? '\n' : ' ';
  }
  return text;
}

void tokenize(benchmark::State& state) {
  const std::string text = make_text(1300);
  for (auto _ : state) benchmark::DoNotOptimize(textkit::tokenize(text));
  state.SetBytesProcessed(state.iterations() * static_cast<std::int64_t>(text.size()));
}
BENCHMARK(tokenize);

void intern(benchmark::State& state) {
  const std::vector<std::string> words = make_words(1000, 300);
  for (auto _ : state) {
    textkit::Interner interner;
    for (const std::string& word : words) benchmark::DoNotOptimize(interner.intern(word));
  }
}
BENCHMARK(intern);

void top_words(benchmark::State& state) {
  Random random(11);
  std::vector<std::uint32_t> words(4000);
  for (std::uint32_t& word : words) word = below(random, 1 + below(random, 900));
  const auto k = static_cast<std::size_t>(state.range(0));
  for (auto _ : state) benchmark::DoNotOptimize(textkit::top_words(words, k));
}
BENCHMARK(top_words)->ArgName("k")->Arg(20);

void edit_distance(benchmark::State& state) {
  Random random(13);
  const auto length = static_cast<std::uint32_t>(state.range(0));
  const std::string from = make_word(random, length, length);
  const std::string to = make_word(random, length, length);
  for (auto _ : state) benchmark::DoNotOptimize(textkit::edit_distance(from, to));
}
BENCHMARK(edit_distance)->ArgName("letters")->Arg(80);

void multiply(benchmark::State& state) {
  Random random(17);
  const auto n = static_cast<std::size_t>(state.range(0));
  textkit::Matrix left(n, n), right(n, n), product(n, n);
  for (float& value : left.values) value = static_cast<float>(below(random, 2000)) / 1000.0f - 1.0f;
  for (float& value : right.values) value = static_cast<float>(below(random, 2000)) / 1000.0f - 1.0f;
  for (auto _ : state) {
    textkit::multiply(left, right, product);
    benchmark::DoNotOptimize(product.values.data());
    benchmark::ClobberMemory();
  }
}
BENCHMARK(multiply)->ArgName("rows")->Arg(32);

}  // namespace

BENCHMARK_MAIN();
