#include "bench/runner/measured_side.hpp"

#include <algorithm>
#include <array>
#include <charconv>

#include "bench/runner/child_environment.hpp"

namespace steelyard {
namespace {

// A variable that no program reads.
constexpr const char* kPaddingName = "STEELYARD_PADDING";

}  // namespace

Result<MeasuredSide> MeasuredSide::prepare(Side side, const Program& program, const MeasureOptions& options,
                                           std::optional<int> core, const PrivateFolder& folder) {
  MeasuredSide measured(side, program);
  ChildCommand& command = measured.command_;
  command.executable = program.executable;
  command.arguments = program.arguments;
  command.environment = child_environment(program);
  command.working_directory = program.working_directory;
  command.timeout = options.timeout;
  command.core = core;

  Result<ProgramListing> listing = list_program(command, options.filter, options.cancelled);
  if (listing) {
    measured.listing_ = std::move(listing).value();
    std::erase_if(measured.listing_.benchmarks, [&](const std::string& name) {
      return std::find(options.leave_out.begin(), options.leave_out.end(), name) != options.leave_out.end();
    });
  } else if (listing.error().kind == ErrorKind::program) {
    measured.listing_error_ = listing.error();
    const bool cancelled = options.cancelled != nullptr && options.cancelled->load();
    if (!cancelled) measured.record_.add_failure("", -1, listing.error().text());
    return measured;
  } else {
    return listing.error();
  }

  STEELYARD_TRY(command.executable, folder.place(side, program.executable));
  measured.output_file_ = folder.output_file(side);
  const std::string min_time = in_seconds_text(options.min_time) + (measured.listing_.min_time_takes_unit ? "s" : "");
  // After the user's own, so that these win. The result goes to a file: stdout is the program's to write to. With JSON
  // on stdout too, Google Benchmark says nothing on stderr, whose last line is then the program's own.
  const std::string out = measured.output_file_.string();
  command.arguments.insert(
      command.arguments.end(),
      {"--benchmark_list_tests=false", "--benchmark_format=json", "--benchmark_min_time=" + min_time,
       "--benchmark_repetitions=" + std::to_string(options.repetitions), "--benchmark_report_aggregates_only=false",
       "--benchmark_display_aggregates_only=false", "--benchmark_out_format=json", "--benchmark_out=" + out});
  return measured;
}

bool MeasuredSide::has(const std::string& benchmark) const {
  return std::find(listing_.benchmarks.begin(), listing_.benchmarks.end(), benchmark) != listing_.benchmarks.end();
}

ChildCommand MeasuredSide::command(const std::string& benchmark, std::optional<int> core, std::size_t padding) const {
  ChildCommand command = command_;
  command.environment[kPaddingName] = std::string(padding, 'x');
  command.arguments.push_back("--benchmark_filter=" + exact_filter(benchmark));
  command.core = core;
  command.output_limit = std::size_t{64} << 10;  // its own talk; the last line of stderr is what is read of it
  // What an earlier process wrote must not be taken for this one's.
  std::error_code ignored;
  std::filesystem::remove(output_file_, ignored);
  return command;
}

void MeasuredSide::add(const Attempt& attempt, const Result<ChildResult>& child) {
  record_.add(attempt, child, output_file_);
}

std::string in_seconds_text(Nanoseconds duration) {
  std::array<char, 64> text{};
  const auto [end, error] = std::to_chars(text.data(), text.data() + text.size(), duration.count() / 1e9);
  return error == std::errc() ? std::string(text.data(), end) : std::string("0");
}

}  // namespace steelyard
