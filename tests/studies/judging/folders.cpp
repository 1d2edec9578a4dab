#include "tests/studies/judging/folders.hpp"

#include <cstdio>
#include <ctime>
#include <fstream>
#include <string>

namespace steelyard::judging {
namespace {

namespace fs = std::filesystem;

std::string number(double value) {
  char text[40];
  std::snprintf(text, sizeof text, "%.17g", value);
  return text;
}

std::string date(double unix_s) {
  const auto seconds = static_cast<std::time_t>(unix_s);
  std::tm utc{};
  gmtime_r(&seconds, &utc);
  char text[32];
  std::strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%S+00:00", &utc);
  return text;
}

std::string context(const SideProcess& process, Layout layout, const FolderOptions& options) {
  std::string text =
      R"({"date": ")" + date(process.started_unix_s) +
      R"(", "host_name": "recorded", "executable": "./noise_kernels", "num_cpus": 2, "mhz_per_cpu": 2000)";
  if (options.with_layout) {
    text += R"(, "steelyard_layout": ")" + std::string(to_text(layout)) + R"(", "steelyard_round": ")" +
            std::to_string(process.round) + '"';
  }
  if (options.with_order) text += R"(, "steelyard_order": ")" + std::to_string(process.slot) + '"';
  return text + '}';
}

std::string records(const std::string& name, const std::vector<double>& values) {
  std::string text;
  for (std::size_t i = 0; i < values.size(); ++i) {
    text += (i > 0 ? ",\n  " : "  ") + (R"({"name": ")" + name + R"(", "run_name": ")" + name) +
            R"(", "run_type": "iteration", "repetitions": )" + std::to_string(values.size()) +
            R"(, "repetition_index": )" + std::to_string(i) + R"(, "threads": 1, "iterations": 1000, "real_time": )" +
            number(values[i]) + R"(, "cpu_time": )" + number(values[i]) + R"(, "time_unit": "ns"})";
  }
  return text;
}

Result<void> write_side(const Window& window, bool is_candidate, const fs::path& folder, const FolderOptions& options) {
  std::error_code failed;
  if (!fs::create_directories(folder, failed)) {
    return input_error(folder.string(), failed ? failed.message() : "it exists", "a folder that is not there yet");
  }
  const auto side_of = [&](const BenchmarkWindow& b) -> const auto& { return is_candidate ? b.candidate : b.baseline; };
  const std::vector<SideProcess>& first = side_of(window.benchmarks.front());
  for (std::size_t i = 0; i < first.size(); ++i) {
    std::string text;
    for (const BenchmarkWindow& benchmark : window.benchmarks) {
      const SideProcess& process = side_of(benchmark).at(i);
      if (process.round != first[i].round || process.slot != first[i].slot) {
        return input_error(benchmark.name, "another slot than " + window.benchmarks.front().name + " has",
                           "benchmarks of one process");
      }
      text += (text.empty() ? "" : ",\n") + records(benchmark.name, process.values);
    }
    char name[32];
    std::snprintf(name, sizeof name, "round_%03d.json", first[i].round);
    std::ofstream file(folder / name);
    file << "{\"context\": " << context(first[i], window.layout, options) << ",\n\"benchmarks\": [\n"
         << text << "\n]}\n";
    file.close();
    if (!file) return input_error((folder / name).string(), "it cannot be written");
  }
  return {};
}

}  // namespace

Result<void> write_folders(const Window& window, const fs::path& folder, const FolderOptions& options) {
  STEELYARD_CHECK(write_side(window, false, folder / "baseline", options));
  return write_side(window, true, folder / "candidate", options);
}

}  // namespace steelyard::judging
