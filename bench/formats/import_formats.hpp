// The readers of other tools' results, one row each. Where results come from is theirs alone: `steelyard import`, its
// help, its messages and the table of docs/guide/importing.md follow from the rows.
#pragma once

#include <filesystem>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "bench/formats/import_document.hpp"
#include "bench/model/result.hpp"
#include "bench/model/run.hpp"

namespace steelyard::bench {

// Takes a run as soon as nothing more of the file can be of it. Its error ends the reading, and is the answer.
using TakeRun = std::function<Result<void>(Run&& run)>;

struct ImportFormat {
  std::string_view name;       // as people type it: "google-benchmark"
  std::string_view what;       // "JSON of Google Benchmark", and how it is written
  std::string_view samples;    // what it has of a benchmark: "every repetition", "the mean alone"
  std::string_view processes;  // what of it is a process of the program
  // Whether a file, or a folder of the format's own, looks like it by its beginning.
  bool (*is_it)(const FileHead& head);
  // A record that cannot be used is a failure of the run and a warning, and the rest is read. Error (input): no such
  // file, another format, above the reader's limits. One of the two is null: files of results are one run, stores of a
  // history one for each commit, in the order of the file.
  Result<Run> (*load)(const std::filesystem::path& path, ImportReading& reading);
  Result<void> (*load_history)(const std::filesystem::path& path, ImportReading& reading, const TakeRun& take);
  bool takes_folders = false;  // of the format's own; else each file of a folder is of one process
};

// The first bytes of every .syrun, which no tool's results begin with.
inline constexpr std::string_view kArchiveBeginning = "SYRUN";

// In the order in which they are tried.
std::span<const ImportFormat> import_formats();

// The row that a file is of; of a folder the one whose own folder it is, else the row of its first .json file by name,
// or of its first file where it has none. Reads a file's beginning alone. Error (input): no such file, none that
// can be read twice, or of none of them; then the fix is what `naming` says of a format's name and the path.
using NamingOfFormat = std::string (*)(std::string_view format, const std::string& path);
std::string named_at_import(std::string_view format,
                            const std::string& path);  // "steelyard import --format folly FILE"
Result<const ImportFormat*> recognise_format(const std::filesystem::path& path,
                                             NamingOfFormat naming = named_at_import);

// All runs of a file, or of a folder: as many as a history has, oldest first, else one, in which the files of a folder
// are processes in the order of their names. Warnings say too where a run has no more than one process, or aggregates
// alone. Error (input): nothing can be read; unless the reading keeps what is readable, any file is damaged.
Result<std::vector<Run>> load_imported(const ImportFormat& format, const std::filesystem::path& path,
                                       ImportReading& reading);
// The same, one run after the other in the order of the file: of a history in which a run stands in one piece no other
// is held meanwhile. An error comes behind runs that were taken.
Result<void> take_imported(const ImportFormat& format, const std::filesystem::path& path, ImportReading& reading,
                           const TakeRun& take);
// All runs of whole files alone.
Result<std::vector<Run>> load_imported(const ImportFormat& format, const std::filesystem::path& path,
                                       std::vector<std::string>& warnings);

// Two files or folders as the sides of a comparison; each is one run. How they lie in time is told by their dates.
// Files of Google Benchmark alone have more to say (load_google_benchmark_pair()). Error (input): a history too.
struct ImportedPair {
  Run baseline;
  Run candidate;
};
Result<ImportedPair> load_imported_pair(const std::filesystem::path& baseline, const std::filesystem::path& candidate,
                                        std::vector<std::string>& warnings);
// One of them, or a file alone.
Result<Run> load_one_imported(const std::filesystem::path& path, std::vector<std::string>& warnings);

// What a line of the formats "csv" and "json-lines" can say.
struct SampleField {
  std::string_view name;
  std::string_view what;
  bool is_needed = false;
};
std::span<const SampleField> sample_fields();

}  // namespace steelyard::bench
