#include "bench/counting/collection.hpp"

#include <array>
#include <cstdio>
#include <fstream>
#include <iterator>
#include <optional>
#include <utility>

#include "bench/counting/collection_failure.hpp"
#include "bench/counting/counting_environment.hpp"
#include "bench/counting/net_profile.hpp"
#include "bench/runner/benchmark_listing.hpp"
#include "bench/runner/child_process.hpp"

namespace steelyard {
namespace {

// Valgrind's log and the report are some lines; nobody can make us read more.
constexpr std::size_t kMaximumTextBytes = std::size_t{1} << 20;

// The files of one collection, removed at its end. Names of one length.
class CollectionFiles {
 public:
  CollectionFiles(const std::filesystem::path& folder, int number) : folder_(folder) {
    std::array<char, 16> digits{};
    std::snprintf(digits.data(), digits.size(), "%08d", number);
    digits_ = digits.data();
  }
  CollectionFiles(const CollectionFiles&) = delete;
  CollectionFiles& operator=(const CollectionFiles&) = delete;
  ~CollectionFiles() {
    std::error_code ignored;
    std::filesystem::remove(report(), ignored);
    std::filesystem::remove(log(), ignored);
    for (const auto& entry : std::filesystem::directory_iterator(folder_, ignored)) {
      const std::string name = entry.path().filename().string();
      if (name.starts_with("profile" + digits_ + ".")) std::filesystem::remove(entry.path(), ignored);
    }
  }

  std::filesystem::path report() const { return folder_ / ("report" + digits_); }
  std::filesystem::path log() const { return folder_ / ("valgrind" + digits_); }
  // A forked child of the program writes a profile of its own; the process number keeps them apart.
  std::string profile(const std::string& process) const {
    return (folder_ / ("profile" + digits_ + "." + process)).string();
  }

 private:
  std::filesystem::path folder_;
  std::string digits_;
};

std::string read_text(const std::filesystem::path& file) {
  std::ifstream stream(file, std::ios::binary);
  std::string text(kMaximumTextBytes, '\0');
  stream.read(text.data(), static_cast<std::streamsize>(text.size()));
  text.resize(static_cast<std::size_t>(stream.gcount()));
  return text;
}

ChildCommand command_for(const CollectionPlace& place, const CollectionOrder& order, const CollectionFiles& files) {
  std::vector<std::string> program = {place.link.string()};
  program.insert(program.end(), place.program->arguments.begin(), place.program->arguments.end());
  program.push_back("--benchmark_filter=" + exact_filter(order.benchmark));
  // One pass is enough for the program as well; 0 is a plain number, as 1.5 to 1.7 want it, and later ones take it.
  program.push_back("--benchmark_min_time=0");
  program.push_back("--benchmark_repetitions=1");
  // A file that the user's own arguments name must not be overwritten; a program with a reporter for it wants one.
  program.push_back("--benchmark_out=/dev/null");

  ChildCommand command;
  command.executable = place.tools->valgrind;
  command.arguments = {"--tool=callgrind",
                       "--collect-atstart=no",
                       "--dump-instr=yes",   // costs by address, from which inlined functions are known
                       "--separate-recs=1",  // f called by f is f; the reader knows cycles
                       "--fair-sched=yes",   // of several threads: fewer different counts
                       "--vgdb=no",          // no pipes in /tmp
                       "--child-silent-after-fork=yes",
                       "--log-file=" + files.log().string(),
                       "--callgrind-out-file=" + files.profile("%p")};
  command.arguments.insert(command.arguments.end(), program.begin(), program.end());
  command.environment =
      counting_environment(*place.program, {place.shim_link, files.report(), order.iterations}, program);
  command.working_directory = place.program->working_directory;
  command.randomize_addresses = false;
  command.timeout = order.timeout;
  return command;
}

Error no_count(std::string why, std::string mend = "") {
  return program_error("", std::move(why), "", std::move(mend));
}

Result<CallgrindPart> read_profile(const CollectionFiles& files, const ShimReport& report) {
  STEELYARD_TRY(std::vector<CallgrindPart> parts,
                read_callgrind(files.profile(std::to_string(report.process)), {.keep_positions = true}));
  if (parts.size() != 1 || parts.front().events.empty()) return no_count("Callgrind left no profile");
  remove_shim(parts.front());
  if (parts.front().totals.front() <= 0) return no_count("no instruction was collected inside the timed loop");
  return std::move(parts.front());
}

}  // namespace

Result<Collection> collect(const CollectionPlace& place, const CollectionOrder& order) {
  const CollectionFiles files(place.folder, order.number);
  STEELYARD_TRY(const ChildResult child, run_child(command_for(place, order, files), place.cancelled));
  if (!child.succeeded()) return explain_end(child, read_text(files.log()), place.tools->valgrind_version);

  Collection collection;
  const std::optional<ShimReport> report = parse_shim_report(read_text(files.report()));
  if (!report) {
    return no_count("the counting library could not be loaded into the program",
                    "a statically linked program cannot be counted: link libc dynamically, or steelyard::bench_main");
  }
  collection.report = *report;
  std::string wrong = what_is_wrong(*report, child.output + child.error_output);
  if (!wrong.empty()) return no_count(std::move(wrong));
  STEELYARD_TRY(collection.part, read_profile(files, *report));
  collection.openblas_core = openblas_core_of(child.error_output);
  collection.started_at_unix_ns = child.started_at_unix_ns;
  collection.duration_ns = child.duration_ns;
  return collection;
}

std::string openblas_core_of(std::string_view error_output) {
  constexpr std::string_view kMark = "Core: ";
  const std::size_t start =
      error_output.starts_with(kMark) ? 0 : error_output.find(std::string("\n") + std::string(kMark));
  if (start == std::string_view::npos) return "";
  std::string_view core = error_output.substr(error_output.find(kMark, start) + kMark.size());
  core = core.substr(0, core.find_first_of("\r\n \t"));
  constexpr std::size_t kLongestCore = 40;  // names of CPU families
  return std::string(core.substr(0, kLongestCore));
}

}  // namespace steelyard
