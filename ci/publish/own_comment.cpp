#include "ci/publish/own_comment.hpp"

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <limits>
#include <optional>
#include <utility>
#include <vector>

#include "bench/model/text.hpp"
#include "storage/document/json.hpp"

namespace steelyard::ci {
namespace {

using storage::JsonDocument;
using storage::JsonValue;

constexpr const char* kComment = "comment";

struct FoundComment {
  std::int64_t id = 0;
  std::string body;
  std::string url;
  CommentMark mark;
};

// "user.login" of a comment; empty where a part of it is absent, as of an author who is gone.
std::string member_text(JsonValue value, const std::string& path) {
  for (std::size_t begin = 0; begin <= path.size();) {
    const std::size_t end = std::min(path.find('.', begin), path.size());
    if (value.is_null()) return "";
    value = value.at(path.substr(begin, end - begin));
    begin = end + 1;
  }
  return value.is_text() ? value.text() : "";
}

struct Comments {
  std::vector<FoundComment> own;  // oldest first
  std::optional<WrittenPart> trouble;
};

Comments own_comments(ServiceApi& api, const CommentPlace& place, const std::string& key) {
  Comments comments;
  const ApiListing listing = list_items(api, place.comments, place.oldest_first, [&](const JsonValue& item) {
    if (member_text(item, place.author) != place.own_name) return;
    std::string body = member_text(item, "body");
    const std::optional<CommentMark> mark = comment_mark(body, key);
    if (!mark) return;
    const std::int64_t id = item.at("id").integer(1, std::numeric_limits<std::int64_t>::max());
    comments.own.push_back({id, std::move(body), member_text(item, "html_url"), *mark});
  });
  if (!listing.outcome.is_done()) {
    return comments.trouble = part_not_written(kComment, listing.outcome, place.permission), comments;
  }
  if (!listing.is_whole) {
    comments.trouble = WrittenPart{kComment, WrittenPart::State::failed,
                                   "the request has more than " + std::to_string(kMaxListedItems) +
                                       " comments, of which ours may be one: none is added"};
    return comments;
  }
  const auto by_id = [](const FoundComment& a, const FoundComment& b) { return a.id < b.id; };
  const auto has_same_id = [](const FoundComment& a, const FoundComment& b) { return a.id == b.id; };
  std::sort(comments.own.begin(), comments.own.end(), by_id);
  // What is added or deleted between two pages can bring one comment twice.
  comments.own.erase(std::unique(comments.own.begin(), comments.own.end(), has_same_id), comments.own.end());
  return comments;
}

// What stands in the way of a comment for this head; absent: nothing.
std::optional<WrittenPart> superseded(ServiceApi& api, const CommentPlace& place, const std::string& head) {
  const ApiOutcome outcome = api.call({"GET", place.request});
  if (!outcome.is_done()) return part_not_written(kComment, outcome, place.permission);
  const Result<JsonDocument> document = JsonDocument::parse(outcome.body, "GET " + place.request);
  const std::string now = document ? member_text(document->root(), place.head) : "";
  if (now == head) return std::nullopt;
  if (now.empty()) {
    return WrittenPart{kComment, WrittenPart::State::failed, "GET " + place.request + ": its answer names no head"};
  }
  return WrittenPart{kComment, WrittenPart::State::left,
                     shown_sha(head) + " was superseded by " + shown_sha(now) + ", whose job writes the comment"};
}

std::string body_json(const std::string& text) {
  storage::JsonWriter object;
  object("body", text);
  return object.one_line();
}

// A member of the comment that an answer holds; empty: it has none.
std::string answered(const ApiOutcome& outcome, const std::string& member) {
  const Result<JsonDocument> document = JsonDocument::parse(outcome.body, kComment);
  return document ? member_text(document->root(), member) : "";
}

// But for blanks at the end, which services cut.
bool is_same_text(const std::string& a, const std::string& b) {
  const auto length = [](const std::string& text) { return text.find_last_not_of(" \r\n") + 1; };
  return a.compare(0, length(a), b, 0, length(b)) == 0;
}

}  // namespace

std::string job_variable(const char* name) {
  const char* const value = std::getenv(name);
  return value == nullptr ? "" : value;
}

WrittenPart part_not_written(const std::string& what, const ApiOutcome& outcome, const std::string& permission) {
  if (outcome.kind != ApiOutcome::Kind::refused) {
    const bool is_lost = outcome.kind == ApiOutcome::Kind::lost;
    return {what, WrittenPart::State::away, outcome.why + (is_lost ? "; whether it was taken is not known" : "")};
  }
  std::string fix;
  if (outcome.status == 401) fix = "the token is wrong or has expired";
  if (outcome.status == 403) fix = "the token lacks a permission: " + permission;
  if (outcome.status == 404) fix = "there is no such thing, or the token may not see it: " + permission;
  if (outcome.status == 409) fix = "it was changed at the same time: run the job again";
  if (outcome.status >= 300 && outcome.status < 400) fix = "the repository was moved or renamed: name its new place";
  return {what, WrittenPart::State::failed, outcome.why + (fix.empty() ? "" : "; " + fix)};
}

namespace {

// Jobs that ran at the same time may have written one each. Only when the oldest says what is true now: who is ended
// in between leaves one too many, never a stale one alone.
std::optional<WrittenPart> delete_others(ServiceApi& api, const CommentPlace& place, const Comments& found) {
  std::optional<WrittenPart> trouble;
  for (std::size_t i = 1; i < found.own.size(); ++i) {
    const ApiOutcome outcome = api.call({"DELETE", place.comment + std::to_string(found.own[i].id)});
    if (outcome.is_done() || outcome.status == 404) continue;
    trouble = part_not_written(kComment, outcome, place.permission);
    trouble->text = "only in part: it is up to date, and another one of ours stays beside it: " + trouble->text;
  }
  return trouble;
}

}  // namespace

WrittenPart write_own_comment(ServiceApi& api, CommentPlace place, const Publication& publication) {
  std::string note;
  for (int tries = 1;; ++tries) {
    // Both are looked at before every try: what was lost may have arrived, and the head may have moved on meanwhile.
    const Comments found = own_comments(api, place, publication.key);
    if (found.trouble) return *found.trouble;
    if (auto reason = superseded(api, place, publication.head)) return *reason;
    const FoundComment* const own = found.own.empty() ? nullptr : &found.own.front();
    const std::string text =
        comment_text(publication, own == nullptr ? std::nullopt : std::optional<CommentMark>(own->mark));
    const bool is_same = own != nullptr && is_same_text(own->body, text);
    if (own != nullptr && is_of_another_job(own->mark, publication, is_same)) {
      return {kComment, WrittenPart::State::failed, kAnotherJob};
    }
    if (is_same) {
      if (auto trouble = delete_others(api, place, found)) return *trouble;
      return {kComment, note.empty() ? WrittenPart::State::unchanged : WrittenPart::State::written, own->url + note};
    }
    const ApiOutcome outcome =
        own != nullptr ? api.call({place.change_method, place.comment + std::to_string(own->id), body_json(text)})
                       : api.call({"POST", place.comments, body_json(text), false});
    if (outcome.is_done()) {
      const std::string author = answered(outcome, place.author);
      if (own == nullptr && note.empty() && !author.empty() && author != place.own_name) {
        // Ours are another's than was thought: an earlier one may be there.
        place.own_name = author;
        note =
            ", by " + author + ": name it (--login, in the action: login), or each judgement adds one and deletes it";
        continue;
      }
      if (auto trouble = delete_others(api, place, found)) return *trouble;
      return {kComment, WrittenPart::State::written, answered(outcome, "html_url") + note};
    }
    const bool is_gone = own != nullptr && outcome.status == 404;
    const bool is_open = outcome.kind == ApiOutcome::Kind::lost || is_gone;
    if (!is_open || !api.may_try_again(tries)) return part_not_written(kComment, outcome, place.permission);
  }
}

}  // namespace steelyard::ci
