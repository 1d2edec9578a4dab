#include "storage/spool/rebuild.hpp"

#include <algorithm>
#include <optional>
#include <string>
#include <tuple>
#include <utility>

#include "storage/archive/archive.hpp"
#include "storage/comparison/comparison_document.hpp"
#include "storage/place/files.hpp"

namespace steelyard::storage {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kBeginning = 512;  // bytes of a document, which tell what it is

struct DatedFile {
  std::int64_t created_at_unix_ns = 0;
  fs::path path;
};

// Their paths take some GiB, and a folder of more can be had by its parts.
constexpr std::size_t kMaxFiles = 10'000'000;

Result<std::vector<fs::path>> files_to_put(const fs::path& folder, const char* extension, const char* wanted) {
  return files_below(folder, {.extension = extension,
                              .wanted = wanted,
                              .most = kMaxFiles,
                              .counted = "files",
                              .wanted_of_more = "fewer at a time",
                              .fix_of_more = "name the folders in it one after another: each adds to the store"});
}

void sort_by_date(std::vector<DatedFile>& files) {
  std::sort(files.begin(), files.end(), [](const DatedFile& a, const DatedFile& b) {
    return std::tie(a.created_at_unix_ns, a.path) < std::tie(b.created_at_unix_ns, b.path);
  });
}

// Of runs, oldest first, those of one time by name; what cannot be read is named in `done`.
std::vector<DatedFile> oldest_first(const std::vector<fs::path>& paths, const std::function<void()>& step,
                                    Rebuild& done) {
  std::vector<DatedFile> archives;
  for (const fs::path& path : paths) {
    const Result<RunHeader> header = read_header(path);
    if (!header) {
      done.bad.push_back(header.error());
    } else if (is_kept_count(*header)) {
      ++done.kept_counts;
    } else {
      archives.push_back({header->created_at_unix_ns, path});
    }
    step();
  }
  sort_by_date(archives);
  return archives;
}

struct Counters {
  std::int64_t& all;
  std::int64_t& already_there;
};

Result<void> settle(const fs::path& path, Result<bool> is_new, const Counters& counters, Rebuild& done) {
  if (is_new) {
    ++counters.all;
    if (!*is_new) ++counters.already_there;
    return {};
  }
  Error why = std::move(is_new).error();
  if (why.kind == ErrorKind::store) return why;
  why.where = path.string() + ": " + why.where;
  done.bad.push_back(std::move(why));
  return {};
}

Result<void> put_run(const fs::path& path, const Spool::PutRun& put, Rebuild& done) {
  const Result<Run> run = read_sealed_archive(path);
  if (run) return settle(path, put(*run), {done.runs, done.already_there}, done);
  done.bad.push_back(run.error());
  return {};
}

Result<void> put_comparison(const fs::path& path, const Spool::PutComparison& put, Rebuild& done) {
  const Result<Comparison> comparison = read_comparison(path);
  if (comparison) return settle(path, put(*comparison), {done.comparisons, done.comparisons_already_there}, done);
  done.bad.push_back(comparison.error());
  return {};
}

// Whether it says that it is a comparison; one of a newer version is one.
bool is_comparison(const fs::path& path) {
  const Result<std::string> beginning = read_beginning(path, kBeginning);
  return beginning && comparison_version(*beginning) > 0;
}

}  // namespace

Result<void> rebuild_comparisons(const fs::path& folder, const Spool::PutComparison& put, Rebuild& done) {
  STEELYARD_TRY(const std::vector<fs::path> paths, files_to_put(folder, ".json", "a folder of comparisons"));
  std::vector<DatedFile> comparisons;
  for (const fs::path& path : paths) {
    if (!is_comparison(path)) continue;
    if (const std::optional<std::int64_t> time = Spool::time_in_name(path)) {
      comparisons.push_back({*time, path});
      continue;
    }
    const Result<Comparison> comparison = read_comparison(path);
    if (comparison) {
      comparisons.push_back({comparison->candidate.created_at_unix_ns, path});
    } else {
      done.bad.push_back(comparison.error());
    }
  }
  sort_by_date(comparisons);
  for (const DatedFile& file : comparisons) STEELYARD_CHECK(put_comparison(file.path, put, done));
  return {};
}

Result<Rebuild> rebuild_from_archives(const fs::path& folder, const Spool::PutRun& put,
                                      const std::function<void(double)>& progress) {
  STEELYARD_TRY(const std::vector<fs::path> paths, files_to_put(folder, ".syrun", "a folder of .syrun archives"));
  std::size_t steps = 0;
  const auto step = [&] {
    ++steps;
    if (progress) progress(static_cast<double>(steps) / static_cast<double>(2 * paths.size()));
  };
  Rebuild rebuild;
  for (const DatedFile& archive : oldest_first(paths, step, rebuild)) {
    STEELYARD_CHECK(put_run(archive.path, put, rebuild));
    step();
  }
  return rebuild;
}

}  // namespace steelyard::storage
