#include "storage/postgres/history/commit_date.hpp"

#include <algorithm>
#include <string_view>

namespace steelyard {
namespace {

constexpr std::int64_t kNanosecondsPerSecond = 1'000'000'000;
constexpr std::int64_t kFurthestSecond = INT64_MAX / kNanosecondsPerSecond;
constexpr std::string_view kMark = "commit_date(";

std::string date_sql(const std::string& commit, const std::string& run) {
  const std::string seconds = commit + ".committed_at_unix_s";
  const std::string furthest = std::to_string(kFurthestSecond);
  return "case when " + seconds + " <> 0 then least(greatest(" + seconds + ", -" + furthest + "), " + furthest +
         ") * " + std::to_string(kNanosecondsPerSecond) + " else " + run + ".created_at_unix_ns end";
}

}  // namespace

std::int64_t commit_date_ns(std::int64_t committed_at_unix_s, std::int64_t otherwise_unix_ns) {
  if (committed_at_unix_s == 0) return otherwise_unix_ns;
  return std::clamp(committed_at_unix_s, -kFurthestSecond, kFurthestSecond) * kNanosecondsPerSecond;
}

std::string with_commit_dates(std::string statement) {
  for (std::size_t at = 0; (at = statement.find(kMark, at)) != std::string::npos;) {
    const std::size_t commit = at + kMark.size();
    const std::size_t comma = statement.find(", ", commit);
    const std::size_t end = statement.find(')', commit);
    const std::string sql =
        date_sql(statement.substr(commit, comma - commit), statement.substr(comma + 2, end - comma - 2));
    statement.replace(at, end + 1 - at, sql);
    at += sql.size();
  }
  return statement;
}

}  // namespace steelyard
