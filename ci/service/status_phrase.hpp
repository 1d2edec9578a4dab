// What a status of HTTP is called: in the status line, and as the title of a problem.
#pragma once

namespace steelyard::ci {

// As RFC 9110 and RFC 6585 have it: 413 is "Content Too Large". "Error" for one that the service does not answer with.
const char* status_phrase(int status);

}  // namespace steelyard::ci
