#include "bench/cuda/supervise.hpp"

#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <chrono>
#include <cstring>
#include <thread>

#include "bench/model/quantile.hpp"

extern char** environ;

namespace steelyard::cuda {
namespace {

std::string one_line(std::string_view text) {
  std::string line(text);
  std::replace_if(
      line.begin(), line.end(), [](char c) { return static_cast<unsigned char>(c) < 0x20; }, ' ');
  return line;
}

std::vector<std::string_view> fields_of(std::string_view line) {
  std::vector<std::string_view> fields;
  while (true) {
    const std::size_t tab = line.find('\t');
    fields.push_back(line.substr(0, tab));
    if (tab == std::string_view::npos) return fields;
    line.remove_prefix(tab + 1);
  }
}

template <class Number>
bool read_number(std::string_view text, Number& number) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  return error == std::errc() && end == text.data() + text.size();
}

// 0 where there is none.
bool read_time(std::string_view text, std::optional<double>& time) {
  double number = 0;
  if (!read_number(text, number)) return false;
  if (number > 0) time = number;
  return true;
}

const char* word_of(RowEnd end) {
  return end == RowEnd::measured ? "measured" : end == RowEnd::failed ? "failed" : "skipped";
}

std::optional<RowSummary> read_summary(const std::vector<std::string_view>& fields) {
  RowSummary row;
  if (fields.size() != 10) return std::nullopt;
  row.name = fields[1];
  row.end = fields[2] == "measured" ? RowEnd::measured : fields[2] == "failed" ? RowEnd::failed : RowEnd::skipped;
  row.text = fields[9];
  const bool is_whole = read_time(fields[3], row.cold_ns) && read_time(fields[4], row.hot_ns) &&
                        read_number(fields[5], row.flops) && read_number(fields[6], row.bandwidth) &&
                        read_number(fields[7], row.tokens) && read_number(fields[8], row.samples);
  if (!is_whole) return std::nullopt;
  return row;
}

std::optional<double> median_of_any(std::vector<double> values) {
  return values.empty() ? std::nullopt : std::optional(median(std::move(values)));
}

}  // namespace

RowSummary summary_of(const DeviceRow& row) {
  RowSummary summary;
  summary.name = one_line(row.name);
  summary.end = row.end;
  summary.text = one_line(row.end == RowEnd::measured ? label_of(row) : row.message);
  if (row.end != RowEnd::measured) return summary;
  std::vector<double> cold;
  for (const ColdSample& sample : row.samples.cold) cold.push_back(sample.time.count());
  std::vector<double> hot;
  for (const Nanoseconds time : row.samples.hot) hot.push_back(time.count());
  summary.cold_ns = median_of_any(std::move(cold));
  summary.hot_ns = median_of_any(std::move(hot));
  summary.samples = static_cast<std::int64_t>(row.samples.cold.size());
  if (const Nanoseconds time = median_rate_time(row); time > Nanoseconds()) {
    summary.flops = (row.cost.flops / time).count();
    summary.bandwidth = (row.cost.traffic() / time).count();
    summary.tokens = static_cast<double>(row.tokens) / in_seconds(time);
  }
  return summary;
}

FinishedRow finished(const DeviceRow& row) { return {summary_of(row), records_of(row)}; }

std::string fact_lines(const Facts& facts) {
  std::string lines;
  for (const auto& [key, value] : facts) lines += "fact\t" + one_line(key) + '\t' + one_line(value) + '\n';
  return lines;
}

std::string fault_line(std::string_view message) { return "fault\t" + one_line(message) + '\n'; }

std::string begin_line(std::string_view name) { return "begin\t" + one_line(name) + '\n'; }

std::string row_lines(const FinishedRow& row) {
  const RowSummary& s = row.summary;
  std::string lines = "row\t" + one_line(s.name) + '\t' + word_of(s.end);
  for (const double number : {s.cold_ns.value_or(0), s.hot_ns.value_or(0), s.flops, s.bandwidth, s.tokens}) {
    lines += '\t' + json_number(number);
  }
  lines += '\t' + json_number(s.samples) + '\t' + one_line(s.text) + '\n';
  for (const std::string& record : row.records) lines += "record\t" + record + '\n';
  return lines + "end\t" + one_line(s.name) + '\n';
}

void WorkerReport::add(std::string_view text) {
  rest_ += text;
  std::size_t begin = 0;
  for (std::size_t end = rest_.find('\n'); end != std::string::npos; end = rest_.find('\n', begin)) {
    add_line(std::string_view(rest_).substr(begin, end - begin));
    begin = end + 1;
  }
  rest_.erase(0, begin);
}

void WorkerReport::add_line(std::string_view line) {
  const std::vector<std::string_view> fields = fields_of(line);
  const std::string_view kind = fields.front();
  if (kind == "fact" && fields.size() == 3) {
    facts_.emplace_back(fields[1], fields[2]);
  } else if (kind == "fault" && fields.size() == 2) {
    fault_ = std::string(fields[1]);
  } else if (kind == "begin" && fields.size() == 2) {
    begun_ = std::string(fields[1]);
    open_ = {};
  } else if (kind == "row") {
    if (auto summary = read_summary(fields)) open_.summary = std::move(*summary);
  } else if (kind == "record" && fields.size() == 2) {
    open_.records.emplace_back(fields[1]);
  } else if (kind == "end" && fields.size() == 2 && begun_ == fields[1] && open_.summary.name == fields[1]) {
    rows_.push_back(std::move(open_));
    open_ = {};
    begun_.reset();
  }
}

namespace {

using Clock = std::chrono::steady_clock;
constexpr std::chrono::milliseconds kLook{10};
constexpr std::chrono::seconds kGrace{2};  // between asking it to end and ending it

// A process of ours that is still running when its owner goes is ended.
class Child {
 public:
  explicit Child(pid_t pid) : pid_(pid) {}
  ~Child() {
    if (pid_ <= 0) return;
    ::kill(pid_, SIGKILL);
    while (::waitpid(pid_, nullptr, 0) < 0 && errno == EINTR) {
    }
  }
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;

  // True once it has ended.
  bool has_ended(int& status) {
    const pid_t ended = ::waitpid(pid_, &status, WNOHANG);
    if (ended != pid_) return false;
    pid_ = -1;
    return true;
  }
  void signal(int number) const {
    if (pid_ > 0) ::kill(pid_, number);  // to -1 it would go to every process
  }

 private:
  pid_t pid_;
};

// By itself: device programs link the harness, and not the runner, whose child_start has what they need not.
Result<pid_t> start(const WorkerCommand& command) {
  std::vector<std::string> texts{command.executable.string()};
  texts.insert(texts.end(), command.arguments.begin(), command.arguments.end());
  std::vector<char*> arguments;
  for (std::string& text : texts) arguments.push_back(text.data());
  arguments.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  // Its standard output is ours for the result; what it says there goes beside.
  posix_spawn_file_actions_adddup2(&actions, STDERR_FILENO, STDOUT_FILENO);
  pid_t pid = -1;
  const int failure = posix_spawn(&pid, texts.front().c_str(), &actions, nullptr, arguments.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  if (failure != 0) {
    return program_error(texts.front(), std::string("it cannot be started: ") + std::strerror(failure));
  }
  return pid;
}

// What was appended to a file since the last look.
class Tail {
 public:
  explicit Tail(const std::filesystem::path& path) : file_(::open(path.c_str(), O_RDONLY | O_CLOEXEC)) {}
  ~Tail() {
    if (file_ >= 0) ::close(file_);
  }
  Tail(const Tail&) = delete;
  Tail& operator=(const Tail&) = delete;

  bool is_open() const { return file_ >= 0; }
  bool read_into(WorkerReport& report) const {
    std::array<char, 1 << 16> block{};
    bool has_more = false;
    for (ssize_t n = ::read(file_, block.data(), block.size()); n > 0; n = ::read(file_, block.data(), block.size())) {
      report.add({block.data(), static_cast<std::size_t>(n)});
      has_more = true;
    }
    return has_more;
  }

 private:
  int file_;
};

WorkerEnd end_of(int status) {
  WorkerEnd end;
  if (WIFEXITED(status)) end.exit_code = WEXITSTATUS(status);
  if (WIFSIGNALED(status)) end.signal = WTERMSIG(status);
  return end;
}

}  // namespace

std::string WorkerEnd::describe() const {
  if (was_silent) return "was ended: it ran past its limit of " + to_text(longest_silence);
  if (was_cancelled) return "was cancelled";
  if (signal != 0) return "was ended by signal " + std::to_string(signal) + " (" + strsignal(signal) + ")";
  return "ended with status " + std::to_string(exit_code);
}

Result<WorkerEnd> run_worker(const WorkerCommand& command, WorkerReport& report, const WorkerProgress& progress,
                             const std::atomic<int>* cancelled) {
  const int made = ::open(command.report.c_str(), O_CREAT | O_TRUNC | O_WRONLY | O_CLOEXEC, 0600);
  if (made >= 0) ::close(made);
  const Tail tail(command.report);
  if (made < 0 || !tail.is_open()) {
    return program_error(command.report.string(), std::string("it cannot be written: ") + std::strerror(errno));
  }
  STEELYARD_TRY(const pid_t pid, start(command));
  Child child(pid);
  const auto silence = std::chrono::nanoseconds(static_cast<std::int64_t>(command.longest_silence.count()));
  auto last = Clock::now();
  bool was_silent = false;
  bool was_cancelled = false;
  Clock::time_point asked;
  while (true) {
    int status = 0;
    const bool ended = child.has_ended(status);
    if (tail.read_into(report)) {
      last = Clock::now();
      if (progress) progress(report);
    }
    if (ended) {
      WorkerEnd end = end_of(status);
      end.was_silent = was_silent;
      end.longest_silence = command.longest_silence;
      // A signal to the whole group of processes may end it before ours is looked at.
      end.was_cancelled = was_cancelled || (cancelled != nullptr && cancelled->load() != 0);
      return end;
    }
    const bool is_asked = was_silent || was_cancelled;
    if (!is_asked && cancelled != nullptr && cancelled->load() != 0) was_cancelled = true;
    if (!is_asked && Clock::now() - last > silence) was_silent = true;
    if (!is_asked && (was_silent || was_cancelled)) {
      child.signal(SIGTERM);
      asked = Clock::now();
    }
    if (is_asked && Clock::now() - asked > kGrace) child.signal(SIGKILL);
    std::this_thread::sleep_for(kLook);
  }
}

namespace {

// Workers one after another that ended before they began anything: the next will not do better.
constexpr int kMaxVain = 2;

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
      if (vain == kMaxVain) fail_rest("the process that measures " + end.describe() + " before it began");
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
      for (std::size_t i = 0; i < so_far.rows().size(); ++i) keep(before + i, so_far.facts(), so_far.rows()[i]);
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
      keep(done(), suite_.facts, row);
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
    keep(done() - 1, suite_.facts, suite_.rows.back());
  }

  // `index`: of the row among the benchmarks.
  void keep(std::size_t index, const Facts& facts, const FinishedRow& row) {
    if (!supervision_.keep || index != kept_ || index >= supervision_.benchmarks.size()) return;
    if (row.summary.name != supervision_.benchmarks[index].name) return;
    supervision_.keep(facts, row);
    ++kept_;
  }

  void fail_rest(const std::string& why) {
    while (done() < supervision_.benchmarks.size()) fail_next(why);
  }

  const Supervision& supervision_;
  SuiteReport suite_;
  std::size_t kept_ = 0;
};

}  // namespace

Result<SuiteReport> supervise(const Supervision& supervision) { return Suite(supervision).run(); }

}  // namespace steelyard::cuda
