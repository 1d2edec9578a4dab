#include "bench/cuda/device_result.hpp"

#include <unistd.h>

#include <array>
#include <ctime>
#include <sstream>
#include <thread>

#include "bench/cuda/json_text.hpp"
#include "bench/model/quantity.hpp"
#include "bench/model/text.hpp"

namespace steelyard::cuda {
namespace {

std::string date_text() {
  const std::time_t now = std::time(nullptr);
  std::tm parts{};
  if (::gmtime_r(&now, &parts) == nullptr) return {};
  std::array<char, 40> text{};
  return {text.data(), std::strftime(text.data(), text.size(), "%Y-%m-%dT%H:%M:%S+00:00", &parts)};
}

// "790 Tflop/s", "4.31 TB/s": three significant digits.
std::string rate_text(double rate, const char* unit) {
  if (!(rate > 0)) return {};
  constexpr std::array<const char*, 6> kPrefixes{"", "k", "M", "G", "T", "P"};
  std::size_t prefix = 0;
  while (rate >= 999.5 && prefix + 1 < kPrefixes.size()) {
    rate /= 1000;
    ++prefix;
  }
  return decimals_text(rate, rate < 9.995 ? 2 : rate < 99.95 ? 1 : 0) + ' ' + kPrefixes[prefix] + unit;
}

std::vector<std::string> cells_of(const RowSummary& row) {
  if (row.end == RowEnd::failed) return {row.name, "failed", "", "", "", ""};
  if (row.end == RowEnd::skipped) return {row.name, "skipped", "", "", "", ""};
  return {row.name,
          to_text(Nanoseconds(row.cold_ns)),
          row.hot_ns > 0 ? to_text(Nanoseconds(row.hot_ns)) : "",
          rate_text(row.flops, "flop/s"),
          rate_text(row.bandwidth, "B/s"),
          std::to_string(row.samples)};
}

}  // namespace

ResultHeader result_header(const std::string& executable) {
  std::array<char, 256> host{};
  if (::gethostname(host.data(), host.size() - 1) != 0) host[0] = '\0';
  return {date_text(), host.data(), executable, static_cast<int>(std::thread::hardware_concurrency())};
}

std::string result_json(const ResultHeader& header, const Facts& facts, const std::vector<FinishedRow>& rows) {
  JsonObject context;
  context.text("date", header.date)
      .text("host_name", header.host_name)
      .text("executable", header.executable)
      .integer("num_cpus", header.cpus)
      .add("caches", "[]")
      .add("load_avg", "[]")
      .text("library_build_type", "release")
      .integer("json_schema_version", 1);
  for (const auto& [key, value] : facts) context.text(key, value);
  std::string json = "{\"context\": " + context.str() + ",\n\"benchmarks\": [";
  const char* separator = "\n";
  for (const FinishedRow& row : rows) {
    for (const std::string& record : row.records) {
      json += separator + record;
      separator = ",\n";
    }
  }
  return json + "\n]}\n";
}

std::string result_table(const std::vector<FinishedRow>& rows) {
  std::vector<std::vector<std::string>> cells{{"benchmark", "cold", "hot", "arithmetic", "bandwidth", "samples"}};
  for (const FinishedRow& row : rows) cells.push_back(cells_of(row.summary));
  std::vector<Align> aligns(cells.front().size(), Align::right);
  aligns.front() = Align::left;
  std::istringstream lines(aligned_rows(cells, aligns, ""));
  std::string table;
  std::string line;
  std::getline(lines, line);
  table += line + '\n';
  for (const FinishedRow& row : rows) {
    std::getline(lines, line);
    table += line + '\n';
    if (row.summary.end != RowEnd::measured) table += "    " + row.summary.text + '\n';
  }
  return table;
}

}  // namespace steelyard::cuda
