#include "ci/judging/accepted.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>

#include "bench/model/text.hpp"
#include "ci/app/settings.hpp"
#include "ci/config/configuration.hpp"
#include "ci/config/written_value.hpp"
#include "ci/publish/accepting.hpp"
#include "ci/report/warning_text.hpp"
#include "storage/place/files.hpp"

namespace steelyard::ci {
namespace {

constexpr std::size_t kMaxAccepted = 100;
constexpr std::size_t kMaxBytes = 1000;  // of a line
constexpr std::int64_t kMaxFileBytes = std::int64_t{1} << 20U;
constexpr std::string_view kUntil = "until=";
constexpr char kField = '\x1f';
constexpr char kRecord = '\x1e';

// The part before `separator`, which is taken away with it.
std::string_view take_until(std::string_view& text, char separator) {
  const std::size_t end = text.find(separator);
  const std::string_view part = text.substr(0, end);
  text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
  return part;
}

// Git tells of a trailer without a value only where it is asked for the key as well, which is matched in any case.
std::string_view value_of_trailer(std::string_view line) {
  if (lower_case(line.substr(0, kAcceptTrailer.size())) != lower_case(kAcceptTrailer)) return line;
  line.remove_prefix(std::min(line.size(), kAcceptTrailer.size() + 1));
  return trimmed(line);
}

void add(Result<PatternPolicy> table, AcceptedChanges& changes) {
  if (!table) {
    changes.notes.push_back(table.error().text());
    return;
  }
  const bool is_past = is_over(*table, today());
  changes.notes.push_back(is_past ? warning::accepted_no_more(*table) : warning::accepted(*table));
  if (is_past) return;
  changes.tables.push_back(std::move(table).value());
}

}  // namespace

Result<PatternPolicy> read_accepted(std::string_view text, const std::string& who, const std::string& where) {
  std::string_view rest = trimmed(text.substr(0, kMaxBytes));
  const bool is_quoted = rest.starts_with('"');
  if (is_quoted) rest.remove_prefix(1);
  PatternPolicy table;
  table.match = std::string(take_until(rest, is_quoted ? '"' : ' '));
  rest = trimmed(rest);
  if (rest.starts_with(kUntil)) {
    rest.remove_prefix(kUntil.size());
    STEELYARD_TRY(table.until, read_day({{std::string(take_until(rest, ' '))}, true}, where + ": until"));
  }
  table.reason = std::string(trimmed(rest));
  if (table.match.empty() || table.reason.empty()) {
    return input_error(where, table.match.empty() ? "no pattern" : "no reason after \"" + table.match + '"',
                       "the benchmarks' pattern and why",
                       "write: " + std::string(kAcceptTrailer) + ": BM_x/* it is worth it");
  }
  table.gates = std::vector<std::string>();
  table.where = who + (table.until.empty() ? "" : ", until " + table.until) + ": " + table.reason;
  return table;
}

Result<AcceptedChanges> accepted_by_options(const std::vector<std::string>& options) {
  AcceptedChanges changes;
  for (const std::string& option : options) {
    STEELYARD_TRY(PatternPolicy table, read_accepted(option, "--accept", "--accept"));
    table.accepted_by = person_or_login("");
    add(std::move(table), changes);
  }
  return changes;
}

Result<AcceptedChanges> accepted_in_file(const std::filesystem::path& file) {
  STEELYARD_TRY(const std::string text, storage::read_file(file, kMaxFileBytes));
  STEELYARD_TRY(const RequestAcceptances read, read_accepted_document(text, file.string()));
  AcceptedChanges changes;
  for (const RequestAcceptance& one : read.accepted) {
    const std::string who = one.where + " by " + one.by;
    Result<PatternPolicy> table = read_accepted(one.text, who, who);
    if (table) table->accepted_by = one.by;
    add(std::move(table), changes);
  }
  changes.notes.insert(changes.notes.end(), read.notes.begin(), read.notes.end());
  return changes;
}

void accept(const AcceptedChanges& accepted, PolicySettings& policy, std::vector<std::string>& notes) {
  std::vector<PatternPolicy>& patterns = policy.comparison.patterns;
  patterns.insert(patterns.end(), accepted.tables.rbegin(), accepted.tables.rend());
  notes.insert(notes.end(), accepted.notes.begin(), accepted.notes.end());
}

AcceptedChanges accepted_by_commits(const GitRepository& repository, const std::string& range) {
  const std::string format =
      "--format=%H%x1f%an%x1f%(trailers:key=" + std::string(kAcceptTrailer) + ",unfold,separator=%x1f)%x1e";
  // Commits that cannot be listed, as in a shallow clone, accept nothing.
  const Result<GitAnswer> log = run_git(repository.root(), {"log", "--max-count=1000", format, range, "--"});
  return log && log->succeeded ? accepted_in_log(log->output) : AcceptedChanges();
}

AcceptedChanges accepted_in_log(std::string_view log) {
  AcceptedChanges changes;
  std::string_view rest = log;
  while (!rest.empty()) {
    std::string_view commit = trimmed(take_until(rest, kRecord));
    const std::string sha(take_until(commit, kField));
    const std::string person(take_until(commit, kField));
    const std::string who = "commit " + shown_sha(sha) + " by " + person;
    while (!commit.empty()) {
      const std::string_view line = trimmed(take_until(commit, kField));
      if (line.empty()) continue;
      const std::string_view value = value_of_trailer(line);
      if (changes.notes.size() == kMaxAccepted) return changes;
      Result<PatternPolicy> table = read_accepted(value, who, std::string(kAcceptTrailer) + " of " + who);
      if (table) table->accepted_by = person;
      if (table) table->accepted_commit = sha;
      add(std::move(table), changes);
    }
  }
  return changes;
}

}  // namespace steelyard::ci
