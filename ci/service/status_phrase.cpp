#include "ci/service/status_phrase.hpp"

#include <algorithm>
#include <iterator>

namespace steelyard::ci {

const char* status_phrase(int status) {
  struct Phrase {
    int status;
    const char* text;
  };
  constexpr Phrase kPhrases[] = {{200, "OK"},
                                 {201, "Created"},
                                 {204, "No Content"},
                                 {304, "Not Modified"},
                                 {308, "Permanent Redirect"},
                                 {400, "Bad Request"},
                                 {401, "Unauthorized"},
                                 {403, "Forbidden"},
                                 {404, "Not Found"},
                                 {405, "Method Not Allowed"},
                                 {408, "Request Timeout"},
                                 {409, "Conflict"},
                                 {413, "Content Too Large"},
                                 {414, "URI Too Long"},
                                 {415, "Unsupported Media Type"},
                                 {417, "Expectation Failed"},
                                 {422, "Unprocessable Content"},
                                 {429, "Too Many Requests"},
                                 {431, "Request Header Fields Too Large"},
                                 {500, "Internal Server Error"},
                                 {501, "Not Implemented"},
                                 {503, "Service Unavailable"},
                                 {505, "HTTP Version Not Supported"}};
  const auto* const found = std::find_if(std::begin(kPhrases), std::end(kPhrases),
                                         [status](const Phrase& phrase) { return phrase.status == status; });
  return found == std::end(kPhrases) ? "Error" : found->text;
}

}  // namespace steelyard::ci
