// What was accepted on a pull or merge request itself: by a comment with a line as a commit's message has it,
//
//     Perf-accept: gemv/*  the checksum is worth 3 %
//
// or by a label "Perf-accept: gemv/*" ("Perf-accept" alone: every benchmark), whose description is the reason. It
// counts of people alone, and of those alone who may write to the repository, which the service is asked of each. What
// others say accepts nothing, and is told. Not for what commits accept: see ci/judging/accepted.hpp.
//
//     const RequestAcceptances accepted = accepted_on_github(api, place);
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "bench/model/result.hpp"
#include "ci/publish/github.hpp"
#include "ci/publish/gitlab.hpp"

namespace steelyard::ci {

struct RequestAcceptance {
  std::string text;   // "PATTERN REASON", as read_accepted() takes it
  std::string by;     // who said it, by the service's name for the person
  std::string where;  // "comment of #7"
  bool operator==(const RequestAcceptance&) const = default;

  static void fields(auto& visit, auto& self) {
    visit("text", self.text);
    visit("by", self.by);
    visit("where", self.where);
  }
};

// What one step of a job hands to the next in a file (schema steelyard.accepted/1).
struct RequestAcceptances {
  std::vector<RequestAcceptance> accepted;  // comments before labels, each in the service's order
  std::vector<std::string> notes;           // a line each: what accepts nothing, and why
  // Not of the file: whether the service told everything; failed: it refuses, and `refused` says why, for the job's
  // log.
  WrittenPart::State state = WrittenPart::State::written;
  std::string refused = {};
};
std::string accepted_document(const RequestAcceptances& accepted);
// Error (input): no such document, or one beyond the bounds.
Result<RequestAcceptances> read_accepted_document(std::string_view text, const std::string& name);

// Precondition: the place has a request. At most 100 lines of at most 20 people are looked at, as a note says.
RequestAcceptances accepted_on_github(ServiceApi& api, const GithubPlace& place);
RequestAcceptances accepted_on_gitlab(ServiceApi& api, const GitlabPlace& place);

// The number of the request by whose merge a pushed commit came to its branch; absent: none, or the service does not
// tell it. What was accepted there holds where its comparison is kept as well.
std::optional<std::int64_t> merged_on_github(ServiceApi& api, const GithubPlace& place);
std::optional<std::int64_t> merged_on_gitlab(ServiceApi& api, const GitlabPlace& place);

// What a comment's text accepts: "PATTERN REASON" of each line that begins with the trailer's word, outside fenced
// blocks and quotes. Empty for a comment of ours.
std::vector<std::string> accepted_in_comment(std::string_view body);
// What a label's name and description accept, as such a line; empty: the label is none of these.
std::string accepted_by_label(std::string_view name, std::string_view description);

}  // namespace steelyard::ci
