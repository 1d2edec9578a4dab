// The one comment of ours on a pull or merge request: found by its hidden line and its author, updated in place,
// written once. A judgement of a commit that is no longer the request's head leaves it as it is.
#pragma once

#include <string>

#include "ci/http/service_api.hpp"
#include "ci/report/comment.hpp"

namespace steelyard::ci {

// What a caller named in place of what the service says; empty: nothing.
struct NamedPlace {
  std::string api;         // address
  std::string repository;  // GitHub: OWNER/NAME; GitLab: id or path of the project
  std::string request;     // number of the pull or merge request
  std::string head;        // its commit, in full
  std::string login;       // whose the token is
};

// A variable that a service sets for its jobs; empty: it is not set.
std::string job_variable(const char* name);

// Where comments of a request are, as the services name things.
struct CommentPlace {
  std::string request;        // path of the request itself
  std::string head;           // the member of its answer that is the head's sha: "head.sha"
  std::string comments;       // path of its comments, to list and to add
  std::string oldest_first;   // what it takes in the query to list them so: "&sort=asc"
  std::string comment;        // path of one of them, up to its id
  std::string change_method;  // of one of them: "PATCH", "PUT"
  std::string author;         // the member of a comment that is its author's name: "user.login"
  std::string own_name;       // of whose the token is; no other's comments are looked at
  std::string permission;     // what it takes, as a fix names it
};

WrittenPart write_own_comment(ServiceApi& api, CommentPlace place, const Publication& publication);

// A part that came to nothing: what happened, and what would help.
WrittenPart part_not_written(const std::string& what, const ApiOutcome& outcome, const std::string& permission);

}  // namespace steelyard::ci
