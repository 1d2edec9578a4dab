#include "ci/report/trace_page/trace_page.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <map>
#include <nlohmann/json.hpp>
#include <utility>

#include "bench/ceilings/datasheet.hpp"
#include "bench/model/number_text.hpp"
#include "bench/model/text.hpp"
#include "bench/profile/key_averages.hpp"
#include "ci/report/flame/flame_graph.hpp"
#include "ci/report/flame/trace_stacks.hpp"
#include "ci/report/markup.hpp"
#include "ci/report/trace.hpp"
#include "ci/report/trace_names.hpp"
#include "ci/report/trace_page/trace_page_text.hpp"

namespace steelyard::ci {
namespace {

using bench::KeyAverage;
using html::element;
using html::text;

constexpr std::size_t kMaxTableRows = 500;

std::string time_text_of(std::int64_t ns) { return level_text(static_cast<double>(ns), "ns"); }
std::string share_of(std::int64_t part, std::int64_t whole) {
  return whole > 0 ? share_text(static_cast<double>(part) / static_cast<double>(whole)) : "";
}

std::string titled_section(const char* id, const char* title, const std::string& content) {
  if (content.empty()) return "";
  return "<section id=\"" + std::string(id) + "\"><h2>" + title + "</h2>\n" + content + "</section>\n";
}

constexpr std::array<std::pair<const char*, const char*>, bench::kTimeUses> kUses{
    {{"kernel", "kernels"},
     {"copy", "copies and sets, no kernel beside them"},
     {"launch", "calls of the runtime or driver, the device idle"},
     {"host", "the host alone"},
     {"idle", "nothing that was recorded"}}};

std::string uses_html(const bench::TraceOverview& overview) {
  const auto whole = static_cast<double>(std::max<std::int64_t>(overview.whole_ns(), 1));
  std::string bar, rows;
  double at = 0;
  for (std::size_t i = 0; i < kUses.size(); ++i) {
    const auto& [name, words] = kUses[i];
    const double share = static_cast<double>(overview.use_ns[i]) / whole;
    if (share <= 0) continue;
    bar += "<rect class=\"" + std::string(name) + "\" x=\"" + decimals_text(1000 * at, 2) + "\" width=\"" +
           decimals_text(1000 * share, 2) + "\" height=\"30\"><title>" + words + " " + share_text(share) +
           "</title></rect>";
    at += share;
    rows += "<tr><th scope=\"row\"><svg class=\"key\" viewBox=\"0 0 12 12\"><rect class=\"" + std::string(name) +
            "\" width=\"12\" height=\"12\"/></svg> " + words + "</th>" +
            element("td", text(time_text_of(overview.use_ns[i])), "n") + element("td", text(share_text(share)), "n") +
            "</tr>\n";
  }
  const std::string pauses =
      "Pauses of the recording, " + time_text_of(overview.paused_ns) + " in all, are in no share on this page.";
  return "<div class=\"uses\"><svg viewBox=\"0 0 1000 30\" preserveAspectRatio=\"none\" role=\"img\" aria-label=\"What "
         "the "
         "time was spent on\">" +
         bar +
         "</svg></div>\n<table><thead><tr><th>each moment is of the first that applies</th><th class=\"n\">time</th>"
         "<th class=\"n\">share</th></tr></thead><tbody>\n" +
         rows + "</tbody></table>\n" + (overview.paused_ns > 0 ? element("p", text(pauses), "dim") + "\n" : "");
}

std::string devices_html(const bench::TraceOverview& overview) {
  if (overview.devices.empty()) return "";
  std::string rows;
  for (const bench::DeviceOverview& device : overview.devices) {
    rows += "<tr><th scope=\"row\">device " + std::to_string(device.process) + "</th>" +
            element("td", share_of(device.busy_ns, overview.whole_ns()), "n") +
            element("td", share_of(device.idle_ns, overview.whole_ns()), "n") +
            element("td", share_of(device.idle_for_launch_ns, overview.whole_ns()), "n") +
            element("td", grouped_text(device.kernels), "n") +
            element("td", device.queued_ns ? text(time_text_of((*device.queued_ns)[1])) : "", "n") + "</tr>\n";
  }
  return "<table><thead><tr><th></th><th class=\"n\">busy</th><th class=\"n\">idle</th><th class=\"n\">idle, the "
         "launch "
         "came late</th><th class=\"n\">kernels</th><th class=\"n\">from the launch's end to the kernel, "
         "median</th></tr>"
         "</thead><tbody>\n" +
         rows + "</tbody></table>\n";
}

std::string findings_html(const std::vector<TraceFinding>& findings) {
  std::string result;
  for (const TraceFinding& finding : findings) {
    result += "<article class=\"finding\">" + element("h3", text(finding.claim)) +
              element("p", text(finding.evidence)) +
              (finding.advice.empty() ? "" : element("p", text(finding.advice), "dim")) + "</article>\n";
  }
  return result.empty() ? "<p>Nothing stands out in these data.</p>\n" : result;
}

std::string number_cell(std::int64_t value, const std::string& words) {
  return "<td class=\"n\" data-v=\"" + std::to_string(value) + "\">" + text(words) + "</td>";
}

// A kernel's name whole is many lines of parameters.
std::string name_cell(const KeyAverage& row) {
  constexpr std::size_t kLongestInCell = 300, kLongestTitle = 2000;
  const std::string brief = row.is_on_device ? short_kernel_name(row.name) : row_name(row);
  const std::string title = brief == row_name(row) ? "" : " title=\"" + text(row.name, kLongestTitle) + "\"";
  return "<tr><th scope=\"row\"" + title + ">" + text(brief, kLongestInCell) + "</th>";
}

std::string rate_cell(double value, const std::string& words, const char* style) {
  return "<td class=\"" + std::string(style) + "\" data-v=\"" + shortest_text(value) + "\">" + text(words) + "</td>";
}

std::string launch_cells(const KeyAverage& row, bool has_shares) {
  const LaunchTexts texts = launch_texts(row);
  double registers = 0, shared = 0, occupancy = 0, achieved = 0;
  if (!texts.registers.empty()) registers = row.launch->registers;
  if (!texts.shared.empty()) {
    shared = static_cast<double>(row.launch->static_shared_bytes + row.launch->dynamic_shared_bytes);
  }
  if (!texts.occupancy.empty()) occupancy = *row.launch->occupancy;
  if (!texts.achieved_occupancy.empty()) achieved = *row.launch->achieved_occupancy;
  return element("td", text(texts.grid), "n w") + element("td", text(texts.block), "n w") +
         rate_cell(registers, texts.registers, "n w") + rate_cell(shared, texts.shared, "n w") +
         rate_cell(occupancy, texts.occupancy, "n") + rate_cell(achieved, texts.achieved_occupancy, "n") +
         rate_cell(bandwidth_of(row).value_or(0), texts.bandwidth, "n w") +
         (has_shares ? rate_cell(memory_share_of(row).value_or(0), texts.memory_share, "n") : "");
}

// As in the roofline: what the device took, where it did the work.
std::optional<double> flop_rate_of(const KeyAverage& row) {
  const std::int64_t ns = row.device_ns > 0 ? row.device_ns : row.total_ns;
  if (row.is_on_device || !row.flops || *row.flops <= 0 || ns <= 0) return row.achieved.flops;
  return *row.flops / (static_cast<double>(ns) / 1e9);
}

// Of the host or of devices. Empty where there is no such row.
std::string table_html(const bench::KeyAverages& averages, bool on_device) {
  std::vector<const KeyAverage*> rows;
  for (const KeyAverage& row : averages.rows) {
    if (row.is_on_device == on_device) rows.push_back(&row);
  }
  if (rows.empty()) return "";
  const auto own = [on_device](const KeyAverage& row) { return on_device ? row.self_device_ns : row.self_ns; };
  const auto total = [on_device](const KeyAverage& row) { return on_device ? row.device_ns : row.total_ns; };
  const std::int64_t all = on_device ? averages.self_device_ns : averages.self_ns;
  std::stable_sort(rows.begin(), rows.end(),
                   [&](const KeyAverage* a, const KeyAverage* b) { return own(*a) > own(*b); });
  const bool has_device = !on_device && averages.self_device_ns > 0;
  const bool has_flops =
      std::any_of(rows.begin(), rows.end(), [](const KeyAverage* row) { return flop_rate_of(*row); });
  const bool has_launches = std::any_of(
      rows.begin(), rows.end(), [&](const KeyAverage* row) { return on_device && (row->launch || row->bytes); });
  const bool has_shares =
      std::any_of(rows.begin(), rows.end(), [](const KeyAverage* row) { return memory_share_of(*row); });
  const bool has_peaks =
      std::any_of(rows.begin(), rows.end(), [](const KeyAverage* row) { return arithmetic_share_of(*row); });
  std::string result =
      "<label class=\"controls\" hidden>Name <input type=\"search\" autocomplete=\"off\" "
      "spellcheck=\"false\"></label>\n"
      "<div class=\"scroll\"><table class=\"sorted\"><thead><tr><th>name</th><th class=\"n\">calls</th><th class=\"n\" "
      "aria-sort=\"descending\">itself</th><th class=\"n\">share</th><th class=\"n\">with what ran in it</th><th "
      "class=\"n\">a call</th>" +
      std::string(has_device ? "<th class=\"n\">on devices</th>" : "") +
      (has_flops ? "<th class=\"n w\">operations/s</th>" : "") +
      (has_peaks ? "<th class=\"n\" title=\"of the datasheet's dense arithmetic in the dtype beside it\">% of peak</th>"
                 : "") +
      (has_launches ? "<th class=\"n w\">grid</th><th class=\"n w\">block</th><th class=\"n w\">registers</th><th "
                      "class=\"n w\">shared</th><th class=\"n\">occupancy</th><th class=\"n\" title=\"what the grid "
                      "leaves of it, "
                      "by PyTorch's formula\">est. achieved</th><th class=\"n w\">bandwidth</th>"
                    : "") +
      (has_shares ? "<th class=\"n\">% of DRAM</th>" : "") + "</tr></thead><tbody>\n";
  for (std::size_t i = 0; i < std::min(rows.size(), kMaxTableRows); ++i) {
    const KeyAverage& row = *rows[i];
    const std::int64_t call = row.calls > 0 ? total(row) / row.calls : 0;
    result += name_cell(row) + number_cell(row.calls, grouped_text(row.calls)) +
              number_cell(own(row), time_text_of(own(row))) + number_cell(own(row), share_of(own(row), all)) +
              number_cell(total(row), time_text_of(total(row))) + number_cell(call, time_text_of(call));
    if (has_device) {
      result += number_cell(row.device_ns, row.device_ns > 0 ? time_text_of(row.device_ns) : "");
    }
    if (has_flops) {
      const std::optional<double> rate = flop_rate_of(row);
      result += rate_cell(rate.value_or(0), rate ? level_text(*rate, "flop/s") : "", "n w");
    }
    if (has_peaks) {
      result += rate_cell(arithmetic_share_of(row).value_or(0), launch_texts(row).arithmetic_share, "n");
    }
    if (has_launches) result += launch_cells(row, has_shares);
    result += "</tr>\n";
  }
  result += "</tbody></table></div>\n";
  if (rows.size() > kMaxTableRows) {
    result += "<p class=\"dim\">" + plural_text(rows.size() - kMaxTableRows, "row") +
              " of less time not shown; --csv and --json have all.</p>\n";
  }
  return result;
}

// To a column of the timeline: numbers as the browser holds them, and in base64 in the end.
template <class T>
void add_number(std::string& column, T value) {
  static_assert(std::endian::native == std::endian::little, "typed arrays are");
  const auto bytes = std::bit_cast<std::array<char, sizeof(T)>>(value);
  column.append(bytes.data(), bytes.size());
}

// The events that the timeline shows, by index; all, or the longest.
std::vector<std::uint32_t> shown_events(const bench::Trace& trace) {
  std::vector<std::uint32_t> events(trace.events.size());
  for (std::size_t i = 0; i < events.size(); ++i) events[i] = static_cast<std::uint32_t>(i);
  if (events.size() <= kMaxTimelineEvents) return events;
  std::nth_element(events.begin(), events.begin() + static_cast<std::ptrdiff_t>(kMaxTimelineEvents), events.end(),
                   [&](std::uint32_t a, std::uint32_t b) {
                     const std::int64_t x = trace.events[a].duration_ns, y = trace.events[b].duration_ns;
                     return x != y ? x > y : a < b;
                   });
  events.resize(kMaxTimelineEvents);
  std::sort(events.begin(), events.end());
  return events;
}

// As the script may write it on a canvas.
std::string printed(const std::string& name) {
  constexpr std::size_t kMaxPrinted = 500;
  return shortened(printable_line(name, true), kMaxPrinted, true);
}

std::string track_name(const bench::TraceTrack& track) {
  // PyTorch has processes below 0.
  const std::string id = std::to_string(static_cast<std::int64_t>(track.process)) + "/" + std::to_string(track.id);
  return track.name.empty() ? id : track.name + " (" + id + ")";
}

struct Rate {
  std::string name;
  double intensity = 0;
  double rate = 0;
};

std::vector<Rate> rates_of(const bench::KeyAverages& averages) {
  constexpr std::size_t kMaxRates = 40;
  std::vector<Rate> rates;
  for (const KeyAverage& row : averages.rows) {
    const std::int64_t ns = row.device_ns > 0 ? row.device_ns : row.total_ns;
    if (!row.flops || !row.bytes || *row.flops <= 0 || *row.bytes <= 0 || ns <= 0) continue;
    rates.push_back({row_name(row), *row.flops / *row.bytes, *row.flops / (static_cast<double>(ns) / 1e9)});
    if (rates.size() == kMaxRates) break;
  }
  return rates;
}

// How much memory was in use, or was asked for, from which moment on.
struct MemoryCurve {
  std::string name;
  std::vector<std::pair<std::int64_t, std::int64_t>> points;  // by time: since Trace::start_unix_ns, bytes
};

std::vector<MemoryCurve> memory_curves(const bench::Trace& trace, const bench::TraceTree& tree) {
  std::vector<MemoryCurve> curves;
  std::map<std::uint32_t, std::size_t> known;
  for (const bench::TraceMemory& point : trace.memory) {
    const auto [place, is_new] = known.try_emplace(point.pool_text, curves.size());
    if (is_new) curves.push_back({trace.texts[point.pool_text] + " in use", {}});
    curves[place->second].points.emplace_back(point.at_ns, point.bytes);
  }
  MemoryCurve asked{"Asked for by the host's spans so far; what was given back is not known", {}};
  for (std::size_t i = 0; i < trace.events.size(); ++i) {
    const bench::TraceEvent& event = trace.events[i];
    const bool is_outermost = tree.parents[i] == bench::TraceTree::kNoParent;
    if (is_outermost && event.allocated_bytes) asked.points.emplace_back(event.end_ns(), *event.allocated_bytes);
  }
  std::stable_sort(asked.points.begin(), asked.points.end(),
                   [](const auto& a, const auto& b) { return a.first < b.first; });
  std::int64_t sum = 0;
  for (auto& [at, bytes] : asked.points) bytes = sum += bytes;
  if (sum > 0 && !trace.has_releases) curves.push_back(std::move(asked));
  return curves;
}

// As steps, at most one point a column: its highest.
std::string memory_html(const std::vector<MemoryCurve>& curves, const bench::TraceOverview& overview) {
  constexpr std::size_t kMaxCurves = 8, kColumns = 900;
  constexpr double kTall = 100;
  std::string result;
  for (std::size_t i = 0; i < std::min(curves.size(), kMaxCurves); ++i) {
    std::array<std::int64_t, kColumns> highest{};
    std::int64_t now = 0, peak = 1;
    std::size_t column = 0;
    const auto whole = static_cast<double>(std::max<std::int64_t>(overview.end_ns - overview.begin_ns, 1));
    const auto fill_until = [&](std::size_t end) {
      for (; column < end; ++column) highest.at(column) = std::max(highest.at(column), now);
    };
    for (const auto& [at, bytes] : curves[i].points) {
      const double share = std::clamp(static_cast<double>(at - overview.begin_ns) / whole, 0.0, 1.0);
      const auto place = std::min(kColumns - 1, static_cast<std::size_t>(share * kColumns));
      fill_until(place);
      now = bytes;
      highest.at(place) = std::max(highest.at(place), bytes);
      peak = std::max(peak, bytes);
    }
    fill_until(kColumns);
    std::string path = "M0 " + decimals_text(kTall, 0);
    for (std::size_t x = 0; x < kColumns; ++x) {
      const double y = kTall * (1 - static_cast<double>(highest.at(x)) / static_cast<double>(peak));
      path += "V" + decimals_text(y, 1) + "H" + std::to_string(x + 1);
    }
    const std::string caption = curves[i].name + ": at most " + level_text(static_cast<double>(peak), "bytes");
    result += "<figure class=\"memory\">" + element("figcaption", text(caption)) +
              "<svg viewBox=\"0 0 900 100\" preserveAspectRatio=\"none\" role=\"img\" aria-label=\"" + text(caption) +
              "\"><path d=\"" + path + "V100Z\"/></svg></figure>\n";
  }
  if (curves.size() > kMaxCurves) {
    result += element("p", plural_text(curves.size() - kMaxCurves, "pool") + " not shown.") + "\n";
  }
  return result;
}

// What bounds the rates: the arithmetic of each dtype, the fastest way to memory.
Json roofs_json(const bench::Trace& trace, std::vector<DeviceCeilings> ceilings) {
  for (const bench::TraceDevice& device : trace.devices) {
    if (auto found = bench::datasheet_ceilings(device.name)) ceilings.push_back(std::move(*found));
  }
  using Roof = std::pair<std::string, std::string>;  // the device, and what of it
  std::map<Roof, double> rates, slopes;
  for (const DeviceCeilings& device : ceilings) {
    for (const Ceiling& ceiling : device.ceilings) {
      const bool is_rate = ceiling.kind == CeilingKind::arithmetic;
      double& value = (is_rate ? rates : slopes)[{device.device, is_rate ? ceiling.dtype : ceiling.level}];
      value = std::max(value, ceiling.value);
    }
  }
  // Of one height are one line, whose names would lie on each other.
  const auto list = [](const std::map<Roof, double>& values) {
    std::map<std::pair<std::string, double>, std::string> lines;
    for (const auto& [roof, value] : values) {
      std::string& names = lines[{roof.first, value}];
      names += (names.empty() ? "" : ", ") + roof.second;
    }
    Json json = Json::array();
    for (const auto& [line, names] : lines) {
      json.push_back({{"name", printed(line.first + ' ' + names)}, {"value", line.second}});
    }
    return json;
  };
  return {{"rates", list(rates)}, {"slopes", list(slopes)}};
}

Json data_json(const bench::Trace& trace, const bench::TraceTree& tree, const bench::TraceOverview& overview,
               const std::vector<std::uint32_t>& events, const std::vector<Rate>& rates, Json roofs) {
  std::vector<std::uint8_t> depths(trace.events.size());
  for (std::size_t i = 0; i < trace.events.size(); ++i) {
    const std::uint32_t parent = tree.parents[i];
    if (parent != bench::TraceTree::kNoParent) depths[i] = static_cast<std::uint8_t>(std::min(255, depths[parent] + 1));
  }
  std::string begin, duration, name, shapes, kind, depth;
  std::vector<std::size_t> first(trace.tracks.size()), count(trace.tracks.size());
  std::vector<std::uint32_t> names(trace.texts.size()), texts(trace.texts.size());
  Json name_list = Json::array(), text_list = Json::array({""});
  for (std::size_t i = 0; i < events.size(); ++i) {
    const bench::TraceEvent& event = trace.events[events[i]];
    if (count[event.track]++ == 0) first[event.track] = i;
    if (names[event.name_text] == 0) {
      name_list.push_back(printed(trace.name_of(event)));
      names[event.name_text] = static_cast<std::uint32_t>(name_list.size());
    }
    if (event.shapes_text != 0 && texts[event.shapes_text] == 0) {
      texts[event.shapes_text] = static_cast<std::uint32_t>(text_list.size());
      text_list.push_back(printed(trace.texts[event.shapes_text]));
    }
    add_number(begin, static_cast<double>(event.begin_ns - overview.begin_ns));
    add_number(duration, static_cast<float>(event.duration_ns));
    add_number(name, names[event.name_text] - 1);
    add_number(shapes, event.shapes_text == 0 ? 0 : texts[event.shapes_text]);
    add_number(kind, static_cast<std::uint8_t>(event.kind));
    add_number(depth, depths[events[i]]);
  }
  Json tracks = Json::array(), kinds = Json::array(), points = Json::array();
  for (std::size_t i = 0; i < trace.tracks.size(); ++i) {
    if (count[i] > 0)
      tracks.push_back({{"name", printed(track_name(trace.tracks[i]))}, {"first", first[i]}, {"count", count[i]}});
  }
  for (int i = 0; i <= static_cast<int>(bench::TraceKind::other); ++i) {
    const auto one = static_cast<bench::TraceKind>(i);
    kinds.push_back({{"word", std::string(bench::words_of(one)[static_cast<std::size_t>(i)])},
                     {"device", bench::is_on_device(one)}});
  }
  std::vector<std::string> labels;
  for (const Rate& rate : rates) labels.push_back(rate.name);
  constexpr std::size_t kLongestLabel = 40;
  labels = fitted_names(labels, kLongestLabel);
  for (std::size_t i = 0; i < rates.size(); ++i) {
    points.push_back(
        {{"name", rates[i].name}, {"label", labels[i]}, {"intensity", rates[i].intensity}, {"rate", rates[i].rate}});
  }
  return {{"end", overview.end_ns - overview.begin_ns},
          {"tracks", tracks},
          {"kinds", kinds},
          {"names", name_list},
          {"texts", text_list},
          {"rates", points},
          {"roofs", std::move(roofs)},
          {"begin", base64_text(begin)},
          {"duration", base64_text(duration)},
          {"name", base64_text(name)},
          {"shapes", base64_text(shapes)},
          {"kind", base64_text(kind)},
          {"depth", base64_text(depth)}};
}

std::string head_html(const bench::Trace& trace, const bench::TraceOverview& overview, const std::string& title,
                      std::size_t shown) {
  std::string about = grouped_text(trace.events.size()) + (trace.events.size() == 1 ? " event on " : " events on ") +
                      plural_text(trace.tracks.size(), "track") + " in " +
                      time_text_of(overview.end_ns - overview.begin_ns);
  if (overview.steps > 0) {
    about += ", " + plural_text(overview.steps, "step");
  }
  if (!trace.program.empty()) about += "; " + trace.program;
  if (!trace.host.empty()) about += " on " + trace.host;
  std::string head = element("h1", text(title, 300)) + "\n" + element("p", text(about), "dim") + "\n";
  for (const std::string& line : missing_lines(trace)) head += element("p", text(line), "notice") + "\n";
  if (shown < trace.events.size()) {
    head += element("p",
                    "The timeline shows the longest " + grouped_text(shown) + " of " +
                        grouped_text(trace.events.size()) + " events.",
                    "notice") +
            "\n";
  }
  return head;
}

constexpr const char* kTimeline =
    "<section id=\"timeline\" hidden><h2>Timeline</h2>\n<form class=\"controls\" role=\"search\">"
    "<label>Find <input type=\"search\" id=\"find\" placeholder=\"part of a name\" autocomplete=\"off\" "
    "spellcheck=\"false\"></label><button type=\"button\" id=\"before\">Before</button><button type=\"button\" "
    "id=\"next\">Next</button><output id=\"found\" for=\"find\"></output><button type=\"button\" id=\"in\">Zoom "
    "in</button><button type=\"button\" id=\"out\">Zoom out</button><button type=\"button\" id=\"all\">All</button>"
    "</form>\n<div id=\"tracks\"><canvas tabindex=\"0\" role=\"application\" aria-label=\"Timeline of all "
    "tracks: w and s zoom, a and d move, 0 shows all\"></canvas><div></div></div>\n<p id=\"told\" "
    "aria-live=\"polite\">Point at "
    "an event, or choose one.</p>\n"
    "<p class=\"dim\">Drag to move; Ctrl and the wheel, or w and s, zoom; a and d move; 0 shows all; a double click "
    "goes to "
    "an event; / searches, Enter goes on. Where events are narrower than a pixel one stands for all of "
    "it.</p></section>\n";

std::string flame_html(const bench::Trace& trace, const std::string& title) {
  const TraceStacks stacks = trace_stacks(nullptr, trace, StackLimits{});
  if (stacks.tree.frames.empty()) return "";
  return "<figure>" + svg_flame_graph(stacks.profile, stacks.tree, {title, "", title}, SvgForm::inlined) +
         "</figure>\n";
}

}  // namespace

std::string html_trace(const bench::Trace& trace, const std::string& title,
                       const std::vector<DeviceCeilings>& ceilings) {
  const bench::TraceTree tree = bench::tree_of(trace);
  const bench::TraceOverview overview = bench::overview_of(trace, tree);
  const bench::KeyAverages averages = bench::key_averages(trace, tree);
  const std::vector<Rate> rates = rates_of(averages);
  const std::vector<std::uint32_t> events = shown_events(trace);
  const std::vector<std::pair<const char*, std::string>> sections{
      {"Findings", titled_section("findings", "Findings", findings_html(findings_of(trace, overview, tree)))},
      {"Overview", titled_section("overview", "Overview", uses_html(overview) + devices_html(overview))},
      {"Timeline", trace.events.empty() ? "" : kTimeline},
      {"Host", titled_section("host", "On the host", table_html(averages, false))},
      {"Devices", titled_section("devices", "On devices", table_html(averages, true))},
      {"Memory", titled_section("memory", "Memory", memory_html(memory_curves(trace, tree), overview))},
      {"Flame graph", titled_section("flame", "Flame graph of the host", flame_html(trace, title))},
      {"Roofline",
       titled_section("intensity", "Roofline",
                      rates.empty() ? ""
                                    : "<figure id=\"rates\"></figure>\n<p class=\"dim\">What spans say of their "
                                      "operations and bytes, over their time on devices, of those without any over "
                                      "their own. Above them what bounds them: a device's datasheet, and of --ceilings "
                                      "what `steelyard targets ceilings` measured.</p>\n")}};
  std::string links, content;
  constexpr std::array kIds{"findings", "overview", "timeline", "host", "devices", "memory", "flame", "intensity"};
  for (std::size_t i = 0; i < sections.size(); ++i) {
    if (sections[i].second.empty()) continue;
    links += "<a href=\"#" + std::string(kIds.at(i)) + "\">" + sections[i].first + "</a>\n";
    content += sections[i].second;
  }
  const std::string style = std::string(flame_style()) + std::string(kTraceStyle);
  return html::filled(
      kTracePage,
      {{"@title@", text(title, 300)},
       {"@policy@", html::content_security_policy(style, kTraceScript)},
       {"@style@", style},
       {"@body@", head_html(trace, overview, title, events.size()) + "<nav aria-label=\"Sections\">\n" + links +
                      "</nav>\n<main>\n" + content + "</main>\n"},
       {"@data@", html::script_text(data_json(trace, tree, overview, events, rates, roofs_json(trace, ceilings)))},
       {"@script@", std::string(kTraceScript)}});
}

}  // namespace steelyard::ci
