// Loads files and folders of Google Benchmark JSON as the sides of a comparison: which files are one round, and how the
// two sides were laid out in time.
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <set>
#include <string>
#include <tuple>
#include <vector>

#include "bench/formats/google_benchmark.hpp"
#include "bench/formats/imported_run.hpp"
#include "bench/model/number_text.hpp"
#include "bench/model/sha256.hpp"

namespace steelyard::bench {
namespace {

// One side of a comparison as its files hold it: a single Google Benchmark JSON file, or a folder with one for each
// invocation. What the files mean for each other (rounds, layout) is google_benchmark_pair's. Internal to
// bench/formats.

struct LoadedFile {
  std::string name;  // of the file without its folder: what pairs it
  std::string sha256;
  GoogleBenchmarkFile content;
};

struct GoogleBenchmarkSide {
  std::filesystem::path path;
  bool is_folder = false;
  std::vector<LoadedFile> files;  // by name
  PassedOver passed_over{};
};

// Reads every .json file of a folder that is not hidden, by name; at most 10,000 files of 4 GiB together. Error
// (input): there is none, one of them cannot be read or is no Google Benchmark file.
Result<GoogleBenchmarkSide> load_side(const std::filesystem::path& path, bool keeps_readable = false);

namespace fs = std::filesystem;

constexpr const char* kGoogleEnding = ".json";
constexpr std::size_t kMaxPairedFiles = 10'000;
constexpr std::uintmax_t kMaxFolderBytes = std::uintmax_t{4} << 30;

Error cannot_read(const fs::path& path, const std::string& why) {
  return input_error(path.string(), why, "a readable Google Benchmark JSON file or a folder of them", "");
}

Result<std::string> hash_of_file(const fs::path& path) {
  std::ifstream in(path, std::ios::binary);
  Sha256 hash;
  std::string chunk(std::size_t{1} << 20, '\0');
  while (in.read(chunk.data(), static_cast<std::streamsize>(chunk.size())).gcount() > 0) {
    hash.add(std::string_view(chunk).substr(0, static_cast<std::size_t>(in.gcount())));
  }
  if (!in.eof()) return cannot_read(path, "a file that could not be read to its end");
  return hash.hex();
}

Result<std::vector<fs::path>> files_of(const fs::path& folder, PassedOver& passed_over) {
  std::vector<fs::path> paths;
  std::uintmax_t bytes = 0;
  std::error_code code;
  fs::directory_iterator entry(folder, code);
  for (; !code && entry != fs::directory_iterator(); entry.increment(code)) {
    if (is_hidden_file(entry->path()) || entry->is_directory(code)) continue;
    if (!ends_in(entry->path(), kGoogleEnding)) {
      passed_over.add(entry->path());
      continue;
    }
    paths.push_back(entry->path());
    std::error_code unsized;
    const std::uintmax_t size = entry->file_size(unsized);
    bytes += unsized ? 0 : size;
    if (paths.size() > kMaxPairedFiles || bytes > kMaxFolderBytes) {
      return input_error(folder.string(),
                         std::to_string(paths.size()) + " files of " + std::to_string(bytes) + " bytes",
                         "at most " + std::to_string(kMaxPairedFiles) + " files of " + std::to_string(kMaxFolderBytes) +
                             " bytes together",
                         "move some of them to another folder");
    }
  }
  if (code) return cannot_read(folder, code.message());
  if (paths.empty()) {
    return input_error(folder.string(), "a folder without .json files", "one Google Benchmark JSON file per invocation",
                       "write them with --benchmark_out=FOLDER/N.json --benchmark_out_format=json");
  }
  std::sort(paths.begin(), paths.end());
  return paths;
}

Result<GoogleBenchmarkSide> load_side(const fs::path& path, bool keeps_readable) {
  GoogleBenchmarkSide side{path, false, {}, {}};
  std::error_code code;
  const fs::file_status status = fs::status(path, code);
  if (!fs::exists(status)) {
    return input_error(path.string(), unopened_text(code.value()), "a Google Benchmark JSON file or a folder of them",
                       "");
  }
  side.is_folder = fs::is_directory(status);
  std::vector<fs::path> paths{path};
  if (side.is_folder) {
    STEELYARD_TRY(paths, files_of(path, side.passed_over));
  } else if (!fs::is_regular_file(status)) {
    return cannot_read(path, "neither a file nor a folder");
  }
  for (const fs::path& file : paths) {
    STEELYARD_TRY(GoogleBenchmarkFile content, read_google_benchmark(file, keeps_readable));
    STEELYARD_TRY(std::string sha256, hash_of_file(file));
    side.files.push_back({file.filename().string(), std::move(sha256), std::move(content)});
  }
  return side;
}

// Sides further apart than this were measured on different occasions (docs/reference/verdicts.md, "Layout").
constexpr std::int64_t kOccasionGapNs = std::int64_t{3600} * 1'000'000'000;
constexpr std::size_t kMaxWarnings = 100;  // of one side's bad records; the rest is counted

// Which round each file is of.
struct Rounds {
  std::vector<std::int32_t> baseline;
  std::vector<std::int32_t> candidate;
  bool any_shared = false;  // some round has both sides
};

// The rounds the files themselves claim; empty unless each has one and no two of the side have the same.
std::vector<std::int32_t> claimed_rounds(const GoogleBenchmarkSide& side) {
  std::vector<std::int32_t> rounds;
  std::set<std::int32_t> seen;
  for (const LoadedFile& file : side.files) {
    if (!file.content.round || !seen.insert(*file.content.round).second) return {};
    rounds.push_back(*file.content.round);
  }
  return rounds;
}

// By position in the union of both sides' names; two single files are one round whatever they are called.
Rounds rounds_by_name(const GoogleBenchmarkSide& baseline, const GoogleBenchmarkSide& candidate) {
  if (!baseline.is_folder && !candidate.is_folder) return {{0}, {0}, true};
  std::map<std::string, std::int32_t> round_by_name;
  for (const GoogleBenchmarkSide* side : {&baseline, &candidate}) {
    for (const LoadedFile& file : side->files) round_by_name[file.name] = 0;
  }
  std::int32_t next = 0;
  for (auto& [name, round] : round_by_name) round = next++;
  Rounds rounds;
  for (const LoadedFile& file : baseline.files) rounds.baseline.push_back(round_by_name[file.name]);
  for (const LoadedFile& file : candidate.files) rounds.candidate.push_back(round_by_name[file.name]);
  return rounds;
}

Rounds find_rounds(const GoogleBenchmarkSide& baseline, const GoogleBenchmarkSide& candidate,
                   std::vector<std::string>& warnings) {
  Rounds rounds = rounds_by_name(baseline, candidate);
  Rounds claimed{claimed_rounds(baseline), claimed_rounds(candidate)};
  if (!claimed.baseline.empty() && !claimed.candidate.empty()) {
    for (std::size_t i = 0; i < baseline.files.size(); ++i) {
      const auto same_name = std::find_if(candidate.files.begin(), candidate.files.end(),
                                          [&](const LoadedFile& f) { return f.name == baseline.files[i].name; });
      if (same_name == candidate.files.end() || same_name->content.round == baseline.files[i].content.round) continue;
      warnings.push_back("the two files named " + same_name->name +
                         " say that they are of different rounds: files were paired by steelyard_round, not by name");
      break;
    }
    rounds = std::move(claimed);
  }
  const std::set<std::int32_t> of_baseline(rounds.baseline.begin(), rounds.baseline.end());
  rounds.any_shared = std::any_of(rounds.candidate.begin(), rounds.candidate.end(),
                                  [&](std::int32_t round) { return of_baseline.contains(round); });
  return rounds;
}

// Absent where a file is not dated.
std::optional<SideTimes> span_of(const GoogleBenchmarkSide& side) {
  SideTimes span{INT64_MAX, 0};
  for (const LoadedFile& file : side.files) {
    if (file.content.taken_at_unix_ns <= 0) return std::nullopt;
    span.first_unix_ns = std::min(span.first_unix_ns, file.content.taken_at_unix_ns);
    span.last_unix_ns = std::max(span.last_unix_ns, file.content.taken_at_unix_ns);
  }
  return span;
}

Layout find_layout(const GoogleBenchmarkSide& baseline, const GoogleBenchmarkSide& candidate,
                   std::vector<std::string>& warnings) {
  std::set<std::optional<Layout>> claimed;
  for (const GoogleBenchmarkSide* side : {&baseline, &candidate}) {
    for (const LoadedFile& file : side->files) claimed.insert(file.content.layout);
  }
  if (claimed.size() == 1 && claimed.begin()->has_value()) return **claimed.begin();
  if (claimed.size() > 1) {
    warnings.emplace_back("the files do not agree on steelyard_layout: it was taken from their dates");
  }
  return layout_by_dates(span_of(baseline), span_of(candidate),
                         "files say it with --benchmark_context=steelyard_layout=interleaved (or duet)", warnings);
}

// Which of its round's two processes a file's was: as one of the two says; else by their dates, where they differ and
// the layout has an order in time (of a duet a date names no core). Absent: nobody knows.
std::optional<std::int32_t> recorded_slot(const LoadedFile& file, const LoadedFile* partner, bool is_baseline,
                                          Layout layout) {
  const GoogleBenchmarkFile& content = file.content;
  if (content.order) return *content.order;
  if (content.baseline_first) return *content.baseline_first == is_baseline ? 0 : 1;
  if (partner == nullptr || layout == Layout::duet) return std::nullopt;
  const std::int64_t taken = content.taken_at_unix_ns;
  const std::int64_t other_taken = partner->content.taken_at_unix_ns;
  if (taken <= 0 || other_taken <= 0 || taken == other_taken) return std::nullopt;
  return taken < other_taken ? 0 : 1;
}

// Names no file, so that the same content is the same run whatever it is called.
Failure failure_of(const BadRecord& record, std::int32_t round) {
  std::string said = record.where + ": " + record.why;
  // A key of the file's may be quoted in it; a zero byte can be neither stored nor printed.
  std::replace_if(
      said.begin(), said.end(), [](char c) { return static_cast<unsigned char>(c) < 0x20; }, '?');
  return {record.benchmark, record.metric, round, std::move(said), FailureKind::bad_record};
}

void append_file(Run& run, LoadedFile& file, const Invocation& invocation,
                 std::map<std::tuple<std::string, std::string>, std::size_t>& measurement_by_name) {
  const auto index = static_cast<std::uint32_t>(run.invocations.size());
  run.invocations.push_back(invocation);
  for (Measurement& measurement : file.content.measurements) {
    measurement.invocations.front().invocation = index;
    const auto [at, is_new] = measurement_by_name.try_emplace(
        std::tuple(measurement.benchmark.canonical(), measurement.metric.name), run.measurements.size());
    if (is_new) {
      run.measurements.push_back(std::move(measurement));
    } else {
      run.measurements[at->second].invocations.push_back(std::move(measurement.invocations.front()));
    }
  }
  run.labels.merge(file.content.labels);
  for (Failure& failure : file.content.failures) {
    failure.round = invocation.round;
    run.failures.push_back(std::move(failure));
  }
  for (const BadRecord& record : file.content.bad_records) {
    run.failures.push_back(failure_of(record, invocation.round));
  }
}

Environment environment_of(const GoogleBenchmarkSide& side) {
  std::vector<const Environment*> of_files;
  for (const LoadedFile& file : side.files) of_files.push_back(&file.content.environment);
  return merged_environment(of_files);
}

Run to_run(GoogleBenchmarkSide& side, const std::vector<std::int32_t>& rounds, const std::vector<std::int32_t>& slots) {
  Run run;
  run.header.tool = "google-benchmark";
  run.environment = environment_of(side);
  const std::string* const executable = run.environment.find("google.executable");
  run.header.program = executable != nullptr ? *executable : side.path.filename().string();
  run.header.settings[kImportedFilesSetting] = std::to_string(side.files.size());
  if (const auto span = span_of(side)) run.header.created_at_unix_ns = span->first_unix_ns;
  std::map<std::tuple<std::string, std::string>, std::size_t> measurement_by_name;
  for (std::size_t i = 0; i < side.files.size(); ++i) {
    Invocation invocation;
    invocation.round = rounds[i];
    invocation.slot = slots[i];
    invocation.started_at_unix_ns = side.files[i].content.taken_at_unix_ns;
    append_file(run, side.files[i], invocation, measurement_by_name);
  }
  return run;
}

// Returns how many there were.
std::int64_t report_bad_records(const GoogleBenchmarkSide& side, std::vector<std::string>& warnings) {
  std::size_t count = 0;
  for (const LoadedFile& file : side.files) {
    const fs::path path = side.is_folder ? side.path / file.name : side.path;
    for (const BadRecord& record : file.content.bad_records) {
      if (++count <= kMaxWarnings) warnings.push_back(path.string() + ": " + record.where + ": " + record.why);
    }
  }
  if (count > kMaxWarnings) {
    warnings.push_back(side.path.string() + ": " + std::to_string(count - kMaxWarnings) + " more bad records");
  }
  return static_cast<std::int64_t>(count);
}

void warn_of_files(const GoogleBenchmarkSide& side, std::vector<std::string>& warnings) {
  side.passed_over.tell(side.path, kGoogleEnding, warnings);
  if (side.files.size() > 1) return;
  warnings.push_back(side.path.string() + " is one invocation: process-to-process variation is not in the data");
}

// Two runs imported twice are the same two runs, so their session is made of what the files hold.
std::string session_of(const GoogleBenchmarkSide& baseline, const GoogleBenchmarkSide& candidate) {
  std::string text;
  for (const GoogleBenchmarkSide* side : {&baseline, &candidate}) {
    for (const LoadedFile& file : side->files) text += file.name + ' ' + file.sha256 + '\n';
    text += '\n';
  }
  return sha256_hex(text).substr(0, 16);
}

struct Slots {
  std::vector<std::int32_t> baseline;
  std::vector<std::int32_t> candidate;
};

// All rounds or none: with dates of whole seconds some rounds would be told and the others guessed, and what sets these
// apart would pass for the slots' effect. Where one is not told, the baseline counts as first in all.
Slots find_slots(const GoogleBenchmarkSide& baseline, const GoogleBenchmarkSide& candidate, const Rounds& rounds,
                 Layout layout) {
  const auto partners = [](const GoogleBenchmarkSide& side, const std::vector<std::int32_t>& of_side) {
    std::map<std::int32_t, const LoadedFile*> files;
    for (std::size_t i = 0; i < of_side.size(); ++i) files[of_side[i]] = &side.files[i];
    return files;
  };
  bool all_recorded = true;
  const auto slots_of = [&](const GoogleBenchmarkSide& side, const std::vector<std::int32_t>& of_side, bool is_baseline,
                            const std::map<std::int32_t, const LoadedFile*>& others) {
    std::vector<std::int32_t> slots;
    for (std::size_t i = 0; i < of_side.size(); ++i) {
      const auto partner = others.find(of_side[i]);
      const bool is_shared = partner != others.end();
      const auto told = recorded_slot(side.files[i], is_shared ? partner->second : nullptr, is_baseline, layout);
      if (is_shared && !told) all_recorded = false;
      slots.push_back(told.value_or(is_baseline ? 0 : 1));
    }
    return slots;
  };
  Slots slots{slots_of(baseline, rounds.baseline, true, partners(candidate, rounds.candidate)),
              slots_of(candidate, rounds.candidate, false, partners(baseline, rounds.baseline))};
  if (!all_recorded) {
    slots.baseline.assign(slots.baseline.size(), 0);
    slots.candidate.assign(slots.candidate.size(), 1);
  }
  return slots;
}

}  // namespace

Layout layout_by_dates(const std::optional<SideTimes>& one, const std::optional<SideTimes>& other,
                       std::string_view advice, std::vector<std::string>& warnings) {
  const bool dated = one && other;
  const std::int64_t gap =
      dated ? std::max(other->first_unix_ns - one->last_unix_ns, one->first_unix_ns - other->last_unix_ns) : 0;
  // Dates are of whole seconds: the ends of two sides that follow each other may be equal.
  if (!dated || gap < 0 || (gap == 0 && one->first_unix_ns == other->first_unix_ns)) {
    warnings.push_back(
        (dated ? "the files' dates overlap" : "files without a date") +
        (": whether the sides were measured together is not known, and they count as measured one after the other; " +
         std::string(advice)));
  }
  return gap > kOccasionGapNs ? Layout::separate : Layout::sequential;
}

namespace {

// Where nothing decisive differs the sides are compared; a host's name is no machine's, yet two of them are seldom one.
void warn_of_machine(LoadedPair& pair) {
  const Environment& baseline = pair.baseline.environment;
  const Environment& candidate = pair.candidate.environment;
  const bool names_machine = baseline.find("gpu.uuid") != nullptr;
  if (names_machine || baseline.fingerprint() != candidate.fingerprint()) return;
  const std::string* const one = baseline.find("google.host_name");
  const std::string* const other = candidate.find("google.host_name");
  if (one == nullptr || other == nullptr) {
    pair.warnings.emplace_back("the two sides were taken as one machine: Google Benchmark files do not name theirs");
  } else if (*one == *other) {
    pair.warnings.push_back("the two sides were taken as one machine: both files name the host " + *one +
                            ", and no more tells machines apart there");
  } else {
    pair.warnings.push_back("the files name two hosts, " + *one + " and " + *other +
                            ", and what else they say of the machine is the same: whether a change is the code's or "
                            "the machine's they do not say");
  }
}

}  // namespace

Result<LoadedPair> load_google_benchmark_pair(const fs::path& baseline_path, const fs::path& candidate_path) {
  STEELYARD_TRY(GoogleBenchmarkSide baseline, load_side(baseline_path));
  STEELYARD_TRY(GoogleBenchmarkSide candidate, load_side(candidate_path));
  LoadedPair pair;
  const Rounds rounds = find_rounds(baseline, candidate, pair.warnings);
  const Layout layout = find_layout(baseline, candidate, pair.warnings);
  const Slots slots = find_slots(baseline, candidate, rounds, layout);
  const std::string session = rounds.any_shared ? session_of(baseline, candidate) : "";
  for (const GoogleBenchmarkSide* side : {&baseline, &candidate}) {
    warn_of_files(*side, pair.warnings);
    pair.bad_records += report_bad_records(*side, pair.warnings);
  }
  pair.baseline = to_run(baseline, rounds.baseline, slots.baseline);
  pair.candidate = to_run(candidate, rounds.candidate, slots.candidate);
  for (Run* run : {&pair.baseline, &pair.candidate}) {
    run->header.session = session;
    run->header.layout = layout;
  }
  warn_of_machine(pair);
  return pair;
}

namespace {

// Says how much of a damaged file is kept, and names no file.
BadRecord record_of_damage(const LoadedFile& file, const fs::path& path) {
  const Error& damage = *file.content.damage;
  std::size_t samples = 0;
  for (const Measurement& measurement : file.content.measurements) {
    for (const InvocationSamples& taken : measurement.invocations) samples += taken.values.size();
  }
  const std::size_t name = path.string().size() + 2;  // "FILE: byte 12"
  const std::string kept =
      plural_text(samples, "sample") + " of " + std::to_string(file.content.measurements.size()) + " measurements";
  return {damage.where.size() > name ? damage.where.substr(name) : "the file",
          "found " + damage.found + ", wanted " + damage.wanted + "; " + kept +
              " that can be read are kept, and the rest is missing",
          {},
          {}};
}

}  // namespace

Result<Run> load_google_benchmark(const fs::path& path, std::vector<std::string>& warnings) {
  ImportReading reading;
  Result<Run> run = load_google_benchmark(path, reading);
  std::move(reading.warnings.begin(), reading.warnings.end(), std::back_inserter(warnings));
  return run;
}

Result<Run> load_google_benchmark(const fs::path& path, ImportReading& reading) {
  std::vector<std::string>& warnings = reading.warnings;
  STEELYARD_TRY(GoogleBenchmarkSide side, load_side(path, reading.keeps_readable));
  for (LoadedFile& file : side.files) {
    if (!file.content.damage) continue;
    file.content.bad_records.push_back(record_of_damage(file, side.is_folder ? side.path / file.name : side.path));
    reading.damages.push_back(*file.content.damage);
  }
  warn_of_files(side, warnings);
  report_bad_records(side, warnings);
  std::vector<std::int32_t> rounds = claimed_rounds(side);
  std::vector<std::int32_t> slots;
  for (std::size_t i = 0; i < side.files.size(); ++i) {
    if (rounds.size() == i) rounds.push_back(static_cast<std::int32_t>(i));
    slots.push_back(side.files[i].content.order.value_or(0));
  }
  return to_run(side, rounds, slots);
}

}  // namespace steelyard::bench
