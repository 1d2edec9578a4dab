#include "ci/report/comment.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "bench/model/parse_number.hpp"
#include "bench/model/sha256.hpp"
#include "bench/model/text.hpp"
#include "ci/report/ended_gate.hpp"
#include "ci/report/markup.hpp"
#include "storage/document/json.hpp"

namespace steelyard::ci {
namespace {

constexpr std::string_view kMarkBegin = "<!-- steelyard key=";
constexpr std::string_view kMarkEnd = " -->";
constexpr std::size_t kMaxAttempts = 9;
constexpr int kNotJudged = 2;  // the exit status
constexpr std::size_t kLongestMark = 400;
constexpr std::size_t kLongestKey = 100;  // columns, as shown
constexpr std::string_view kCut = "\n*The report is longer than a comment may be; the job has all of it.*\n";

// A hash, so that no name can end the hidden line.
std::string key_hash(std::string_view key) { return sha256_hex(key).substr(0, 16); }

std::string job_hash(const Publication& publication) {
  return publication.job.empty() ? "" : key_hash(publication.job);
}

std::optional<int> small_number(std::string_view text) {
  const std::optional<int> value = parse_as<int>(text);
  return value && *value >= 0 && *value <= 1'000'000 ? value : std::nullopt;
}

// The text behind " name=" up to the next blank; empty: there is none.
std::string_view mark_field(std::string_view mark, std::string_view name) {
  const std::string start = " " + std::string(name) + "=";
  const std::size_t at = mark.find(start);
  if (at == std::string_view::npos) return "";
  const std::string_view rest = mark.substr(at + start.size());
  return rest.substr(0, rest.find(' '));
}

CommentMark next_mark(const Publication& publication, const std::optional<CommentMark>& before) {
  CommentMark mark{publication.head, publication.run, publication.attempt, {}, job_hash(publication)};
  if (before && before->head == publication.head) mark.statuses = before->statuses;
  const bool is_same_try =
      !mark.statuses.empty() && before->run == publication.run && before->attempt == publication.attempt;
  if (is_same_try) mark.statuses.pop_back();
  mark.statuses.push_back(publication.status);
  if (mark.statuses.size() > kMaxAttempts) mark.statuses.erase(mark.statuses.begin());
  return mark;
}

std::string hidden_line(const CommentMark& mark, std::string_view key) {
  std::string statuses;
  for (const int status : mark.statuses) statuses += (statuses.empty() ? "" : ",") + std::to_string(status);
  return std::string(kMarkBegin) + key_hash(key) + " head=" + mark.head + " run=" + mark.run +
         " attempt=" + std::to_string(mark.attempt) + (mark.job.empty() ? "" : " job=" + mark.job) +
         " statuses=" + statuses + std::string(kMarkEnd) + "\n";
}

// As an address in a link, where nothing of it can end the link.
bool is_plain_address(const std::string& link) {
  return link.starts_with("https://") && link.size() <= 500 && printable_line(link, false) == link &&
         link.find_first_of(" <>()[]\"'`\\") == std::string::npos;
}

std::string tries_text(const CommentMark& mark) {
  if (mark.statuses.size() < 2) return "";
  std::string text = "Tried " + std::to_string(mark.statuses.size()) + " times at this commit: ";
  for (std::size_t i = 0; i < mark.statuses.size(); ++i) {
    text += (i == 0                          ? ""
             : i + 1 == mark.statuses.size() ? ", now "
                                             : ", then ") +
            std::string(status_words(mark.statuses[i]));
  }
  return text + ".";
}

std::string footer(const Publication& publication, const CommentMark& mark) {
  std::string text = "\n<sub>" +
                     markdown::code(shortened(printable_line(publication.key, true), kLongestKey, true), false) +
                     " at `" + shown_sha(publication.head) + "`";
  if (is_plain_address(publication.link)) text += ", [all of it](" + publication.link + ")";
  text += ".";
  if (const std::string tries = tries_text(mark); !tries.empty()) text += " " + tries;
  // Of a fork's commits nobody's word is taken.
  if (publication.has_regression && !publication.report.empty()) {
    text += std::string(" A regression that is meant is accepted by a line `Perf-accept: PATTERN REASON` in ") +
            (publication.is_strangers ? "a comment of somebody who may write here." : "the commit's message.");
  }
  if (publication.is_strangers && !publication.report.empty()) {
    text +=
        " Measured by a job without rights, as the request comes from a fork; judged here again from the archives "
        "that it left, whose figures are as true as that job was.";
  }
  return text + "</sub>\n";
}

std::string sentence_of_strangers_nothing(int status) {
  if (status == kNotJudged) return "The run left no archives to judge. Its log says why.";
  return "What the run left could not be judged here: " + std::string(status_words(status)) + ".";
}

std::string without_report(const Publication& publication) {
  const std::string begin = "### ! Performance: not judged\n\n";
  if (publication.is_strangers) return begin + sentence_of_strangers_nothing(publication.status) + "\n";
  return begin + "The gate ended before anything was compared: " + words_of_nothing(publication.status) +
         ". The job's log says why.\n";
}

std::size_t occurrences(std::string_view text, std::string_view word) {
  std::size_t count = 0;
  for (std::size_t at = text.find(word); at != std::string_view::npos; at = text.find(word, at + word.size())) ++count;
  return count;
}

}  // namespace

std::string_view status_words(int status) {
  static constexpr std::array<std::string_view, 6> kWords{"nothing regressed",
                                                          "a regression or a missed target",
                                                          "something that should have been judged was not",
                                                          "its input or configuration is wrong",
                                                          "the measured program failed, or its build",
                                                          "nothing regressed, and the store could not be reached"};
  const bool is_known = status >= 0 && status < static_cast<int>(kWords.size());
  return is_known ? kWords.at(static_cast<std::size_t>(status)) : "the gate did not end by itself";
}

bool is_of_another_job(const CommentMark& mark, const Publication& publication, bool is_same) {
  if (is_same || mark.head != publication.head) return false;
  const std::string job = job_hash(publication);
  if (!mark.job.empty() && !job.empty() && mark.job != job) return true;
  // Jobs of one matrix share their name, and each of a run's attempts has one report; but a fork's is judged again as
  // often as somebody wants it, by the rules of that day.
  return !publication.is_strangers && !mark.run.empty() && mark.run == publication.run &&
         mark.attempt == publication.attempt;
}

std::optional<CommentMark> comment_mark(std::string_view body, std::string_view key) {
  const std::string begin = std::string(kMarkBegin) + key_hash(key) + " ";
  if (!body.starts_with(begin)) return std::nullopt;
  const std::size_t end = body.substr(0, kLongestMark).find(kMarkEnd);
  if (end == std::string_view::npos) return std::nullopt;
  const std::string_view line = body.substr(begin.size() - 1, end - begin.size() + 1);
  CommentMark mark;
  // People with write access can edit it: what is not as we write it is as if it were not there.
  if (const auto head = mark_field(line, "head"); head.size() <= 64 && is_hex(head)) mark.head = head;
  if (const auto run = mark_field(line, "run"); run.size() <= 20 && is_decimal(run)) mark.run = run;
  mark.attempt = small_number(mark_field(line, "attempt")).value_or(1);
  if (const auto job = mark_field(line, "job"); job.size() <= 16 && is_hex(job)) mark.job = job;
  std::string_view statuses = mark_field(line, "statuses");
  while (!statuses.empty() && mark.statuses.size() < kMaxAttempts) {
    const std::size_t comma = std::min(statuses.find(','), statuses.size());
    if (const auto status = small_number(statuses.substr(0, comma))) mark.statuses.push_back(*status);
    statuses.remove_prefix(std::min(comma + 1, statuses.size()));
  }
  return mark;
}

std::string cut_report(const std::string& report, std::size_t most) {
  if (report.size() <= most) return report;
  constexpr std::string_view kFoldEnd = "\n</details>\n";
  std::size_t room = most - std::min(most, kCut.size());
  while (room > 0) {
    const std::size_t end = report.rfind('\n', room - 1);
    if (end == std::string::npos) break;
    std::string kept = report.substr(0, end + 1);
    const std::size_t closed = occurrences(kept, "</details>");
    const std::size_t open = std::max(occurrences(kept, "<details>"), closed) - closed;
    const std::size_t needed = kept.size() + open * kFoldEnd.size() + kCut.size();
    if (needed > most) {
      room = kept.size() - std::min(kept.size(), needed - most);
      continue;
    }
    for (std::size_t i = 0; i < open; ++i) kept += kFoldEnd;
    return kept + std::string(kCut);
  }
  return std::string(kCut);
}

std::string comment_text(const Publication& publication, const std::optional<CommentMark>& before) {
  const CommentMark mark = next_mark(publication, before);
  const std::string begin = hidden_line(mark, publication.key);
  const std::string end = footer(publication, mark);
  const std::string report = publication.report.empty() ? without_report(publication) : publication.report;
  return begin + cut_report(report, kMaxCommentBytes - begin.size() - end.size()) + end;
}

std::string_view to_text(WrittenPart::State state) {
  static constexpr std::array<std::string_view, 5> kWords{"written", "unchanged", "left", "failed", "away"};
  return kWords.at(static_cast<std::size_t>(state));
}

std::string terminal_parts(const std::vector<WrittenPart>& parts) {
  std::vector<std::vector<std::string>> rows;
  for (const WrittenPart& part : parts) {
    rows.push_back({part.what, std::string(to_text(part.state)), printable_line(part.text, true)});
  }
  return aligned_rows(rows, {Align::left, Align::left, Align::left}, "");
}

std::string json_parts(const std::string& service, const std::vector<WrittenPart>& parts) {
  std::vector<storage::JsonWriter> objects(parts.size());
  for (std::size_t i = 0; i < parts.size(); ++i) {
    objects[i]("what", parts[i].what);
    objects[i]("state", to_text(parts[i].state));
    objects[i]("text", parts[i].text);
  }
  storage::JsonWriter document;
  document("schema", "steelyard.publication/1");
  document("service", service);
  document.add("parts", std::move(objects));
  return document.text();
}

}  // namespace steelyard::ci
