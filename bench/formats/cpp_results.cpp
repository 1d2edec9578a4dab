// Reads what C++ libraries write beside Google Benchmark: nanobench's JSON (its template json(), all measurements),
// folly's (--bm_json_verbose or --json, one time a benchmark), and the XML of Catch2 (-r xml, a mean of each benchmark)
// and of doctest (-r=xml -d, the time of each test case).
#include <algorithm>
#include <array>

#include "bench/formats/import_formats.hpp"
#include "bench/formats/imported_run.hpp"
#include "bench/model/parse_number.hpp"

namespace steelyard::bench {
namespace {

struct NanobenchCounter {
  std::string_view member;
  std::string_view metric;
};
constexpr std::array kNanobenchCounters{
    NanobenchCounter{"instructions", "hardware_instructions"}, NanobenchCounter{"cpucycles", "hardware_cycles"},
    NanobenchCounter{"branchmisses", "hardware_branch_misses"}, NanobenchCounter{"pagefaults", "page_faults"}};

void add_nanobench_result(const JsonValue& record, const std::string& where, std::uint32_t process,
                          ImportedRun& imported) {
  BenchmarkId id = parse_google_benchmark_name(record.text_of("name"));
  id.suite = record.text_of("title");
  if (id.suite == "benchmark") id.suite.clear();  // nanobench's own, where the program names none
  std::vector<double> elapsed;
  std::vector<std::int64_t> iterations;
  const std::vector<JsonValue>& measurements = record.items_of("measurements");
  for (const JsonValue& one : measurements) {
    elapsed.push_back(one.number_of("elapsed").value_or(-1) * 1e9);
    const double passes = one.number_of("iterations").value_or(0);
    if (passes >= 1 && passes < 0x1p62) iterations.push_back(static_cast<std::int64_t>(passes));
  }
  if (iterations.size() != elapsed.size()) {
    return imported.bad(where + ".measurements", "found one without its iterations, wanted iterations and elapsed", id);
  }
  if (!imported.add({where + ".measurements", id, time_metric(), process, elapsed, iterations})) return;
  for (const NanobenchCounter& counter : kNanobenchCounters) {
    std::vector<double> values;
    for (const JsonValue& one : measurements) {
      if (const auto value = one.number_of(counter.member)) values.push_back(*value);
    }
    // 0 in all of them: the machine did not let it be counted.
    const bool is_counted = std::any_of(values.begin(), values.end(), [](double value) { return value != 0; });
    if (!is_counted || values.size() != iterations.size()) continue;
    imported.add(
        {where + ".measurements", id, metric_named(counter.metric, {"count"}), process, std::move(values), iterations});
  }
  const double batch = record.number_of("batch").value_or(1);
  if (batch != 1) {
    imported.run().labels[id.canonical()] = "batch of " + record.text_of("batch") + ' ' + record.text_of("unit");
  }
}

// A "%" before a name says that it is shown relative to the one before.
std::string folly_name(const std::string& written) { return written.starts_with('%') ? written.substr(1) : written; }

// A line between groups is drawn by a benchmark of the name "-".
void add_folly_time(const std::string& written, const std::string& where, double in_ns, std::uint32_t process,
                    ImportedRun& imported) {
  if (written == "-") return;
  imported.add_aggregate({where, parse_google_benchmark_name(folly_name(written)), time_metric(), process, {in_ns}});
}

// [file, name, nanoseconds] and, where the benchmark has them, its own counters of that pass:
// {"bytes": {"value": 7, "type": 0}}.
void add_folly_record(const JsonValue& record, const std::string& where, std::uint32_t process, ImportedRun& imported) {
  constexpr double kTimeCounter = 1;  // in seconds; the other types tell how it is printed
  const std::vector<JsonValue>& fields = record.items;
  if (fields.size() < 3 || !fields[1].is(JsonValue::Kind::text) || !fields[2].is(JsonValue::Kind::number)) {
    return imported.bad(where, "found " + describe(record) + ", wanted [file, name, nanoseconds]");
  }
  add_folly_time(fields[1].text, where, fields[2].number, process, imported);
  if (fields.size() == 3) return;
  const BenchmarkId id = parse_google_benchmark_name(folly_name(fields[1].text));
  if (!fields[3].is(JsonValue::Kind::object)) {
    return imported.bad(where + "[3]", "found " + describe(fields[3]) + ", wanted an object with its counters", id);
  }
  for (const auto& [name, counter] : fields[3].members) {
    const auto value = counter.number_of("value");
    const UnitScale scale = scale_of(counter.number_of("type") == kTimeCounter ? "s" : "1");
    if (!value) {
      imported.bad(where + '.' + name, "found no value, wanted a number", id, name);
    } else {
      imported.add(
          {where + '.' + name, id, metric_named(name, scale), process, {*value * scale.factor}, {}, false, true});
    }
  }
}

// The start of each element of an XML file and its end, one after the other; what stands between them is passed over.
class XmlElements {
 public:
  static Result<XmlElements> open(const std::filesystem::path& path) {
    STEELYARD_TRY(ImportLines lines, ImportLines::open(path));
    return XmlElements(std::move(lines), path);
  }

  struct Element {
    std::string name;
    std::string attributes;  // as written
    bool is_start = false;
    bool is_end = false;  // both: <mean value="1"/>
    std::int64_t line = 0;

    std::string attribute(std::string_view wanted) const {
      for (std::size_t at = 0; (at = attributes.find(wanted, at)) != std::string::npos; ++at) {
        const std::size_t equals = attributes.find_first_not_of(" \t\n", at + wanted.size());
        const bool begins =
            at == 0 || attributes[at - 1] == ' ' || attributes[at - 1] == '\n' || attributes[at - 1] == '\t';
        if (!begins || equals == std::string::npos || attributes[equals] != '=') continue;
        const std::size_t quote = attributes.find_first_of("\"'", equals);
        if (quote == std::string::npos) return "";
        const std::size_t end = attributes.find(attributes[quote], quote + 1);
        if (end == std::string::npos) return "";
        return plain(std::string_view(attributes).substr(quote + 1, end - quote - 1));
      }
      return "";
    }
    std::optional<double> number(std::string_view wanted) const { return parse_as<double>(attribute(wanted)); }
    std::string where() const { return "line " + std::to_string(line); }

   private:
    static std::string plain(std::string_view text) {
      constexpr std::array<std::pair<std::string_view, char>, 5> kEntities{
          {{"&lt;", '<'}, {"&gt;", '>'}, {"&quot;", '"'}, {"&apos;", '\''}, {"&amp;", '&'}}};
      std::string result;
      while (!text.empty()) {
        const auto entity = std::find_if(kEntities.begin(), kEntities.end(),
                                         [&](const auto& one) { return text.starts_with(one.first); });
        result += entity != kEntities.end() ? entity->second : text.front();
        text.remove_prefix(entity != kEntities.end() ? entity->first.size() : 1);
      }
      return result;
    }
  };

  // False: the end of the file, or an error.
  bool next(Element& element) {
    while (skip_to_tag()) {
      std::string tag;
      if (!take_tag(tag)) return false;
      if (tag.starts_with('?') || tag.starts_with('!')) continue;
      element = {};
      element.line = begun_at_;
      element.is_start = !tag.starts_with('/');
      element.is_end = tag.starts_with('/') || tag.ends_with('/');
      if (!element.is_start) tag.erase(0, 1);
      if (tag.ends_with('/')) tag.pop_back();
      const std::size_t blank = std::min(tag.find_first_of(" \t\n"), tag.size());
      element.name = tag.substr(0, blank);
      element.attributes = tag.substr(blank);
      if (element.is_start && !element.is_end) ++depth_;
      if (!element.is_start) --depth_;
      return true;
    }
    if (depth_ > 0 && !fault_) {
      fault_ = input_error(lines_.where(), "the end of the file with " + std::to_string(depth_) + " open elements",
                           "XML that is whole", "the file is cut: write it anew");
    }
    return false;
  }
  const std::optional<Error>& fault() const { return fault_; }

 private:
  static constexpr std::size_t kLongestTag = std::size_t{1} << 20;

  XmlElements(ImportLines lines, const std::filesystem::path& path) : lines_(std::move(lines)), name_(path.string()) {}

  bool more() {
    if (!lines_.next(line_)) return false;
    at_ = 0;
    return true;
  }

  bool skip_to_tag() {
    while (true) {
      const std::size_t found = at_ < line_.size() ? line_.find('<', at_) : std::string::npos;
      if (found != std::string::npos) {
        at_ = found + 1;
        begun_at_ = lines_.number();
        return true;
      }
      if (!more()) return false;
    }
  }

  // Up to what ends it: ">" outside of quotes, or "-->" and "]]>".
  bool take_tag(std::string& tag) {
    std::string_view end = ">";
    char quote = 0;
    while (true) {
      for (; at_ < line_.size(); ++at_) {
        const char c = line_[at_];
        tag += c;
        if (tag == "!--") end = "-->";
        if (tag == "![CDATA[") end = "]]>";
        if (quote != 0) {
          if (c == quote) quote = 0;
        } else if (end == ">" && (c == '"' || c == '\'')) {
          quote = c;
        } else if (tag.ends_with(end)) {
          tag.resize(tag.size() - end.size());
          ++at_;
          return true;
        }
      }
      tag += '\n';
      const bool is_too_long = tag.size() > kLongestTag;
      if (is_too_long || !more()) {
        fault_ = input_error(name_ + ':' + std::to_string(begun_at_),
                             is_too_long ? "an element that does not end" : "the end of the file in an element",
                             "XML that is whole", "the file is cut: write it anew");
        return false;
      }
    }
  }

  ImportLines lines_;
  std::string name_;
  std::string line_;
  std::size_t at_ = 0;
  std::int64_t begun_at_ = 0;
  std::int64_t depth_ = 0;
  std::optional<Error> fault_;
};

// "Fibonacci/fib 20": the test case, the sections in it, the benchmark.
std::string joined_names(const std::vector<std::string>& names, const std::string& last) {
  std::string joined;
  for (const std::string& name : names) joined += name + '/';
  return joined + last;
}

}  // namespace

Result<Run> load_nanobench(const std::filesystem::path& path, ImportReading& reading) {
  ImportedRun imported("nanobench", path, reading);
  const std::uint32_t process = imported.add_process();
  STEELYARD_CHECK(read_json(
      path, "results[]",
      [&](JsonValue&& record, const std::string& where) {
        add_nanobench_result(record, where, process, imported);
        return true;
      },
      reading));
  return imported.finish("results of nanobench",
                         "write it with ankerl::nanobench::render(ankerl::nanobench::templates::json(), bench, out)");
}

Result<Run> load_folly(const std::filesystem::path& path, ImportReading& reading) {
  ImportedRun imported("folly", path, reading);
  const std::uint32_t process = imported.add_process();
  STEELYARD_TRY(const FileHead head, head_of(path));
  // --json writes an object, by name, in picoseconds.
  const bool is_object = head.starts_with("{");
  const TakeRecord take = [&](JsonValue&& record, const std::string& where) {
    if (!is_object) {
      add_folly_record(record, where, process, imported);
    } else if (!record.is(JsonValue::Kind::number)) {
      imported.bad('"' + where + '"', "found " + describe(record) + ", wanted picoseconds");
    } else {
      add_folly_time(where, '"' + where + '"', record.number * 1e-3, process, imported);
    }
    return true;
  };
  STEELYARD_CHECK(read_json(path, is_object ? "{}" : "[]", take, reading));
  return imported.finish("times of folly's benchmarks", "write it with --bm_json_verbose=FILE");
}

Result<Run> load_catch2(const std::filesystem::path& path, ImportReading& reading) {
  STEELYARD_TRY(XmlElements elements, XmlElements::open(path));
  ImportedRun imported("catch2", path, reading);
  const std::uint32_t process = imported.add_process();
  std::vector<std::string> around;
  std::string benchmark;
  for (XmlElements::Element element; !reading.is_full && elements.next(element);) {
    const bool is_case = element.name == "TestCase" || element.name == "Section";
    if (is_case && element.is_start && !element.is_end) around.push_back(element.attribute("name"));
    if (is_case && !element.is_start && !around.empty()) around.pop_back();
    if (element.name == "BenchmarkResults" && element.is_start) benchmark = element.attribute("name");
    const BenchmarkId id = benchmark_named(joined_names(around, benchmark));
    if (element.name == "mean" && element.is_start && !benchmark.empty()) {
      const auto mean = element.number("value");
      if (mean) {
        imported.add_aggregate({element.where(), id, time_metric(), process, {*mean}});
      } else {
        imported.bad(element.where(), "found no value of the mean, wanted ns", id, kRealTime);
      }
      benchmark.clear();
    } else if (element.name == "failed" && !benchmark.empty()) {
      imported.failed(id, "failed: " + element.attribute("message"));
      benchmark.clear();
    }
  }
  if (elements.fault()) STEELYARD_CHECK(reading.damaged(*elements.fault()));
  return imported.finish("benchmarks in Catch2's XML", "write it with -r xml --out FILE");
}

Result<Run> load_doctest(const std::filesystem::path& path, ImportReading& reading) {
  STEELYARD_TRY(XmlElements elements, XmlElements::open(path));
  ImportedRun imported("doctest", path, reading);
  const std::uint32_t process = imported.add_process();
  std::string suite;
  std::string test;
  for (XmlElements::Element element; !reading.is_full && elements.next(element);) {
    if (element.name == "TestSuite" && element.is_start) suite = element.attribute("name");
    if (element.name == "TestCase" && element.is_start) test = element.attribute("name");
    if (element.name != "OverallResultsAsserts" || !element.is_start || test.empty()) continue;
    const BenchmarkId id = benchmark_named(suite.empty() ? test : suite + '/' + test);
    const std::string duration = element.attribute("duration");
    const auto seconds = parse_as<double>(duration);
    if (element.attribute("test_case_success") == "false" ||
        element.attribute("failures").find_first_not_of('0') == 0) {
      imported.failed(id, "the test case failed");
    } else if (seconds && *seconds == 0) {
      imported.skipped(id, "took less than the microsecond that doctest tells");
    } else if (seconds) {
      imported.add({element.where(), id, time_metric(), process, {*seconds * 1e9}});
    } else {
      imported.bad(element.where(), "found no duration, wanted it in seconds; run the tests with -d", id, kRealTime);
    }
    test.clear();
  }
  if (elements.fault()) STEELYARD_CHECK(reading.damaged(*elements.fault()));
  return imported.finish("test cases in doctest's XML", "write it with -r=xml -d -o=FILE");
}

}  // namespace steelyard::bench
