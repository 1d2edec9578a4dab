// The one comment that a judgement leaves on a pull or merge request: the report, below it of which commit and job it
// is and how earlier tries of that commit ended, and a line that nobody sees by which the comment is found again.
// Pure: values in, text out.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "bench/model/comparison.hpp"
#include "ci/report/annotations.hpp"

namespace steelyard::ci {

// GitHub takes 65,536 characters of a comment and 65,535 of a check's summary; bytes are no fewer than characters.
inline constexpr std::size_t kMaxCommentBytes = 65'000;

// The job that a judgement is of, as the service names it.
struct PublishedJob {
  std::string head;  // full sha of the commit that people see: of a request its own, not the merge's
  std::string run;   // the service's id of the job's run; empty: unknown
  int attempt = 1;   // of that run
  std::string job;   // its name in that run; empty: unknown
  std::string link;  // to the job; empty, or an https address
};

// What a service is told of one judgement.
struct Publication : PublishedJob {
  std::string key;                      // tells this comment from others of ours on the same request
  int status = 0;                       // the exit status that the judgement amounts to
  std::string headline;                 // plain text, one line
  std::string report;                   // Markdown; empty: nothing was judged
  std::vector<Annotation> annotations;  // lines of the head
  bool is_strangers = false;            // measured where a fork's code ran, and judged again here
  bool has_regression = false;          // that fails the gate, unless it is accepted
};

// What an exit status of ours says of a judgement: "a regression or a missed target".
std::string_view status_words(int status);

// What the hidden line keeps.
struct CommentMark {
  std::string head;
  std::string run;
  int attempt = 1;
  std::vector<int> statuses;  // of the tries of that head, oldest first; the last is the comment's own
  std::string job = {};       // a hash of its name; empty: unknown
  bool operator==(const CommentMark&) const = default;
};
// No mark: the body is no comment of ours with this key.
std::optional<CommentMark> comment_mark(std::string_view body, std::string_view key);

// The whole comment, at most kMaxCommentBytes. before: what the comment held until now. What does not fit of the
// report is cut at a line, and the comment says so.
std::string comment_text(const Publication& publication, const std::optional<CommentMark>& before = {});
// Whether what stands there is another job's of the same commit, which must not be overwritten: two jobs share a key.
// is_same: whether what would be written stands there already.
bool is_of_another_job(const CommentMark& mark, const Publication& publication, bool is_same);
inline constexpr const char* kAnotherJob =
    "another job of this commit has written one with another report and the same key: give each its own (--key, in the "
    "action and the template: key)";
// A report in at most `most` bytes: cut at a line, open folds closed, and it says so.
std::string cut_report(const std::string& report, std::size_t most);

// What became of one thing that was to be written.
struct WrittenPart {
  enum class State {
    written,
    unchanged,  // it says that already
    left,       // nothing was to be written: `text` says why
    failed,     // the service refuses it: `text` says why, and the fix
    away,       // the service cannot be reached, or asks for more patience
  };
  std::string what;  // "comment", "check"
  State state = State::failed;
  std::string text = {};  // one line: an address where it was written
};
std::string_view to_text(WrittenPart::State state);
std::string terminal_parts(const std::vector<WrittenPart>& parts);
std::string json_parts(const std::string& service, const std::vector<WrittenPart>& parts);  // steelyard.publication/1

}  // namespace steelyard::ci
