#include "storage/spool/rebuild.hpp"

#include <algorithm>
#include <string>
#include <system_error>
#include <tuple>
#include <utility>

#include "storage/archive/archive.hpp"

namespace steelyard {
namespace {

namespace fs = std::filesystem;

struct DatedArchive {
  std::int64_t created_at_unix_ns = 0;
  fs::path path;
};

Result<std::vector<fs::path>> archives_below(const fs::path& folder) {
  std::vector<fs::path> paths;
  std::error_code trouble;
  for (fs::recursive_directory_iterator entry(folder, trouble), end; !trouble && entry != end;
       entry.increment(trouble)) {
    std::error_code own;
    if (entry->path().extension() == ".syrun" && !entry->is_directory(own)) paths.push_back(entry->path());
  }
  if (trouble) return input_error(folder.string(), trouble.message(), "a folder of .syrun archives");
  std::sort(paths.begin(), paths.end());
  return paths;
}

// Those that can be read, oldest first, those of one time by name; the others are named in `bad`.
std::vector<DatedArchive> oldest_first(const std::vector<fs::path>& paths, const std::function<void()>& step,
                                       std::vector<Error>& bad) {
  std::vector<DatedArchive> archives;
  for (const fs::path& path : paths) {
    const Result<Run> run = read_archive(path);
    if (run) {
      archives.push_back({run->header.created_at_unix_ns, path});
    } else {
      bad.push_back(run.error());
    }
    step();
  }
  std::sort(archives.begin(), archives.end(), [](const DatedArchive& a, const DatedArchive& b) {
    return std::tie(a.created_at_unix_ns, a.path) < std::tie(b.created_at_unix_ns, b.path);
  });
  return archives;
}

Result<void> put_one(const fs::path& path, const Spool::PutRun& put, Rebuild& rebuild) {
  const Result<Run> run = read_archive(path);
  if (!run) {
    rebuild.bad.push_back(run.error());
    return {};
  }
  Result<bool> is_new = put(*run);
  if (is_new) {
    ++rebuild.runs;
    if (!*is_new) ++rebuild.already_there;
    return {};
  }
  Error why = std::move(is_new).error();
  if (why.kind == ErrorKind::store) return why;
  why.where = path.string() + ": " + why.where;
  rebuild.bad.push_back(std::move(why));
  return {};
}

}  // namespace

Result<Rebuild> rebuild_from_archives(const fs::path& folder, const Spool::PutRun& put,
                                      const std::function<void(double)>& progress) {
  STEELYARD_TRY(const std::vector<fs::path> paths, archives_below(folder));
  std::size_t steps = 0;
  const auto step = [&] {
    ++steps;
    if (progress) progress(static_cast<double>(steps) / static_cast<double>(2 * paths.size()));
  };
  Rebuild rebuild;
  for (const DatedArchive& archive : oldest_first(paths, step, rebuild.bad)) {
    STEELYARD_CHECK(put_one(archive.path, put, rebuild));
    step();
  }
  return rebuild;
}

}  // namespace steelyard
