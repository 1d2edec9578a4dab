// Why a gate ended before it compared anything, as it leaves that beside its archives (kEndedFile) for whoever tells of
// it: publish, in a job that did not see the log. Values in, text out.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "bench/model/result.hpp"

namespace steelyard::ci {

inline constexpr const char* kEndedFile = "ended.json";
inline constexpr std::int64_t kMaxEndedBytes = std::int64_t{1} << 20U;

struct EndedGate {
  enum class Stage { other, build_of_baseline, build_of_candidate };
  Stage stage = Stage::other;
  std::string commit;  // full sha of what was built; empty: of none
  std::string text;    // the error, with the last lines of the build
  int status = 0;      // that the gate left with
  bool operator==(const EndedGate&) const = default;
};
std::string ended_document(const EndedGate& ended);  // steelyard.ended/1
// `name` is named in errors. Error (input): it is none.
Result<EndedGate> parse_ended(std::string_view text, const std::string& name);

// "the build of the candidate (1a2b3c4d5) failed"; of another stage what the status says.
std::string ended_words(const EndedGate& ended);
// A report in Markdown that no line of the error, which may be strangers', can end or format.
std::string ended_report(const EndedGate& ended);

// What an exit status says of a gate that compared nothing: what status_words() says, less what it did not find out.
std::string words_of_nothing(int status);

}  // namespace steelyard::ci
