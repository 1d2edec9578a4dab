#include "bench/formats/google_benchmark.hpp"

#include <algorithm>
#include <fstream>
#include <istream>
#include <memory>
#include <nlohmann/json.hpp>
#include <set>
#include <system_error>

#include "bench/formats/google_benchmark_context.hpp"
#include "bench/formats/google_benchmark_records.hpp"
#include "bench/formats/import_document.hpp"
#include "bench/formats/non_finite_tokens.hpp"

namespace steelyard::bench {
namespace {

using nlohmann::json;

// Of a text that is held, and of a file that is read piece by piece. A file of a million records is about 500 MiB as
// Google Benchmark writes them; all limits stop a file that is none.
constexpr std::size_t kMaxHeldBytes = std::size_t{256} << 20;
constexpr std::uintmax_t kMaxFileBytes = std::uintmax_t{4} << 30;
constexpr std::size_t kMaxRecords = 8'000'000;

constexpr std::string_view kHowToWrite = "write it with --benchmark_out=FILE --benchmark_out_format=json";

// Depths as nlohmann's parser counts them: { "benchmarks": [ { "name": ... } ] }
constexpr int kTopLevelKeys = 1;
constexpr int kRecords = 2;
constexpr int kRecordKeys = 3;
constexpr int kContextKeys = 2;

// Nesting and size of what is held at once, the context or one record: far above what Google Benchmark writes, far
// below what a hostile file could claim.
constexpr int kDeepestJson = 32;
constexpr std::size_t kMaxValues = 100'000;

// Thrown out of the parser, which offers no other way to stop it, and caught where it was called.
struct Refusal {
  std::string found;
  std::string wanted;
};

// Listens to the parser: each record is taken as soon as it is complete and then forgotten, so that memory grows with
// the samples, not with the text.
class FileListener {
 public:
  FileListener(GoogleBenchmarkFile& file, BadRecordList& bad, std::optional<PassLog> log, bool keeps_context)
      : bad_(bad), records_(file, bad, log), keeps_context_(keeps_context) {}

  // False: the parser need not keep what it has just read.
  bool on_event(int depth, json::parse_event_t event, const json& parsed) {
    if (depth > kDeepestJson) throw Refusal{"deeper nesting", "at most " + std::to_string(kDeepestJson) + " levels"};
    if (++values_ > kMaxValues) throw Refusal{"more values", "at most " + std::to_string(kMaxValues)};
    switch (event) {
      case json::parse_event_t::key:
        return on_key(depth, parsed.get_ref<const std::string&>());
      case json::parse_event_t::array_start:
        if (depth == kTopLevelKeys && section_ == "benchmarks") has_benchmarks_ = true;
        return true;
      case json::parse_event_t::object_start:
        if (depth == (section_ == "context" ? kTopLevelKeys : kRecords)) {
          keys_.clear();
          values_ = 0;
        }
        return true;
      case json::parse_event_t::object_end:
      case json::parse_event_t::array_end:
      case json::parse_event_t::value:
        return on_value(depth, event, parsed);
    }
    return true;
  }

  bool has_benchmarks() const { return has_benchmarks_; }
  std::size_t aggregates() const { return records_.aggregates(); }
  void finish() { records_.finish(); }
  const json& context() const { return context_; }  // as far as it was whole

  // What the parser was in the middle of.
  std::string place() const {
    if (has_benchmarks_ && section_ == "benchmarks") return record_name();
    if (section_.empty()) return has_benchmarks_ ? "the closing brackets" : "the opening brackets";
    return '"' + shorten(section_, 60) + '"';
  }

 private:
  std::string record_name() const { return "benchmarks[" + std::to_string(index_) + ']'; }

  bool on_key(int depth, const std::string& key) {
    if (depth == kTopLevelKeys) {
      section_ = key;
      return key == "context" || key == "benchmarks";
    }
    const bool watched =
        (section_ == "benchmarks" && depth == kRecordKeys) || (section_ == "context" && depth == kContextKeys);
    if (!watched || keys_.insert(key).second) return true;
    // A counter of the program's that bears the name of a field of Google Benchmark's: the field comes first.
    // Of which benchmark is known when the record is complete.
    if (section_ == "benchmarks") {
      twice_.push_back(key);
    } else {
      add_twice(section_, key, {}, "");
    }
    return false;
  }

  void add_twice(const std::string& owner, const std::string& key, const BenchmarkId& benchmark,
                 const std::string& metric) {
    bad_.add(owner + '.' + shorten(key, 60),
             "found twice, wanted once: a counter or context key bears the name of a "
             "field; rename it in the program. The first one was read",
             benchmark, metric);
  }

  bool on_value(int depth, json::parse_event_t event, const json& parsed) {
    const bool in_records = has_benchmarks_ && section_ == "benchmarks";
    if (keeps_context_ && section_ == "context" && depth == kTopLevelKeys) context_ = parsed;
    if (in_records && depth == kTopLevelKeys && event == json::parse_event_t::array_end) {
      section_.clear();
      return true;
    }
    if (!in_records || depth != kRecords) return true;
    if (index_ == kMaxRecords) throw Refusal{"more records", "at most " + std::to_string(kMaxRecords)};
    for (const std::string& key : twice_) {
      add_twice(record_name(), key, benchmark_of_record(parsed), metric_of_key(key));
    }
    twice_.clear();
    records_.add(parsed, record_name());
    ++index_;
    values_ = 0;
    return false;
  }

  BadRecordList& bad_;
  GoogleBenchmarkRecords records_;
  std::string section_;         // the top-level key whose value is being read
  std::set<std::string> keys_;  // of the record being read
  bool keeps_context_ = false;  // the parser drops what it has where a document is damaged
  json context_ = json::object();
  std::vector<std::string> twice_;  // those of them that came again
  std::size_t values_ = 0;          // parser events since the context or the record began
  std::size_t index_ = 0;
  bool has_benchmarks_ = false;
};

// Where a document stopped being one.
struct SyntaxFault {
  std::uint64_t offset = 0;
  std::string_view at;      // what stands there
  std::string_view end;     // of the document
  std::uint64_t bytes = 0;  // of all of it
  bool is_broken_text = false;
};

// For people: printable, short.
std::string excerpt(std::string_view text) {
  constexpr std::size_t kLength = 24;
  std::string shown;
  for (const char c : text.substr(0, kLength)) shown += c >= ' ' && c <= '~' ? c : '?';
  return '"' + shown + '"';
}

Error syntax_error(const SyntaxFault& fault, std::string_view name, const FileListener& listener) {
  const std::size_t last = fault.end.find_last_not_of(" \t\r\n");
  if (last == std::string_view::npos) {
    return input_error(std::string(name), "an empty file", "the JSON of a Google Benchmark program",
                       std::string(kHowToWrite));
  }
  const std::string where = std::string(name) + ": byte " + std::to_string(fault.offset);
  if (fault.offset > fault.bytes - fault.end.size() + last || ends_in_cut_non_finite_token(fault.end)) {
    return input_error(where, "the end of the file in the middle of " + listener.place(), "complete JSON",
                       "the program was stopped or the disk was full while it wrote; run it again");
  }
  if (fault.is_broken_text) return broken_text(where, listener.place());
  return input_error(where, excerpt(fault.at) + " in " + listener.place(), "JSON", std::string(kHowToWrite));
}

Error syntax_error_of_text(std::string_view text, std::uint64_t offset, std::string_view name,
                           const FileListener& listener) {
  const auto at = std::min<std::size_t>(offset, text.size());
  return syntax_error({offset, text.substr(at), text, text.size(), is_broken_text(text, at + 1)}, name, listener);
}

Error syntax_error_of_file(const std::filesystem::path& path, std::uint64_t offset, const FileListener& listener) {
  constexpr std::uint64_t kShown = 24;
  constexpr std::uint64_t kEnd = 4096;
  std::ifstream stream(path, std::ios::binary);
  const auto piece = [&stream](std::uint64_t begin, std::uint64_t bytes) {
    std::string text(bytes, '\0');
    stream.clear();
    stream.seekg(static_cast<std::streamoff>(begin));
    stream.read(text.data(), static_cast<std::streamsize>(bytes));
    text.resize(static_cast<std::size_t>(stream.gcount()));
    return text;
  };
  std::error_code code;
  const std::uintmax_t size = std::filesystem::file_size(path, code);
  const std::string at = piece(offset, kShown);
  const std::string end = piece(size > kEnd ? size - kEnd : 0, kEnd);
  return syntax_error({offset, at, end, size, is_broken_text_in(path, offset + 1)}, path.string(), listener);
}

Error no_samples(std::string_view name, const FileListener& listener) {
  if (listener.aggregates() > 0) {
    return input_error(std::string(name), "only aggregates (mean, median, stddev)", "the raw repetitions",
                       std::string(kHowToGetRepetitions));
  }
  return input_error(std::string(name), "no benchmark", "at least one",
                     "see what --benchmark_filter leaves with --benchmark_list_tests");
}

void keep_counted_allocations(GoogleBenchmarkFile& file) {
  if (file.allocation_key.empty()) return;
  for (Measurement& measurement : file.measurements) {
    if (measurement.metric.name != "allocations" && measurement.metric.name != "bytes_allocated") continue;
    measurement.metric.kind = MetricKind::counted;
    measurement.count_key = file.allocation_key;
  }
}

// `parse`: calls the parser with what it is given; `syntax_error`: of the byte at which the parser stopped.
template <class Parse, class SyntaxError>
Result<GoogleBenchmarkFile> read_document(std::string_view name, std::optional<PassLog> log, const Parse& parse,
                                          const SyntaxError& syntax_error, bool keeps_readable = false) {
  GoogleBenchmarkFile file;
  BadRecordList bad(file.bad_records);
  FileListener listener(file, bad, log, keeps_readable);
  json rest;
  try {
    rest = parse(
        [&](int depth, json::parse_event_t event, json& parsed) { return listener.on_event(depth, event, parsed); });
  } catch (const json::parse_error& error) {
    // The parser counts bytes from 1 and points behind the one it refused.
    file.damage = syntax_error(error.byte == 0 ? 0 : error.byte - 1, listener);
  } catch (const Refusal& refusal) {
    file.damage = input_error(std::string(name) + ": " + listener.place(), refusal.found, refusal.wanted,
                              std::string(kHowToWrite));
  } catch (const json::exception& error) {
    file.damage =
        input_error(std::string(name) + ": " + listener.place(), error.what(), "JSON", std::string(kHowToWrite));
  }
  if (file.damage && !keeps_readable) return *file.damage;
  if (!listener.has_benchmarks()) {
    return input_error(std::string(name), "JSON without a list of \"benchmarks\"",
                       "the JSON of a Google Benchmark program", std::string(kHowToWrite));
  }
  listener.finish();
  const auto context = rest.find("context");
  if (file.damage) {
    read_google_benchmark_context(listener.context(), file, bad);
  } else if (context != rest.end()) {
    read_google_benchmark_context(*context, file, bad);
  }
  keep_counted_allocations(file);
  take_device(file);
  if (file.measurements.empty() && file.failures.empty() && file.bad_records.empty()) {
    return file.damage ? *file.damage : no_samples(name, listener);
  }
  if (file.damage && file.measurements.empty()) return *file.damage;
  return file;
}

}  // namespace

Result<GoogleBenchmarkFile> parse_google_benchmark(std::string_view text, std::string_view name,
                                                   std::optional<PassLog> log) {
  if (text.size() > kMaxHeldBytes) {
    return input_error(std::string(name), std::to_string(text.size()) + " bytes",
                       "at most " + std::to_string(kMaxHeldBytes), "split it with --benchmark_filter");
  }
  return read_document(
      name, log,
      [text](const json::parser_callback_t& listen) {
        return json::parse(mask_non_finite_tokens(std::string(text)), listen);
      },
      [text, name](std::uint64_t offset, const FileListener& listener) {
        return syntax_error_of_text(text, offset, name, listener);
      });
}

Result<GoogleBenchmarkFile> read_google_benchmark(const std::filesystem::path& path, bool keeps_readable) {
  std::error_code code;
  const std::uintmax_t size = std::filesystem::file_size(path, code);
  const std::unique_ptr<std::streambuf> bytes = code ? nullptr : json_bytes(path, '\0');
  if (bytes == nullptr) {
    return input_error(path.string(), code ? code.message() : "a file that cannot be read",
                       "a readable Google Benchmark JSON file or a folder of them");
  }
  if (size > kMaxFileBytes) {
    return input_error(path.string(), std::to_string(size) + " bytes", "at most " + std::to_string(kMaxFileBytes),
                       "split it with --benchmark_filter");
  }
  STEELYARD_CHECK(check_encoding(path));
  std::istream stream(bytes.get());
  return read_document(
      path.string(), std::nullopt,
      [&stream](const json::parser_callback_t& listen) { return json::parse(stream, listen); },
      [&path](std::uint64_t offset, const FileListener& listener) {
        return syntax_error_of_file(path, offset, listener);
      },
      keeps_readable);
}

}  // namespace steelyard::bench
