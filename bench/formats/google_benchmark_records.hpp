// Gathers the records of a Google Benchmark file, one at a time, into measurements: one sample a raw repetition, the
// aggregates left aside. A record that cannot be used is named and the rest goes on. Internal to bench/formats.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "bench/formats/google_benchmark.hpp"
#include "bench/formats/repetition_log.hpp"

namespace steelyard::bench {

// Keeps the list of bad records short: past a thousand, the last one says how many more there were.
class BadRecordList {
 public:
  explicit BadRecordList(std::vector<BadRecord>& records) : records_(records) {}
  // `benchmark` and `metric` as in BadRecord: what cannot be judged for it.
  void add(std::string where, std::string why, const BenchmarkId& benchmark = {}, std::string_view metric = {});

 private:
  std::vector<BadRecord>& records_;
  std::size_t excluded_ = 0;
};

class GoogleBenchmarkRecords {
 public:
  GoogleBenchmarkRecords(GoogleBenchmarkFile& file, BadRecordList& bad, std::optional<PassLog> log);
  GoogleBenchmarkRecords(const GoogleBenchmarkRecords&) = delete;
  GoogleBenchmarkRecords& operator=(const GoogleBenchmarkRecords&) = delete;
  ~GoogleBenchmarkRecords();

  // `where` names the record in messages: "benchmarks[3]".
  void add(const nlohmann::json& record, const std::string& where);
  // Call once, after the last record.
  void finish();

  std::size_t aggregates() const { return aggregates_; }

 private:
  struct Sample;
  struct Aggregates;
  void add_repetition(const nlohmann::json& record, const std::string& where, const BenchmarkId& id);
  void add_label(const nlohmann::json& record, const std::string& where, const BenchmarkId& id);
  void add_counters(const nlohmann::json& record, const std::string& where, const BenchmarkId& id,
                    std::optional<std::int64_t> iterations);
  std::optional<double> number(const nlohmann::json& record, std::string_view key, const std::string& where,
                               const BenchmarkId& id);
  // Whether it is a time; where it is none, that is said.
  bool is_time(double in_ns, const nlohmann::json& record, std::string_view key, const std::string& where,
               const BenchmarkId& id);
  bool is_first_of_its_name(const nlohmann::json& record, const std::string& where, const std::string& name,
                            const BenchmarkId& id);
  void add_sample(const BenchmarkId& id, const Metric& metric, const Sample& sample);
  void keep_aggregate(const nlohmann::json& record, const std::string& where, const std::string& name);
  void take_aggregates();
  void add_by_aggregates(const std::string& name, const Aggregates& of, const std::vector<LoggedPass>& passes);

  GoogleBenchmarkFile& file_;
  BadRecordList& bad_;
  std::optional<PassLog> log_;
  std::set<std::string> raw_names_;                                   // of which the file has a repetition, good or bad
  std::map<std::string, std::unique_ptr<Aggregates>> aggregates_of_;  // of which it has none so far
  std::map<std::pair<std::string, std::string>, std::size_t> measurement_by_name_;  // benchmark, metric
  // Which registration of the program a name stands for, where the file says so (1.6 and newer).
  std::map<std::string, std::pair<std::int64_t, std::int64_t>> instance_by_name_;
  std::set<std::string> ambiguous_names_;
  std::size_t aggregates_ = 0;
};

inline constexpr std::string_view kHowToGetRepetitions =
    "leave out --benchmark_report_aggregates_only and ReportAggregatesOnly(true), or let steelyard run -- PROGRAM "
    "measure "
    "it, which finds the repetitions all the same";

// "a string", "null", "an object": the kind of a JSON value, for messages; a masked NaN gives its own spelling.
std::string describe_json(const nlohmann::json& value);

// Which benchmark a record is of; its name is empty where the record has none that can be stored.
BenchmarkId benchmark_of_record(const nlohmann::json& record);

// A key that can stand as the name of a metric, else empty.
std::string metric_of_key(const std::string& key);

// The first `bytes` of a UTF-8 text, or fewer so that no character is cut.
std::string shorten(const std::string& text, std::size_t bytes);

// A name with one (a zero byte above all) can be neither stored nor printed.
bool has_control_character(const std::string& text);

}  // namespace steelyard::bench
