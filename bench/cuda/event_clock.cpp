#include "bench/cuda/event_clock.hpp"

#include "bench/cuda/cuda_handles.hpp"
#include "bench/cuda/device_clock.hpp"

namespace steelyard::cuda {
namespace {

class StreamEvents final : public DeviceMarks {
 public:
  explicit StreamEvents(cudaStream_t stream) : stream_(stream) {}

  // The whole device, not the stream alone: setup may use others, and their work would run beside what is timed.
  void wait() override { check(cudaDeviceSynchronize(), "waiting for the device"); }
  void begin() override { first_.record(stream_); }
  // A launch that failed left nothing in the stream: the time of the rest would look like that of all.
  void end() override {
    check(cudaGetLastError(), "launching in a timed statement");
    last_.record(stream_);
  }
  Nanoseconds between() override {
    last_.wait();
    return last_.since(first_);
  }
  std::string name() const override { return "cuda events"; }

 private:
  cudaStream_t stream_;
  Event first_;
  Event last_;
};

}  // namespace

std::shared_ptr<RunClock> event_clock(cudaStream_t stream) {
  return std::make_shared<DeviceClock>(std::make_unique<StreamEvents>(stream));
}

}  // namespace steelyard::cuda
