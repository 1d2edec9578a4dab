// The part of the profile verb that is about time: spans and traces, as tables, pictures and files for other tools.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "bench/profile/trace.hpp"
#include "ci/app/app.hpp"
#include "ci/grammar/verb.hpp"

namespace steelyard::ci {

enum class TraceFormat { spans, chrome };

struct TraceOptions {
  TraceFormat format = TraceFormat::spans;
  std::string file;
  std::string against;  // a file of the same format: the baseline of pictures; empty: none
  bool by_shapes = false;
  int by_stack = 0;
  bool by_process = false;
  bool only_roots = false;
  std::string sort;       // empty: by self time
  int rows = 100;         // -1: all
  bool has_rows = false;  // they were asked for
  std::vector<std::size_t> widths =
      {};                             // columns at most, of names, of shapes, of places; fewer: the others' usual ones
  std::string table_format = "text";  // text, markdown or csv
  std::filesystem::path chrome, html, flame, folded, speedscope;  // to write; empty: not
  std::filesystem::path pprof, callgrind, perfetto;               // as well
  std::filesystem::path ceilings;  // an archive of them, for the page's roofline; empty: those of datasheets alone
  bool is_packed = false;          // chrome and perfetto, as a name's ".gz" says too
  bool has_device_time = false;    // of stacks, not the host's

  bool has_files() const {
    return !chrome.empty() || !html.empty() || !flame.empty() || !folded.empty() || !speedscope.empty() ||
           !pprof.empty() || !callgrind.empty() || !perfetto.empty();
  }
};

// The options that traces alone have.
void add_trace_options(Verb& verb, TraceOptions& options);
// The first option that is about traces and was given; empty: none.
std::string given_trace_option(const TraceOptions& options);

// Error (input): it cannot be read, or is no such file.
Result<bench::Trace> load_trace(TraceFormat format, const std::string& file);

Result<ExitCode> run_trace(const TraceOptions& options, const App& app);

}  // namespace steelyard::ci
