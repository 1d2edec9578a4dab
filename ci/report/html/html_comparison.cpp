// The report as one page for a browser: a CI artifact that is opened from a disk, years later, without a network.
#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "bench/model/number_text.hpp"
#include "bench/model/text.hpp"
#include "ci/report/comparison.hpp"
#include "ci/report/findings.hpp"
#include "ci/report/flame/flame_graph.hpp"
#include "ci/report/headline.hpp"
#include "ci/report/html/comparison_page.hpp"
#include "ci/report/html/html_rows.hpp"
#include "ci/report/next_steps.hpp"
#include "ci/report/promise.hpp"
#include "ci/report/reasons.hpp"
#include "ci/report/targets.hpp"

namespace steelyard::ci {
namespace {

using html::element;
using html::text;

constexpr std::size_t kLongestHtmlLine = 2000;  // columns
constexpr std::size_t kMaxHtmlLines = 200;      // of warnings, of differences

std::string section(const char* id, const std::string& title, const std::string& content) {
  if (content.empty()) return "";
  return "<section id=\"" + std::string(id) + "\"><h2>" + title + "</h2>\n" + content + "</section>\n";
}

std::string list(const std::vector<std::string>& lines) {
  if (lines.empty()) return "";
  std::string items;
  for (std::size_t i = 0; i < std::min(lines.size(), kMaxHtmlLines); ++i) {
    items += element("li", text(lines[i], kLongestHtmlLine)) + "\n";
  }
  if (lines.size() > kMaxHtmlLines) items += "<li>and " + std::to_string(lines.size() - kMaxHtmlLines) + " more</li>\n";
  return "<ul>\n" + items + "</ul>\n";
}

// A term and what it is; nothing where that is empty.
std::string entry(const char* term, const std::string& content) {
  return content.empty() ? "" : "<dt>" + std::string(term) + "</dt><dd>" + content + "</dd>\n";
}

std::string names_or(const std::vector<std::string>& words, const char* otherwise) {
  const std::string result = joined_text(words, ", ");
  return text(result.empty() ? otherwise : result, kLongestHtmlLine);
}

std::string side_html(const RunHeader& header) {
  std::string result;
  if (!header.commit.sha.empty()) {
    result = element("code", text(shown_sha(header.commit.sha) + (header.commit.dirty ? "+" : "")));
  }
  const std::string& about = header.commit.subject.empty() ? header.program : header.commit.subject;
  if (!about.empty()) result += (result.empty() ? "" : " ") + text(about, 200);
  return result.empty() ? "run " + element("code", text(header.id.substr(0, 12))) : result;
}

std::string policy_table(const ComparisonPolicy& policy) {
  if (policy.patterns.empty()) return "";
  std::string table =
      "<div class=\"scroll\"><table class=\"policy\"><thead><tr><th>benchmarks</th><th>minimum "
      "effect</th><th>margin</th>"
      "<th>counted minimum effect</th><th>gates</th><th>owner</th><th>where</th></tr></thead><tbody>\n";
  const auto share = [](const std::optional<double>& value) { return value ? text(share_text(*value)) : ""; };
  for (std::size_t i = 0; i < std::min(policy.patterns.size(), kMaxHtmlLines); ++i) {
    const PatternPolicy& one = policy.patterns[i];
    const std::string gates = one.gates ? names_or(*one.gates, "nothing") : "";
    table += "<tr>" + element("td", element("code", text(one.match, 300))) + element("td", share(one.minimum_effect)) +
             element("td", share(one.margin)) + element("td", share(one.counted_minimum_effect)) +
             element("td", gates) + element("td", text(one.owner, 200)) + element("td", text(one.where, 200)) +
             "</tr>\n";
  }
  return table + "</tbody></table></div>\n";
}

std::string policy_section(const Comparison& comparison) {
  const ComparisonPolicy& policy = comparison.policy;
  std::string entries = entry("false alarm rate of the whole", text(share_text(policy.false_alarm_rate))) +
                        entry("confidence of intervals", text(share_text(policy.confidence))) +
                        entry("minimum effect", text(share_text(policy.minimum_effect))) +
                        entry("margin of unchanged", text(share_text(policy.margin))) +
                        entry("counted minimum effect", text(share_text(policy.counted_minimum_effect))) +
                        entry("witness", text(std::string(to_text(policy.witness)))) +
                        entry("metrics", names_or(policy.metrics, "real_time and every counted one")) +
                        entry("gates", names_or(policy.gates, "by default, of those judged"));
  if (!policy.ignored_facts.empty()) entries += entry("facts that may differ", names_or(policy.ignored_facts, ""));
  entries += entry("seed", std::to_string(policy.seed)) + entry("rules", text(comparison.rule_version));
  return section("policy", "Policy", "<dl>\n" + entries + "</dl>\n" + policy_table(policy));
}

std::string run_cells(const char* term, const std::string& baseline, const std::string& candidate) {
  if (baseline.empty() && candidate.empty()) return "";
  return "<tr><th scope=\"row\">" + std::string(term) + "</th>" + element("td", baseline) + element("td", candidate) +
         "</tr>\n";
}

std::string runs_section(const Comparison& comparison) {
  const auto row = [&](const char* term, auto value) {
    return run_cells(term, text(value(comparison.baseline), 400), text(value(comparison.candidate), 400));
  };
  const auto day = [](std::int64_t unix_s) { return unix_s > 0 ? date_text(unix_s) : std::string(); };
  std::string table =
      "<div class=\"scroll\"><table class=\"runs\"><thead><tr><th></th><th>baseline</th><th>candidate</th>"
      "</tr></thead><tbody>\n";
  table += row("commit", [](const RunHeader& one) { return one.commit.sha + (one.commit.dirty ? " +" : ""); });
  table += row("subject", [](const RunHeader& one) { return one.commit.subject; });
  table += row("branch", [](const RunHeader& one) { return one.commit.branch; });
  table += row("committed", [&](const RunHeader& one) { return day(one.commit.committed_at_unix_s); });
  table += row("program", [](const RunHeader& one) { return one.program; });
  table += row("project", [](const RunHeader& one) { return one.project; });
  table += row("run", [](const RunHeader& one) { return one.id; });
  table += row("measured", [](const RunHeader& one) {
    return one.created_at_unix_ns > 0 ? time_text(one.created_at_unix_ns) : std::string();
  });
  table += row("with", [](const RunHeader& one) { return one.tool; });
  table +=
      run_cells("machine", text(comparison.baseline_fingerprint, 100), text(comparison.candidate_fingerprint, 100));
  std::size_t settings = 0;
  for (const auto& [name, value] : comparison.candidate.settings) {
    if (++settings > kMaxHtmlLines) break;
    const auto before = comparison.baseline.settings.find(name);
    const std::string baseline = before == comparison.baseline.settings.end() ? "" : before->second;
    table += run_cells(text(name, 100).c_str(), text(baseline, 400), text(value, 400));
  }
  return section("runs", "Runs", table + "</tbody></table></div>\n");
}

std::string measured_section(const Comparison& comparison) {
  std::vector<std::string> lines;
  for (std::string line :
       {promise_line(comparison), margin_line(comparison), gate_line(comparison), measured_sentence(comparison),
        policy_line(comparison), drift_line(comparison), levels_line(comparison), equality_line(comparison)}) {
    if (!line.empty()) lines.push_back(std::move(line));
  }
  const bool any_detectable = std::any_of(comparison.rows.begin(), comparison.rows.end(),
                                          [](const auto& row) { return row.minimum_detectable_effect.has_value(); });
  if (any_detectable) lines.push_back("Detectable: the smallest change that 4 of 5 such measurements would find.");
  return section("measured", "What it is worth, and how it was measured", html::paragraphs(lines, kMaxHtmlLines));
}

std::string next_section(const Comparison& comparison, SidesFrom from) {
  std::string items;
  for (const NextStep& next : next_steps(comparison, from)) {
    items += "<li>" + text(next.advice, kLongestHtmlLine) +
             (next.command.empty() ? "" : ": " + element("code", text(next.command, kLongestHtmlLine))) + "</li>\n";
  }
  return section("next", "Next", items.empty() ? "" : "<ul>\n" + items + "</ul>\n");
}

// What the page may still hold.
class Room {
 public:
  explicit Room(std::size_t bytes) : left_(bytes) {}
  bool take(std::size_t bytes) {
    if (bytes > left_) return false;
    left_ -= bytes;
    return true;
  }
  std::size_t left() const { return left_; }

 private:
  std::size_t left_;
};

class ComparisonPage {
 public:
  ComparisonPage(const Comparison& comparison, const PageEvidence& evidence, const TargetReport& targets,
                 std::size_t most_bytes)
      : comparison_(comparison),
        evidence_(evidence),
        targets_(targets),
        most_bytes_(most_bytes),
        rows_(comparison, evidence.baseline, evidence.candidate, evidence.explanations),
        findings_(findings_of(comparison)),
        style_(std::string(flame_style()) + std::string(distributions_style()) + std::string(kComparisonStyle)),
        head_(head()),
        room_(most_bytes) {
    // The frame, and the sentences that say what was left out.
    constexpr std::size_t kFrame = 8192;
    const std::size_t fixed = kComparisonPage.size() + style_.size() + kComparisonScript.size() + head_.size() + kFrame;
    room_ = Room(most_bytes - std::min(most_bytes, fixed));
  }

  std::string write() {
    const std::size_t all = room_.left();
    sections();
    tell_findings(all / 3);
    lines();
    flame_graphs(all / 4);
    explanations();
    pictures();
    return html::filled(kComparisonPage, {{"@title@", text("Performance: " + summary_line(comparison_), 200)},
                                          {"@policy@", html::content_security_policy(style_, kComparisonScript)},
                                          {"@style@", style_},
                                          {"@body@", body()},
                                          {"@data@", rows_.data(lines_.size())},
                                          {"@script@", std::string(kComparisonScript)}});
  }

 private:
  struct Line {
    const ComparisonRow* row = nullptr;
    std::string text;    // in the table
    std::string behind;  // its reason; its explanation, where there is room
    std::string picture;
  };
  struct Article {
    const Finding* finding = nullptr;
    std::string text;
    std::string flame_graph;
  };

  std::string head() const {
    const bool any_missed = targets_.count_by_verdict().at(static_cast<std::size_t>(TargetVerdict::missed)) > 0;
    const Verdict worst = any_missed ? Verdict::regression : headline_verdict(comparison_);
    const std::string promised = target_summary(targets_);
    const std::string counts = summary_line(comparison_);
    const std::optional<NoChangeAnswer> doubtful = doubtful_answer(comparison_);
    const std::string advice = doubtful ? deciding_text(deciding_step(comparison_, evidence_.from)) : "";
    return "<header>\n<h1 class=\"" + std::string(to_text(worst)) + "\">" + html::mark(worst) + " " +
           text(doubtful ? doubtful->text : "Performance: " + counts) +
           (promised.empty() ? "" : "; " + text(promised)) + "</h1>\n" +
           (doubtful ? element("p", text(counts + advice, kLongestHtmlLine)) + "\n" : "") + "<dl>\n" +
           entry("baseline", side_html(comparison_.baseline)) + entry("candidate", side_html(comparison_.candidate)) +
           "</dl>\n</header>\n";
  }

  // Small as a rule; one that is not is left out before a row is.
  void sections() {
    const auto keep = [&](const char* what, std::string content) {
      const bool fits = content.size() <= room_.left() / 4 && room_.take(content.size());
      if (!fits) cut_.emplace_back(what);
      return fits ? std::move(content) : std::string();
    };
    promises_ = keep("the targets", section("targets", "Targets", promises()));
    undecided_ = keep("why rows are undecided", section("undecided", "No answer", undecided()));
    next_ = keep("what to do next", next_section(comparison_, evidence_.from));
    measured_ = keep("how it was measured", measured_section(comparison_));
    warnings_ = keep("the warnings", section("warnings", "Warnings", list(warning_lines(comparison_))));
    differences_ = keep("what differs between the environments",
                        section("environment", "The environments differ", list(environment_lines(comparison_))));
    policy_ = keep("the policy", policy_section(comparison_));
    runs_ = keep("the runs", runs_section(comparison_));
  }

  std::string promises() const {
    std::string table = html_targets(targets_);
    return table + list(targets_.warnings) + (targets_.hint.empty() ? "" : element("p", text(targets_.hint), "dim"));
  }

  // Rows with one cause are told together, as in the other reports; what changed is a finding.
  std::string undecided() const {
    constexpr std::size_t kMaxNamed = 12;
    std::string result;
    for (const SharedReason& shared : groups_by_reason(comparison_)) {
      const Verdict verdict = shared.groups.front().verdict;
      if (shared.texts.empty() || (verdict != Verdict::inconclusive && verdict != Verdict::unchanged)) continue;
      const std::size_t count = shared.groups.size();
      const std::string names = some_joined(shared.groups, kMaxNamed, ", ", " and ",
                                            [&](const RowGroup& group) { return link(*group.rows.front()); });
      result += "<article class=\"finding " + std::string(to_text(verdict)) + "\"><h3>" + html::mark(verdict) + " " +
                plural_text(count, "benchmark") + " " + std::string(to_text(verdict)) + "</h3>\n" +
                html::paragraphs(shared.texts, kMaxHtmlLines);
      const std::string detectable = verdict == Verdict::inconclusive ? detectable_line(rows_of(shared)) : "";
      if (!detectable.empty()) result += element("p", text(detectable, kLongestHtmlLine)) + "\n";
      result += element("p", names, "dim") + "</article>\n";
    }
    return result;
  }

  std::string link(const ComparisonRow& row) const {
    return "<a href=\"#row-" + std::to_string(rows_.rank(row)) + "\">" + rows_.name(row) + "</a>";
  }

  void tell_findings(std::size_t most) {
    Room room(std::min(most, room_.left()));
    for (const Finding& finding : findings_) {
      std::string told = finding_text(finding);
      // Once one did not fit no lesser one may stand in its place.
      if (!room.take(told.size() + 32) || !room_.take(told.size() + 32)) break;
      articles_.push_back({&finding, std::move(told), ""});
    }
    count_cut(findings_.size() - articles_.size(), findings_.size(), "finding");
  }

  std::string finding_text(const Finding& finding) const {
    const std::string subject = element("code", text(finding_words(finding).subject, 400));
    std::string result = "<article class=\"finding " + std::string(to_text(finding.kind)) + "\"><h3>" +
                         html::mark(finding.kind) + " " + subject + " " +
                         element("span", std::string(to_text(finding.kind)), "tag");
    const std::size_t count = finding.benchmarks.size();
    if (count > 1) result += " " + element("span", plural_text(count, "benchmark"), "tag");
    if (finding.kind == Verdict::regression && !finding.gates) result += " " + element("span", "does not gate", "tag");
    result += "</h3>\n";
    const std::string ranges = ranges_text(finding);
    if (!ranges.empty()) {
      const bool any_worst = count > 1 && finding.worst != nullptr;
      result += "<p>" + text(ranges) + (any_worst ? ", worst " + link(*finding.worst) : "") + "</p>\n";
    }
    const bool is_changed = is_change(finding.kind);
    if (!is_changed && finding.kind != Verdict::fresh) {
      result += element("p", text(finding.rows.front()->reason, kLongestHtmlLine)) + "\n";
    }
    constexpr std::size_t kMaxNotes = 12;
    result += html::paragraphs(finding_notes(comparison_, rows_.index(), finding), kMaxNotes);
    if (finding.explained == nullptr) return result + members(finding);
    // Costs of different benchmarks cannot be added: the functions are one benchmark's, and it is named.
    if (count > 1) result += "<p>The functions behind " + link(*finding.explained) + ":</p>\n";
    return result + rows_.functions(*finding.explained) + members(finding);
  }

  // The rows of a finding under each other, so that the eye compares their bars.
  std::string members(const Finding& finding) const {
    constexpr std::size_t kMaxMembersShown = 1000;
    constexpr std::size_t kMaxOpen = 12;
    std::string table = "<div class=\"scroll\"><table class=\"members\">";
    for (std::size_t i = 0; i < std::min(finding.rows.size(), kMaxMembersShown); ++i) {
      const ComparisonRow& row = *finding.rows[i];
      table += "<tr><td>" + link(row) + "</td>" + element("td", text(metric_label(row.metric), 160)) +
               element("td", row.ratio ? text(change_text(*row.ratio)) : "", "n c") +
               element("td", html::RowWriter::bar(row), "i") + "</tr>\n";
    }
    table += "</table></div>\n";
    if (finding.rows.size() > kMaxMembersShown) {
      table += "<p class=\"dim\">and " + std::to_string(finding.rows.size() - kMaxMembersShown) + " more rows</p>\n";
    }
    return "<details" + std::string(finding.rows.size() <= kMaxOpen ? " open" : "") + "><summary>" +
           plural_text(finding.rows.size(), "row") + "</summary>\n" + table + "</details>\n";
  }

  void lines() {
    // The table's tags, and an entry of the data.
    constexpr std::size_t kAround = 400;
    constexpr std::size_t kMetric = 4096;  // the longest name of one, escaped, that the data may have to hold as well
    for (const ComparisonRow* row : rows_.rows()) {
      Line line{row, rows_.line(*row), rows_.reason(*row), ""};
      const std::size_t metric = std::min(6 * row->metric.name.size(), kMetric);
      if (!room_.take(line.text.size() + line.behind.size() + kAround + metric)) break;
      lines_.push_back(std::move(line));
    }
    count_cut(rows_.rows().size() - lines_.size(), rows_.rows().size(), "row");
  }

  // Of each finding one: the benchmark whose functions stand for all.
  void flame_graphs(std::size_t most) {
    Room room(std::min(most, room_.left()));
    std::size_t wanted = 0, excluded = 0;
    for (Article& article : articles_) {
      const ComparisonRow* row = article.finding->explained;
      if (row == nullptr) continue;
      const auto joined = changed_profile(row->benchmark, evidence_.baseline, evidence_.candidate);
      if (!joined || !*joined) continue;
      ++wanted;
      const FlameCaption caption = change_caption(row->benchmark, comparison_.baseline, comparison_.candidate);
      std::string picture = "<details><summary>Flame graph of both profiles of " + rows_.name(*row) +
                            "</summary>\n<figure>" +
                            svg_flame_graph(**joined, unfold(**joined, StackLimits{}), caption, SvgForm::inlined) +
                            "</figure></details>\n";
      if (room.take(picture.size()) && room_.take(picture.size())) {
        article.flame_graph = std::move(picture);
      } else {
        ++excluded;
      }
    }
    count_cut(excluded, wanted, "flame graph");
  }

  void explanations() {
    std::size_t excluded = 0;
    for (Line& line : lines_) {
      std::string steps = rows_.steps(*line.row);
      if (excluded == 0 && room_.take(steps.size())) {
        line.behind = std::move(steps);
      } else {
        ++excluded;
      }
    }
    count_cut(excluded, lines_.size(), "explanation");
  }

  void pictures() {
    std::size_t wanted = 0, excluded = 0;
    for (Line& line : lines_) {
      std::string picture = rows_.picture(*line.row);
      if (picture.empty()) continue;
      ++wanted;
      if (excluded == 0 && room_.take(picture.size())) {
        line.picture = std::move(picture);
      } else {
        ++excluded;
      }
    }
    count_cut(excluded, wanted, "picture");
  }

  void count_cut(std::size_t excluded, std::size_t all, const char* noun) {
    if (excluded == 0) return;
    cut_.push_back(grouped_text(excluded) + " of " + plural_text(all, noun));
  }

  std::string cut() const {
    if (cut_.empty()) return "";
    const std::string what = joined_text(cut_, ", ");
    return element("p",
                   "This page holds " + text(level_text(static_cast<double>(most_bytes_), "bytes")) +
                       " at most. Excluded, the least important first: " + text(what) + ".",
                   "notice") +
           "\n";
  }

  std::string table() const {
    if (lines_.empty()) return "";
    std::string result =
        "<form id=\"controls\" role=\"search\" hidden>\n"
        "<label>Benchmark <input type=\"search\" id=\"find\" placeholder=\"part of a name; * and ? as in a pattern\""
        " autocomplete=\"off\" spellcheck=\"false\"></label>\n"
        "<label>Metric <select id=\"metric\" autocomplete=\"off\"><option value=\"\">all</option></select></label>\n"
        "<fieldset id=\"verdicts\"><legend>Verdict</legend></fieldset>\n"
        "<button type=\"button\" id=\"reset\">Show all</button>\n"
        "<button type=\"button\" id=\"open\">Explain these</button>\n"
        "<output id=\"shown\" for=\"find metric verdicts\"></output>\n</form>\n"
        "<p class=\"dim\">Bars reach from -20 % to +25 %, their band is the minimum effect. A ticked row shows what is "
        "behind its verdict.</p>\n"
        "<table id=\"all\"><thead><tr><th data-sort=\"verdict\">verdict</th><th data-sort=\"name\">benchmark</th>"
        "<th data-sort=\"metric\">metric</th><th class=\"n w\" data-sort=\"baseline\">baseline</th>"
        "<th class=\"n w\" data-sort=\"candidate\">candidate</th><th class=\"n\" data-sort=\"change\">change</th>"
        "<th>interval</th><th class=\"n w\" data-sort=\"detectable\">detectable</th>"
        "<th class=\"n w\" data-sort=\"q\">q</th></tr></thead>\n";
    for (std::size_t i = 0; i < lines_.size(); ++i) {
      const Line& line = lines_[i];
      result += fmt::format(
          "<tbody id=\"row-{}\" class=\"{}\">\n{}<tr class=\"why\"><td "
          "colspan=\"9\"><div>\n{}{}</div></td></tr></tbody>\n",
          i + 1, to_text(line.row->verdict), line.text, line.picture, line.behind);
    }
    return result + "</table>\n<p id=\"nothing\" hidden>No row is of that kind.</p>\n";
  }

  std::string body() const {
    std::string findings;
    for (const Article& article : articles_) findings += article.text + article.flame_graph + "</article>\n";
    if (findings_.empty()) {
      const std::optional<NoChangeAnswer> answer = no_change_answer(comparison_);
      findings = element("p", answer ? text(answer->text) : "Nothing was compared.") + "\n";
    }
    std::string links;
    const auto linked = [&](const char* id, const char* words, const std::string& content) {
      if (!content.empty()) links += "<a href=\"#" + std::string(id) + "\">" + words + "</a>\n";
      return content;
    };
    std::string content = linked("findings", "Findings", section("findings", "Findings", findings));
    content += linked("targets", "Targets", promises_);
    content += linked("undecided", "No answer", undecided_);
    content += linked("next", "Next", next_);
    content += linked("rows", "All rows", section("rows", "All rows", table()));
    content += linked("measured", "How it was measured", measured_);
    content += linked("warnings", "Warnings", warnings_);
    content += linked("environment", "Environment", differences_);
    content += linked("policy", "Policy", policy_);
    content += linked("runs", "Runs", runs_);
    return head_ + cut() + "<nav aria-label=\"Sections\">\n" + links + "</nav>\n<main>\n" + content + "</main>\n";
  }

  const Comparison& comparison_;
  const PageEvidence& evidence_;
  const TargetReport& targets_;
  std::size_t most_bytes_;
  html::RowWriter rows_;
  std::vector<Finding> findings_;  // outlives articles_
  std::string style_;
  std::string head_;
  Room room_;
  std::string promises_, undecided_, next_, measured_, warnings_, differences_, policy_, runs_;
  std::vector<Article> articles_;
  std::vector<Line> lines_;
  std::vector<std::string> cut_;  // what was excluded, in words
};

}  // namespace

std::string html_report(const Comparison& comparison, const PageEvidence& evidence, const TargetReport& targets,
                        std::size_t most_bytes) {
  return ComparisonPage(comparison, evidence, targets, most_bytes).write();
}

}  // namespace steelyard::ci
