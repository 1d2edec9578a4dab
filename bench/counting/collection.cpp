#include "bench/counting/collection.hpp"

#include <elf.h>

#include <algorithm>
#include <array>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <numeric>
#include <system_error>
#include <utility>

#include "bench/counting/net_profile.hpp"
#include "bench/counting/reader/callgrind_numbers.hpp"
#include "bench/environment/elf_file.hpp"
#include "bench/formats/google_benchmark.hpp"
#include "bench/formats/repetition_log.hpp"
#include "bench/runner/benchmark_listing.hpp"
#include "bench/runner/fresh_copy.hpp"
#include "bench/runner/run_folder.hpp"

namespace steelyard::bench {
namespace {

constexpr std::array<const char*, 3> kKeptNames = {"LD_LIBRARY_PATH", "HOME", "TMPDIR"};

// glibc chooses its string and mathematical routines by the CPU and its thresholds by the caches. With every feature
// off that it chooses by, and every preference that it derives from the CPU's model set, it takes those of plain x86-64
// on every host: 39 routines resolve to the same addresses on a CPU with AVX-512, ERMS and FSRM and on the one
// that Valgrind shows, in glibc 2.36 and 2.41 (tests/studies/libc_dispatch.py). Names that a version does not know are
// passed over, so a wrong one would go unseen: the routines taken are part of the key.
constexpr const char* kPinnedLibc =
    "glibc.cpu.hwcaps=-AVX,-AVX2,-AVX512F,-AVX512VL,-AVX512BW,-AVX512DQ,-AVX512CD,-ERMS,-FSRM,-BMI1,-BMI2,-LZCNT,"
    "-MOVBE,-POPCNT,-RTM,-FMA,-FMA4,-F16C,-SSE3,-SSSE3,-SSE4_1,-SSE4_2,-XSAVE,-XSAVEC,"
    "-AVX_Fast_Unaligned_Load,-Fast_Copy_Backward,-Fast_Rep_String,Fast_Unaligned_Copy,Fast_Unaligned_Load,"
    "-Prefer_ERMS,-Prefer_FSRM,-Prefer_No_AVX512_Probing,-Prefer_PMINUB_for_stringop,-Slow_BSF,-Slow_SSE4_2:"
    "glibc.cpu.x86_data_cache_size=32768:glibc.cpu.x86_shared_cache_size=1048576:"
    "glibc.cpu.x86_non_temporal_threshold=786432:glibc.cpu.x86_rep_movsb_threshold=2048:"
    "glibc.cpu.x86_rep_stosb_threshold=2048";

constexpr std::array<std::pair<const char*, const char*>, 10> kFixed = {{
    {"PATH", "/usr/bin:/bin"},
    {"LC_ALL", "C"},
    {"LANG", "C"},
    // Symbols are bound before the loop, not in its first iteration.
    {"LD_BIND_NOW", "1"},
    // A pool's threads wait for one another in ways that differ from run to run.
    {"OPENBLAS_NUM_THREADS", "1"},
    {"OMP_NUM_THREADS", "1"},
    {"MKL_NUM_THREADS", "1"},
    // OpenBLAS says on stderr which kernels it chose.
    {"OPENBLAS_VERBOSE", "2"},
    {"GLIBC_TUNABLES", kPinnedLibc},
    {"TZ", "UTC"},
}};

constexpr std::size_t kPage = 4096;
constexpr const char* kPadding = "STEELYARD_COUNT_PADDING";
constexpr std::size_t kIterationDigits = 12;  // the same length for every number

std::size_t stack_bytes(std::size_t length) { return length + 1 + sizeof(char*); }  // the text, its end, its pointer

}  // namespace

std::map<std::string, std::string> counting_environment(const Program& program, const CountingEnvironment& counting,
                                                        const std::vector<std::string>& arguments) {
  std::map<std::string, std::string> environment;
  for (const char* name : kKeptNames) {
    if (const char* value = std::getenv(name)) environment[name] = value;
  }
  for (const auto& [name, value] : kFixed) environment[name] = value;
  for (const auto& [name, value] : program.environment) environment[name] = value;

  if (!counting.shim.empty()) {
    std::string& preload = environment["LD_PRELOAD"];
    preload = counting.shim.string() + (preload.empty() ? "" : ":" + preload);
    std::string digits = std::to_string(counting.iterations);
    digits.insert(0, kIterationDigits - std::min(kIterationDigits, digits.size()), '0');
    environment["STEELYARD_COUNT_ITERATIONS"] = digits;
    environment["STEELYARD_COUNT_REPORT"] = counting.report.string();
  }

  environment[kPadding] = "";
  std::size_t bytes = arguments.empty() ? 0 : arguments.front().size() + 1;  // the path stands there once more
  for (const std::string& argument : arguments) bytes += stack_bytes(argument.size());
  for (const auto& [name, value] : environment) bytes += stack_bytes(name.size() + 1 + value.size());
  environment[kPadding].assign((kPage - bytes % kPage) % kPage, 'x');
  return environment;
}

CollectionFiles::CollectionFiles(const std::filesystem::path& folder, int number) : folder_(folder) {
  std::array<char, 16> digits{};
  std::snprintf(digits.data(), digits.size(), "%08d", number);
  digits_ = digits.data();
}

CollectionFiles::~CollectionFiles() {
  std::error_code ignored;
  for (const std::filesystem::path& file : {report(), log(), results()}) std::filesystem::remove(file, ignored);
  // Not a range-for: that throws where the folder cannot be read on.
  for (std::filesystem::directory_iterator entry(folder_, ignored), end; entry != end; entry.increment(ignored)) {
    const std::string name = entry->path().filename().string();
    if (name.starts_with("profile" + digits_ + ".")) std::filesystem::remove(entry->path(), ignored);
  }
}

std::filesystem::path CollectionFiles::report() const { return folder_ / ("report" + digits_); }
std::filesystem::path CollectionFiles::log() const { return folder_ / ("valgrind" + digits_); }
std::filesystem::path CollectionFiles::results() const { return folder_ / ("results" + digits_); }

std::string CollectionFiles::profile(const std::string& process) const {
  return (folder_ / ("profile" + digits_ + "." + process)).string();
}

std::string read_beginning(const std::filesystem::path& file) {
  const Result<std::string> text = read_left_file(file, kMaximumTextBytes);
  return text ? *text : "";
}

std::string read_ending(const std::filesystem::path& file) {
  const Result<std::string> text = read_left_file(file, kMaximumTextBytes, PartOfFile::end);
  return text ? *text : "";
}

namespace {

constexpr std::string_view kFirstLine = "steelyard-count 1";
constexpr std::string_view kLastLine = "end";
constexpr std::string_view kNoMatch = "Failed to match any benchmarks";
constexpr std::size_t kMaximumMessageBytes = 200;

bool read_signed(std::string_view text, std::int64_t& number) {
  if (text == "-1") return number = -1, true;
  return read_cost(text, number);
}

// False where the line has a known key and an impossible value. Unknown keys are passed over.
bool read_line(std::string_view line, ShimReport& report) {
  const std::size_t blank = std::min(line.find(' '), line.size());
  const std::string_view key = line.substr(0, blank);
  const std::string_view value = without_leading_blanks(line.substr(blank));
  if (key == "pid") return read_signed(value, report.process);
  if (key == "forced") return read_signed(value, report.forced);
  if (key == "constructed") return read_signed(value, report.constructed);
  if (key == "started") return read_signed(value, report.started);
  if (key == "finished") return read_signed(value, report.finished);
  if (key == "skipped") return read_signed(value, report.skipped);
  if (key == "iterations") return read_signed(value, report.iterations);
  if (key == "own_us") return read_signed(value, report.own_us);
  if (key == "others_us") return read_signed(value, report.others_us);
  if (key == "reads_elsewhere") return read_signed(value, report.reads_elsewhere);
  if (key == "libc") report.libc = value;
  if (key == "libc_build") report.libc_build = value;
  if (key == "allocator") report.allocator = value;
  if (key == "allocator_build") report.allocator_build = value;
  if (key == "dispatch") report.dispatch = value;
  if (key == "cpu") report.cpu = value;
  return true;
}

// Google Benchmark prints "ERROR OCCURRED: 'message'" or "SKIPPED: 'message'" in place of the times.
std::string skip_message(std::string_view output) {
  for (const std::string_view mark : {"ERROR OCCURRED: '", "SKIPPED: '"}) {
    const std::size_t start = output.find(mark);
    if (start == std::string_view::npos) continue;
    const std::string_view message = output.substr(start + mark.size(), kMaximumMessageBytes);
    return ": \"" + std::string(message.substr(0, message.find_first_of("'\n"))) + "\"";
  }
  return "";
}

}  // namespace

std::optional<ShimReport> parse_shim_report(std::string_view text) {
  ShimReport report;
  std::string_view line;
  for (bool is_first = true; !text.empty(); is_first = false) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    line = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    if (is_first ? line != kFirstLine : !read_line(line, report)) return std::nullopt;
  }
  if (line != kLastLine) return std::nullopt;
  return report;
}

bool has_work_in_other_threads(const ShimReport& report) {
  constexpr std::int64_t kMinUs = 1000, kShare = 100;
  return report.others_us > kMinUs && report.others_us > report.own_us / kShare;
}

bool hides_its_clock(const ShimReport& report, std::string_view output) {
  if (report.skipped > 0 || (report.constructed > 0 && report.started > 0)) return false;
  return output.find(kNoMatch) == std::string_view::npos;
}

std::string what_is_wrong(const ShimReport& report, std::string_view output) {
  if (report.started == 0 && report.constructed == 0) {
    if (output.find(kNoMatch) != std::string_view::npos) {
      return "the program has no benchmark of that name when it is counted";
    }
    return "nothing could be wrapped: the program holds Google Benchmark without its symbols; link Google Benchmark "
           "dynamically, or keep the program's symbols (no strip, no -s)";
  }
  if (report.constructed == 0) {
    return "the number of iterations could not be set: this Google Benchmark is none of 1.5 to 1.9; link one of those";
  }
  if (report.skipped > 0) return "the benchmark skipped itself" + skip_message(output);
  if (report.reads_elsewhere > 0) return "the CPU clock is read elsewhere than where Google Benchmark reads it";
  if (report.started == 0) return "the benchmark never entered its timed loop";
  if (report.finished < report.started) {
    return "the benchmark left its timed loop before the end; let the loop run to its end, or use SkipWithError";
  }
  if (report.iterations <= 0) {
    return "the number of iterations could not be read: this Google Benchmark is none of 1.5 to 1.9; link one of those";
  }
  return "";
}

namespace {

Error no_count(std::string why, std::string fix = "") { return program_error("", std::move(why), "", std::move(fix)); }

}  // namespace

std::vector<std::string> arguments_with_results(const CollectionFiles& files, const WorkRequest& work) {
  std::vector<std::string> arguments = {"--benchmark_filter=" + exact_filter({work.benchmark}),
                                        "--benchmark_min_time=" + work.min_time,
                                        "--benchmark_repetitions=" + std::to_string(work.repetitions),
                                        "--benchmark_report_aggregates_only=false",
                                        "--benchmark_out=" + files.results().string(),
                                        "--benchmark_out_format=json"};
  // Google Benchmark writes it into the name where the source repeats, and it may ask for aggregates only there.
  if (work.benchmark.find("/repeats:") != std::string::npos) arguments.emplace_back(kPassLogOption);
  return arguments;
}

Result<ReportedWork> read_work(const CollectionFiles& files, const std::string& log) {
  const std::string text = read_beginning(files.results());
  if (text.empty()) return no_count("the program wrote no results");
  STEELYARD_TRY(const GoogleBenchmarkFile results, parse_google_benchmark(text, "the program's results", PassLog{log}));
  if (!results.failures.empty()) return no_count(to_text(results.failures.front()));
  for (const Measurement& measurement : results.measurements) {
    if (measurement.metric.name != kRealTime || measurement.invocations.empty()) continue;
    const std::vector<std::int64_t>& iterations = measurement.invocations.front().iterations;
    return ReportedWork{std::accumulate(iterations.begin(), iterations.end(), std::int64_t{0}),
                        static_cast<std::int64_t>(iterations.size())};
  }
  return no_count("the program's results hold no benchmark of that name");
}

namespace {

std::vector<std::string> program_arguments(const CollectionRequest& request, const CollectionFiles& files) {
  if (request.by_clock) {
    return arguments_with_results(files, {request.benchmark, std::to_string(request.iterations) + "x", 1});
  }
  std::vector<std::string> arguments = {"--benchmark_filter=" + exact_filter({request.benchmark})};
  // One pass is enough for the program as well; 0 is a plain number, as 1.5 to 1.7 want it, and later ones take it.
  arguments.push_back("--benchmark_min_time=0");
  arguments.push_back("--benchmark_repetitions=1");
  // A file that the user's own arguments name must not be overwritten; a program with a reporter for it wants one.
  arguments.push_back("--benchmark_out=/dev/null");
  return arguments;
}

Result<CallgrindPart> read_profile(const CollectionFiles& files, const ShimReport& report) {
  const std::string profile = files.profile(std::to_string(report.process));
  STEELYARD_TRY(std::vector<CallgrindPart> parts, read_callgrind(profile, {.keep_positions = true, .is_left = true}));
  if (parts.size() != 1 || parts.front().events.empty()) return no_count("Callgrind left no profile");
  remove_shim(parts.front());
  if (parts.front().totals.front() <= 0) return no_count("no instruction was collected inside the timed loop");
  return std::move(parts.front());
}

}  // namespace

Error counting_interrupted() { return budget_error("", "interrupted before it was counted"); }

Error counting_budget_spent() {
  return budget_error("", "the budget for counting was spent", "", "raise it, or count fewer benchmarks");
}

Result<Nanoseconds> CollectionLimits::time_for_one() const {
  const std::chrono::duration<double, std::nano> left = deadline - std::chrono::steady_clock::now();
  if (left.count() <= 0) return counting_budget_spent();
  return std::min(timeout, Nanoseconds(left.count()));
}

Error CollectionLimits::unless_late(const Error& error) const {
  const Result<Nanoseconds> left = time_for_one();
  return left ? error : left.error();
}

Result<ChildCommand> callgrind_command(const CollectionPlace& place, const CollectionFiles& files,
                                       const CallgrindCall& call) {
  std::vector<std::string> program = {place.link.string()};
  program.insert(program.end(), place.program->arguments.begin(), place.program->arguments.end());
  program.insert(program.end(), call.program_arguments.begin(), call.program_arguments.end());

  ChildCommand command;
  command.executable = place.tools->valgrind;
  command.arguments = {"--tool=callgrind",
                       "--separate-recs=1",  // f called by f is f; the reader knows cycles
                       "--fair-sched=yes",   // of several threads: fewer different counts
                       "--vgdb=no",          // no pipes in /tmp
                       "--child-silent-after-fork=yes",
                       "--log-file=" + files.log().string(),
                       "--callgrind-out-file=" + files.profile("%p")};
  command.arguments.insert(command.arguments.end(), call.options.begin(), call.options.end());
  const std::vector<std::string> simulation = simulation_options(place.counters);
  command.arguments.insert(command.arguments.end(), simulation.begin(), simulation.end());
  command.arguments.insert(command.arguments.end(), program.begin(), program.end());
  command.environment = counting_environment(*place.program, call.environment, program);
  command.working_directory = place.program->working_directory;
  command.confinement = place.program->confinement;
  command.randomize_addresses = false;
  STEELYARD_TRY(command.timeout, place.limits.time_for_one());
  return command;
}

namespace {

constexpr const char* kFreeSpace = "free space there, or set TMPDIR to another folder";

// A file that is no ELF program, as a script, is not known to be.
bool is_linked_statically(const std::filesystem::path& executable) {
  const Result<MappedFile> file = MappedFile::open(executable);
  if (!file) return false;
  const Result<ElfFile> elf = read_elf(file->bytes());
  if (!elf || elf->segments.empty()) return false;
  return std::ranges::none_of(elf->segments, [](const ElfSegment& segment) { return segment.type == PT_INTERP; });
}

}  // namespace

Error why_not_loaded(const CollectionPlace& place, const std::string& what, const std::string& fix) {
  if (std::string lack = lack_of_space(place.folder); !lack.empty()) return no_count(std::move(lack), kFreeSpace);
  return no_count(what + " could not be loaded into the program",
                  is_linked_statically(place.program->executable) ? fix : "");
}

Result<Collection> collect(const CollectionPlace& place, const CollectionRequest& request) {
  const CollectionFiles files(place.folder, request.number);
  CallgrindCall call;
  call.options = {"--collect-atstart=no",
                  "--dump-instr=yes"};  // costs by address, from which inlined functions are known
  if (request.trace_files) call.options.emplace_back("--trace-syscalls=yes");
  call.program_arguments = program_arguments(request, files);
  const std::filesystem::path clock_shim = place.shim_link.parent_path() / kClockShimFile;
  call.environment = {request.by_clock ? clock_shim : place.shim_link, files.report(), request.iterations};
  STEELYARD_TRY(const ChildCommand command, callgrind_command(place, files, call));
  STEELYARD_TRY(const ChildResult child, run_child(command, place.limits.cancelled));
  if (!child.succeeded()) {
    return explain_end(child, without_trace(read_ending(files.log())), place.tools->valgrind_version);
  }
  const std::string log = request.trace_files ? read_beginning(files.log()) : "";

  Collection collection;
  const std::optional<ShimReport> report = parse_shim_report(read_beginning(files.report()));
  if (!report) {
    if (std::string lack = lack_of_space(place.folder); !lack.empty()) return no_count(std::move(lack), kFreeSpace);
    collection.nothing_wrapped =
        why_not_loaded(place, "the counting library",
                       "a statically linked program cannot be counted exactly: link libc dynamically, or "
                       "steelyard::bench_main");
    return collection;
  }
  collection.report = *report;
  if (request.by_clock) {
    STEELYARD_TRY(const ReportedWork work, read_work(files, child.error_output));
    collection.report.iterations = work.iterations;
    collection.repetitions = work.repetitions;
  }
  const std::string output = child.output + child.error_output;
  std::string wrong = what_is_wrong(collection.report, output);
  if (hides_its_clock(*report, output)) {
    if (is_script(place.program->executable)) {
      wrong = "nothing could be wrapped: " + place.program->executable.filename().string() +
              " is a script; name the program that it starts";
    }
    collection.nothing_wrapped = no_count(std::move(wrong));
    return collection;
  }
  if (!wrong.empty()) return no_count(std::move(wrong));
  STEELYARD_TRY(collection.part, read_profile(files, *report));
  collection.openblas_core = openblas_core_of(child.error_output);
  if (request.trace_files) {
    collection.inputs = parse_opened_files(log, *place.program, place.folder);
    if (log.size() >= kMaximumTextBytes) collection.inputs.unknown = "it makes more system calls than are looked at";
  }
  collection.started_at_unix_ns = child.started_at_unix_ns;
  collection.duration_ns = child.duration_ns;
  return collection;
}

namespace {

constexpr std::string_view kBytesMark = "unhandled instruction bytes:";
constexpr std::string_view kUnknownMark = "nrecognised instruction";
// The bytes from the instruction on; it is no longer than 15, and Valgrind prints 10.
constexpr int kMaxInstructionBytes = 10;
constexpr std::size_t kLongestPlace = 160;
// Valgrind up to 3.19 gives up on some of clang's DWARF 5, with the file's name in the lines after.
constexpr std::string_view kDebugReaderMark = "debuginfo reader:";
constexpr std::string_view kImageMark = "valid image size of";
// First byte of every AVX-512 instruction that Valgrind does not know (the EVEX prefix).
constexpr std::string_view kEvex = "62 ";

std::string_view line_at(std::string_view text, std::size_t start) {
  return text.substr(start, text.find('\n', start) - start);
}

// "0x62 0xF1 0xFD 0x7" -> "62 f1 fd 07"
std::string bytes_text(std::string_view line) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::string text;
  int bytes = 0;
  for (std::size_t at = line.find("0x"); at != std::string_view::npos && bytes < kMaxInstructionBytes;
       at = line.find("0x", at + 2), ++bytes) {
    const auto value = static_cast<unsigned>(std::strtoul(std::string(line.substr(at, 4)).c_str(), nullptr, 16));
    if (!text.empty()) text += ' ';
    text += kDigits[(value >> 4) & 0xf];
    text += kDigits[value & 0xf];
  }
  return text;
}

// "==7==    at 0x109129: scale_wide (scale.c:1)" -> "scale_wide (scale.c:1)"
std::string place_after(std::string_view log, std::size_t start) {
  constexpr std::string_view kAt = "    at 0x";
  const std::size_t at = log.find(kAt, start);
  if (at == std::string_view::npos) return "";
  const std::string_view line = line_at(log, at);
  const std::size_t colon = line.find(": ");
  return colon == std::string_view::npos ? "" : std::string(line.substr(colon + 2).substr(0, kLongestPlace));
}

// The file whose debug information Valgrind could not read and ended for, in quotes as Valgrind has it; "a file" where
// it is not named; empty where it could.
std::string unread_debug_file(std::string_view log) {
  const std::size_t mark = log.find(kDebugReaderMark);
  if (mark == std::string_view::npos) return "";
  const std::size_t image = log.find(kImageMark, mark);
  const std::size_t begin = log.find('"', image == std::string_view::npos ? log.size() : image);
  const std::size_t end = begin == std::string_view::npos ? begin : log.find_first_of("\"\n", begin + 1);
  if (end == std::string_view::npos || log[end] != '"') return "a file";
  return std::string(log.substr(begin, std::min(end + 1 - begin, kLongestPlace)));
}

// The last line on which Valgrind said something: "==57== " alone is none.
std::string last_words(std::string_view log) {
  std::string words;
  for (std::size_t at = 0; at < log.size();) {
    const std::string_view line = line_at(log, at);
    at += line.size() + 1;
    const bool is_valgrinds = line.starts_with("==");
    const std::size_t mark = is_valgrinds ? line.find("==", 2) : std::string_view::npos;
    const std::string_view said = mark == std::string_view::npos ? line : line.substr(mark + 2);
    if (said.find_first_not_of(" \r") != std::string_view::npos) words = said.substr(said.find_first_not_of(' '));
  }
  return last_line(words);
}

}  // namespace

std::string unknown_instruction(std::string_view log) {
  const std::size_t bytes_at = log.find(kBytesMark), unknown_at = log.find(kUnknownMark);
  std::string text;
  if (bytes_at != std::string_view::npos) text = bytes_text(line_at(log, bytes_at + kBytesMark.size()));
  const std::size_t from = std::min(unknown_at, bytes_at);
  if (from == std::string_view::npos) return "";
  const std::string place = place_after(log, from);
  if (!place.empty()) text += (text.empty() ? "in " : " in ") + place;
  return text;
}

Error explain_end(const ChildResult& child, std::string_view log, const std::string& valgrind_version) {
  if (child.end == ChildEnd::timed_out) {
    return no_count(child.describe() + " under Callgrind",
                    "give it more time or less work; Callgrind runs a program about 50 times slower");
  }
  const std::string instruction = unknown_instruction(log);
  const bool is_illegal = child.end == ChildEnd::signalled && child.signal == SIGILL;
  if (is_illegal || !instruction.empty()) {
    const bool is_avx_512 = instruction.starts_with(kEvex);
    return no_count("the program uses an " + std::string(is_avx_512 ? "AVX-512 instruction" : "instruction") +
                        " that " + valgrind_version + " does not know" +
                        (instruction.empty() ? "" : ": " + instruction),
                    "build it without -march=native where instructions are counted; -march=x86-64-v3 works");
  }
  if (const std::string file = unread_debug_file(log); !file.empty()) {
    return no_count(valgrind_version + " cannot read the debug information of " + file,
                    "build it with -gdwarf-4 (clang writes DWARF 5 by default), or take a newer Valgrind");
  }
  const std::string line = last_words(log);
  const bool log_explains = child.error_output.empty() && !line.empty();
  return no_count("the program " + child.describe() + " under Callgrind" + (log_explains ? ": " + line : ""));
}

}  // namespace steelyard::bench
