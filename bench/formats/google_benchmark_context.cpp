#include "bench/formats/google_benchmark_context.hpp"

#include <algorithm>
#include <chrono>
#include <utility>

#include <nlohmann/json.hpp>

#include "bench/environment/gpu_facts.hpp"
#include "bench/model/parse_number.hpp"

namespace steelyard::bench {
namespace {

constexpr std::int64_t kNanosecondsPerSecond = 1'000'000'000;
// 64-bit nanoseconds since 1970 end in April 2262.
constexpr int kFirstYear = 1970;
constexpr int kLastYear = 2261;

bool is_decimal_digit(char c) { return c >= '0' && c <= '9'; }

// Takes what it recognizes off the front of the text.
class Cursor {
 public:
  explicit Cursor(std::string_view text) : rest_(text) {}
  bool done() const { return rest_.empty(); }

  bool take(char c) {
    if (rest_.empty() || rest_.front() != c) return false;
    rest_.remove_prefix(1);
    return true;
  }

  std::optional<int> digits(std::size_t count) {
    if (rest_.size() < count) return std::nullopt;
    int value = 0;
    for (const char c : rest_.substr(0, count)) {
      if (!is_decimal_digit(c)) return std::nullopt;
      value = value * 10 + (c - '0');
    }
    rest_.remove_prefix(count);
    return value;
  }

  // ".5" as 500000000. Absent where no digit follows the point; 0 where there is no point.
  std::optional<std::int64_t> fraction_ns() {
    if (!take('.')) return 0;
    if (rest_.empty() || !is_decimal_digit(rest_.front())) return std::nullopt;
    std::int64_t value = 0;
    std::int64_t place = kNanosecondsPerSecond / 10;
    while (!rest_.empty() && is_decimal_digit(rest_.front())) {
      value += place * (rest_.front() - '0');
      place /= 10;
      rest_.remove_prefix(1);
    }
    return value;
  }

  // "Z", "+02:00", "-0330" or nothing, in seconds east of UTC.
  std::optional<std::int64_t> offset_s() {
    if (rest_.empty() || take('Z')) return 0;
    const int sign = take('+') ? 1 : take('-') ? -1 : 0;
    if (sign == 0) return std::nullopt;
    const auto hours = digits(2);
    take(':');
    const auto minutes = digits(2);
    if (!hours || !minutes || *hours > 23 || *minutes > 59) return std::nullopt;
    return sign * (*hours * std::int64_t{3600} + *minutes * std::int64_t{60});
  }

 private:
  std::string_view rest_;
};

std::optional<std::int64_t> day_s(Cursor& cursor) {
  const auto year = cursor.digits(4);
  if (!year || !cursor.take('-')) return std::nullopt;
  const auto month = cursor.digits(2);
  if (!month || !cursor.take('-')) return std::nullopt;
  const auto day = cursor.digits(2);
  if (!day || *year < kFirstYear || *year > kLastYear) return std::nullopt;
  const std::chrono::year_month_day date{std::chrono::year(*year), std::chrono::month(static_cast<unsigned>(*month)),
                                         std::chrono::day(static_cast<unsigned>(*day))};
  if (!date.ok()) return std::nullopt;
  return std::chrono::seconds(std::chrono::sys_days(date).time_since_epoch()).count();
}

std::optional<std::int64_t> time_of_day_s(Cursor& cursor) {
  const auto hour = cursor.digits(2);
  if (!hour || !cursor.take(':')) return std::nullopt;
  const auto minute = cursor.digits(2);
  if (!minute || !cursor.take(':')) return std::nullopt;
  const auto second = cursor.digits(2);
  // 60 is a leap second.
  if (!second || *hour > 23 || *minute > 59 || *second > 60) return std::nullopt;
  return *hour * std::int64_t{3600} + *minute * std::int64_t{60} + *second;
}

}  // namespace

std::optional<std::int64_t> parse_timestamp(std::string_view text) {
  Cursor cursor(text);
  const auto day = day_s(cursor);
  if (!day || !(cursor.take('T') || cursor.take(' '))) return std::nullopt;
  const auto time = time_of_day_s(cursor);
  if (!time) return std::nullopt;
  const auto fraction = cursor.fraction_ns();
  const auto offset = cursor.offset_s();
  if (!fraction || !offset || !cursor.done()) return std::nullopt;
  return (*day + *time - *offset) * kNanosecondsPerSecond + *fraction;
}

namespace {

void name_device(BenchmarkId& id, const std::string& device) {
  if (!id.name.empty()) id.device = device;
}

}  // namespace

void take_device(GoogleBenchmarkFile& file) {
  const std::string* const told = file.environment.find(kGpuDevice);
  if (told == nullptr) return;
  const std::string device = *told;
  std::map<std::string, std::string> labels;
  const auto name_labelled = [&](BenchmarkId& id) {
    const auto label = file.labels.find(id.canonical());
    name_device(id, device);
    if (label == file.labels.end()) return;
    labels.emplace(id.canonical(), std::move(label->second));
    file.labels.erase(label);
  };
  for (Measurement& measurement : file.measurements) {
    name_labelled(measurement.benchmark);
    if (measurement.metric.name != "kernel_launches" && measurement.metric.name != "device_memory") continue;
    measurement.metric.kind = MetricKind::counted;
    measurement.count_key = std::string(kGpuDevice) + ' ' + device;
  }
  for (Failure& failure : file.failures) name_labelled(failure.benchmark);
  for (BadRecord& record : file.bad_records) name_device(record.benchmark, device);
  file.labels.merge(labels);
}

namespace {

using nlohmann::json;

// Bounds on what a context may make us keep: Google Benchmark writes about ten keys, users add a few.
constexpr std::size_t kMaxFacts = 500;
constexpr std::size_t kLongestFact = 4096;
constexpr int kMaxNamedRounds = 1'000'000;

std::string quoted_value(const std::string& text) { return '"' + shorten(text, 60) + '"'; }

// Custom context values are strings, whatever they look like. Of an array its plain elements, "0.5,1.25": going deeper
// would recurse as far as the file asks.
std::string fact_text(const json& value) {
  if (value.is_string()) return value.get<std::string>();
  if (!value.is_structured()) return value.dump();
  std::string text;
  for (const json& element : value) {
    if (element.is_structured() || text.size() > kLongestFact) continue;
    text += (text.empty() ? "" : ",") + fact_text(element);
  }
  return text;
}

std::optional<int> parse_whole_number(const std::string& text) {
  const std::optional<int> number = parse_as<int>(text);
  return number && *number >= 0 ? number : std::nullopt;
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
    bad.add("context.steelyard_order", "found " + quoted_value(text) + ", wanted 0, 1, first, second, AB or BA");
  }
}

// True where the key is one of ours.
bool read_own_key(const std::string& key, const std::string& text, GoogleBenchmarkFile& file, BadRecordList& bad) {
  if (key == "steelyard_layout") {
    file.layout = parse_layout(text);
    if (!file.layout) {
      bad.add("context." + key, "found " + quoted_value(text) + ", wanted interleaved, duet, sequential or separate");
    }
    return true;
  }
  if (key == "steelyard_round") {
    file.round = parse_whole_number(text);
    if (file.round && *file.round >= kMaxNamedRounds) file.round.reset();
    if (!file.round) {
      bad.add("context." + key, "found " + quoted_value(text) + ", wanted a whole number from 0 to " +
                                    std::to_string(kMaxNamedRounds - 1));
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

// Up to 1.5.0 Google Benchmark wrote a cache's size 1,000 times too large (mended by its change #896), and took Linux's
// K for 1,000 bytes: 32K became 32000000, which would be another machine than the 32768 of every later version. No
// processor has a first level of a mebibyte: that tells such a file.
constexpr std::int64_t kLargestFirstLevel = 1'048'576;

bool has_sizes_of_old(const json& caches) {
  return std::any_of(caches.begin(), caches.end(), [](const json& cache) {
    if (!cache.is_object() || !cache.contains("size") || !cache.contains("level")) return false;
    const json& size = cache["size"];
    return cache["level"] == 1 && size.is_number_integer() && size.get<std::int64_t>() > kLargestFirstLevel;
  });
}

// No cache has a multiple of 1,000 bytes but by that K; other systems told bytes.
std::string corrected_size(const json& size) {
  if (!size.is_number_integer()) return fact_text(size);
  const std::int64_t told = size.get<std::int64_t>() / 1000;
  return std::to_string(told % 1000 == 0 ? told / 1000 * 1024 : told);
}

// Two caches of a level differ by type, so that "L1_Data" and "L1_Instruction" stay apart.
void read_caches(const json& caches, GoogleBenchmarkFile& file) {
  const bool is_old = has_sizes_of_old(caches);
  for (const json& cache : caches) {
    if (!cache.is_object() || !cache.contains("size") || !cache["size"].is_number()) continue;
    const std::string type = cache.contains("type") ? shorten(fact_text(cache["type"]), kLongestFact) : "";
    const std::string level = cache.contains("level") ? shorten(fact_text(cache["level"]), kLongestFact) : "";
    const std::string name = "google.cache.L" + level + '_' + type;
    const json& size = cache["size"];
    file.environment.set(name + ".bytes", is_old ? corrected_size(size) : fact_text(size), true);
    if (cache.contains("num_sharing")) {
      file.environment.set(name + ".sharing", shorten(fact_text(cache["num_sharing"]), kLongestFact), false);
    }
    if (file.environment.facts.size() >= kMaxFacts) return;
  }
}

}  // namespace

void read_google_benchmark_context(const json& context, GoogleBenchmarkFile& file, BadRecordList& bad) {
  if (!context.is_object()) return bad.add("context", "found " + describe_json(context) + ", wanted an object");
  for (const auto& [key, value] : context.items()) {
    if (file.environment.facts.size() >= kMaxFacts) {
      return bad.add("context", "found more than " + std::to_string(kMaxFacts) + " facts; the rest is excluded");
    }
    if (key.size() > kLongestFact || has_control_character(key)) {
      bad.add("context", "found the key " + quoted_value(key) + ", wanted printable text of at most " +
                             std::to_string(kLongestFact) + " bytes; it is excluded");
      continue;
    }
    if (key == "caches" && value.is_array()) {
      read_caches(value, file);
      continue;
    }
    const std::string text = fact_text(value);
    if (read_own_key(key, text, file, bad)) continue;
    if (key == "date") {
      const auto taken_at = parse_timestamp(text);
      if (!taken_at) {
        bad.add("context.date", "found " + quoted_value(text) + ", wanted " + kWantedTimestamp);
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

}  // namespace steelyard::bench
