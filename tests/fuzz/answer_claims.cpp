// What git, the kernel and callers hand over as text.
#include <algorithm>
#include <cstdint>
#include <vector>

#include "bench/environment/system_file.hpp"
#include "bench/runner/disturbance.hpp"
#include "ci/git/line_map.hpp"
#include "ci/judging/accepted.hpp"
#include "ci/publish/accepting.hpp"
#include "storage/postgres/history/series_choice.hpp"
#include "tests/fuzz/claims.hpp"

namespace steelyard::testkit {

BrokenClaim broken_claim_about_cursor(const std::string& text) {
  const Result<storage::ChosenSeries> series = storage::read_series_cursor(text);
  if (!series) {
    if (const auto broken = broken_claim_about_error(series.error(), "--after")) return broken;
  } else if (storage::cursor_after(*series) != text) {
    return "a cursor of a list of series is written in one way";
  }
  const Result<storage::PointPlace> place = storage::read_point_cursor(text);
  if (!place) return broken_claim_about_error(place.error(), "--after");
  if (series) return "a cursor is of one list";
  if (!storage::is_point_cursor(text)) return "a cursor of points is known for one";
  const Result<storage::PointPlace> again = storage::read_point_cursor(storage::cursor_before(*place));
  if (!again || again->position != place->position || again->run != place->run) {
    return "a cursor of points is the same after it was written";
  }
  return std::nullopt;
}

BrokenClaim broken_claim_about_git_output(const std::string& text) {
  const ci::AcceptedChanges accepted = ci::accepted_in_log(text);
  if (accepted.tables.size() > accepted.notes.size()) return "each line that accepts is told";
  for (const PatternPolicy& table : accepted.tables) {
    if (table.match.empty() || table.where.empty()) return "what is accepted names a pattern and who accepted it";
    if (!table.gates || !table.gates->empty()) return "what is accepted gates by no metric";
  }
  const ci::LineMap map = ci::LineMap::of_diff(text);
  for (const int line : {1, 2, 7, 1000, 2'000'000'000}) {
    if (map.line_after(line) < 0) return "a line is one, or gone";
  }
  const auto one = ci::read_accepted(text, "who", "file");
  return one ? std::nullopt : broken_claim_about_error(one.error());
}

BrokenClaim broken_claim_about_accepted_file(const std::string& text) {
  const Result<ci::RequestAcceptances> read = ci::read_accepted_document(text, "file");
  if (!read) return broken_claim_about_error(read.error());
  const std::string written = ci::accepted_document(*read);
  const Result<ci::RequestAcceptances> again = ci::read_accepted_document(written, "file");
  if (!again) return "what was accepted can be written and read: " + again.error().text();
  if (again->accepted != read->accepted || again->notes != read->notes) return "it is the same after it was written";
  const MemoryFile file(text);
  const Result<ci::AcceptedChanges> changes = ci::accepted_in_file(file.path());
  if (!changes) return "what can be read of a text can be of a file: " + changes.error().text();
  if (changes->tables.size() > read->accepted.size()) return "what nobody said accepts nothing";
  if (changes->notes.size() != read->accepted.size() + read->notes.size()) return "each line that accepts is told";
  for (const PatternPolicy& table : changes->tables) {
    if (table.match.empty() || table.where.empty()) return "what is accepted names a pattern and who accepted it";
    if (!table.gates || !table.gates->empty()) return "what is accepted gates by no metric";
  }
  return std::nullopt;
}

BrokenClaim broken_claim_about_system_file(const std::string& text) {
  for (const int core : {-1, 0, 1}) {
    const auto times = bench::core_times_in(text, core, 10'000'000);
    if (times && (times->busy_ns < 0 || times->steal_ns < 0)) return "no core was busy for less than no time";
  }
  if (bench::migrations_in(text).value_or(0) < 0) return "no process moved less often than never";
  const std::vector<int> cores = bench::parse_core_list(text);
  if (std::any_of(cores.begin(), cores.end(), [](int core) { return core < 0; })) return "a core has a number";
  const std::string_view chosen = bench::chosen_of(text);
  if (chosen.size() > text.size()) return "what is chosen is a part";
  for (const std::string_view line : bench::lines_of(text)) {
    if (line.find('\n') != std::string_view::npos) return "a line is one";
    bench::parse_number(line);
  }
  return std::nullopt;
}

}  // namespace steelyard::testkit
