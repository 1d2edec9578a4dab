// What it takes to keep the history that a run was judged by: judged_history_size [SERIES [POINTS]] prints bytes and
// seconds. Values around 1 us with 2 % of noise and all digits that a double has: none packs worse.
#include <fmt/core.h>

#include <chrono>
#include <cstdlib>
#include <random>
#include <string>

#include "bench/model/sha256.hpp"
#include "storage/comparison/comparison_document.hpp"
#include "storage/comparison/history_document.hpp"

namespace {

using namespace steelyard;

JudgedHistory history_of(int series, int points) {
  std::mt19937_64 engine(1);
  const std::string machine = sha256_hex("machine");
  JudgedHistory history;
  history.branch = "main";
  for (int i = 0; i < series; ++i) {
    SeriesHistory one;
    one.series = {"BM_kernel_" + std::to_string(i) + "/1024", "real_time", "ns", Better::lower, {}};
    for (int day = 0; day < points; ++day) {
      const std::string name = std::to_string(day);
      const double value = 980 + 40 * static_cast<double>(engine() >> 11) / 9007199254740992.0;
      one.series.points.push_back({{value}, sha256_hex(name).substr(0, 40), machine, sha256_hex("run " + name)});
    }
    one.usual_invocations = 24;
    history.series.push_back(std::move(one));
  }
  return history;
}

template <class Action>
double seconds_of(Action action) {
  const auto begin = std::chrono::steady_clock::now();
  action();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

bool is_document_of(const std::string& document, const Comparison& comparison) {
  const auto read = storage::parse_comparison(document, "document");
  return read && *read == comparison;
}

}  // namespace

int main(int count, char** words) {
  const int series = count > 1 ? std::atoi(words[1]) : 3500;
  const int points = count > 2 ? std::atoi(words[2]) : 300;
  if (series < 1 || points < 1) return fmt::print(stderr, "judged_history_size [SERIES [POINTS]]\n"), 3;
  Comparison comparison;
  comparison.history = history_of(series, points);
  Result<storage::PackedHistory> packed = input_error("", "");
  const double packing = seconds_of([&] { packed = storage::pack_history(*comparison.history); });
  if (!packed) return fmt::print(stderr, "{}\n", packed.error().text()), 3;
  bool same = false;
  const double unpacking = seconds_of([&] {
    const auto unpacked = storage::unpack_history(*packed, "history");
    same = unpacked && *unpacked == *comparison.history;
  });
  std::string document;
  const double writing = seconds_of([&] { document = storage::comparison_document(comparison); });
  const double reading = seconds_of([&] { same = same && is_document_of(document, comparison); });
  const double all = static_cast<double>(series) * points;
  fmt::print("| {} series of {} points | MB | bytes a point | s to write | s to read |\n|---|---|---|---|---|\n",
             series, points);
  fmt::print("| in the database | {:.1f} | {:.1f} | {:.2f} | {:.2f} |\n",
             1e-6 * static_cast<double>(packed->bytes.size()), static_cast<double>(packed->bytes.size()) / all, packing,
             unpacking);
  fmt::print("| in the document | {:.1f} | {:.1f} | {:.2f} | {:.2f} |\n", 1e-6 * static_cast<double>(document.size()),
             static_cast<double>(document.size()) / all, writing, reading);
  return same ? 0 : 70;
}
