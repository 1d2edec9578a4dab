#include "ci/verbs/profile_trace.hpp"

#include <algorithm>
#include <array>
#include <fstream>
#include <optional>
#include <sstream>

#include "bench/model/parse_number.hpp"
#include "bench/profile/chrome_trace.hpp"
#include "bench/profile/gzip.hpp"
#include "bench/profile/key_averages.hpp"
#include "bench/profile/perfetto_trace.hpp"
#include "bench/profile/read_spans.hpp"
#include "bench/profile/trace.hpp"
#include "ci/judging/kept_ceilings.hpp"
#include "ci/report/flame/flame_graph.hpp"
#include "ci/report/flame/stack_files.hpp"
#include "ci/report/flame/trace_stacks.hpp"
#include "ci/report/trace.hpp"
#include "ci/report/trace_page/trace_page.hpp"
#include "storage/archive/archive.hpp"

namespace steelyard::ci {
namespace {

constexpr const char* kTraceGroup = "Traces";
constexpr std::uintmax_t kMaxTraceBytes = std::uintmax_t{4} << 30;

// Traces pack to a thirtieth (docs/measured/spans.md): what asks for far more than that is none.
std::uintmax_t most_unpacked(std::uintmax_t packed_bytes) {
  constexpr std::uintmax_t kMaxAtOnce = std::uintmax_t{512} << 20, kMaxTimes = 128;
  return std::min(kMaxTraceBytes, std::max(kMaxAtOnce, kMaxTimes * packed_bytes));
}

}  // namespace

Result<bench::Trace> load_trace(TraceFormat format, const std::string& file) {
  if (format == TraceFormat::spans) return bench::read_spans(file);
  std::error_code error;
  const std::uintmax_t bytes = std::filesystem::file_size(file, error);
  if (error) return input_error(file, error.message(), "a Chrome trace");
  if (bytes > kMaxTraceBytes) return input_error(file, std::to_string(bytes) + " bytes", "at most 4 GiB");
  std::string text(bytes, '\0');
  std::ifstream in(file, std::ios::binary);
  if (!in.read(text.data(), static_cast<std::streamsize>(bytes))) return input_error(file, "cannot be read");
  if (!bench::is_gzip(text)) return bench::read_chrome_trace(text, file);
  STEELYARD_TRY(const bench::UnpackedGzip unpacked, bench::unpack_gzip(text, file, most_unpacked(text.size())));
  STEELYARD_TRY(bench::Trace trace, bench::read_chrome_trace(unpacked.text, file));
  trace.is_cut = trace.is_cut || unpacked.is_cut;
  return trace;
}

namespace {

// A trace may have any text for its host, and a file's name is no path.
std::string host_in_file_name(const std::string& host) {
  std::string name;
  for (const char c : host.substr(0, 64)) {
    const bool is_plain =
        (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' || c == '.' || c == '_';
    name += is_plain ? c : '_';
  }
  return name.empty() ? "host" : name;
}

// Of a folder the file in it that PyTorch's tensorboard_trace_handler would write: WORKER.TIME.pt.trace.json, of the
// host and the process, in nanoseconds since 1970.
std::filesystem::path chrome_path(const bench::Trace& trace, const TraceOptions& options) {
  std::error_code error;
  if (options.chrome.has_filename() && !std::filesystem::is_directory(options.chrome, error)) return options.chrome;
  const std::uint64_t process = trace.tracks.empty() ? 0 : trace.tracks.front().process;
  return options.chrome / (host_in_file_name(trace.host) + '_' + std::to_string(process) + '.' +
                           std::to_string(trace.start_unix_ns) + ".pt.trace.json" + (options.is_packed ? ".gz" : ""));
}

// An empty path: there was none to write.
Result<std::filesystem::path> write_chrome(const bench::Trace& trace, const TraceOptions& options) {
  if (options.chrome.empty()) return std::filesystem::path();
  const std::filesystem::path path = chrome_path(trace, options);
  std::error_code error;
  if (path != options.chrome) std::filesystem::create_directories(options.chrome, error);
  std::ofstream out(path, std::ios::binary);
  if (options.is_packed || path.extension() == ".gz") {
    bench::GzipStream packed(out);
    bench::write_chrome_trace(trace, options.file, packed);
  } else {
    bench::write_chrome_trace(trace, options.file, out);
  }
  if (!out.flush()) return input_error(path.string(), "it cannot be written", "a file on a disk with room");
  return path;
}

Result<void> write_perfetto(const bench::Trace& trace, const TraceOptions& options) {
  if (options.perfetto.empty()) return {};
  std::ofstream out(options.perfetto, std::ios::binary);
  if (options.is_packed || options.perfetto.extension() == ".gz") {
    bench::GzipStream packed(out);
    bench::write_perfetto_trace(trace, packed);
  } else {
    bench::write_perfetto_trace(trace, out);
  }
  if (!out.flush()) return input_error(options.perfetto.string(), "it cannot be written", "a file on a disk with room");
  return {};
}

StackTime time_of(const TraceOptions& options) {
  return options.has_device_time ? StackTime::devices : StackTime::host;
}

Result<void> check_device_time(const bench::Trace& trace, const TraceOptions& options) {
  if (!options.has_device_time) return {};
  if (options.flame.empty() && options.folded.empty() && options.speedscope.empty() && options.pprof.empty() &&
      options.callgrind.empty()) {
    return input_error("--device-time", "no file of stacks", "--flame, --folded, --speedscope, --pprof or --callgrind");
  }
  const std::vector<std::int64_t> started = bench::tree_of(trace).self_device_ns;
  if (std::any_of(started.begin(), started.end(), [](std::int64_t ns) { return ns > 0; })) return {};
  return input_error(options.file, "nothing that the host started on a device", "a trace of devices",
                     "leave out --device-time");
}

Result<void> write_cost_files(const bench::Trace& trace, const TraceOptions& options) {
  if (options.pprof.empty() && options.callgrind.empty()) return {};
  const TraceStacks stacks = trace_stacks(nullptr, trace, kLimitsOfFiles, time_of(options));
  if (!options.pprof.empty()) {
    std::ostringstream out;
    {
      bench::GzipStream packed(out);
      packed << pprof_profile(stacks.profile, stacks.tree, trace.start_unix_ns);
    }
    STEELYARD_CHECK(write_text_file(options.pprof, out.str(), LinkInPlace::followed));
  }
  if (options.callgrind.empty()) return {};
  const std::string& title = trace.program.empty() ? options.file : trace.program;
  return write_text_file(options.callgrind, callgrind_file(stacks.profile, stacks.tree, stacks.calls, title),
                         LinkInPlace::followed);
}

Result<void> write_pictures(const bench::Trace& trace, const bench::Trace* baseline, const TraceOptions& options) {
  if (!options.flame.empty()) {
    const TraceStacks stacks = trace_stacks(baseline, trace, StackLimits{}, time_of(options));
    const FlameCaption caption{trace.program.empty() ? options.file : trace.program, options.against, options.file};
    const bool is_svg = options.flame.extension() == ".svg";
    STEELYARD_CHECK(write_text_file(options.flame,
                                    is_svg ? svg_flame_graph(stacks.profile, stacks.tree, caption)
                                           : html_flame_graph(stacks.profile, stacks.tree, caption),
                                    LinkInPlace::followed));
  }
  if (options.folded.empty() && options.speedscope.empty()) return {};
  const TraceStacks stacks = trace_stacks(baseline, trace, kLimitsOfFiles, time_of(options));
  if (!options.folded.empty()) {
    STEELYARD_TRY(const std::string text, folded_stacks(stacks.profile, stacks.tree));
    STEELYARD_CHECK(write_text_file(options.folded, text, LinkInPlace::followed));
  }
  if (options.speedscope.empty()) return {};
  return write_text_file(options.speedscope, speedscope_json(stacks.profile, stacks.tree, options.file),
                         LinkInPlace::followed);
}

Result<std::string> trace_text(const bench::Trace& trace, const TraceOptions& options, const App& app) {
  const bench::TraceTree tree = bench::tree_of(trace);
  const bench::KeyGrouping grouping{.by_shapes = options.by_shapes,
                                    .by_stack = options.by_stack,
                                    .by_process = options.by_process,
                                    .only_roots = options.only_roots};
  bench::KeyAverages averages = bench::key_averages(trace, tree, grouping);
  if (!options.sort.empty()) STEELYARD_CHECK(bench::sort_rows(averages, options.sort));
  if (app.common.json) return json_trace(trace, averages);
  if (options.table_format == "csv") return csv_trace(averages);
  TraceTable table{.rows = options.rows,
                   .has_shapes = options.by_shapes,
                   .has_places = options.by_stack > 0,
                   .has_processes = options.by_process};
  const std::array widths{&table.name_width, &table.shapes_width, &table.place_width};
  for (std::size_t i = 0; i < options.widths.size(); ++i) *widths.at(i) = options.widths[i];
  return options.table_format == "markdown" ? markdown_trace(trace, averages, table)
                                            : terminal_trace(trace, averages, table);
}

Result<void> set_widths(const std::string& text, TraceOptions& options) {
  constexpr std::size_t kMinWidth = 5, kMaxWidth = 10'000, kMaxWidths = 3;
  options.widths.clear();
  std::istringstream words(text);
  for (std::string word; std::getline(words, word, ',');) {
    const auto width = parse_as<std::size_t>(word);
    if (!width || *width < kMinWidth || *width > kMaxWidth || options.widths.size() == kMaxWidths) {
      return input_error("--widths", '"' + text + '"', "up to three numbers from 5 to 10000, with commas between");
    }
    options.widths.push_back(*width);
  }
  return {};
}

}  // namespace

void add_trace_options(Verb& verb, TraceOptions& options) {
  const auto group = [](VerbOption option) {
    option.group = kTraceGroup;
    return option;
  };
  verb.add(group(path_option("--chrome", "FILE", options.chrome,
                             "write a trace for chrome://tracing and ui.perfetto.dev; of a folder, a file "
                             "in it named as PyTorch does")));
  verb.add(group(
      flag_option("--gzip", options.is_packed, "pack it, or that of --perfetto, as a name that ends in .gz does")));
  verb.add(group(path_option("--perfetto", "FILE", options.perfetto, "write it in Perfetto's own format: smaller")));
  verb.add(group(path_option("--pprof", "FILE", options.pprof, "write stacks for go tool pprof")));
  verb.add(group(path_option("--callgrind", "FILE", options.callgrind, "write functions for KCachegrind, in ns")));
  verb.add(group(flag_option("--device-time", options.has_device_time,
                             "stacks with the time of what they started on devices, not the host's")));
  verb.add(group(
      path_option("--html", "FILE", options.html, "write a page: what stands out, a timeline, tables, a flame graph")));
  verb.add(group(path_option("--ceilings", "FILE", options.ceilings,
                             "with --html: the roofline has these too, an archive of steelyard targets ceilings")));
  verb.add(group(flag_option("--by-shapes", options.by_shapes, "tables with a row for each shape of what goes in")));
  verb.add(
      group(number_option("--by-stack", options.by_stack, "tables with a row for each place, and so many around it")));
  verb.add(group(
      flag_option("--by-process", options.by_process, "tables with a row for each process, as of ranks in one trace")));
  verb.add(group(flag_option("--roots", options.only_roots, "tables of events that run in no other")));
  verb.add(text_option("--sort", "KEY", options.sort,
                       "self (default), total, average, self_device, device, device_average, calls, memory, "
                       "self_memory, device_memory, self_device_memory or flops",
                       kTraceGroup));
  const auto set_format = [&options](const std::string& text) -> Result<void> {
    STEELYARD_TRY([[maybe_unused]] const std::size_t word,
                  read_word(WrittenValue{text, true}, "--table-format", {"text", "markdown", "csv"}));
    options.table_format = text;
    return {};
  };
  verb.add({"--table-format", "text|markdown|csv", "default: text", kTraceGroup, false, set_format});
  verb.add({"--widths", "NAME,SHAPES,PLACE", "columns that these have at most (55,80,75); some may be left out",
            kTraceGroup, false, [&options](const std::string& text) { return set_widths(text, options); }});
}

std::string given_trace_option(const TraceOptions& options) {
  if (!options.chrome.empty()) return "--chrome";
  if (options.is_packed) return "--gzip";
  if (!options.perfetto.empty()) return "--perfetto";
  if (!options.pprof.empty()) return "--pprof";
  if (!options.callgrind.empty()) return "--callgrind";
  if (options.has_device_time) return "--device-time";
  if (!options.html.empty()) return "--html";
  if (!options.ceilings.empty()) return "--ceilings";
  if (options.by_shapes) return "--by-shapes";
  if (options.by_stack > 0) return "--by-stack";
  if (options.by_process) return "--by-process";
  if (options.only_roots) return "--roots";
  if (!options.sort.empty()) return "--sort";
  if (!options.widths.empty()) return "--widths";
  return options.table_format == "text" ? "" : "--table-format";
}

namespace {

// What shapes a table is not dropped in silence where there is none. JSON and CSV, which have every row whole, are
// tables here: that they are not cut is no loss.
Result<void> check_table_options(const TraceOptions& options, const App& app) {
  if (!options.has_files() || app.common.json) return {};
  std::string option;
  if (options.has_rows) option = "--rows";
  if (!options.widths.empty()) option = "--widths";
  if (options.table_format != "text") option = "--table-format";
  if (!options.sort.empty()) option = "--sort";
  if (options.only_roots) option = "--roots";
  if (options.by_process) option = "--by-process";
  if (options.by_stack > 0) option = "--by-stack";
  if (options.by_shapes) option = "--by-shapes";
  if (option.empty()) return {};
  return input_error(option, "files to write", "a table", "leave it out: files hold every event; or add --json");
}

Result<void> write_trace_page(const bench::Trace& trace, const TraceOptions& options) {
  if (options.html.empty() && !options.ceilings.empty()) {
    return input_error("--ceilings", "no --html", "the page whose roofline has them");
  }
  if (options.html.empty()) return {};
  std::vector<DeviceCeilings> ceilings;
  if (!options.ceilings.empty()) {
    STEELYARD_TRY(const Run run, storage::read_archive(options.ceilings));
    ceilings.push_back(ceilings_of_run(run));
    if (ceilings.back().ceilings.empty()) {
      return input_error(options.ceilings.string(), "a run without ceilings",
                         "an archive of steelyard targets ceilings --output FILE");
    }
  }
  return write_text_file(options.html,
                         html_trace(trace, trace.program.empty() ? options.file : trace.program, ceilings),
                         LinkInPlace::followed);
}

}  // namespace

Result<ExitCode> run_trace(const TraceOptions& options, const App& app) {
  STEELYARD_CHECK(check_table_options(options, app));
  STEELYARD_TRY(const bench::Trace trace, load_trace(options.format, options.file));
  std::optional<bench::Trace> baseline;
  if (!options.against.empty()) {
    STEELYARD_TRY(baseline, load_trace(options.format, options.against));
  }
  STEELYARD_CHECK(check_device_time(trace, options));
  if (options.is_packed && options.chrome.empty() && options.perfetto.empty()) {
    return input_error("--gzip", "no trace to pack", "--chrome or --perfetto");
  }
  STEELYARD_TRY(const std::filesystem::path chrome, write_chrome(trace, options));
  STEELYARD_CHECK(write_perfetto(trace, options));
  STEELYARD_CHECK(write_cost_files(trace, options));
  STEELYARD_CHECK(write_pictures(trace, baseline ? &*baseline : nullptr, options));
  STEELYARD_CHECK(write_trace_page(trace, options));
  const std::string replaced = replaced_names_line(trace);
  if (options.has_files() && !replaced.empty()) app.note("note: " + replaced);
  for (const std::filesystem::path& file : {chrome, options.html, options.perfetto, options.pprof, options.callgrind,
                                            options.flame, options.folded, options.speedscope}) {
    if (!file.empty()) app.note("wrote " + file.string());
  }
  if (options.has_files() && !app.common.json) return ExitCode::success;
  STEELYARD_TRY(const std::string text, trace_text(trace, options, app));
  app.print(text);
  return ExitCode::success;
}

}  // namespace steelyard::ci
