#include "bench/cuda/supervise.hpp"

#include <utility>

namespace steelyard::cuda {
namespace {

// Workers one after another that ended before they began anything: the next will not do better.
constexpr int kMostVain = 2;

class Suite {
 public:
  explicit Suite(const Supervision& supervision) : supervision_(supervision) {}

  Result<SuiteReport> run() {
    int vain = 0;
    while (done() < supervision_.benchmarks.size() && !is_cancelled()) {
      const std::size_t before = done();
      WorkerReport report;
      STEELYARD_TRY(const WorkerEnd end, run_one(report));
      take(report, end);
      if (report.fault()) {
        // At the first start it is about this machine; later the device was lost on the way.
        if (before == 0 && done() == 0) return program_error("device", *report.fault());
        fail_rest("the device was lost: " + *report.fault());
        break;
      }
      vain = done() == before ? vain + 1 : 0;
      if (vain == kMostVain) fail_rest("the process that measures " + end.describe() + " before it began");
    }
    return std::move(suite_);
  }

 private:
  std::size_t done() const { return suite_.rows.size(); }
  bool is_cancelled() const { return supervision_.cancelled != nullptr && supervision_.cancelled->load() != 0; }

  Result<WorkerEnd> run_one(WorkerReport& report) {
    WorkerCommand command;
    command.executable = supervision_.executable;
    command.arguments = supervision_.arguments;
    command.arguments.push_back("--steelyard_worker=" + supervision_.report.string());
    command.arguments.push_back("--steelyard_worker_first=" + std::to_string(done()));
    command.report = supervision_.report;
    command.longest_silence = supervision_.longest_silence;
    ++suite_.processes;
    const auto progress = [this, before = done()](const WorkerReport& so_far) {
      if (supervision_.progress) supervision_.progress(before + so_far.rows().size(), so_far.begun().value_or(""));
    };
    return run_worker(command, report, progress, supervision_.cancelled);
  }

  // The rows of one worker, and a failed one for what it was at when it ended.
  void take(const WorkerReport& report, const WorkerEnd& end) {
    if (suite_.facts.empty()) suite_.facts = report.facts();
    for (const FinishedRow& row : report.rows()) {
      // Another order than ours would give times the wrong names.
      if (done() == supervision_.benchmarks.size() || row.summary.name != supervision_.benchmarks[done()].name) return;
      suite_.rows.push_back(row);
    }
    const bool is_ours = report.begun() && done() < supervision_.benchmarks.size() &&
                         *report.begun() == supervision_.benchmarks[done()].name;
    if (is_ours && !end.was_cancelled) fail_next("the process that measured it " + end.describe());
  }

  void fail_next(const std::string& why) {
    const SupervisedBenchmark& next = supervision_.benchmarks[done()];
    DeviceRow row = row_without_samples(next.name, RowEnd::failed, why);
    row.target = next.target;
    suite_.rows.push_back(finished(row));
  }

  void fail_rest(const std::string& why) {
    while (done() < supervision_.benchmarks.size()) fail_next(why);
  }

  const Supervision& supervision_;
  SuiteReport suite_;
};

}  // namespace

Result<SuiteReport> supervise(const Supervision& supervision) { return Suite(supervision).run(); }

}  // namespace steelyard::cuda
