// What spans and traces cost: the table of docs/measured/spans.md.
//
//     span_cost [FOLDER]     writes some 700 MB there (default: the folder for temporary files), and removes it
#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "bench/profile/chrome_trace.hpp"
#include "bench/profile/gzip.hpp"
#include "bench/profile/key_averages.hpp"
#include "bench/profile/perfetto_trace.hpp"
#include "bench/profile/read_spans.hpp"
#include "bench/profile/spans/span.hpp"
#include "bench/profile/spans/span_recording.hpp"
#if defined(STEELYARD_HAS_CPU_KERNELS)
#include <cblas.h>

#include "bench/suites/cpu/mlp_training.hpp"
#endif
#if defined(__x86_64__)
#include <x86intrin.h>
#endif

namespace steelyard {
namespace {

[[gnu::noinline]] void nothing() { asm volatile("" ::: "memory"); }
[[gnu::noinline]] void spanned() {
  STEELYARD_SPAN("spanned");
  asm volatile("" ::: "memory");
}
[[gnu::noinline]] void described(std::int64_t m) {
  STEELYARD_SPAN("described", .shapes = {{m, 64}, {64, 10}}, .flops = 1280.0 * static_cast<double>(m));
  asm volatile("" ::: "memory");
}

// By the clock, and of the processor, of all threads, the system's part with it: what others do meanwhile is in the
// former alone.
struct Seconds {
  double clock = 0, processor = 0;
};

template <class Run>
Seconds both_seconds_of(Run run) {
  const auto begin = std::chrono::steady_clock::now();
  const std::clock_t processor = std::clock();
  run();
  const double took = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  return {took, static_cast<double>(std::clock() - processor) / CLOCKS_PER_SEC};
}

template <class Run>
double seconds_of(Run run) {
  return both_seconds_of(run).clock;
}

// The best of five: what others did meanwhile is no part of it.
template <class Call>
Seconds best_of_five(std::int64_t calls, Call call) {
  Seconds best{1e300, 1e300};
  for (int i = 0; i < 5; ++i) {
    const Seconds took = both_seconds_of([&] {
      for (std::int64_t j = 0; j < calls; ++j) call();
    });
    best.clock = std::min(best.clock, took.clock / static_cast<double>(calls));
    best.processor = std::min(best.processor, took.processor / static_cast<double>(calls));
  }
  return best;
}

void row(const char* what, double value, const char* unit) { std::printf("| %s | %.3g %s | |\n", what, value, unit); }
void row(const char* what, Seconds took) {
  std::printf("| %s | %.3g s | %.3g s |\n", what, took.clock, took.processor);
}
void row_ns(const char* what, Seconds took) {
  std::printf("| %s | %.3g ns | %.3g ns |\n", what, took.clock * 1e9, took.processor * 1e9);
}

SpanRecording record(const std::filesystem::path& file) {
  auto recording = SpanRecording::start({.file = file});
  if (!recording) {
    std::fprintf(stderr, "%s\n", recording.error().text().c_str());
    std::exit(3);
  }
  return std::move(*recording);
}

Seconds seconds_of_threads(int threads, std::int64_t spans) {
  return both_seconds_of([&] {
    std::vector<std::thread> all;
    for (int i = 0; i < threads; ++i) {
      all.emplace_back([=] {
        for (std::int64_t j = 0; j < spans; ++j) spanned();
      });
    }
    for (std::thread& one : all) one.join();
  });
}

void measure_spans(const std::filesystem::path& file) {
  const Seconds call = best_of_five(50'000'000, nothing), off = best_of_five(50'000'000, spanned);
  row_ns("a span while none is recorded, beside a call of nothing",
         {off.clock - call.clock, off.processor - call.processor});
#if defined(__x86_64__)
  // What a span cannot do without.
  row_ns("two readings of the time stamp counter", best_of_five(10'000'000, [] {
           const std::uint64_t begin = __rdtsc(), end = __rdtsc();
           asm volatile("" ::"r"(begin), "r"(end));
         }));
#endif
  {
    SpanRecording recording = record(file);
    row_ns("a span that is recorded", best_of_five(1'000'000, spanned));
    row_ns("with shapes and FLOPs", best_of_five(200'000, [] { described(8); }));
    // One kind after the other, so that none is the one before.
    for (const std::int64_t kinds : {64, 1000, 10'000}) {
      for (std::int64_t i = 0; i < kinds; ++i) described(i);
      std::int64_t next = 0;
      const std::string what = "of " + std::to_string(kinds) + " kinds of shapes in turns";
      row_ns(what.c_str(), best_of_five(200'000, [&] { described(next = next + 1 == kinds ? 0 : next + 1); }));
    }
  }
  // As many threads as there are processors and eight of them: what more threads cost is shared processors, no lock.
  const int cores = static_cast<int>(std::max(1U, std::thread::hardware_concurrency()));
  {
    SpanRecording recording = record(file);
    const Seconds one = seconds_of_threads(1, 500'000), all = seconds_of_threads(8, 500'000);
    std::printf("| one of 8 threads on %d processors, over one alone | %.3g x | %.3g x |\n", cores,
                all.clock * std::min(cores, 8) / 8 / one.clock, all.processor / 8 / one.processor);
  }
  RecordedSpans recorded;
  const Seconds took = both_seconds_of([&] {
    SpanRecording recording = record(file);
    for (int i = 0; i < 10'000'000; ++i) spanned();
    recorded = recording.stop();
  });
  row("10 million spans: recorded in", took);
  row("their file", static_cast<double>(std::filesystem::file_size(file)) / 1e6, "MB");
  row("spans lost", static_cast<double>(recorded.dropped), "");
}

void measure_traces(const std::filesystem::path& file, const std::filesystem::path& chrome) {
  {
    SpanRecording recording = record(file);
    for (int i = 0; i < 500'000; ++i) {
      STEELYARD_SPAN("step");
      described(i % 7);
    }
  }
  bench::Trace trace;
  row("1 million spans: read in", both_seconds_of([&] { trace = std::move(*bench::read_spans(file)); }));
  row("as a tree and a table", both_seconds_of([&] { bench::key_averages(trace, bench::tree_of(trace)); }));
  row("written as a Chrome trace in", both_seconds_of([&] {
        std::ofstream out(chrome, std::ios::binary);
        bench::write_chrome_trace(trace, "study", out);
      }));
  std::size_t events = 0;
  row("which is read in", both_seconds_of([&] {
        std::string text(std::filesystem::file_size(chrome), '\0');
        std::ifstream(chrome, std::ios::binary).read(text.data(), static_cast<std::streamsize>(text.size()));
        const auto back = bench::read_chrome_trace(text, chrome.string());
        events = back ? back->events.size() : 0;
      }));
  row("with events", static_cast<double>(events), "");
}

void measure_other_files(const std::filesystem::path& file, const std::filesystem::path& folder) {
  const bench::Trace trace = std::move(*bench::read_spans(file));
  const auto size_row = [](const char* what, const std::filesystem::path& path) {
    row(what, static_cast<double>(std::filesystem::file_size(path)) / 1e6, "MB");
  };
  size_row("1 million spans as a Chrome trace", folder / "it.json");
  row("packed and written in", both_seconds_of([&] {
        std::ofstream out(folder / "it.json.gz", std::ios::binary);
        bench::GzipStream packed(out);
        bench::write_chrome_trace(trace, "study", packed);
      }));
  size_row("packed", folder / "it.json.gz");
  row("which is unpacked in", both_seconds_of([&] {
        std::ifstream in(folder / "it.json.gz", std::ios::binary);
        const std::string bytes{std::istreambuf_iterator<char>(in), {}};
        static_cast<void>(bench::unpack_gzip(bytes, "it", std::uint64_t{1} << 32));
      }));
  row("written for Perfetto in", both_seconds_of([&] {
        std::ofstream out(folder / "it.pftrace", std::ios::binary);
        bench::write_perfetto_trace(trace, out);
      }));
  size_row("for Perfetto", folder / "it.pftrace");
}

// Work of its own processor time, some functions deep.
[[gnu::noinline]] std::uint64_t mix(std::uint64_t value, int depth) {
  if (depth > 0) return mix(value * 6364136223846793005 + 1, depth - 1) + 1;
  for (int i = 0; i < 1000; ++i) value = value * 6364136223846793005 + 1442695040888963407;
  return value;
}

double cpu_seconds_of_mixing() {
  const std::clock_t begin = std::clock();
  std::uint64_t value = 1;
  for (int i = 0; i < 300'000; ++i) value = mix(value, 20);
  asm volatile("" ::"r"(value));
  return static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC;
}

// In turns, the best of each: what others did meanwhile is no part of it.
void measure_samples(const std::filesystem::path& file) {
  double without = 1e300, with = 1e300;
  for (int i = 0; i < 9; ++i) {
    without = std::min(without, cpu_seconds_of_mixing());
    auto recording = SpanRecording::start({.file = file, .samples_hz = 1000});
    if (!recording) return;
    with = std::min(with, cpu_seconds_of_mixing());
  }
  row("1000 samples a second of processor time, beside none", with / without, "x its time");
  const double read = seconds_of([&] {
    const auto trace = bench::read_spans(file);
    const double taken = trace ? static_cast<double>(trace->samples.size()) : 0;
    row("samples of the last such run", taken, "");
    row("their file, a sample", static_cast<double>(std::filesystem::file_size(file)) / 1e3 / std::max(1.0, taken),
        "KB");
  });
  row("which are unwound in", read, "s");
}

#if defined(STEELYARD_HAS_CPU_KERNELS)

// With spans over without, in turns (A B B A) so that both see the same machine: the median of the turns' ratios.
// Neither the start of a recording nor its end is timed.
void measure_steps(const std::filesystem::path& file, cpu_suite::MlpShape mlp) {
  constexpr int kTurns = 60;
  constexpr double kSecondsATurn = 0.05;
  openblas_set_num_threads(1);
  const cpu_suite::MlpTrainingShape shape{.mlp = mlp, .steps = 1};
  const std::vector<float> inputs(shape.values(), 0.5F), weights(shape.weights(), 0.01F), biases(shape.biases(), 0.1F);
  cpu_suite::MlpTraining training(shape);
  const auto step = [&] { training.run({inputs, weights, biases}); };
  step();
  const double once = best_of_five(20, step).clock * 1e9;
  const int steps = std::max(1, static_cast<int>(kSecondsATurn * 1e9 / once));
  const auto took = [&](bool is_recorded) {
    std::optional<SpanRecording> recording;
    if (is_recorded) recording.emplace(record(file));
    step();
    return both_seconds_of([&] {
      for (int i = 0; i < steps; ++i) step();
    });
  };
  std::vector<double> by_clock, of_processor;
  for (int i = 0; i < kTurns; ++i) {
    const bool is_recorded_first = i % 2 == 1;
    const Seconds first = took(is_recorded_first), second = took(!is_recorded_first);
    const Seconds &with = is_recorded_first ? first : second, &without = is_recorded_first ? second : first;
    by_clock.push_back(with.clock / without.clock);
    of_processor.push_back(with.processor / without.processor);
  }
  std::sort(by_clock.begin(), by_clock.end());
  std::sort(of_processor.begin(), of_processor.end());
  const std::string what = "a training step of an MLP (batch " + std::to_string(mlp.batch) + ", dim " +
                           std::to_string(mlp.dim) + ", layers " + std::to_string(mlp.layers) + "; " +
                           std::to_string(6 * mlp.layers + 3) + " spans)";
  row(what.c_str(), once / 1e3, "us");
  std::printf("| with spans over without, the median of %d turns | %.4f | %.4f |\n", kTurns, by_clock[kTurns / 2],
              of_processor[kTurns / 2]);
  std::printf("| half of the turns lie between | %.4f and %.4f | %.4f and %.4f |\n", by_clock[kTurns / 4],
              by_clock[3 * kTurns / 4], of_processor[kTurns / 4], of_processor[3 * kTurns / 4]);
}
#endif

}  // namespace
}  // namespace steelyard

int main(int count, char** arguments) {
  const std::filesystem::path folder =
      std::filesystem::path(count > 1 ? arguments[1] : std::filesystem::temp_directory_path()) /
      ("span_cost_" + std::to_string(std::chrono::steady_clock::now().time_since_epoch().count()));
  std::filesystem::create_directories(folder);
  std::printf("| what | figure | of the processor |\n|---|---:|---:|\n");
  steelyard::measure_spans(folder / "it.spans");
  steelyard::measure_traces(folder / "it.spans", folder / "it.json");
  steelyard::measure_other_files(folder / "it.spans", folder);
  steelyard::measure_samples(folder / "it.spans");
#if defined(STEELYARD_HAS_CPU_KERNELS)
  for (const steelyard::cpu_suite::MlpShape mlp :
       {steelyard::cpu_suite::MlpShape{256, 256, 4}, {128, 128, 16}, {32, 64, 2}}) {
    steelyard::measure_steps(folder / "it.spans", mlp);
  }
#endif
  std::filesystem::remove_all(folder);
  return 0;
}
