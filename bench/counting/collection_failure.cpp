#include "bench/counting/collection_failure.hpp"

#include <algorithm>
#include <csignal>
#include <cstdlib>

namespace steelyard {
namespace {

constexpr std::string_view kBytesMark = "unhandled instruction bytes:";
constexpr std::string_view kUnknownMark = "nrecognised instruction";
// The bytes from the instruction on; it is no longer than 15, and Valgrind prints 10.
constexpr int kMostBytes = 10;
constexpr std::size_t kLongestPlace = 160;
// Valgrind up to 3.19 gives up on some of clang's DWARF 5, with the file's name in the lines after.
constexpr std::string_view kDebugReaderMark = "debuginfo reader:";
constexpr std::string_view kImageMark = "valid image size of";
// First byte of every AVX-512 instruction that Valgrind does not know (the EVEX prefix).
constexpr std::string_view kEvex = "62 ";

std::string_view line_at(std::string_view text, std::size_t start) {
  return text.substr(start, text.find('\n', start) - start);
}

// "0x62 0xF1 0xFD 0x7" -> "62 f1 fd 07"
std::string bytes_text(std::string_view line) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::string text;
  int bytes = 0;
  for (std::size_t at = line.find("0x"); at != std::string_view::npos && bytes < kMostBytes;
       at = line.find("0x", at + 2), ++bytes) {
    const auto value = static_cast<unsigned>(std::strtoul(std::string(line.substr(at, 4)).c_str(), nullptr, 16));
    if (!text.empty()) text += ' ';
    text += kDigits[(value >> 4) & 0xf];
    text += kDigits[value & 0xf];
  }
  return text;
}

// "==7==    at 0x109129: scale_wide (scale.c:1)" -> "scale_wide (scale.c:1)"
std::string place_after(std::string_view log, std::size_t start) {
  constexpr std::string_view kAt = "    at 0x";
  const std::size_t at = log.find(kAt, start);
  if (at == std::string_view::npos) return "";
  const std::string_view line = line_at(log, at);
  const std::size_t colon = line.find(": ");
  return colon == std::string_view::npos ? "" : std::string(line.substr(colon + 2).substr(0, kLongestPlace));
}

// The file whose debug information Valgrind could not read and ended for, in quotes as Valgrind has it; "a file" where
// it is not named; empty where it could.
std::string unread_debug_file(std::string_view log) {
  const std::size_t mark = log.find(kDebugReaderMark);
  if (mark == std::string_view::npos) return "";
  const std::size_t image = log.find(kImageMark, mark);
  const std::size_t begin = log.find('"', image == std::string_view::npos ? log.size() : image);
  const std::size_t end = begin == std::string_view::npos ? begin : log.find_first_of("\"\n", begin + 1);
  if (end == std::string_view::npos || log[end] != '"') return "a file";
  return std::string(log.substr(begin, std::min(end + 1 - begin, kLongestPlace)));
}

// The last line on which Valgrind said something: "==57== " alone is none.
std::string last_words(std::string_view log) {
  std::string words;
  for (std::size_t at = 0; at < log.size();) {
    const std::string_view line = line_at(log, at);
    at += line.size() + 1;
    const bool is_valgrinds = line.starts_with("==");
    const std::size_t mark = is_valgrinds ? line.find("==", 2) : std::string_view::npos;
    const std::string_view said = mark == std::string_view::npos ? line : line.substr(mark + 2);
    if (said.find_first_not_of(" \r") != std::string_view::npos) words = said.substr(said.find_first_not_of(' '));
  }
  return last_line(words);
}

Error no_count(std::string why, std::string mend = "") {
  return program_error("", std::move(why), "", std::move(mend));
}

}  // namespace

std::string unknown_instruction(std::string_view log) {
  const std::size_t bytes_at = log.find(kBytesMark), unknown_at = log.find(kUnknownMark);
  std::string text;
  if (bytes_at != std::string_view::npos) text = bytes_text(line_at(log, bytes_at + kBytesMark.size()));
  const std::size_t from = std::min(unknown_at, bytes_at);
  if (from == std::string_view::npos) return "";
  const std::string place = place_after(log, from);
  if (!place.empty()) text += (text.empty() ? "in " : " in ") + place;
  return text;
}

Error explain_end(const ChildResult& child, std::string_view log, const std::string& valgrind_version) {
  if (child.end == ChildEnd::timed_out) {
    return no_count(child.describe() + " under Callgrind",
                    "give it more time or less work; Callgrind runs a program about 50 times slower");
  }
  const std::string instruction = unknown_instruction(log);
  const bool is_illegal = child.end == ChildEnd::signalled && child.signal == SIGILL;
  if (is_illegal || !instruction.empty()) {
    const bool is_avx_512 = instruction.starts_with(kEvex);
    return no_count("the program uses an " + std::string(is_avx_512 ? "AVX-512 instruction" : "instruction") +
                        " that " + valgrind_version + " does not know" +
                        (instruction.empty() ? "" : ": " + instruction),
                    "build it without -march=native where instructions are counted; -march=x86-64-v3 works");
  }
  if (const std::string file = unread_debug_file(log); !file.empty()) {
    return no_count(valgrind_version + " cannot read the debug information of " + file,
                    "build it with -gdwarf-4 (clang writes DWARF 5 by default), or take a newer Valgrind");
  }
  const std::string line = last_words(log);
  const bool log_explains = child.error_output.empty() && !line.empty();
  return no_count("the program " + child.describe() + " under Callgrind" + (log_explains ? ": " + line : ""));
}

}  // namespace steelyard
