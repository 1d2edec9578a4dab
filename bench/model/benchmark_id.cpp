#include "bench/model/benchmark_id.hpp"

#include <algorithm>
#include <array>
#include <charconv>

namespace steelyard {
namespace {

constexpr std::string_view kThreads = "threads";
constexpr std::size_t kLongestParameterName = 100;
constexpr std::array<std::string_view, 8> kMeasuringWords{"iterations",   "manual_time", "min_time", "min_warmup_time",
                                                          "process_time", "real_time",   "repeats",  kThreads};

std::vector<std::string_view> split_outside_brackets(std::string_view text) {
  std::vector<std::string_view> parts;
  int depth = 0;
  std::size_t begin = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (c == '<' || c == '(') ++depth;
    if ((c == '>' || c == ')') && depth > 0) --depth;
    if (c == '/' && depth == 0) {
      parts.push_back(text.substr(begin, i - begin));
      begin = i + 1;
    }
  }
  parts.push_back(text.substr(begin));
  return parts;
}

// "[" opens our own suffix, so that one in a name is written out of the way; and what looks like that in a name has one
// more "25", as of " %5B" comes " %255B": two names never become one.
constexpr std::string_view kSuffixOpening = " [";
constexpr std::string_view kWrittenOpening = " %5B";
constexpr std::string_view kEscape = " %";
constexpr std::string_view kMoreEscaped = "25";
constexpr std::string_view kOpeningDigits = "5B";

std::string replaced_all(std::string text, std::string_view from, std::string_view to) {
  for (std::size_t at = 0; (at = text.find(from, at)) != std::string::npos; at += to.size()) {
    text.replace(at, from.size(), to);
  }
  return text;
}

// " %5B" and " %255B" to " %255B" and " %25255B" (`more`), or back: " %5B" itself stays then.
std::string escaped_again(std::string_view text, bool more) {
  std::string result;
  std::size_t copied = 0;
  for (std::size_t at = text.find(kEscape); at != std::string_view::npos; at = text.find(kEscape, at + 1)) {
    const std::size_t begin = at + kEscape.size();
    std::size_t end = begin;
    while (text.substr(end).starts_with(kMoreEscaped)) end += kMoreEscaped.size();
    if (!text.substr(end).starts_with(kOpeningDigits)) continue;
    result += text.substr(copied, begin - copied);
    if (more) result += kMoreEscaped;
    copied = more || begin == end ? begin : begin + kMoreEscaped.size();
  }
  return result.append(text.substr(copied));
}

// Where the suffix of canonical text begins; its end: it has none.
std::size_t suffix_at(std::string_view text) {
  const std::size_t opening = text.rfind(kSuffixOpening);
  if (opening == std::string_view::npos || !text.ends_with(']')) return text.size();
  const std::string_view inside = text.substr(opening + kSuffixOpening.size());
  const bool has_key = inside.starts_with("suite=") || inside.starts_with("device=") || inside.starts_with("dtype=");
  return has_key ? opening : text.size();
}

}  // namespace

std::string BenchmarkId::canonical() const {
  std::string text = name;
  for (const Parameter& parameter : parameters) {
    text += '/';
    if (!parameter.name.empty()) text += parameter.name + ':';
    text += parameter.value;
  }
  if (threads) text += "/threads:" + std::to_string(*threads);
  text = replaced_all(escaped_again(text, true), kSuffixOpening, kWrittenOpening);

  std::string suffix;
  const auto add = [&suffix](const char* key, const std::string& value) {
    if (value.empty()) return;
    suffix += (suffix.empty() ? " [" : ",") + std::string(key) + '=' + value;
  };
  add("suite", suite);
  add("device", device);
  add("dtype", dtype);
  return suffix.empty() ? text : text + suffix + ']';
}

std::string name_as_given(std::string_view canonical) {
  const std::size_t suffix = suffix_at(canonical);
  // In this order a name's own " %255B" is not taken for the " %5B" that it becomes.
  std::string given;
  std::string_view rest = canonical.substr(0, suffix);
  while (!rest.empty()) {
    const std::size_t at = std::min(rest.find(kWrittenOpening), rest.size());
    given += escaped_again(rest.substr(0, at), false);
    if (at == rest.size()) break;
    given += kSuffixOpening;
    rest.remove_prefix(at + kWrittenOpening.size());
  }
  return given + std::string(canonical.substr(suffix));
}

bool is_of_suite(std::string_view canonical, std::string_view suite) {
  std::string_view suffix = canonical.substr(suffix_at(canonical));
  constexpr std::string_view kSuite = " [suite=";
  if (!suffix.starts_with(kSuite)) return suite.empty();
  suffix.remove_prefix(kSuite.size());
  if (suite.empty() || !suffix.starts_with(suite)) return false;
  suffix.remove_prefix(suite.size());
  return suffix == "]" || suffix.starts_with(",device=") || suffix.starts_with(",dtype=");
}

std::string canonical_as_typed(std::string_view typed) {
  const std::size_t suffix = suffix_at(typed);
  return replaced_all(std::string(typed.substr(0, suffix)), kSuffixOpening, kWrittenOpening) +
         std::string(typed.substr(suffix));
}

BenchmarkId parse_google_benchmark_name(std::string_view run_name) {
  BenchmarkId id;
  const auto parts = split_outside_brackets(run_name);
  id.name = std::string(parts.front());
  for (std::size_t i = 1; i < parts.size(); ++i) {
    const std::string_view part = parts[i];
    const std::size_t colon = part.find(':');
    // "std::string" as a positional value is not a name and a value.
    const bool named = colon != std::string_view::npos && colon > 0 && !part.substr(colon).starts_with("::");
    if (named && part.substr(0, colon) == kThreads && i + 1 == parts.size()) {
      const std::string_view digits = part.substr(colon + 1);
      int threads = 0;
      const auto [end, code] = std::from_chars(digits.data(), digits.data() + digits.size(), threads);
      if (code == std::errc() && end == digits.data() + digits.size() && std::to_string(threads) == digits) {
        id.threads = threads;
        continue;
      }
    }
    if (named) {
      id.parameters.push_back({std::string(part.substr(0, colon)), std::string(part.substr(colon + 1))});
    } else {
      id.parameters.push_back({"", std::string(part)});
    }
  }
  return id;
}

bool can_name_parameter(std::string_view name) {
  const auto is_letter = [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; };
  return !name.empty() && name.size() <= kLongestParameterName && is_letter(name[0]) &&
         std::all_of(name.begin(), name.end(),
                     [&](char c) { return is_letter(c) || (c >= '0' && c <= '9') || c == '.' || c == '-'; });
}

bool is_measuring_word(std::string_view name) {
  return std::find(kMeasuringWords.begin(), kMeasuringWords.end(), name) != kMeasuringWords.end();
}

}  // namespace steelyard
