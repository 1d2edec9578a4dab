#include "ci/judging/backfill.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <set>
#include <tuple>
#include <utility>

#include "regress/ab/distributions.hpp"
#include "regress/ab/rules.hpp"
#include "regress/history/chain.hpp"

namespace steelyard::ci {
namespace {

using Places = std::map<std::string, std::size_t>;  // by sha

// Of a step without an interval: as if it could be anything within a factor of e.
constexpr double kUnknownError = 1;

std::optional<regress::ChainStep> chain_step(const storage::MeasuredStep& step, const Places& places) {
  const auto before = places.find(step.before);
  const auto after = places.find(step.after);
  if (before == places.end() || after == places.end() || !(step.ratio > 0)) return std::nullopt;
  const bool has_interval = step.low && step.high && *step.low > 0 && std::isfinite(*step.high);
  const bool is_known = has_interval && step.confidence > 0 && step.confidence < 1;
  const double half_widths = is_known ? regress::normal_quantile((1 + step.confidence) / 2) : 1;
  const double error = is_known ? std::log(*step.high / *step.low) / 2 / half_widths : kUnknownError;
  return regress::ChainStep{before->second, after->second, std::log(step.ratio), error};
}

struct LinkedSeries {
  std::string benchmark;
  std::string metric;
  std::vector<std::optional<regress::ChainedLevel>> levels;  // by place
};

// Of each series the levels over the first place; only places that have steps are looked at.
std::vector<LinkedSeries> linked_series(const std::vector<storage::MeasuredStep>& steps, const Places& places) {
  std::map<std::pair<std::string, std::string>, std::vector<regress::ChainStep>> of_series;
  std::set<std::size_t> used{0};
  for (const storage::MeasuredStep& step : steps) {
    const std::optional<regress::ChainStep> chained = chain_step(step, places);
    if (!chained) continue;
    of_series[{step.benchmark, step.metric}].push_back(*chained);
    used.insert({chained->before, chained->after});
  }
  const std::vector<std::size_t> numbered(used.begin(), used.end());
  const auto number_of = [&numbered](std::size_t place) {
    return static_cast<std::size_t>(std::lower_bound(numbered.begin(), numbered.end(), place) - numbered.begin());
  };
  std::vector<LinkedSeries> all;
  for (auto& [name, chain] : of_series) {
    for (regress::ChainStep& step : chain) {
      step.before = number_of(step.before);
      step.after = number_of(step.after);
    }
    LinkedSeries series{name.first, name.second, {}};
    series.levels.resize(places.size());
    const auto levels = regress::chained_levels(numbered.size(), chain, 0);
    for (std::size_t i = 0; i < numbered.size(); ++i) series.levels[numbered[i]] = levels[i];
    all.push_back(std::move(series));
  }
  return all;
}

// How surely a level differs between two places; 0: by less than anybody cares about.
double suspicion_of(const LinkedSeries& series, std::size_t before, std::size_t after, double minimum_effect) {
  const auto& from = series.levels[before];
  const auto& to = series.levels[after];
  if (!from || !to) return 0;
  const double change = to->log_ratio - from->log_ratio;
  if (!regress::is_relevant(std::exp(change), minimum_effect)) return 0;
  // One lies on the way to the other, or they part somewhere: no more than both errors together.
  const double error = std::hypot(from->standard_error, to->standard_error);
  constexpr double kSure = 1000;
  return error > 0 ? std::min(kSure, std::fabs(change) / error) : kSure;
}

class Backfilling {
 public:
  Backfilling(const std::vector<std::string>& line, const BackfillWorld& world, const BackfillLimits& limits)
      : line_(line), world_(world), limits_(limits), open_(line.size(), true) {
    for (std::size_t i = 0; i < line.size(); ++i) places_[line[i]] = i;
    report_.from = line.front();
    report_.to = line.back();
    report_.commits = line.size();
    open_.front() = false;
  }

  Result<BackfillReport> run() && {
    STEELYARD_CHECK(look());
    for (std::optional<Pair> next = next_pair(); next; next = next_pair()) {
      report_.interrupted = world_.cancelled();
      const Nanoseconds begun = world_.elapsed();
      report_.budget_spent = begun + longest_ > limits_.within;
      if (report_.interrupted || report_.budget_spent) break;
      STEELYARD_CHECK(measure(*next));
      longest_ = std::max(longest_, world_.elapsed() - begun);
    }
    report_.interrupted = report_.interrupted || world_.cancelled();
    tell_changes();
    return std::move(report_);
  }

 private:
  struct Pair {
    std::size_t before = 0;
    std::size_t after = 0;
  };

  bool is_linked(std::size_t place) const { return linked_.contains(place); }

  Result<void> look() {
    STEELYARD_TRY(const std::vector<storage::MeasuredStep> steps, world_.steps());
    series_ = linked_series(steps, places_);
    linked_ = {0};
    for (const LinkedSeries& series : series_) {
      for (std::size_t place = 0; place < series.levels.size(); ++place) {
        if (series.levels[place]) linked_.insert(place);
      }
    }
    for (const std::size_t place : linked_) open_[place] = false;
    report_.linked = linked_.size();
    with_parent_.clear();
    for (const storage::MeasuredStep& step : steps) {
      const std::optional<regress::ChainStep> chained = chain_step(step, places_);
      if (chained && chained->after == chained->before + 1) with_parent_.insert(chained->after);
    }
    report_.with_parent = with_parent_.size();
    return {};
  }

  std::vector<regress::ChainGap> gaps() const {
    std::vector<regress::ChainGap> gaps;
    for (auto one = linked_.begin(); std::next(one) != linked_.end(); ++one) {
      regress::ChainGap gap{*one, *std::next(one), 0};
      for (const LinkedSeries& series : series_) {
        gap.suspicion = std::max(gap.suspicion, suspicion_of(series, gap.before, gap.after, limits_.minimum_effect));
      }
      for (const storage::KeptChangePoint& point : world_.change_points) {
        const auto good = places_.find(point.last_good);
        const auto bad = places_.find(point.commit);
        if (point.gone || good == places_.end() || bad == places_.end()) continue;
        if (good->second < gap.after && bad->second > gap.before) {
          gap.suspicion = std::max(gap.suspicion, regress::kSuspicious);
        }
      }
      gaps.push_back(gap);
    }
    return gaps;
  }

  // A commit beside its parent that was held against others alone. `least`: how surely their levels differ.
  std::optional<Pair> beside_parent(const std::vector<regress::ChainGap>& gaps, double least) const {
    for (const regress::ChainGap& gap : gaps) {
      if (gap.after != gap.before + 1 || gap.suspicion < least) continue;
      if (!with_parent_.contains(gap.after) && !tried_.contains(gap.after)) return Pair{gap.before, gap.after};
    }
    return std::nullopt;
  }

  // The far end first: without it no stretch is known to have a change. A commit that is found to differ from its
  // parent is held against that at once, all others when nothing is left between.
  std::optional<Pair> next_pair() const {
    const auto with_older = [this](std::size_t place) { return Pair{*std::prev(linked_.lower_bound(place)), place}; };
    const std::size_t last_linked = *linked_.rbegin();
    for (std::size_t place = line_.size() - 1; place > last_linked; --place) {
      if (open_[place]) return with_older(place);
    }
    const std::vector<regress::ChainGap> found = gaps();
    if (const std::optional<Pair> differing = beside_parent(found, regress::kSuspicious)) return differing;
    if (const std::optional<std::size_t> between = regress::next_in_gaps(found, open_)) return with_older(*between);
    return beside_parent(found, 0);
  }

  Result<void> measure(const Pair& pair) {
    BackfillStep step{line_[pair.before], line_[pair.after]};
    open_[pair.after] = false;
    if (pair.after == pair.before + 1) tried_.insert(pair.after);
    if (const Result<void> done = world_.measure(step.before, step.after); !done) {
      if (done.error().kind != ErrorKind::program) return done.error();
      if (world_.cancelled()) return {};
      step.trouble = done.error().text();
    }
    if (step.trouble.empty()) STEELYARD_CHECK(look());
    const bool is_held = pair.after == pair.before + 1 ? with_parent_.contains(pair.after) : is_linked(pair.after);
    if (step.trouble.empty() && !is_held) step.trouble = "nothing of it could be held against the other";
    report_.steps.push_back(step);
    if (world_.told) world_.told(step, linked_.size());
    return {};
  }

  void tell_changes() {
    std::vector<std::pair<double, BackfillChange>> found;
    for (const regress::ChainGap& gap : gaps()) {
      for (const LinkedSeries& series : series_) {
        const double suspicion = suspicion_of(series, gap.before, gap.after, limits_.minimum_effect);
        if (suspicion < regress::kSuspicious) continue;
        const double change = series.levels[gap.after]->log_ratio - series.levels[gap.before]->log_ratio;
        found.emplace_back(suspicion,
                           BackfillChange{series.benchmark, series.metric, line_[gap.before], line_[gap.after],
                                          std::exp(change), static_cast<std::int64_t>(gap.after - gap.before - 1)});
      }
    }
    std::stable_sort(found.begin(), found.end(), [](const auto& a, const auto& b) { return a.first > b.first; });
    for (auto& [suspicion, change] : found) report_.left.push_back(std::move(change));
  }

  const std::vector<std::string>& line_;
  const BackfillWorld& world_;
  const BackfillLimits& limits_;
  Places places_;
  std::vector<bool> open_;  // that may still be measured
  std::set<std::size_t> linked_;
  std::set<std::size_t> with_parent_;  // held against it, in this session or before
  std::set<std::size_t> tried_;        // to be held against it, in this session
  std::vector<LinkedSeries> series_;
  Nanoseconds longest_;
  BackfillReport report_;
};

}  // namespace

Result<BackfillReport> backfill(const std::vector<std::string>& line, const BackfillWorld& world,
                                const BackfillLimits& limits) {
  return Backfilling(line, world, limits).run();
}

ChainedSeries chained_series(storage::HistorySeries series, const std::vector<storage::MeasuredStep>& steps,
                             const std::set<std::string>& more_names) {
  std::vector<storage::HistoryPoint> points;
  Places places;
  for (storage::HistoryPoint& point : series.points) {
    if (point.commit.empty() || places.contains(point.commit)) continue;
    places[point.commit] = points.size();
    points.push_back(std::move(point));
  }
  series.points.clear();
  std::vector<regress::ChainStep> chain;
  std::optional<std::size_t> newest;
  for (const storage::MeasuredStep& step : steps) {
    if (step.metric != series.metric.name || step.fingerprint != series.fingerprint) continue;
    const auto& earlier = series.earlier_names;
    const bool is_its_name = step.benchmark == series.benchmark || more_names.contains(step.benchmark) ||
                             std::find(earlier.begin(), earlier.end(), step.benchmark) != earlier.end();
    if (!is_its_name) continue;
    // Commits without a point are places behind those that have one.
    for (const std::string& commit : {step.before, step.after}) places.try_emplace(commit, places.size());
    const std::optional<regress::ChainStep> chained = chain_step(step, places);
    if (!chained) continue;
    chain.push_back(*chained);
    for (const std::size_t place : {chained->before, chained->after}) {
      if (place < points.size()) newest = std::max(newest.value_or(0), place);
    }
  }
  ChainedSeries whole{std::move(series), {}, 1};
  std::vector<std::optional<regress::ChainedLevel>> levels(points.size());
  if (newest) levels = regress::chained_levels(places.size(), chain, *newest);
  const double half_widths = regress::normal_quantile(0.975);
  std::optional<std::size_t> oldest;
  for (std::size_t place = 0; place < points.size(); ++place) {
    if (!levels[place]) {
      whole.unlinked.push_back(points[place].commit);
      continue;
    }
    if (!oldest) oldest = place;
    storage::HistoryPoint point = points[place];
    point.value = points[*oldest].value * std::exp(levels[place]->log_ratio - levels[*oldest]->log_ratio);
    whole.series.points.push_back(std::move(point));
    whole.widest = std::max(whole.widest, std::exp(half_widths * levels[place]->standard_error));
  }
  return whole;
}

std::vector<ChainedSeries> chained_page(std::vector<storage::HistorySeries> page,
                                        const std::vector<storage::MeasuredStep>& steps,
                                        const std::vector<BenchmarkRename>& renames) {
  std::map<std::string, std::set<std::string>> earlier;  // by today's name
  std::set<std::string> known;
  for (const storage::MeasuredStep& step : steps) {
    if (renames.empty() || !known.insert(step.benchmark).second) continue;
    earlier[current_name(renames, step.benchmark)].insert(step.benchmark);
  }
  const auto place_of = [](const storage::HistorySeries& series, const std::string& name) {
    return std::tuple(series.project, series.metric.name, series.fingerprint, name);
  };
  std::set<std::tuple<std::string, std::string, std::string, std::string>> apart;
  for (const storage::HistorySeries& series : page) apart.insert(place_of(series, series.benchmark));
  std::vector<ChainedSeries> chained;
  for (storage::HistorySeries& series : page) {
    std::set<std::string> names = earlier[series.benchmark];
    std::erase_if(names, [&](const std::string& name) { return apart.contains(place_of(series, name)); });
    chained.push_back(chained_series(std::move(series), steps, names));
  }
  return chained;
}

}  // namespace steelyard::ci
