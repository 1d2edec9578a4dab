#include "bench/cuda/worker_report.hpp"

#include <algorithm>
#include <charconv>

#include "bench/cuda/json_text.hpp"

namespace steelyard::cuda {
namespace {

std::string one_line(std::string_view text) {
  std::string line(text);
  std::replace_if(
      line.begin(), line.end(), [](char c) { return static_cast<unsigned char>(c) < 0x20; }, ' ');
  return line;
}

std::vector<std::string_view> fields_of(std::string_view line) {
  std::vector<std::string_view> fields;
  while (true) {
    const std::size_t tab = line.find('\t');
    fields.push_back(line.substr(0, tab));
    if (tab == std::string_view::npos) return fields;
    line.remove_prefix(tab + 1);
  }
}

template <class Number>
bool read_number(std::string_view text, Number& number) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  return error == std::errc() && end == text.data() + text.size();
}

const char* word_of(RowEnd end) {
  return end == RowEnd::measured ? "measured" : end == RowEnd::failed ? "failed" : "skipped";
}

std::optional<RowSummary> read_summary(const std::vector<std::string_view>& fields) {
  RowSummary row;
  if (fields.size() != 9) return std::nullopt;
  row.name = fields[1];
  row.end = fields[2] == "measured" ? RowEnd::measured : fields[2] == "failed" ? RowEnd::failed : RowEnd::skipped;
  row.text = fields[8];
  const bool is_whole = read_number(fields[3], row.cold_ns) && read_number(fields[4], row.hot_ns) &&
                        read_number(fields[5], row.flops) && read_number(fields[6], row.bandwidth) &&
                        read_number(fields[7], row.samples);
  if (!is_whole) return std::nullopt;
  return row;
}

double median(std::vector<double> values) {
  if (values.empty()) return 0;
  std::sort(values.begin(), values.end());
  const std::size_t middle = values.size() / 2;
  return values.size() % 2 == 1 ? values[middle] : (values[middle - 1] + values[middle]) / 2;
}

}  // namespace

RowSummary summary_of(const DeviceRow& row) {
  RowSummary summary;
  summary.name = one_line(row.name);
  summary.end = row.end;
  summary.text = one_line(row.end == RowEnd::measured ? label_of(row) : row.message);
  if (row.end != RowEnd::measured) return summary;
  std::vector<double> cold;
  for (const ColdSample& sample : row.samples.cold) cold.push_back(sample.time.count());
  std::vector<double> hot;
  for (const Nanoseconds time : row.samples.hot) hot.push_back(time.count());
  summary.cold_ns = median(std::move(cold));
  summary.hot_ns = median(std::move(hot));
  summary.samples = static_cast<std::int64_t>(row.samples.cold.size());
  if (summary.cold_ns > 0) {
    const Nanoseconds time(summary.cold_ns);
    summary.flops = (row.cost.flops / time).count();
    summary.bandwidth = (row.cost.traffic() / time).count();
  }
  return summary;
}

FinishedRow finished(const DeviceRow& row) { return {summary_of(row), records_of(row)}; }

std::string fact_lines(const Facts& facts) {
  std::string lines;
  for (const auto& [key, value] : facts) lines += "fact\t" + one_line(key) + '\t' + one_line(value) + '\n';
  return lines;
}

std::string fault_line(std::string_view message) { return "fault\t" + one_line(message) + '\n'; }

std::string begin_line(std::string_view name) { return "begin\t" + one_line(name) + '\n'; }

std::string row_lines(const FinishedRow& row) {
  const RowSummary& s = row.summary;
  std::string lines = "row\t" + one_line(s.name) + '\t' + word_of(s.end);
  for (const double number : {s.cold_ns, s.hot_ns, s.flops, s.bandwidth}) lines += '\t' + json_number(number);
  lines += '\t' + json_number(s.samples) + '\t' + one_line(s.text) + '\n';
  for (const std::string& record : row.records) lines += "record\t" + record + '\n';
  return lines + "end\t" + one_line(s.name) + '\n';
}

void WorkerReport::add(std::string_view text) {
  rest_ += text;
  std::size_t begin = 0;
  for (std::size_t end = rest_.find('\n'); end != std::string::npos; end = rest_.find('\n', begin)) {
    add_line(std::string_view(rest_).substr(begin, end - begin));
    begin = end + 1;
  }
  rest_.erase(0, begin);
}

void WorkerReport::add_line(std::string_view line) {
  const std::vector<std::string_view> fields = fields_of(line);
  const std::string_view kind = fields.front();
  if (kind == "fact" && fields.size() == 3) {
    facts_.emplace_back(fields[1], fields[2]);
  } else if (kind == "fault" && fields.size() == 2) {
    fault_ = std::string(fields[1]);
  } else if (kind == "begin" && fields.size() == 2) {
    begun_ = std::string(fields[1]);
    open_ = {};
  } else if (kind == "row") {
    if (auto summary = read_summary(fields)) open_.summary = std::move(*summary);
  } else if (kind == "record" && fields.size() == 2) {
    open_.records.emplace_back(fields[1]);
  } else if (kind == "end" && fields.size() == 2 && begun_ == fields[1] && open_.summary.name == fields[1]) {
    rows_.push_back(std::move(open_));
    open_ = {};
    begun_.reset();
  }
}

}  // namespace steelyard::cuda
