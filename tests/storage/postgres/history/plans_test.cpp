// No question of the program may read a large table from end to end, however the store grows. The server itself tells
// its plans (auto_explain) while every question is asked on a filled store; a statement in the sources that
// names a large table and was not run here fails the test, so that a new one cannot be forgotten.
//
// 300,000 measurements here. At 10 million, with the planner as it is (here it is told to keep off scans, which are
// right for tables this small): ctest --preset check -C long -R plans_long, some minutes.
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cstdlib>
#include <fstream>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>

#include "storage/alert_store.hpp"
#include "storage/archive/archive.hpp"
#include "storage/catalog_store.hpp"
#include "storage/comparison/comparison_identity.hpp"
#include "storage/comparison_store.hpp"
#include "storage/embedded/cluster.hpp"
#include "storage/history_store.hpp"
#include "storage/postgres/history/commit_order.hpp"
#include "storage/postgres/session/session.hpp"
#include "storage/run_store.hpp"
#include "storage/upkeep.hpp"
#include "tests/promised.hpp"
#include "tests/storage/postgres/example_run.hpp"
#include "tests/storage/postgres/test_server.hpp"
#include "tests/studies/storage/fill_store.hpp"

namespace steelyard::storage::plans_test {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;
using storage_study::commit_number;

// What grows with the runs. Partitions of measurements bear their number.
bool is_large(const std::string& table) {
  return table.starts_with("measurements_") || table == "runs" || table == "invocations" || table == "comparison_rows";
}

// Statements that may look at all of a table, with the reason; those that may only where all of it is asked for must
// have been seen to do without.
struct Excuse {
  const char* part;
  const char* reason;
  bool only_for_all = false;
};
constexpr Excuse kExcused[] = {
    {"coalesce(sum(samples), 0)", "db status counts the runs: one row each, on request"},
    {"select distinct r.project_key, r.branch from steelyard.runs", "a rebuild reads every run"},
    {"select max(run_key) from steelyard.runs", "the newest, from the end of its index"},
    {"min(r.created_at_unix_ns) from steelyard.runs", "a branch is put in order as a whole"},
    {"($2::text = '' or r.branch = $2::text)",
     "a history over all branches orders every run of the project by its date"},
    {"LEFT OUTER JOIN ONLY \"steelyard\"", "the server looks at a partition that was made just now: it is empty"},
    {"order by o.position desc, o.on_branch, case", "a history of every run of a branch", true},
};

const Excuse* excuse_of(const std::string& statement) {
  const auto found = std::find_if(std::begin(kExcused), std::end(kExcused), [&](const Excuse& excuse) {
    return statement.find(excuse.part) != std::string::npos;
  });
  return found == std::end(kExcused) ? nullptr : found;
}

std::string one_spaced(const std::string& text) {
  std::string result;
  for (const char c : text) {
    if (std::isspace(static_cast<unsigned char>(c)) == 0) {
      result += c;
    } else if (!result.empty() && result.back() != ' ') {
      result += ' ';
    }
  }
  while (!result.empty() && result.back() == ' ') result.pop_back();
  return result;
}

struct Told {
  std::string statement;
  json plan;
};

// Entries of auto_explain in the server's log from this byte on.
std::vector<Told> read_plans(const fs::path& log, std::streamoff from) {
  std::ifstream file(log);
  file.seekg(from);
  std::vector<Told> all;
  std::string text;
  bool inside = false;
  for (std::string line; std::getline(file, line);) {
    if (line.ends_with("plan:")) {
      inside = true;
      text.clear();
    } else if (inside && (line.starts_with("\t") || line.starts_with("{") || line.starts_with("}"))) {
      text += line + '\n';
    }
    if (inside && (line == "}" || line == "\t}")) {
      inside = false;
      const json parsed = json::parse(text, nullptr, false);
      if (!parsed.is_discarded()) all.push_back({one_spaced(parsed["Query Text"].get<std::string>()), parsed["Plan"]});
    }
  }
  return all;
}

// Nodes that read a large table without a condition that an index takes.
void find_scans(const json& node, std::vector<std::string>& scans) {
  const std::string type = node.value("Node Type", "");
  const std::string table = node.value("Relation Name", "");
  const bool by_index = type == "Index Scan" || type == "Index Only Scan";
  if (is_large(table) && (type == "Seq Scan" || (by_index && !node.contains("Index Cond")))) {
    scans.push_back(type + " of " + table);
  }
  for (const json& child : node.value("Plans", json::array())) find_scans(child, scans);
}

// Reads of measurements that nothing ends before a series' last run.
void find_endless(const json& node, bool is_limited, std::vector<std::string>& endless) {
  is_limited = is_limited || node.value("Node Type", "") == "Limit";
  if (node.value("Relation Name", "").starts_with("measurements_") &&
      (!is_limited || node.value("Index Cond", "").find("series_key = ") == std::string::npos)) {
    endless.push_back(node.dump());
  }
  for (const json& child : node.value("Plans", json::array())) find_endless(child, is_limited, endless);
}

class PlansTest : public ::testing::Test {
 protected:
  void SetUp() override {
    const auto url = storage_test::migrated_database();
    STEELYARD_SKIP_WITHOUT("postgresql", url, storage_test::kNoServer);
    const EmbeddedServer server = ensure_embedded_running(storage_test::server_state()).value();
    log_ = server.data.parent_path() / "log";
    Result<Store> opened = Store::open({false, *url}, storage_test::fresh_state_folder());
    ASSERT_TRUE(opened) << opened.error().text();
    const char* const wanted = std::getenv("STEELYARD_PLANS_MEASUREMENTS");
    shape_ = wanted != nullptr ? storage_study::grown_store(std::atoll(wanted), 1)
                               : storage_study::small_store(2000, 50, 60);
    storage_study::fill_store(*opened, *url, shape_, true);
    add_comparisons(*opened, *url);
    std::string explained = *url;
    const std::string options =
        "-c%20session_preload_libraries%3Dauto_explain%20-c%20auto_explain.log_min_duration%3D0%20"
        "-c%20auto_explain.log_format%3Djson%20-c%20auto_explain.log_nested_statements%3Don%20"
        "-c%20enable_seqscan%3D" +
        std::string(wanted != nullptr ? "on" : "off");
    const std::size_t at = explained.find("options=");
    ASSERT_NE(at, std::string::npos);
    explained.insert(at + std::string("options=").size(), options);
    from_ = static_cast<std::streamoff>(fs::file_size(log_));
    Result<Store> store = Store::open({false, explained}, storage_test::fresh_state_folder());
    STEELYARD_SKIP_WITHOUT("postgresql", store, "the server has no auto_explain");
    store_.emplace(std::move(*store));
  }

  // Some hundred copies of one, with a hundred rows each: enough that its index is worth while.
  void add_comparisons(Store& store, const std::string& url) {
    must(ComparisonStore(store).put(storage_test::example_comparison()));
    Session session = must(Session::connect(url, "test"));
    Transaction transaction = must(Transaction::begin(session));
    const auto done = transaction.run_script(R"sql(
do $$
declare
  columns text := (select string_agg(quote_ident(attname), ', ' order by attnum) from pg_attribute
                   where attrelid = 'steelyard.comparisons'::regclass and attnum > 0 and not attisdropped
                     and attname not in ('comparison_key', 'id', 'candidate_commit', 'branch'));
  row_columns text := (select string_agg(quote_ident(attname), ', ' order by attnum) from pg_attribute
                       where attrelid = 'steelyard.comparison_rows'::regclass and attnum > 0 and not attisdropped
                         and attname not in ('comparison_key', 'position'));
begin
  execute format('insert into steelyard.comparisons (id, candidate_commit, branch, %1$s) select id || i, '
                 'md5(i::text), branch || mod(i, 30), %1$s '
                 'from steelyard.comparisons, generate_series(1, 300) i', columns);
  execute format('insert into steelyard.comparison_rows (comparison_key, position, %1$s) '
                 'select c.comparison_key, i, %2$s from steelyard.comparison_rows x, steelyard.comparisons c, '
                 'generate_series(0, 99) i where x.position = 0 and c.comparison_key <> x.comparison_key',
                 row_columns, 'x.' || replace(row_columns, ', ', ', x.'));
end
$$;
analyze steelyard.comparisons;
analyze steelyard.comparison_rows)sql");
    EXPECT_TRUE(done) << (done ? "" : done.error().text());
    EXPECT_TRUE(transaction.commit());
  }

  template <class T>
  T must(Result<T> result) {
    EXPECT_TRUE(result) << (result ? "" : result.error().text());
    return std::move(result).value();
  }

  void ask_for_histories() {
    HistoryQuery query;
    query.benchmark = storage_study::benchmark_number(7).canonical();
    query.project = storage_study::kProject;
    EXPECT_FALSE(must(HistoryStore(*store_).series(query)).empty());
    query.branch = "main";
    EXPECT_FALSE(must(HistoryStore(*store_).series(query)).empty());
    query.benchmark = "BM_sort";
    query.machine = std::string("cpu.model=") + storage_study::kMachine;
    query.parameters = {"size=1"};
    query.series_limit = 2;
    query.limit = 5;
    query.with_invocations = false;
    const Page<HistorySeries> page = must(HistoryStore(*store_).page(query));
    EXPECT_FALSE(page.items.empty());
    query.label = "nothing says so";
    EXPECT_TRUE(must(HistoryStore(*store_).series(query)).empty());
    query.branch.clear();
    EXPECT_TRUE(must(HistoryStore(*store_).series(query)).empty());
    query = {};
    query.branch = "release";
    query.limit = 3;
    EXPECT_FALSE(must(HistoryStore(*store_).series(query)).empty());
    query.limit = 0;
    query.series_limit = 2;
    for (const char* const project : {"", storage_study::kProject}) {
      query.project = project;
      EXPECT_FALSE(must(HistoryStore(*store_).page(query)).items.empty());
    }
  }

  void ask_for_ranges() {
    const int newest = shape_.main_commits;
    const std::string fingerprint = must(HistoryStore(*store_).series([] {
                                      HistoryQuery query;
                                      query.machine = std::string("cpu.model=") + storage_study::kMachine;
                                      query.limit = 1;
                                      query.series_limit = 1;
                                      return query;
                                    }()))
                                        .at(0)
                                        .fingerprint;
    const auto baseline = must(
        HistoryStore(*store_).latest_baseline({storage_study::kProject, fingerprint, commit_number(newest), "main"}));
    ASSERT_TRUE(baseline);
    must(HistoryStore(*store_).hosts(storage_study::kProject, "", {fingerprint}));
    EXPECT_FALSE(
        must(HistoryStore(*store_).latest_baseline({storage_study::kProject, fingerprint, "unknown", "none"})));
    const auto before = must(HistoryStore(*store_).latest_baseline(
        {storage_study::kProject, fingerprint, commit_number(newest - 1), "main"}));
    EXPECT_FALSE(must(HistoryStore(*store_).beside({before->run, baseline->run, 50})).empty());
    RangeQuery range{commit_number(newest - 60), commit_number(newest - 10), storage_study::kProject, "main", "", 10};
    must(HistoryStore(*store_).changed_in({range.from.substr(0, 9), range.to.substr(0, 9), range.project, "", "", 1}));
    must(HistoryStore(*store_).changed_in(range));
    EXPECT_EQ(must(HistoryStore(*store_).top_movers(range)).items.size(), 10U);
    must(HistoryStore(*store_).steps({storage_study::kProject, "", "", fingerprint, {range.from, range.to}}));
    EXPECT_EQ(must(HistoryStore(*store_).complete_range(range)).to, range.to);
    EXPECT_EQ(must(HistoryStore(*store_).complete_range({"", "", storage_study::kProject, "", "", 10})).branch, "main");
    HistoryQuery older;
    older.branch = "main";
    older.limit = 3;
    older.series_limit = 1;
    older.after = must(HistoryStore(*store_).series(older)).at(0).older;
    EXPECT_EQ(must(HistoryStore(*store_).series(older)).at(0).points.size(), 3U);
    range.branch = "none";
    must(HistoryStore(*store_).changed_in(range));
    must(HistoryStore(*store_).top_movers(range));
  }

  void write_and_read_back() {
    const steelyard::Run run = storage_test::example_run();
    must(RunStore(*store_).put(run));
    must(RunStore(*store_).put(storage_test::example_run(2)));
    EXPECT_EQ(must(RunStore(*store_).get(run.header.id)).measurements.size(), run.measurements.size());
    EXPECT_TRUE(must(RunStore(*store_).origin(run.header.id)));
    must(RunStore(*store_).of_commit(run.header.commit.sha));
    Comparison comparison = storage_test::example_comparison();
    comparison.candidate.commit.branch += "1";  // where there are some more
    EXPECT_TRUE(must(ComparisonStore(*store_).put(comparison)));
    must(ComparisonStore(*store_).get(comparison_id(comparison)));
    must(HistoryStore(*store_).put_commit_graph({"demo", {{std::string(40, 'a'), {std::string(40, 'b')}}}}));
    must(HistoryStore(*store_).change_points("", "main"));
    EXPECT_EQ(must(HistoryStore(*store_).projects("demo")).at(0), "demo");
    must(AlertStore(*store_).list({}));
    must(Upkeep(*store_).rebuild_commit_order());
    must(Upkeep(*store_).status());
    must(Upkeep(*store_).report());
  }

  // Two benchmarks that each run has stay two, whatever a comparison says.
  void ask_by_todays_names() {
    Comparison comparison = storage_test::example_comparison();
    comparison.candidate.project = storage_study::kProject;
    comparison.candidate.commit.branch = "main";
    HistoryQuery query;
    query.benchmark = storage_study::benchmark_number(8).canonical();
    query.project = storage_study::kProject;
    query.branch = "main";
    query.by_todays_names = true;
    comparison.earlier_names = {{storage_study::benchmark_number(7).canonical(), query.benchmark}};
    EXPECT_TRUE(must(ComparisonStore(*store_).put(comparison)));
    EXPECT_FALSE(must(HistoryStore(*store_).series(query)).empty());
    query.branch.clear();
    query.benchmark = "BM_sort";
    query.limit = 0;
    EXPECT_FALSE(must(HistoryStore(*store_).series(query)).empty());
    EXPECT_TRUE(must(HistoryStore(*store_).renamed({storage_study::kProject, ""})).empty());
  }

  void look_through() {
    CatalogStore catalog(*store_);
    EXPECT_FALSE(must(catalog.projects({})).items.empty());
    ListQuery query;
    query.limit = 2;
    query.after = must(catalog.runs(query)).next;
    query.project = storage_study::kProject;
    query.branch = "main";
    const Page<RunEntry> runs = must(catalog.runs(query));
    ASSERT_EQ(runs.items.size(), 2U);
    query.after.clear();
    query.commit = runs.items[0].commit;
    query.machine = runs.items[0].fingerprint;
    EXPECT_EQ(must(catalog.runs(query)).items[0].id, runs.items[0].id);
    query.commit.clear();
    EXPECT_EQ(must(catalog.machines(query)).items.size(), 1U);
    must(catalog.targets(query));
    query.run = runs.items[0].id;
    must(catalog.targets(query));
    query = {};
    EXPECT_FALSE(must(catalog.comparisons(query)).items.empty());
    EXPECT_FALSE(must(catalog.search(runs.items[0].id.substr(0, 8), query)).empty());
    must(catalog.change_points({}));
    must(AlertStore(*store_).page({}));
    HistoryQuery one;
    one.benchmark = storage_study::benchmark_number(7).canonical();
    one.limit = 3;
    const HistorySeries series = must(HistoryStore(*store_).series(one)).at(0);
    const SpreadQuery spread{series.project, {series.benchmark}, series.metric.name, {series.points.back().run}};
    EXPECT_EQ(must(catalog.spreads(spread)).size(), 1U);
    NewsMarks marks;
    EXPECT_FALSE(must(catalog.news(marks)).empty());
    EXPECT_TRUE(must(catalog.news(marks)).empty());
    const NewsMarks newest = must(catalog.newest());
    EXPECT_EQ(newest.run, marks.run);
    EXPECT_EQ(newest.comparison, marks.comparison);
    must(RunStore(*store_).put(storage_test::example_run(3), {{"ada", "run submitted", "run", ""}, true}));
  }

  fs::path log_;
  std::streamoff from_ = 0;
  storage_study::GrownStore shape_;
  std::optional<Store> store_;
};

// String literals of a source, neighbours joined as the compiler joins them.
std::vector<std::string> literals_of(const fs::path& source) {
  std::ifstream file(source);
  std::stringstream stream;
  stream << file.rdbuf();
  const std::string text = stream.str();
  std::vector<std::string> all;
  bool joins = false;
  for (std::size_t i = 0; i < text.size();) {
    std::string literal;
    if (text.compare(i, 2, "//") == 0) {
      i = std::min(text.find('\n', i), text.size());
      continue;
    }
    if (text.compare(i, 6, "R\"sql(") == 0) {
      const std::size_t end = text.find(")sql\"", i);
      literal = text.substr(i + 6, end - i - 6);
      i = end + 5;
    } else if (text[i] == '"' && (i == 0 || text[i - 1] != '\'')) {
      for (++i; i < text.size() && text[i] != '"'; ++i) {
        if (text[i] == '\\') ++i;
        literal += text[i];
      }
      ++i;
    } else {
      if (std::isspace(static_cast<unsigned char>(text[i])) == 0) joins = false;
      ++i;
      continue;
    }
    if (joins) {
      all.back() += literal;
    } else {
      all.push_back(literal);
    }
    joins = true;
  }
  return all;
}

bool names_large_table(const std::string& literal) {
  for (const char* table : {"measurements", "runs", "invocations", "comparison_rows"}) {
    for (const char* word : {"from", "join", "into", "update"}) {
      const std::string phrase = std::string(word) + " steelyard." + table;
      const std::size_t at = literal.find(phrase);
      if (at == std::string::npos) continue;
      const char next = at + phrase.size() < literal.size() ? literal[at + phrase.size()] : ' ';
      if (next != '_' && std::isalnum(static_cast<unsigned char>(next)) == 0) return true;
    }
  }
  return false;
}

// Whether it is the look-up of kHoldRuns (storage/postgres/access/roles.cpp), which every statement that adds rows of a
// run makes.
bool looks_up_run(const std::string& statement) {
  return statement.find("from steelyard.runs r where r.run_key = one.run_key and r.xmin") != std::string::npos;
}

// By its primary key and nothing beside it: no join, which grows into a scan where more rows come at once.
bool is_look_up(const json& plan) {
  return plan.value("Node Type", "") == "Index Scan" && plan.value("Index Name", "") == "runs_pkey" &&
         plan.contains("Index Cond") && !plan.contains("Plans");
}

// Of rooms whose own tests run them: what becomes of targets, which looks at what somebody named or made anew, and
// upkeep, rights and distribution, which work through a whole store on request.
const std::set<std::string> kRunElsewhere{
    "target_rows.cpp",    "partitions.cpp", "prune.cpp", "derivations.cpp",
    "project_rights.cpp", "distribute.cpp", "roles.cpp",
};
// All alerts anew, which their own test runs.
constexpr const char* kAlertsAnew = "select distinct c.project, c.branch, x.benchmark, m.name";

// Only where nodes have the shards, which the tests of a distributed store run.
constexpr std::array kOnNodes{"select x.series_key, min(x.run_key), max(x.run_key)",
                              "select exists( select from (select x.run_key"};

// Whether series that a comparison ties together are of two benchmarks: asked of every list that has such.
constexpr std::array kOfBothNames{"select k.series_key, first_run.run_key", "select distinct p.place from unnest("};

TEST_F(PlansTest, NoStatementScansALargeTableAndNoneIsForgotten) {
  ask_for_histories();
  ask_for_ranges();
  write_and_read_back();
  ask_by_todays_names();
  look_through();
  store_.reset();
  const std::vector<Told> plans = read_plans(log_, from_);
  ASSERT_GT(plans.size(), 40U) << "the server's log " << log_ << " tells no plans";
  std::set<std::string> statements;
  std::set<const Excuse*> seen_without;
  std::size_t runs_looked_up = 0;
  std::set<std::string> asked_for_both_names;
  const auto begins_with_any = [](const std::string& text, const auto& all) {
    return std::any_of(all.begin(), all.end(), [&](const char* one) { return text.starts_with(one); });
  };
  for (const Told& told : plans) {
    if (looks_up_run(told.statement)) {
      ++runs_looked_up;
      EXPECT_TRUE(is_look_up(told.plan)) << told.plan.dump(2);
    }
    if (begins_with_any(told.statement, kOfBothNames)) {
      asked_for_both_names.insert(told.statement);
      std::vector<std::string> endless;
      find_endless(told.plan, false, endless);
      EXPECT_TRUE(endless.empty()) << endless.front() << " of " << told.plan.dump(2);
    }
    statements.insert(told.statement);
    std::vector<std::string> scans;
    find_scans(told.plan, scans);
    const Excuse* const excuse = excuse_of(told.statement);
    if (scans.empty()) seen_without.insert(excuse);
    if (excuse != nullptr) continue;
    for (const std::string& scan : scans) ADD_FAILURE() << scan << " by: " << told.statement;
  }
  EXPECT_GT(runs_looked_up, 0U) << "the trigger of kept runs was not seen to ask for a run by its key";
  EXPECT_EQ(asked_for_both_names.size(), kOfBothNames.size())
      << "no run was looked for that has both names of a renamed benchmark";
  for (const Excuse& excuse : kExcused) {
    EXPECT_TRUE(!excuse.only_for_all || seen_without.contains(&excuse)) << excuse.part << ": " << excuse.reason;
  }
  const fs::path sources = fs::path(STEELYARD_SOURCES) / "storage";
  for (const auto& entry : fs::recursive_directory_iterator(sources)) {
    if (entry.path().extension() != ".cpp" || kRunElsewhere.contains(entry.path().filename().string())) continue;
    for (const std::string& literal : literals_of(entry.path())) {
      if (!names_large_table(literal) || literal.starts_with(kAlertsAnew)) continue;
      const std::string part = one_spaced(with_commit_dates(literal));
      if (begins_with_any(part.substr(part.front() == ' ' ? 1 : 0), kOnNodes)) continue;
      const bool was_run = std::any_of(statements.begin(), statements.end(), [&](const std::string& statement) {
        return statement.find(part.substr(part.front() == ' ' ? 1 : 0)) != std::string::npos;
      });
      EXPECT_TRUE(was_run) << entry.path().filename() << ": never run here: " << part;
    }
  }
}

}  // namespace

// Every SQL example of docs/reference/queries.md runs on a store.

namespace {

std::vector<std::string> examples_of(const std::string& path) {
  std::ifstream file(path);
  std::vector<std::string> examples;
  bool inside = false;
  for (std::string line; std::getline(file, line);) {
    if (line == "```sql") {
      inside = true;
      examples.emplace_back();
    } else if (line == "```") {
      inside = false;
    } else if (inside) {
      examples.back() += line + '\n';
    }
  }
  return examples;
}

// The graph a - b - c, d: c was measured and then thrown away for d. Noisy and counted values, a parameter, a
// disturbance; a kept gate with a regression, whose function is known, and a row that it could not decide; a kept
// change point.
class AskedStore {
 public:
  explicit AskedStore(Store& store) : store_(store) {
    const std::vector<std::string> hashes{sha('a'), sha('b'), sha('c'), sha('d')};
    EXPECT_TRUE(HistoryStore(store_).put_commit_graph(
        {"demo", {{sha('a'), {}}, {sha('b'), {sha('a')}}, {sha('c'), {sha('b')}}, {sha('d'), {sha('b')}}}}));
    for (std::size_t i = 0; i < hashes.size(); ++i) put_run(static_cast<int>(i) + 1, hashes[i]);
    put_gate();
    put_change_point();
  }

 private:
  static std::string sha(char c) { return std::string(40, c); }

  void put_run(int number, const std::string& commit) {
    steelyard::Run run = storage_test::example_run(number);
    run.header.commit = {commit, "", "main", "subject", 1'699'999'999 + number, false};
    Measurement time;
    time.benchmark = {"BM_sort", {{"", "1024"}}, std::nullopt, "", "", ""};
    time.metric = *well_known_metric(kRealTime);
    time.invocations = {{0, {100.0 + number, 101.0}, {10, 10}}, {1, {102.0}, {10}}};
    Measurement instructions = time;
    instructions.metric = *well_known_metric(kInstructions);
    instructions.invocations = {{0, {7000.0 + number}, {1}}};
    Measurement sized = time;
    sized.benchmark.parameters = {{"size", "1024"}};
    run.measurements = {time, instructions, sized};
    run.profiles.clear();
    seal(run);
    EXPECT_TRUE(RunStore(store_).put(run));
  }
  void put_gate() {
    Comparison gate = storage_test::example_comparison();
    gate.rows[0].noise.between = 0.01;
    gate.rows[0].minimum_detectable_effect = 0.03;
    gate.rows[1].verdict = Verdict::inconclusive;
    EXPECT_TRUE(ComparisonStore(store_).put(gate));
  }
  void put_change_point() {
    KeptChangePoint point;
    point.id = "f00d";
    point.project = "demo";
    point.benchmark = "BM_sort/1024";
    point.metric = std::string(kRealTime);
    point.fingerprint = "machine";
    point.branch = "main";
    point.commit = sha('d');
    point.last_good = sha('b');
    point.before = 100;
    point.after = 107;
    point.ratio = 1.07;
    point.p = 1e-6;
    point.regression = true;
    EXPECT_TRUE(HistoryStore(store_).put_change_points({{ChangeEvent::confirmed, point, ""}}));
  }

  Store& store_;
};

TEST(DocumentedQueries, EachFindsSomethingInAStoreThatHasIt) {
  const auto url = storage_test::migrated_database();
  STEELYARD_SKIP_WITHOUT("postgresql", url, storage_test::kNoServer);
  Result<Store> store = Store::open({false, *url}, storage_test::fresh_state_folder());
  ASSERT_TRUE(store) << store.error().text();
  const AskedStore asked(*store);
  const std::vector<std::string> examples = examples_of(STEELYARD_SOURCES "/docs/reference/queries.md");
  ASSERT_GE(examples.size(), 15U);
  auto session = Session::connect(*url, "test");
  ASSERT_TRUE(session);
  for (const std::string& example : examples) {
    auto transaction = Transaction::begin(*session);
    ASSERT_TRUE(transaction);
    const auto rows = transaction->run(example);
    ASSERT_TRUE(rows) << example << rows.error().text();
    EXPECT_GT(rows->size(), 0) << example;
    if (example.find("steelyard.alert_states") == std::string::npos) continue;
    const auto all = transaction->run(
        "select alert from steelyard.alert_states where state in ('open', 'acknowledged', 'reopened')");
    ASSERT_TRUE(all);
    EXPECT_EQ(rows->size(), all->size()) << "the change point's and the gate's: " << example;
  }
}

}  // namespace

}  // namespace steelyard::storage::plans_test
