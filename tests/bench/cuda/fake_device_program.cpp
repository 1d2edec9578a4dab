// A device program without a device: the whole way from the command line to the JSON, with workloads that behave as
// their names say. What it reports is made up.
#include <fcntl.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <cstdlib>
#include <string>
#include <thread>

#include "bench/cuda/device_program.hpp"
#include "bench/cuda/supervise.hpp"

namespace {

using namespace steelyard;
using namespace steelyard::cuda;

// The mark of real programs: two of them are not to run side by side.
__attribute__((section(".steelyard_device"), used)) const char kDeviceMark[] = "made up";

void append(const std::string& path, const std::string& lines) {
  const int file = ::open(path.c_str(), O_WRONLY | O_APPEND);
  if (file < 0 || ::write(file, lines.data(), lines.size()) != static_cast<ssize_t>(lines.size())) std::abort();
  ::close(file);
}

DeviceRow made_up_row(const std::string& name) {
  DeviceRow row;
  row.name = name;
  row.cost = {Flops(1'000'000), Bytes(2'000'000), Bytes(1'000'000)};
  for (int i = 0; i < 12; ++i) row.samples.cold.push_back({microseconds(100 + i % 3), 1.5e9});
  row.samples.hot = {microseconds(80), microseconds(81)};
  row.samples.stopped = StopReason::settled;
  row.kernel_launches = 2;
  row.kernels = {"made_up_kernel<float, 4>", "other"};
  row.target = "0.61 of bandwidth";
  return row;
}

int work(const DeviceOptions& options, const std::vector<DeviceCase>& cases) {
  const std::string& report = options.worker_report;
  if (std::getenv("FAKE_NO_DEVICE") != nullptr) {
    append(report, fault_line("found no NVIDIA driver"));
    return kNoDevice;
  }
  if (std::getenv("FAKE_DEAD_AT_START") != nullptr) std::raise(SIGABRT);
  if (std::getenv("FAKE_LOST") != nullptr && options.worker_first > 0) {
    append(report, fault_line("no device is left"));
    return kNoDevice;
  }
  append(report, fact_lines({{"gpu.device", "Made-Up 100"}, {"process", std::to_string(options.worker_first)}}));
  for (std::size_t i = options.worker_first; i < cases.size(); ++i) {
    const std::string kind = cases[i].point.text("kind");
    append(report, begin_line(cases[i].name));
    if (kind == "crash") std::raise(SIGABRT);
    if (kind == "hang") std::this_thread::sleep_for(std::chrono::hours(1));
    if (kind == "exit") return 9;
    if (kind == "interrupted") {  // as timeout(1) does: the whole group, and this process is the first to end
      ::kill(::getppid(), SIGTERM);
      std::raise(SIGTERM);
    }
    if (kind == "killed") {  // as a machine that goes away
      std::this_thread::sleep_for(std::chrono::milliseconds(200));
      ::kill(::getppid(), SIGKILL);
      std::this_thread::sleep_for(std::chrono::hours(1));
    }
    if (kind == "half") {
      const std::string lines = row_lines(finished(made_up_row(cases[i].name)));
      append(report, lines.substr(0, lines.size() / 2));
      std::raise(SIGKILL);
    }
    if (kind == "sticky") {
      auto row = row_without_samples(cases[i].name, RowEnd::failed, "launching: found cudaErrorIllegalAddress");
      row.target = cases[i].target;
      append(report, row_lines(finished(row)));
      return kWantsFreshProcess;
    }
    if (kind == "lacking") {
      const auto row = row_without_samples(cases[i].name, RowEnd::skipped, "f8 needs compute capability 8.9");
      append(report, row_lines(finished(row)));
      continue;
    }
    append(report, row_lines(finished(made_up_row(cases[i].name))));
  }
  return kDone;
}

}  // namespace

int main(int argc, char** argv) {
  DeviceSuite suite;
  suite.add("fake", [](const AxisPoint&) { return std::unique_ptr<Workload>(); })
      .strings("kind",
               {"good", "crash", "fine", "sticky", "exit", "half", "lacking", "last", "hang", "interrupted", "killed"})
      .target("0.61 of bandwidth")
      .large([](const AxisPoint& at) {
        const std::string& kind = at.text("kind");
        return kind == "hang" || kind == "interrupted" || kind == "killed";
      });
  return run_device_program({.name = "fake_device_program",
                             .suite = suite,
                             .work = work,
                             .list_devices = [] { return static_cast<int>(kNoDevice); },
                             .profile =
                                 [](const DeviceOptions& options, const std::vector<DeviceCase>& cases) {
                                   std::printf("%zu cases, %lld iterations, into %s\n", cases.size(),
                                               static_cast<long long>(options.profile_iterations),
                                               options.profile.c_str());
                                   return static_cast<int>(kDone);
                                 }},
                            {argv + 1, argv + argc});
}
