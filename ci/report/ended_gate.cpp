#include "ci/report/ended_gate.hpp"

#include <algorithm>
#include <array>
#include <sstream>

#include "bench/model/text.hpp"
#include "ci/app/app.hpp"
#include "ci/report/comment.hpp"
#include "ci/report/markup.hpp"
#include "storage/document/json.hpp"

namespace steelyard::ci {
namespace {

constexpr std::string_view kEndedSchema = "steelyard.ended/1";
constexpr std::array<std::string_view, 3> kStageNames{"other", "build of the baseline", "build of the candidate"};
constexpr std::size_t kMaxEndedLines = 60;                      // a build's error has its last 40
constexpr std::size_t kLongestEndedLine = 400;                  // columns
constexpr std::size_t kMaxShownBytes = std::size_t{48} << 10U;  // a comment that is cut would not close the block

bool is_hex_hash(const std::string& sha) { return sha.size() <= 64 && is_hex(sha); }

}  // namespace

std::string ended_document(const EndedGate& ended) {
  storage::JsonWriter json;
  json("schema", kEndedSchema);
  json("stage", kStageNames.at(static_cast<std::size_t>(ended.stage)));
  json("commit", ended.commit, {.null = Null::written});
  json("status", ended.status);
  json("text", ended.text);
  return json.text();
}

Result<EndedGate> parse_ended(std::string_view text, const std::string& name) {
  STEELYARD_TRY(const storage::JsonDocument document, storage::JsonDocument::parse(text, name, kEndedSchema));
  const storage::JsonValue root = document.root();
  EndedGate ended;
  const auto* const stage = std::find(kStageNames.begin(), kStageNames.end(), root.at("stage").text());
  if (stage == kStageNames.end()) root.at("stage").refuse("a stage of a gate");
  if (stage != kStageNames.end()) ended.stage = static_cast<EndedGate::Stage>(stage - kStageNames.begin());
  ended.commit = root.at("commit").text();
  if (!is_hex_hash(ended.commit)) root.at("commit").refuse("the hash of a commit");
  ended.status = static_cast<int>(root.at("status").integer(0, 255));
  ended.text = root.at("text").text();
  STEELYARD_CHECK(document.check());
  return ended;
}

std::string words_of_nothing(int status) {
  return status == static_cast<int>(ExitCode::store_away) ? "the store could not be reached"
                                                          : std::string(status_words(status));
}

std::string ended_words(const EndedGate& ended) {
  if (ended.stage == EndedGate::Stage::other) return words_of_nothing(ended.status);
  return "the " + std::string(kStageNames.at(static_cast<std::size_t>(ended.stage))) +
         (ended.commit.empty() ? "" : " (" + shown_sha(ended.commit) + ')') + " failed";
}

std::string ended_report(const EndedGate& ended) {
  std::string lines;
  std::istringstream stream(ended.text);
  std::size_t count = 0;
  for (std::string line; count < kMaxEndedLines && std::getline(stream, line); ++count) {
    const std::string shown = shortened(printable_line(line, true), kLongestEndedLine, true) + "\n";
    if (lines.size() + shown.size() > kMaxShownBytes) break;
    lines += shown;
  }
  const std::string fence(std::max<std::size_t>(3, markdown::longest_run_of_backticks(lines) + 1), '`');
  return "### ! Performance: not judged\n\nThe gate ended before anything was compared: " + ended_words(ended) +
         ".\n\n" + fence + "text\n" + lines + fence + "\n";
}

}  // namespace steelyard::ci
