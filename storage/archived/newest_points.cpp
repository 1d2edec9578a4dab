#include "storage/archived/newest_points.hpp"

#include <algorithm>
#include <tuple>
#include <unordered_map>
#include <utility>

namespace steelyard {
namespace {

struct PointPlace {
  std::int64_t position = 0;
  bool on_branch = true;
};
using Places = std::unordered_map<std::string, PointPlace>;

Places places_of(const BranchOrder& order) {
  Places places;
  for (std::size_t i = 0; i < order.commits.size(); ++i) {
    places.emplace(order.commits[i], PointPlace{static_cast<std::int64_t>(i), true});
  }
  for (const OffCommit& off : order.off) places.emplace(off.sha, PointPlace{off.after, false});
  return places;
}

// Runs without a commit stand where they were taken, among the others.
std::vector<std::size_t> merged_by_date(const std::vector<std::size_t>& placed, const std::vector<std::size_t>& others,
                                        const std::vector<ArchivedRun>& runs) {
  std::vector<std::size_t> newest_first;
  auto other = others.begin();
  for (const std::size_t one : placed) {
    for (; other != others.end() && runs[*other].place_unix_ns > runs[one].place_unix_ns; ++other) {
      newest_first.push_back(*other);
    }
    newest_first.push_back(one);
  }
  newest_first.insert(newest_first.end(), other, others.end());
  return newest_first;
}

void order_project(const Places& places, const std::vector<std::size_t>& own, std::vector<ArchivedRun>& runs) {
  std::vector<std::size_t> placed;
  std::vector<std::size_t> others;
  for (const std::size_t i : own) {
    const auto place = places.find(runs[i].commit);
    if (place != places.end()) runs[i].is_off_branch = !place->second.on_branch;
    (place == places.end() ? others : placed).push_back(i);
  }
  const auto by_date = [&](std::size_t a, std::size_t b) {
    return std::tie(runs[a].place_unix_ns, runs[a].at_unix_ns, runs[a].id) >
           std::tie(runs[b].place_unix_ns, runs[b].at_unix_ns, runs[b].id);
  };
  std::sort(others.begin(), others.end(), by_date);
  std::sort(placed.begin(), placed.end(), [&](std::size_t a, std::size_t b) {
    const PointPlace& of_a = places.at(runs[a].commit);
    const PointPlace& of_b = places.at(runs[b].commit);
    if (of_a.position != of_b.position) return of_a.position > of_b.position;
    if (of_a.on_branch != of_b.on_branch) return of_b.on_branch;
    return by_date(a, b);
  });
  const std::vector<std::size_t> newest_first = merged_by_date(placed, others, runs);
  for (std::size_t i = 0; i < newest_first.size(); ++i) {
    runs[newest_first[i]].rank = static_cast<std::int64_t>(newest_first.size() - i);
  }
}

// As a store takes them: others say nothing of who descends from whom.
bool is_hash(const std::string& text) {
  return text.size() >= 40 && text.size() <= 64 && text.find_first_not_of("0123456789abcdef") == std::string::npos;
}

}  // namespace

bool NewestPoints::SeriesKey::operator<(const SeriesKey& other) const {
  const auto sorted = [](const SeriesKey& key) {
    return std::tuple<const std::string&, const std::string&, const std::string&, const std::string&, std::string_view,
                      std::string_view, const std::string&>(key.benchmark, key.project, key.metric.name,
                                                            key.metric.unit, to_text(key.metric.better),
                                                            to_text(key.metric.kind), key.fingerprint);
  };
  return sorted(*this) < sorted(other);
}

bool NewestPoints::is_older(const Point& a, const Point& b) const {
  const ArchivedRun& of_a = runs_[a.run];
  const ArchivedRun& of_b = runs_[b.run];
  return std::tie(of_a.rank, of_a.place_unix_ns, of_a.at_unix_ns, of_a.id, a.position) <
         std::tie(of_b.rank, of_b.place_unix_ns, of_b.at_unix_ns, of_b.id, b.position);
}

std::size_t NewestPoints::add_run(ArchivedRun run) {
  runs_.push_back(std::move(run));
  return runs_.size() - 1;
}

void NewestPoints::add(const SeriesKey& series, const Point& point) {
  if (limit_ == 0) return;
  std::vector<Point>& heap = series_[series];
  if (limit_ == kAll) {
    heap.push_back(point);
    ++points_;
    return;
  }
  // The heap's first is the one that is older than all others.
  const auto is_newer = [this](const Point& a, const Point& b) { return is_older(b, a); };
  heap.push_back(point);
  std::push_heap(heap.begin(), heap.end(), is_newer);
  ++points_;
  if (heap.size() <= limit_) return;
  std::pop_heap(heap.begin(), heap.end(), is_newer);
  heap.pop_back();
  --points_;
}

void NewestPoints::keep_only(const std::string& benchmark) {
  for (auto each = series_.begin(); each != series_.end();) {
    if (each->first.benchmark == benchmark) {
      ++each;
      continue;
    }
    points_ -= each->second.size();
    each = series_.erase(each);
  }
}

std::vector<NewestPoints::Point> NewestPoints::in_order(std::vector<Point> points) const {
  std::sort(points.begin(), points.end(), [this](const Point& a, const Point& b) { return is_older(b, a); });
  return points;
}

void BranchPlaces::take(const RunHeader& header) {
  const Commit& commit = header.commit;
  if (commit.sha.empty()) return;
  Project& project = projects_[header.project];
  if (is_hash(commit.sha) && is_hash(commit.parent)) {
    project.parents.emplace(commit.sha, std::vector<std::string>{commit.parent});
  }
  if (commit.branch != branch_) return;
  MeasuredCommit& measured =
      project.measured.try_emplace(commit.sha, MeasuredCommit{commit.sha, 0, header.created_at_unix_ns}).first->second;
  measured.committed_at_unix_s = std::max(measured.committed_at_unix_s, commit.committed_at_unix_s);
  measured.first_run_at_unix_ns = std::min(measured.first_run_at_unix_ns, header.created_at_unix_ns);
}

bool BranchPlaces::put_in_order(std::vector<ArchivedRun>& runs) const {
  std::map<std::string, std::vector<std::size_t>> of_project;
  for (std::size_t i = 0; i < runs.size(); ++i) of_project[runs[i].project].push_back(i);
  bool knows_parents = false;
  for (const auto& [name, own] : of_project) {
    const auto project = projects_.find(name);
    if (project == projects_.end()) {
      order_project({}, own, runs);
      continue;
    }
    std::vector<MeasuredCommit> measured;
    for (const auto& [sha, commit] : project->second.measured) measured.push_back(commit);
    knows_parents = knows_parents || !project->second.parents.empty();
    order_project(places_of(order_of_branch(measured, project->second.parents)), own, runs);
  }
  return knows_parents;
}

}  // namespace steelyard
