#include "bench/formats/import_formats.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <cerrno>
#include <map>
#include <optional>
#include <set>
#include <system_error>

#include "bench/formats/google_benchmark.hpp"
#include "bench/formats/imported_run.hpp"
#include "bench/model/parse_number.hpp"
#include "bench/model/text.hpp"

namespace steelyard::bench {
namespace {

constexpr std::size_t kLongestMember = 64;  // a longer name is none of a format's
constexpr std::size_t kMaxMembers = 1000;
constexpr std::size_t kDeepestMember = 4;

// Names of members as far as the text is JSON at all: whoever loads it says what is wrong.
std::vector<std::string> members_of_json(std::string_view text) {
  std::vector<std::string> members;
  struct Level {
    std::string path;
    bool is_list = false;
  };
  std::vector<Level> levels;
  std::string word;  // the last string
  std::string path;  // of the last member
  const auto add = [&](std::string member) {
    if (std::find(members.begin(), members.end(), member) == members.end()) members.push_back(std::move(member));
  };
  for (std::size_t at = text.find_first_of("[{"); at < text.size() && members.size() < kMaxMembers; ++at) {
    const char c = text[at];
    if (c == '"') {
      word.clear();
      for (++at; at < text.size() && text[at] != '"'; ++at) {
        if (text[at] == '\\') ++at;
        if (at < text.size() && word.size() <= kLongestMember) word += text[at];
      }
    } else if (c == '{' || c == '[') {
      const bool is_in_list = !levels.empty() && levels.back().is_list;
      std::string outer = levels.empty() ? "" : is_in_list ? levels.back().path + "[]" : path;
      levels.push_back({std::move(outer), c == '['});
      if (levels.size() > 2 * kDeepestMember + 64) break;
    } else if ((c == '}' || c == ']') && !levels.empty()) {
      levels.pop_back();
    } else if (c == ':' && !levels.empty() && !levels.back().is_list) {
      const std::string& outer = levels.back().path;
      path = outer.empty() ? word : outer + '.' + word;
      if (levels.size() <= kDeepestMember) add(path);
    }
  }
  return members;
}

}  // namespace

bool FileHead::has(std::string_view member) const {
  return std::find(members.begin(), members.end(), member) != members.end();
}

bool FileHead::starts_with(std::string_view beginning) const {
  const std::size_t at = text.find_first_not_of(" \t\r\n\xef\xbb\xbf");
  return at != std::string::npos && std::string_view(text).substr(at).starts_with(beginning);
}

bool FileHead::has_line(std::string_view beginning) const {
  if (text.starts_with(beginning)) return true;
  return text.find('\n' + std::string(beginning)) != std::string::npos;
}

Result<FileHead> head_of(const std::filesystem::path& path) {
  FileHead head{path, false, {}, {}};
  std::error_code code;
  head.is_folder = std::filesystem::is_directory(path, code);
  if (head.is_folder) return head;
  std::ifstream stream(path, std::ios::binary);
  if (!stream) return input_error(path.string(), unopened_text(errno), "a file of another tool's results");
  head.text.resize(FileHead::kHeadBytes);
  stream.read(head.text.data(), static_cast<std::streamsize>(head.text.size()));
  head.text.resize(static_cast<std::size_t>(stream.gcount()));
  const std::size_t at = head.text.find_first_not_of(" \t\r\n\xef\xbb\xbf");
  const bool is_json = at != std::string::npos && (head.text[at] == '{' || head.text[at] == '[');
  if (is_json || head.starts_with("window.")) head.members = members_of_json(head.text);
  return head;
}

// Each defined by the file of its tool.
Result<Run> load_hyperfine(const std::filesystem::path& path, ImportReading& reading);
Result<Run> load_pytest_benchmark(const std::filesystem::path& path, ImportReading& reading);
Result<Run> load_pyperf(const std::filesystem::path& path, ImportReading& reading);
Result<Run> load_go(const std::filesystem::path& path, ImportReading& reading);
Result<Run> load_jmh(const std::filesystem::path& path, ImportReading& reading);
Result<Run> load_benchmark_dotnet(const std::filesystem::path& path, ImportReading& reading);
Result<Run> load_criterion(const std::filesystem::path& path, ImportReading& reading);
Result<Run> load_nvbench(const std::filesystem::path& path, ImportReading& reading);
Result<Run> load_nanobench(const std::filesystem::path& path, ImportReading& reading);
Result<Run> load_folly(const std::filesystem::path& path, ImportReading& reading);
Result<Run> load_catch2(const std::filesystem::path& path, ImportReading& reading);
Result<Run> load_doctest(const std::filesystem::path& path, ImportReading& reading);
Result<Run> load_csv(const std::filesystem::path& path, ImportReading& reading);
Result<Run> load_json_lines(const std::filesystem::path& path, ImportReading& reading);
Result<Run> load_bencher_metrics(const std::filesystem::path& path, ImportReading& reading);
Result<void> load_bencher(const std::filesystem::path& path, ImportReading& reading, const TakeRun& take);
Result<void> load_github_action_benchmark(const std::filesystem::path& path, ImportReading& reading,
                                          const TakeRun& take);
Result<void> load_asv(const std::filesystem::path& path, ImportReading& reading, const TakeRun& take);
Result<void> load_conbench(const std::filesystem::path& path, ImportReading& reading, const TakeRun& take);

namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMaxJoinedFiles = 10'000;
constexpr std::size_t kMaxRefused = 100;      // measurements of them that are named
constexpr std::size_t kMaxLookedAt = 20'000;  // files and folders, to tell what a folder is of

// Whether a folder has such a file, `levels` folders down at most.
bool has_file(const fs::path& folder, std::string_view ending, int levels) {
  std::error_code code;
  std::size_t seen = 0;
  fs::recursive_directory_iterator entry(folder, code);
  for (; !code && entry != fs::recursive_directory_iterator() && ++seen < kMaxLookedAt; entry.increment(code)) {
    if (entry.depth() >= levels) entry.disable_recursion_pending();
    if (entry->path().generic_string().ends_with(ending)) return true;
  }
  return false;
}

bool is_object(const FileHead& head) { return head.starts_with("{"); }

// An object or list of numbers alone, under names: what folly's --json writes.
bool is_flat(const FileHead& head) {
  if (!is_object(head) || head.members.empty()) return false;
  bool in_string = false;
  char before = 0;  // the last character that is no blank, outside of strings
  for (const char c : head.text) {
    if (in_string) {
      in_string = c != '"' || before == '\\';
      before = before == '\\' ? 0 : c;
    } else if (c == '"') {
      if (before == ':') return false;  // a text under a name
      in_string = true;
    } else if (c == '[' || c == 't' || c == 'f') {
      return false;
    } else if (c == '{' && before != 0) {
      return false;
    } else if (c != ' ' && c != '\n' && c != '\t' && c != '\r') {
      before = c;
    }
  }
  return true;
}

// A list of records that each begin with the source's name, the benchmark's and its time: [["sort.cpp", "sort",
// 12500.5.
bool is_folly(const FileHead& head) {
  std::size_t at = 0;
  const auto skip = [&](char wanted) {
    while (at < head.text.size() && std::isspace(static_cast<unsigned char>(head.text[at])) != 0) ++at;
    return at < head.text.size() && head.text[at++] == wanted;
  };
  const auto skip_text = [&] {
    if (!skip('"')) return false;
    for (; at < head.text.size() && head.text[at] != '"'; ++at) at += head.text[at] == '\\' ? 1 : 0;
    return skip('"');
  };
  if (!skip('[') || !skip('[') || !skip_text() || !skip(',') || !skip_text() || !skip(',')) return false;
  while (at < head.text.size() && std::isspace(static_cast<unsigned char>(head.text[at])) != 0) ++at;
  return at < head.text.size() && std::isdigit(static_cast<unsigned char>(head.text[at])) != 0;
}

// {"sort": {"latency": {"value": 12.5}}}; of version 1 {"sort": [{"measures": {"latency": {"value": 12.5}}}]}.
bool has_value_of_measure(const FileHead& head) {
  const auto is_value = [](const std::string& member) {
    return member.ends_with(".value") && std::count(member.begin(), member.end(), '.') >= 2;
  };
  const auto is_of_variant = [](const std::string& member) {
    return member.ends_with("[].measures") || member.find("[].measures.") != std::string::npos;
  };
  const auto is_in_list = [](const std::string& member) { return member.find("[]") != std::string::npos; };
  if (!is_object(head)) return false;
  if (std::any_of(head.members.begin(), head.members.end(), is_of_variant)) return true;
  return std::any_of(head.members.begin(), head.members.end(), is_value) &&
         std::none_of(head.members.begin(), head.members.end(), is_in_list);
}

bool is_csv(const FileHead& head) {
  const std::string first = head.text.substr(0, head.text.find('\n'));
  return head.members.empty() && first.find("benchmark") != std::string::npos &&
         first.find("value") != std::string::npos && first.find_first_of(",;") != std::string::npos;
}

bool is_go(const FileHead& head) {
  return head.has_line("Benchmark") &&
         (head.has_line("goos: ") || head.has_line("pkg: ") || head.text.find(" ns/op") != std::string::npos);
}

bool is_criterion(const FileHead& head) {
  return head.is_folder ? has_file(head.path, "/new/benchmark.json", 5) : head.has("reason");
}

bool is_asv(const FileHead& head) {
  return head.is_folder ? has_file(head.path, "/machine.json", 1) : head.has("commit_hash") && head.has("results");
}

bool is_conbench(const FileHead& head) {
  return (head.has("data[].stats") && head.has("data[].tags")) || (head.has("[].stats") && head.has("[].tags"));
}

bool is_xml_of(const FileHead& head, std::string_view element) {
  return head.starts_with("<") && head.text.find(element) < 4096;
}

Result<Run> read_google(const fs::path& path, ImportReading& reading) { return load_google_benchmark(path, reading); }

constexpr std::array kFormats{
    ImportFormat{"google-benchmark", "`--benchmark_out=FILE --benchmark_out_format=json`, or a folder of such files",
                 "every repetition", "each file",
                 [](const FileHead& head) {
                   return head.has("context") && head.has("benchmarks") && !head.has("benchmarks[].states");
                 },
                 read_google, nullptr, true},
    ImportFormat{"nvbench", "`--jsonbin FILE` (or `--json FILE`)",
                 "every cold sample with --jsonbin, else the mean alone", "each file",
                 [](const FileHead& head) { return head.has("benchmarks[].states"); }, load_nvbench, nullptr},
    ImportFormat{"pytest-benchmark", "`--benchmark-json=FILE`", "every round", "each file",
                 [](const FileHead& head) { return head.has("benchmarks") && head.has("machine_info"); },
                 load_pytest_benchmark, nullptr},
    ImportFormat{"pyperf", "`--output FILE`", "every value", "each of its runs: pyperf starts a worker for each",
                 [](const FileHead& head) { return head.has("benchmarks[].runs"); }, load_pyperf, nullptr},
    ImportFormat{"hyperfine", "`--export-json FILE`", "every run", "each run of a command",
                 [](const FileHead& head) { return head.has("results[].command"); }, load_hyperfine, nullptr},
    ImportFormat{"nanobench", "its template `json()`", "every epoch", "each file",
                 [](const FileHead& head) { return head.has("results[].measurements"); }, load_nanobench, nullptr},
    ImportFormat{"jmh", "`-rf json -rff FILE`", "every iteration; in mode sample the mean of its calls", "each fork",
                 [](const FileHead& head) { return head.has("[].jmhVersion") || head.has("[].primaryMetric"); },
                 load_jmh, nullptr},
    ImportFormat{"benchmarkdotnet", "`--exporters fulljson`", "every iteration of stage Result", "each launch",
                 [](const FileHead& head) { return head.has("HostEnvironmentInfo"); }, load_benchmark_dotnet, nullptr},
    ImportFormat{"criterion", "the folder `target/criterion`, or what `cargo criterion --message-format=json` prints",
                 "every sample", "the whole folder or file: one", is_criterion, load_criterion, nullptr, true},
    ImportFormat{"go", "the text of `go test -bench . -count 10`", "every line",
                 "each output, where several are appended to one file", is_go, load_go, nullptr},
    ImportFormat{"catch2", "`-r xml`", "the mean alone", "each file",
                 [](const FileHead& head) { return is_xml_of(head, "<Catch"); }, load_catch2, nullptr},
    ImportFormat{"doctest", "`-r=xml -d`: the time of each test case", "one time", "each file",
                 [](const FileHead& head) { return is_xml_of(head, "<doctest"); }, load_doctest, nullptr},
    ImportFormat{"folly", "`--bm_json_verbose=FILE` (or `--json`, which nothing tells: name the format)",
                 "the time that folly chose, alone, and its counters", "each file", is_folly, load_folly, nullptr},
    ImportFormat{"csv", "a line of names, then a sample a line", "every sample", "the column `process`", is_csv,
                 load_csv, nullptr},
    ImportFormat{"json-lines", "an object a line, a sample each", "every sample", "the field `process`",
                 [](const FileHead& head) { return head.has("benchmark") && head.has("value"); }, load_json_lines,
                 nullptr},
    ImportFormat{"github-action-benchmark", "`data.js`, its history", "one number a commit", "each entry",
                 [](const FileHead& head) { return head.has("entries") && head.has("repoUrl"); }, nullptr,
                 load_github_action_benchmark},
    ImportFormat{"asv", "the folder of results, of a machine in it, or one file of these",
                 "its samples, where it kept "
                 "them (`--record-samples`), else the result alone",
                 "each commit and environment: one", is_asv, nullptr, load_asv, true},
    ImportFormat{"bencher", "what `/v0/projects/PROJECT/perf` answers", "one number an iteration",
                 "each iteration of a report",
                 [](const FileHead& head) { return head.has("results[].benchmark") && head.has("results[].metrics"); },
                 nullptr, load_bencher},
    ImportFormat{"conbench", "what `/api/benchmark-results/` answers", "every sample", "each result", is_conbench,
                 nullptr, load_conbench},
    ImportFormat{"bencher-metrics", "Bencher Metric Format", "one number", "each file", has_value_of_measure,
                 load_bencher_metrics, nullptr},
};

// The files of a folder that are of one kind: .json where there are any, else those with its first file's ending. What
// is beside them, a warning tells.
Result<std::vector<fs::path>> files_to_join(const fs::path& folder, std::vector<std::string>& warnings) {
  std::vector<fs::path> files;
  std::error_code code;
  for (fs::directory_iterator entry(folder, code), end; !code && entry != end; entry.increment(code)) {
    std::error_code ignored;
    if (!entry->is_regular_file(ignored) || is_hidden_file(entry->path())) continue;
    if (files.size() == kMaxLookedAt) break;
    files.push_back(entry->path());
  }
  if (code) return input_error(folder.string(), code.message(), "a folder that can be read");
  std::sort(files.begin(), files.end());
  const auto is_json = [](const fs::path& file) { return ends_in(file, ".json"); };
  const bool has_json = std::any_of(files.begin(), files.end(), is_json);
  const std::string ending = has_json || files.empty() ? ".json" : files.front().extension().string();
  PassedOver passed_over;
  std::erase_if(files, [&](const fs::path& file) {
    const bool is_other = !ends_in(file, ending);
    if (is_other) passed_over.add(file);
    return is_other;
  });
  passed_over.tell(folder, ending, warnings);
  if (files.empty()) {
    return input_error(folder.string(), "no file in it", "a folder with a file for each process");
  }
  if (files.size() > kMaxJoinedFiles) {
    return input_error(folder.string(), std::to_string(files.size()) + " files",
                       "at most " + std::to_string(kMaxJoinedFiles), "move some of them to another folder");
  }
  return files;
}

// Appends the processes of one file, which are processes of the same program. What the files disagree about is not
// taken from the first alone: decisive facts and settings keep all their values, another commit is refused, and another
// unit is a bad record.
class JoinedRun {
 public:
  explicit JoinedRun(std::vector<std::string>& warnings) : warnings_(warnings) {}

  // Error (input): it is of another commit than a file before it, or too much for a run with them.
  Result<void> add(Run run, const fs::path& file) {
    ++files_;
    for (const Measurement& measurement : run.measurements) {
      for (const InvocationSamples& taken : measurement.invocations) samples_ += taken.values.size();
    }
    STEELYARD_CHECK(take_header(run.header, file));
    environments_.push_back(std::move(run.environment));
    const auto first = static_cast<std::uint32_t>(joined_.invocations.size());
    for (Invocation& invocation : run.invocations) {
      invocation.round = static_cast<std::int32_t>(joined_.invocations.size());
      joined_.invocations.push_back(std::move(invocation));
    }
    for (Measurement& measurement : run.measurements) {
      for (InvocationSamples& samples : measurement.invocations) samples.invocation += first;
      take_measurement(std::move(measurement), file);
    }
    std::move(run.failures.begin(), run.failures.end(), std::back_inserter(joined_.failures));
    joined_.labels.merge(run.labels);
    return check_size({samples_, joined_.measurements.size(), joined_.invocations.size()}, file.parent_path());
  }

  Run take(const fs::path& folder) {
    if (refused_ > kMaxRefused) {
      warnings_.push_back(folder.string() + ": " + std::to_string(refused_ - kMaxRefused) + " more bad records");
    }
    std::vector<const Environment*> of_files;
    for (const Environment& environment : environments_) of_files.push_back(&environment);
    joined_.environment = merged_environment(of_files);
    for (const auto& [name, values] : settings_) {
      const std::string text = joined_text(values, " and ");
      joined_.header.settings[name] = text;
    }
    if (aggregates_ > 0) joined_.header.settings[kImportedAggregatesSetting] = std::to_string(aggregates_);
    joined_.header.settings[kImportedFilesSetting] = std::to_string(files_);
    return std::move(joined_);
  }

 private:
  Result<void> take_header(RunHeader& header, const fs::path& file) {
    for (const auto& [name, value] : header.settings) {
      if (name == kImportedAggregatesSetting) {
        aggregates_ += parse_as<std::size_t>(value).value_or(0);
      } else if (name != kImportedFilesSetting) {
        settings_[name].insert(value);
      }
    }
    if (files_ == 1) {
      joined_.header = std::move(header);
      joined_.header.settings.clear();
      return {};
    }
    Commit& known = joined_.header.commit;
    const Commit& other = header.commit;
    if (!known.sha.empty() && !other.sha.empty() && known.sha != other.sha) {
      return input_error(file.string(), "commit " + other.sha, known.sha + ", of which the files before it are",
                         "import the files of each commit from a folder of their own");
    }
    const bool is_dirty = known.dirty || other.dirty;
    if (known.sha.empty()) known = other;
    known.dirty = is_dirty;
    return {};
  }

  void take_measurement(Measurement measurement, const fs::path& file) {
    const auto [at, is_new] = measurement_by_name_.try_emplace(
        measurement.benchmark.canonical() + '\n' + measurement.metric.name, joined_.measurements.size());
    if (is_new) {
      joined_.measurements.push_back(std::move(measurement));
      return;
    }
    Measurement& known = joined_.measurements[at->second];
    if (known.metric.unit != measurement.metric.unit || known.metric.better != measurement.metric.better) {
      return refuse(measurement, known.metric, file);
    }
    std::move(measurement.invocations.begin(), measurement.invocations.end(), std::back_inserter(known.invocations));
  }

  // The run names no file, so that the same content is the same run whatever it is called.
  void refuse(const Measurement& measurement, const Metric& known, const fs::path& file) {
    const auto said_of = [](const Metric& metric) {
      return metric.unit + ", better " + std::string(to_text(metric.better));
    };
    const std::string why = measurement.benchmark.canonical() + ", " + measurement.metric.name + ": found " +
                            said_of(measurement.metric) + " where " + said_of(known) +
                            " was in a file before, wanted one unit and direction for a metric of a benchmark";
    if (++refused_ > kMaxRefused) return;
    joined_.failures.push_back({measurement.benchmark, measurement.metric.name, -1,
                                "file " + std::to_string(files_) + ": " + why, FailureKind::bad_record});
    warnings_.push_back(file.string() + ": " + why);
  }

  std::vector<std::string>& warnings_;
  Run joined_;
  std::size_t files_ = 0;
  std::size_t aggregates_ = 0;
  std::size_t refused_ = 0;
  std::size_t samples_ = 0;
  std::vector<Environment> environments_;
  std::map<std::string, std::set<std::string>> settings_;
  std::map<std::string, std::size_t> measurement_by_name_;
};

void warn_of(const Run& run, const fs::path& path, std::vector<std::string>& warnings) {
  const auto aggregates = run.header.settings.find(kImportedAggregatesSetting);
  if (aggregates != run.header.settings.end()) {
    const std::string& files = run.header.settings.at(kImportedFilesSetting);
    warnings.push_back(path.string() + ": of " + aggregates->second +
                       (aggregates->second == "1" ? " benchmark" : " benchmarks") +
                       (files == "1" ? "" : " in its " + files + " files, each counted,") +
                       " it has one aggregate and no samples, by which no change can be judged");
  }
  if (run.invocations.size() == 1 && aggregates == run.header.settings.end()) {
    warnings.push_back(path.string() + " is one invocation: process-to-process variation is not in the data");
  }
}

// Absent where the tool tells no date.
std::optional<SideTimes> times_of(const Run& run) {
  SideTimes times{run.header.created_at_unix_ns, run.header.created_at_unix_ns};
  for (const Invocation& invocation : run.invocations) {
    times.last_unix_ns = std::max(times.last_unix_ns, invocation.started_at_unix_ns);
  }
  return times.first_unix_ns > 0 ? std::optional(times) : std::nullopt;
}

}  // namespace

std::span<const ImportFormat> import_formats() { return kFormats; }

namespace {

// Errors (input): of what none of the readers can read, whatever its format is.
Result<void> check_is_readable(const fs::path& path) {
  std::error_code code;
  const fs::file_status status = fs::status(path, code);
  if (!fs::exists(status) || fs::is_directory(status)) return {};
  if (!fs::is_regular_file(status)) {
    return input_error(path.string(), "a pipe or a device, which can be read once alone",
                       "a file: it is read to tell its format, and again", "write it into a file and import that");
  }
  std::ifstream stream(path, std::ios::binary);
  std::string beginning(kArchiveBeginning.size(), '\0');
  stream.read(beginning.data(), static_cast<std::streamsize>(beginning.size()));
  if (beginning.starts_with("\x1f\x8b")) {
    return input_error(path.string(), "text that gzip packed", "the text", "gunzip " + path.string());
  }
  if (beginning == kArchiveBeginning) {
    const fs::path folder = path.has_parent_path() ? path.parent_path() : fs::path(".");
    return input_error(path.string(), "an archive of Steelyard's", "results of another tool",
                       "archives come into the store by: steelyard db rebuild --from " + folder.string());
  }
  return {};
}

}  // namespace

std::string named_at_import(std::string_view format, const std::string& path) {
  return "steelyard import --format " + std::string(format) + ' ' + path;
}

Result<const ImportFormat*> recognise_format(const fs::path& path, NamingOfFormat naming) {
  STEELYARD_CHECK(check_is_readable(path));
  STEELYARD_TRY(FileHead head, head_of(path));
  std::string names;
  for (const ImportFormat& format : import_formats()) {
    if ((!head.is_folder || format.takes_folders) && format.is_it(head)) return &format;
    names += (names.empty() ? "" : ", ") + std::string(format.name);
  }
  if (head.is_folder) {
    std::vector<std::string> told_when_read;
    STEELYARD_TRY(const std::vector<fs::path> files, files_to_join(path, told_when_read));
    return recognise_format(files.front(), naming);
  }
  STEELYARD_CHECK(check_encoding(path));
  if (head.text.find_first_not_of(" \t\r\n") == std::string::npos) {
    return input_error(path.string(), "an empty file", "results of another tool",
                       "the tool wrote none: run it again, and see that it ends well");
  }
  // Any numbers under any names look so.
  return input_error(path.string(), "no format that is known by its content", "one of " + names,
                     (is_flat(head) ? "if folly's --json wrote it: " : "say which: ") +
                         naming(is_flat(head) ? "folly" : "FORMAT", path.string()));
}

Result<std::vector<Run>> load_imported(const ImportFormat& format, const fs::path& path,
                                       std::vector<std::string>& warnings) {
  ImportReading reading;
  Result<std::vector<Run>> runs = load_imported(format, path, reading);
  std::move(reading.warnings.begin(), reading.warnings.end(), std::back_inserter(warnings));
  return runs;
}

namespace {

Result<void> take_history(const ImportFormat& format, const fs::path& path, ImportReading& reading,
                          const TakeRun& take) {
  std::size_t runs = 0;
  std::size_t with_aggregates = 0;
  STEELYARD_CHECK(format.load_history(path, reading, [&](Run&& run) {
    ++runs;
    if (run.header.settings.contains(kImportedAggregatesSetting)) ++with_aggregates;
    return take(std::move(run));
  }));
  reading.shorten_warnings();
  std::vector<std::string>& warnings = reading.warnings;
  if (reading.more_warnings > 0) {
    warnings.push_back(path.string() + ": " + std::to_string(reading.more_warnings) + " more bad records");
  }
  if (with_aggregates > 0) {
    warnings.push_back(path.string() + ": in " + std::to_string(with_aggregates) + " of " + std::to_string(runs) +
                       " runs benchmarks have one number and no samples");
  }
  return {};
}

}  // namespace

Result<void> take_imported(const ImportFormat& format, const fs::path& path, ImportReading& reading,
                           const TakeRun& take) {
  STEELYARD_CHECK(check_is_readable(path));
  if (format.load_history != nullptr) return take_history(format, path, reading, take);
  std::vector<std::string>& warnings = reading.warnings;
  std::error_code code;
  std::optional<Run> run;
  if (format.takes_folders || !fs::is_directory(path, code)) {
    STEELYARD_TRY(run, format.load(path, reading));
  } else {
    STEELYARD_TRY(const std::vector<fs::path> files, files_to_join(path, warnings));
    JoinedRun joined(warnings);
    for (const fs::path& file : files) {
      STEELYARD_TRY(Run of_file, format.load(file, reading));
      STEELYARD_CHECK(joined.add(std::move(of_file), file));
    }
    run = joined.take(path);
  }
  const bool warns_itself = format.load == read_google;
  if (!warns_itself) warn_of(*run, path, warnings);
  return take(*std::move(run));
}

Result<std::vector<Run>> load_imported(const ImportFormat& format, const fs::path& path, ImportReading& reading) {
  std::vector<Run> runs;
  STEELYARD_CHECK(take_imported(format, path, reading, [&](Run&& run) -> Result<void> {
    runs.push_back(std::move(run));
    return {};
  }));
  std::stable_sort(runs.begin(), runs.end(), [](const Run& one, const Run& other) {
    return one.header.created_at_unix_ns < other.header.created_at_unix_ns;
  });
  return runs;
}

Result<Run> load_one_imported(const fs::path& path, std::vector<std::string>& warnings) {
  STEELYARD_TRY(const ImportFormat* const format, recognise_format(path));
  STEELYARD_TRY(std::vector<Run> runs, load_imported(*format, path, warnings));
  if (runs.size() == 1) return std::move(runs.front());
  return input_error(path.string(), "a history of " + std::to_string(runs.size()) + " runs", "one run",
                     "steelyard import " + path.string() + ", then name two of them");
}

Result<ImportedPair> load_imported_pair(const fs::path& baseline, const fs::path& candidate,
                                        std::vector<std::string>& warnings) {
  STEELYARD_TRY(Run one, load_one_imported(baseline, warnings));
  STEELYARD_TRY(Run other, load_one_imported(candidate, warnings));
  const Layout layout =
      layout_by_dates(times_of(one), times_of(other), "steelyard ab measures both together", warnings);
  one.header.layout = other.header.layout = layout;
  return ImportedPair{std::move(one), std::move(other)};
}

}  // namespace steelyard::bench
