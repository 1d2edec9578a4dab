#include "bench/formats/google_benchmark_context.hpp"

#include <charconv>
#include <nlohmann/json.hpp>

#include "bench/environment/gpu_facts.hpp"
#include "bench/formats/timestamp.hpp"

namespace steelyard {
namespace {

using nlohmann::json;

// Bounds on what a context may make us keep: Google Benchmark writes about ten keys, users add a few.
constexpr std::size_t kMostFacts = 500;
constexpr std::size_t kLongestFact = 4096;
constexpr int kMostRounds = 1'000'000;

std::string quoted(const std::string& text) { return '"' + shorten(text, 60) + '"'; }

// Custom context values are strings, whatever they look like. Of an array its plain elements, "0.5,1.25": going deeper
// would recurse as far as the file asks.
std::string text_of(const json& value) {
  if (value.is_string()) return value.get<std::string>();
  if (!value.is_structured()) return value.dump();
  std::string text;
  for (const json& element : value) {
    if (element.is_structured() || text.size() > kLongestFact) continue;
    text += (text.empty() ? "" : ",") + text_of(element);
  }
  return text;
}

std::optional<int> parse_number(const std::string& text) {
  int number = 0;
  const char* const last = text.data() + text.size();
  const auto [end, code] = std::from_chars(text.data(), last, number);
  if (code != std::errc() || end != last || number < 0) return std::nullopt;
  return number;
}

void read_order(const std::string& text, GoogleBenchmarkFile& file, BadRecordList& bad) {
  if (text == "0" || text == "first") {
    file.order = 0;
  } else if (text == "1" || text == "second") {
    file.order = 1;
  } else if (text == "AB" || text == "ab") {
    file.baseline_first = true;
  } else if (text == "BA" || text == "ba") {
    file.baseline_first = false;
  } else {
    bad.add("context.steelyard_order", "found " + quoted(text) + ", wanted 0, 1, first, second, AB or BA");
  }
}

// True where the key is one of ours.
bool read_own_key(const std::string& key, const std::string& text, GoogleBenchmarkFile& file, BadRecordList& bad) {
  if (key == "steelyard_layout") {
    file.layout = parse_layout(text);
    if (!file.layout) {
      bad.add("context." + key, "found " + quoted(text) + ", wanted interleaved, duet, sequential or separate");
    }
    return true;
  }
  if (key == "steelyard_round") {
    file.round = parse_number(text);
    if (file.round && *file.round >= kMostRounds) file.round.reset();
    if (!file.round) {
      bad.add("context." + key,
              "found " + quoted(text) + ", wanted a whole number from 0 to " + std::to_string(kMostRounds - 1));
    }
    return true;
  }
  if (key == "steelyard_order") {
    read_order(text, file, bad);
    return true;
  }
  if (key == "steelyard_allocation_key") {
    file.allocation_key = shorten(text, kLongestFact);
    return true;
  }
  return false;
}

// Two caches of a level differ by type, so that "L1_Data" and "L1_Instruction" stay apart.
void read_caches(const json& caches, GoogleBenchmarkFile& file) {
  for (const json& cache : caches) {
    if (!cache.is_object() || !cache.contains("size") || !cache["size"].is_number()) continue;
    const std::string type = cache.contains("type") ? shorten(text_of(cache["type"]), kLongestFact) : "";
    const std::string level = cache.contains("level") ? shorten(text_of(cache["level"]), kLongestFact) : "";
    const std::string name = "google.cache.L" + level + '_' + type;
    file.environment.set(name + ".bytes", text_of(cache["size"]), true);
    if (cache.contains("num_sharing")) {
      file.environment.set(name + ".sharing", shorten(text_of(cache["num_sharing"]), kLongestFact), false);
    }
    if (file.environment.facts.size() >= kMostFacts) return;
  }
}

}  // namespace

void read_google_benchmark_context(const json& context, GoogleBenchmarkFile& file, BadRecordList& bad) {
  if (!context.is_object()) return bad.add("context", "found " + describe_json(context) + ", wanted an object");
  for (const auto& [key, value] : context.items()) {
    if (file.environment.facts.size() >= kMostFacts) {
      return bad.add("context", "found more than " + std::to_string(kMostFacts) + " facts; the rest was left out");
    }
    if (key.size() > kLongestFact || has_control_character(key)) {
      bad.add("context", "found the key " + quoted(key) + ", wanted printable text of at most " +
                             std::to_string(kLongestFact) + " bytes; it was left out");
      continue;
    }
    if (key == "caches" && value.is_array()) {
      read_caches(value, file);
      continue;
    }
    const std::string text = text_of(value);
    if (read_own_key(key, text, file, bad)) continue;
    if (key == "date") {
      const auto taken_at = parse_timestamp(text);
      if (!taken_at) {
        bad.add("context.date", "found " + quoted(text) + ", wanted for example \"2026-11-21T08:51:57+00:00\"");
      }
      file.taken_at_unix_ns = taken_at.value_or(0);
      continue;
    }
    if (key.starts_with(kGpuFacts)) {
      // What is not known is left out: an empty text would be a value that two machines could share.
      if (!text.empty()) file.environment.set(key, shorten(text, kLongestFact), is_decisive_gpu_fact(key));
      continue;
    }
    file.environment.set("google." + key, shorten(text, kLongestFact), key == "num_cpus");
  }
}

}  // namespace steelyard
