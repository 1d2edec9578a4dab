// SQL as an attacker writes it: every table, column and function of the schema, read from the catalogue, as each kind
// of login. What is expected stands in expected_rights.hpp; what the schema has without a line there fails. The daily
// login of the embedded store is a writer of every project and nothing more, as nils is. An owner has every right to
// the schema, and none beyond it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>

#include "bench/model/sha256.hpp"
#include "storage/access_store.hpp"
#include "storage/alert_store.hpp"
#include "storage/archive/archive.hpp"
#include "storage/comparison_store.hpp"
#include "storage/delivery.hpp"
#include "storage/history_store.hpp"
#include "storage/postgres/access/project_rights.hpp"
#include "storage/postgres/access/roles.hpp"
#include "storage/run_store.hpp"
#include "storage/spool/spool.hpp"
#include "tests/must.hpp"
#include "tests/storage/comparison/random_comparison.hpp"
#include "tests/storage/postgres/access/expected_rights.hpp"
#include "tests/storage/postgres/example_run.hpp"
#include "tests/storage/postgres/kept_store.hpp"

namespace steelyard::storage::hostile_sql_test {
namespace {

using storage_test::example_run;
using namespace storage_test::expected_rights;
using ::testing::AllOf;
using ::testing::AnyOf;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

// A run whose every name is its project's. Names hold what SQL may read otherwise than we do.
steelyard::Run run_of(const std::string& project) {
  steelyard::Run run = example_run(1);
  run.header.id = sha256_hex(project);
  run.header.project = project;
  run.header.commit.sha = sha256_hex("commit of " + project).substr(0, 40);
  run.header.commit.parent = sha256_hex("parent of " + project).substr(0, 40);
  run.header.commit.subject = "subject \xFF of " + project;
  run.environment.facts.push_back({"a \xF4\x8F\x9D\x81 fact", project, true});
  const auto name = [&project](BenchmarkId& benchmark) { benchmark.name += " [x] %5B %255B \xFF" + project; };
  for (Measurement& measurement : run.measurements) {
    name(measurement.benchmark);
    measurement.metric.name += " of " + project;
    if (!(measurement.count_basis == CountBasis{})) measurement.count_basis.proof += project;
  }
  for (CountedProfile& profile : run.profiles) {
    name(profile.benchmark);
    for (ProfiledFunction& function : profile.functions) function.name += project;
    for (SourceCost& source : profile.sources) source.origin += project;
  }
  for (Failure& failure : run.failures) failure.said += project;
  run.labels.clear();
  return run;
}

Comparison comparison_of(const std::string& project) {
  Comparison comparison = storage_test::example_comparison();
  for (RunHeader* side : {&comparison.baseline, &comparison.candidate}) {
    side->project = project;
    side->id = run_of(project).header.id;
  }
  comparison.calibration = Calibration{};
  comparison.calibration->program = project;
  comparison.drifts = {{"real_time", 1.04, 0.01, 13, true}};
  comparison.policy.patterns = {{.match = "*", .margin = 0.1, .owner = project}};
  comparison.rows[0].benchmark = project;
  comparison.earlier_names = {{"earlier", project}};
  comparison.rows[0].solo = SoloCheck{};
  comparison.rows[0].creep.emplace();
  comparison.history = storage_test::RandomComparison(7).draw_history();
  return comparison;
}

TargetRow target_of(const std::string& project) {
  TargetRow row;
  row.benchmark = project;
  row.target.least = 0.6;
  row.target.text = "0.6 of bandwidth";
  row.target.where = project + ".toml:3";
  return row;
}

using testkit::must;

// A row in each table that a project has any in.
void fill(Store& store, const std::string& project) {
  const steelyard::Run run = run_of(project);
  must(RunStore(store).put(run));
  steelyard::Run asked = run_of(project);
  asked.header.id = sha256_hex("asked of " + project);
  must(RunStore(store).put(asked, {{"somebody", "run submitted", "run:" + asked.header.id, ""}, true}));
  must(RunStore(store).put_target_verdicts(run.header.id, {target_of(project)}));
  must(ComparisonStore(store).put(comparison_of(project)));
  ChangePointEvent event;
  event.event = ChangeEvent::confirmed;
  event.point.id = "point";
  event.point.project = project;
  event.point.benchmark = project;
  must(HistoryStore(store).put_change_points({event}));
  must(HistoryStore(store).put_commit_graph({project, {{run.header.commit.sha, {}}}}));
  for (const Alert& alert : must(AlertStore(store).list({}))) {
    if (alert.subject.project != project || alert.comparison.empty()) continue;
    const std::int64_t now = alert.life.back().at_unix_ns + 1;
    must(AlertStore(store).claim({{alert.id, "slack", alert.state, {}}}, {"somebody's", now}));
    must(AlertStore(store).act({AlertAct::Kind::accept, alert.id, "somebody", "", run.header.commit.sha, now}));
    must(AlertStore(store).act({AlertAct::Kind::assign, alert.id, "somebody", "", "", now, "", "ada"}));
  }
}

struct Relation {
  std::string name;
  bool is_view = false;
  std::vector<std::string> columns;
  std::vector<std::string> numbered;  // by the server, beside those
  std::int64_t rows = 0;
  std::string own{};     // a row of "mine", as JSON; empty: it has none
  std::string hidden{};  // a row of "hidden", as JSON; empty: it has none
};

class HostileSqlTest : public storage_test::KeptStore {
 protected:
  void SetUp() override {
    KeptStore::SetUp();
    if (IsSkipped() || HasFatalFailure()) return;
    Store store = open();
    fill(store, "mine");
    note_pruning("mine");
    const auto token = must(AccessStore(store).issue_token({"name", "", {"read"}, 1, "somebody"}));
    must(AccessStore(store).note_use(token.token.id));
    administrator_.emplace(must(Session::connect(address_.url, "test")));
    const Login login = must(prepare_session(*administrator_));
    for (const char* name : {"kate", "lena", "mara", "nils", "otto", "pia"}) {
      tell(std::string("drop role if exists ") + name + "; create role " + name + " login");
    }
    must(grant_access(*administrator_, login, {"kate", Access::reader, "mine", true}));
    must(grant_access(*administrator_, login, {"lena", Access::writer, "mine", true}));
    must(grant_access(*administrator_, login, {"mara", Access::reader}));
    must(grant_access(*administrator_, login, {"nils", Access::writer}));
    must(grant_access(*administrator_, login, {"pia", Access::owner}));
    read_relations();
    fill(store, "hidden");
    note_pruning("hidden");
    read_hidden_rows();
  }
  void note_pruning(const std::string& project) {
    const std::string its = " from steelyard.projects where name = '" + project + "'";
    tell("insert into steelyard.prunings select name, 'run', now(), '', '', '', project_key" + its);
  }

  void read_relations() {
    Session asking = session();
    auto transaction = must(Transaction::begin(asking));
    const Rows rows = must(transaction.run(
        "select c.relname::text, c.relkind = 'v', coalesce(array_agg(a.attname::text order by a.attnum) filter "
        "(where a.attidentity = ''), '{}'), coalesce(array_agg(a.attname::text) filter (where a.attidentity <> ''), "
        "'{}') from pg_class c join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped "
        "where c.relnamespace = 'steelyard'::regnamespace and c.relkind in ('r', 'p', 'v', 'm', 'f') "
        "group by c.oid, c.relname, c.relkind order by 1"));
    for (std::int64_t row = 0; row < rows.size(); ++row) {
      Relation relation{rows.text(row, 0), rows.boolean(row, 1), texts_of_array(rows.raw(row, 2)),
                        texts_of_array(rows.raw(row, 3))};
      const std::string name = "steelyard." + relation.name;
      must(transaction.run_script("create schema if not exists before; create table before." + relation.name +
                                  " as select to_jsonb(t) as row from " + name + " t"));
      const Rows own = must(transaction.run("select row::text from before." + relation.name + " limit 1"));
      if (own.size() == 1) relation.own = own.text(0, 0);
      relations_.push_back(std::move(relation));
    }
    must(transaction.commit());
  }
  void read_hidden_rows() {
    Session asking = session();
    auto transaction = must(Transaction::begin(asking));
    for (Relation& relation : relations_) {
      const std::string all = "select to_jsonb(t) as row from steelyard." + relation.name + " t";
      const Rows hidden = must(transaction.run("select row::text from (" + all + " except select row from before." +
                                               relation.name + ") h limit 1"));
      if (hidden.size() == 1) relation.hidden = hidden.text(0, 0);
      relation.rows = must(transaction.run("select count(*) from (" + all + ") a")).integer(0, 0);
    }
  }

  Session as(const std::string& login) const {
    std::string url = address_.url;
    url.replace(url.find("steelyard@"), std::string("steelyard").size(), login);
    return must(Session::connect(url, "test"));
  }
  // In a word what comes of a statement, which is taken back: "done", or what keeps it from being done.
  static std::string outcome(const Result<Rows>& done) {
    if (done) return "done";
    const std::string text = done.error().text();
    for (const auto& [said, word] :
         {std::pair("permission denied", "no right"), std::pair("must be owner", "no right"),
          std::pair("row-level security policy", "not yours"), std::pair("identity_check\"", "forged"),
          std::pair("has the identity", "forged"), std::pair("takes no more rows", "too late"),
          std::pair("duplicate key value", "is there")}) {
      if (text.find(said) != std::string::npos) return word;
    }
    return text;
  }
  static std::string attempt(Session& session, const std::string& statement, const SqlValues& values = {}) {
    auto transaction = must(Transaction::begin(session));
    return outcome(transaction.run(statement, values));
  }
  // A row as JSON with other values for some columns, put into a table; of a run, into a new one of "mine".
  static std::string add(Session& session, const Relation& table, const std::string& row, const std::string& others) {
    auto transaction = must(Transaction::begin(session));
    std::string changes = others;
    const auto has = [&table](const char* column) {
      return std::find(table.columns.begin(), table.columns.end(), column) != table.columns.end();
    };
    if (table.name != "runs" && has("run_key") && row == table.own && others.find("\"run_key\"") == others.npos) {
      const auto fresh = transaction.run(
          "insert into steelyard.runs (id, created_at_unix_ns, tool, project_key, program, branch, dirty, session, "
          "layout, seed, settings, environment_key, measurements, samples) select 'fresh', 1, '', r.project_key, '', "
          "'', false, '', 'duet', 1, '{}', r.environment_key, 0, 0 from steelyard.runs r join steelyard.projects p "
          "using (project_key) where p.name = 'mine' limit 1 returning run_key");
      if (fresh) changes = "{\"run_key\": " + fresh->text(0, 0) + (others == "{}" ? "}" : ", " + others.substr(1));
    }
    const auto columns = transaction.run(
        "select string_agg(quote_ident(c), ', ') from unnest($1::text[]) c "
        "where has_column_privilege('steelyard.' || $2, c, 'INSERT')",
        SqlValues().texts(table.columns).text(table.name));
    std::string names = columns && !columns->is_null(0, 0) ? columns->text(0, 0) : table.columns.front();
    return outcome(transaction.run("insert into steelyard." + table.name + " (" + names + ") select " + names +
                                       " from jsonb_populate_record(null::steelyard." + table.name +
                                       ", $1::jsonb || $2::jsonb)",
                                   SqlValues().text(row.empty() ? "{}" : row).text(changes)));
  }
  static std::string json(const std::string& column, const std::string& value) {
    return "{\"" + column + "\": " + value + "}";
  }

  // What the login may do with a relation, found out by trying, in the words of kRelations.
  std::string rights_to(Session& session, const Relation& relation) {
    std::vector<std::string> rights;
    const std::string name = "steelyard." + relation.name;
    const auto told = [&rights](const std::string& what, std::int64_t some, std::int64_t all) {
      if (some > 0) rights.push_back(what + (some < all ? " own" : ""));
    };
    {
      auto transaction = must(Transaction::begin(session));
      const auto seen =
          transaction.run("select count(*), count(*) filter (where to_jsonb(t) = $1::jsonb) from " + name + " t",
                          SqlValues().text(relation.hidden.empty() ? "{}" : relation.hidden));
      if (seen) told("sees", seen->integer(0, 0), relation.rows);
      EXPECT_TRUE(!seen || seen->integer(0, 0) == relation.rows || seen->integer(0, 1) == 0) << name;
    }
    const auto is_taken = [](const std::string& word) { return word == "done" || word == "is there"; };
    const bool own = is_taken(add(session, relation, relation.own, "{}"));
    const bool hidden = !relation.hidden.empty() && is_taken(add(session, relation, relation.hidden, "{}"));
    const std::string whole = relation.hidden.empty() || hidden ? "adds" : "adds own";
    if (own) rights.push_back(whole);
    EXPECT_TRUE(own || !hidden) << name << " takes what is hidden alone";
    for (const std::string& change :
         {"update " + name + " set " + relation.columns.back() + " = " + relation.columns.back(),
          "delete from " + name}) {
      auto transaction = must(Transaction::begin(session));
      const auto done = transaction.run(change);
      if (done && change.starts_with("update")) told("changes", done->affected(), relation.rows);
      EXPECT_EQ(bool(done), !rights.empty() && rights.back().starts_with("changes")) << change << outcome(done);
    }
    EXPECT_THAT(attempt(session, "truncate " + name), AnyOf("no right", HasSubstr("is not a table")));
    // Whoever writes the last number leaves none for the rows of others.
    for (const std::string& column : relation.numbered) {
      const std::string into = name + " (" + column + ')';
      EXPECT_EQ(attempt(session, "insert into " + into + " overriding system value values (2147483647)"), "no right");
      EXPECT_EQ(attempt(session, "copy " + into + " from stdin"), "no right");
      EXPECT_THAT(attempt(session, "update " + name + " set " + column + " = 2147483647"),
                  AnyOf("no right", HasSubstr("can only be updated to DEFAULT")));
    }
    std::string text;
    for (const std::string& right : rights) text += (text.empty() ? "" : ", ") + right;
    return text;
  }

  std::string value_of(const std::string& row, const std::string& column) {
    auto transaction = must(Transaction::begin(*administrator_));
    return must(transaction.run("select ($1::jsonb -> $2)::text", SqlValues().text(row).text(column), kOneRow))
        .text(0, 0);
  }
  // Values as JSON that the column could have instead, as far as its own checks let it.
  std::vector<std::string> other_values(const Relation& relation, const std::string& row, const std::string& column) {
    if (const auto words = kWords.find(column); words != kWords.end()) return words->second;
    const std::string value = value_of(row, column);
    if (kKeysOfProjects.contains(column) || kSharedKeys.contains(column)) return {value_of(relation.own, column)};
    if (value.front() == '"') return {value.substr(0, value.size() - 1) + "x\"", "\"\""};
    if (value == "true" || value == "false") return {value == "true" ? "false" : "true"};
    if (value.front() == '[') return {"[]", "[\"x\", null]"};
    if (value.front() == '{') return {"{}"};
    return {"4711"};
  }

  std::optional<Session> administrator_;
  std::vector<Relation> relations_;
};

TEST_F(HostileSqlTest, EachLoginMayDoWithEachTableAndViewWhatItsLineSays) {
  Session kate = as("kate"), lena = as("lena"), mara = as("mara"), nils = as("nils"), otto = as("otto");
  for (const Relation& relation : relations_) {
    SCOPED_TRACE(relation.name);
    const auto line = kRelations.find(relation.name);
    ASSERT_NE(line, kRelations.end()) << "say in kRelations who may do what with it";
    EXPECT_TRUE(!relation.own.empty() || relation.name.starts_with("measurements_")) << "fill() puts nothing there";
    EXPECT_EQ(rights_to(kate, relation), line->second.reader);
    EXPECT_EQ(rights_to(lena, relation), line->second.writer);
    EXPECT_EQ(rights_to(mara, relation), line->second.all_reader);
    EXPECT_EQ(rights_to(nils, relation), line->second.all_writer);
    EXPECT_EQ(rights_to(otto, relation), "");
  }
  EXPECT_EQ(relations_.size(), kRelations.size()) << "a line is of nothing that is there";
}

// A right to one column alone would be seen by no statement of another.
TEST_F(HostileSqlTest, NoSingleColumnMayBeChangedAndNoTableReferredToEmptiedOrGivenATrigger) {
  for (const std::string login : {"kate", "lena", "mara", "nils", "otto"}) {
    const std::string of = "('" + login + "', c.oid, ";
    EXPECT_EQ(ask("select coalesce(string_agg(c.relname, ' '), '') from pg_class c where c.relnamespace = "
                  "'steelyard'::regnamespace and c.relkind in ('r', 'p', 'v', 'm', 'f') and "
                  "(has_any_column_privilege" +
                  of + "'UPDATE') <> has_table_privilege" + of + "'UPDATE') or has_any_column_privilege" + of +
                  "'REFERENCES') or has_table_privilege" + of + "'TRIGGER, TRUNCATE'))"),
              "")
        << login;
  }
}

TEST_F(HostileSqlTest, NoColumnThatSaysWhoseARowIsTakesAnotherProjectsKey) {
  {
    auto transaction = must(Transaction::begin(*administrator_));
    const Rows keys = must(transaction.run(
        "select distinct a.attname::text, f.conrelid::regclass::text from pg_constraint f join pg_attribute a "
        "on a.attrelid = f.conrelid and a.attnum = any(f.conkey) "
        "where f.contype = 'f' and f.connamespace = 'steelyard'::regnamespace and a.attname <> 'row_position'"));
    for (std::int64_t row = 0; row < keys.size(); ++row) {
      EXPECT_TRUE(kKeysOfProjects.contains(keys.text(row, 0)) || kSharedKeys.contains(keys.text(row, 0)))
          << "say what " << keys.text(row, 0) << " of " << keys.text(row, 1) << " refers to";
    }
  }
  Session lena = as("lena");
  int tried = 0;
  for (const Relation& relation : relations_) {
    const bool is_added_to = std::string(kRelations.at(relation.name).writer).find("adds") != std::string::npos;
    if (!is_added_to || relation.hidden.empty()) continue;
    for (const std::string& column : relation.columns) {
      if (relation.is_view || !kKeysOfProjects.contains(column)) continue;
      // A comparison is its candidate's project's, whatever its baseline is of.
      if (relation.name == "comparison_sides" && column == "project") continue;
      SCOPED_TRACE(relation.name + '.' + column);
      const std::string foreign = value_of(relation.hidden, column);
      EXPECT_THAT(add(lena, relation, relation.own, json(column, foreign)), AnyOf("not yours", "forged"));
      ++tried;
      if (std::string(kRelations.at(relation.name).writer).find("changes") == std::string::npos) continue;
      EXPECT_THAT(attempt(lena,
                          "update steelyard." + relation.name + " set " + column + " = (jsonb_populate_record(null::" +
                              "steelyard." + relation.name + ", $1::jsonb))." + column,
                          SqlValues().text(json(column, foreign))),
                  AnyOf("not yours", "forged"));
    }
  }
  EXPECT_GE(tried, 25);
}

TEST_F(HostileSqlTest, NoTableTakesRowsOfARunAfterTheTransactionThatPutIt) {
  Session lena = as("lena"), nils = as("nils"), superuser = session();
  int tried = 0;
  for (const Relation& relation : relations_) {
    const bool is_of_a_run =
        std::find(relation.columns.begin(), relation.columns.end(), "run_key") != relation.columns.end();
    if (!is_of_a_run || relation.is_view || relation.name.starts_with("measurements_")) continue;
    SCOPED_TRACE(relation.name);
    for (const std::string& row : {relation.own, relation.hidden}) {
      std::string run = value_of(row, "run_key");
      // Marked once already: the one that fill() put before it is not.
      if (relation.name == "request_runs") run = ask("select max(run_key) from steelyard.runs where run_key < " + run);
      const std::string other = "{\"run_key\": " + run + ", \"position\": 4711}";
      EXPECT_THAT(add(lena, relation, row, other), AnyOf("not yours", "too late"));
      EXPECT_EQ(add(nils, relation, row, other), "too late");
      EXPECT_EQ(add(superuser, relation, row, other), "too late") << "a mistake of ours is no fact, either";
      ++tried;
    }
    // With its run, all of these are taken.
    EXPECT_EQ(add(nils, relation, relation.own, "{}"), "done");
  }
  EXPECT_GE(tried, 10);
}

TEST_F(HostileSqlTest, NoDictionaryTakesARowUnderAnIdentityThatIsNotThatOfItsContent) {
  Session lena = as("lena"), nils = as("nils");
  for (const Relation& relation : relations_) {
    SCOPED_TRACE(relation.name);
    const bool is_shared = kRelations.at(relation.name).writer == std::string("sees, adds");
    EXPECT_EQ(kDictionaries.contains(relation.name), is_shared || relation.name == "series");
    if (!kDictionaries.contains(relation.name)) continue;
    const std::string row = relation.hidden.empty() ? relation.own : relation.hidden;
    const std::string kept = "$row$" + encode_database_text(row) + "$row$";
    // As if nobody had written it yet.
    must(administrator_->run_alone("do $$ begin set local session_replication_role = replica; delete from steelyard." +
                                   relation.name + " t where to_jsonb(t) = " + kept + "::jsonb; end $$"));
    for (const std::string& column : relation.columns) {
      if (column == "recorded_at") continue;
      SCOPED_TRACE(column);
      for (const std::string& other : other_values(relation, row, column)) {
        if (other == value_of(row, column)) continue;
        EXPECT_EQ(add(nils, relation, row, json(column, other)), "forged") << other;
        if (!is_shared) continue;
        EXPECT_EQ(add(lena, relation, row, json(column, other)), "forged") << other;
      }
    }
    EXPECT_EQ(add(nils, relation, row, "{}"), "done") << "its own content has that identity";
    must(administrator_->run_alone("insert into steelyard." + relation.name + " overriding system value select (r).* " +
                                   "from jsonb_populate_record(null::steelyard." + relation.name + ", " + kept +
                                   ") r"));
  }
}

TEST_F(HostileSqlTest, ARunOrComparisonWhoseIdAnotherProjectTookIsNamedAndKept) {
  steelyard::Run run = run_of("hidden");
  run.header.created_at_unix_ns += 1;
  seal(run);
  Comparison comparison = comparison_of("hidden");
  comparison.rows[0].reason = "later";
  Spool spool(state_);
  const SpooledComparison kept = must(spool.keep(comparison));
  const std::filesystem::path archive = must(spool.keep(run));
  {
    Session lena = as("lena");
    auto transaction = must(Transaction::begin(lena));
    const std::map<std::string, std::string> taken{{"runs", run.header.id}, {"comparisons", kept.id}};
    for (const Relation& relation : relations_) {
      const auto id = taken.find(relation.name);
      if (id == taken.end()) continue;
      std::string names;
      for (const std::string& column : relation.columns) names += (names.empty() ? "" : ", ") + column;
      must(transaction.run("insert into steelyard." + id->first + " (" + names + ") select " + names +
                               " from jsonb_populate_record(null::steelyard." + id->first + ", $1::jsonb || $2::jsonb)",
                           SqlValues().text(relation.own).text(json("id", '"' + id->second + '"'))));
    }
    must(transaction.commit());
  }
  tell("drop role if exists bea; create role bea login");
  must(grant_access(*administrator_, must(query_login(*administrator_)), {"bea", Access::writer, "hidden", true}));
  std::string url = address_.url;
  url.replace(url.find("steelyard@"), std::string("steelyard").size(), "bea");
  for (const StoreAddress& address : {StoreAddress{false, url}, address_}) {  // who does not see it, and who does
    Store store = open_at(address);
    EXPECT_THAT(RunStore(store).put(run).error().text(),
                AllOf(HasSubstr("steelyard.runs, id " + run.header.id), HasSubstr("something of another project")));
    EXPECT_THAT(ComparisonStore(store).put(kept.comparison).error().text(),
                AllOf(HasSubstr("steelyard.comparisons, id " + kept.id), HasSubstr("something of another project")));
  }
  Store store = open();
  const Spool::Delivery delivery = must(spool.deliver(destination(store)));
  EXPECT_EQ(delivery.bad.size(), 2U);
  EXPECT_EQ(delivery.already_there + delivery.comparisons_already_there, 0);
  EXPECT_EQ(*read_archive(state_ / "spool" / "bad" / archive.filename()), run);
}

TEST_F(HostileSqlTest, EachFunctionIsForThoseOfItsLineAndNoneIsMisledByASearchPath) {
  auto transaction = must(Transaction::begin(*administrator_));
  const Rows rows = must(transaction.run(
      "select p.proname::text, p.prosecdef, coalesce(p.proconfig::text, '') like '%search_path=pg_catalog, pg_temp%', "
      "array(select who from unnest('{kate,lena,mara,nils}'::text[], '{reader,writer,reader of all,writer of all}'::"
      "text[]) as l(login, who) where has_function_privilege(login, p.oid, 'EXECUTE')), exists (select from pg_depend "
      "d "
      "where d.refobjid = p.oid and d.classid in ('pg_constraint'::regclass, 'pg_policy'::regclass, "
      "'pg_trigger'::regclass)) from pg_proc p where p.pronamespace = 'steelyard'::regnamespace order by 1"));
  std::map<std::string, std::string> found;
  for (std::int64_t row = 0; row < rows.size(); ++row) {
    const bool is_owners = rows.boolean(row, 1);
    std::string who;
    for (const std::string& one : texts_of_array(rows.raw(row, 3))) who += (who.empty() ? "" : ", ") + one;
    found[rows.text(row, 0)] = is_owners                                               ? "as owner: " + who
                               : who == "reader, writer, reader of all, writer of all" ? "anybody"
                                                                                       : who;
    if (is_owners && who.empty()) found[rows.text(row, 0)] += "nobody";
    // With rights of somebody else, or for somebody else's rows.
    EXPECT_TRUE(rows.boolean(row, 2) || !(is_owners || rows.boolean(row, 4))) << rows.text(row, 0);
  }
  EXPECT_EQ(found, kFunctions) << "say in kFunctions who may call it";
  for (const auto& [name, who] : kFunctions) {
    if (!who.starts_with("as owner") || who.ends_with("nobody")) continue;
    ASSERT_TRUE(kHostileCalls.contains(name)) << "say in kHostileCalls what nobody gets by it";
    Session session = as(who.find("writer,") != who.npos ? "lena" : "nils");
    auto calling = must(Transaction::begin(session));
    must(calling.run("select set_config('steelyard.only_project', 'hidden', true)"));
    for (const std::string& answer : kHostileCalls.at(name)) {
      EXPECT_TRUE(must(calling.run("select " + answer, {}, kOneRow)).boolean(0, 0)) << answer;
    }
  }
}

// With its caller's rights a function reaches no row that the caller does not: what is left to an attacker is the time
// and memory of the server, by values that nobody of ours would write.
TEST_F(HostileSqlTest, NoFunctionTakesLongOrEndsTheServerWhateverItIsGiven) {
  std::vector<std::string> calls;
  for (const char* number : {"2147483647", "-1"}) {
    auto transaction = must(Transaction::begin(*administrator_));
    const Rows rows = must(transaction.run(
        "select format('select * from steelyard.%I(%s)', p.proname, (select string_agg(format('%L::%s', case "
        "when t.typcategory = 'N' and t.oid <> 'regclass'::regtype then $1 when t.typcategory = 'A' then '{}' "
        "when t.oid = 'regclass'::regtype then 'steelyard.tokens' when t.oid = 'bytea'::regtype then "
        "'\\x' || repeat('ff7f', 100) when t.oid = 'jsonb'::regtype then '[{}]' when t.typcategory = 'V' then "
        "repeat('1', 64) when t.typcategory = 'B' then 'true' else 'x' end, a.type::regtype), ', ' order by a.place) "
        "from unnest(p.proargtypes) with ordinality as a(type, place) join pg_type t on t.oid = a.type)) "
        "from pg_proc p where p.pronamespace = 'steelyard'::regnamespace and p.prorettype <> 'trigger'::regtype "
        "and not p.prosecdef and p.pronargs > 0 order by 1",
        SqlValues().text(number)));
    for (std::int64_t row = 0; row < rows.size(); ++row) calls.push_back(rows.text(row, 0));
  }
  EXPECT_GE(calls.size(), 40U);
  Session lena = as("lena");
  lena.limit_statements(std::chrono::seconds(20));
  for (const std::string& call : calls) {
    EXPECT_THAT(attempt(lena, call), Not(HasSubstr("statement timeout"))) << call;
    ASSERT_EQ(attempt(lena, "select 1"), "done") << call;
  }
}

// As in a database where everybody may make functions, and one's own come first.
TEST_F(HostileSqlTest, FunctionsOfOnesOwnDeceiveNeitherTheServerNorWhoeverComesLater) {
  tell(
      "create schema lenas authorization lena; grant create on schema public to lena; "
      "create table lenas.seen (row text); grant all on lenas.seen to lena");
  Session lena = as("lena");
  ASSERT_TRUE(lena.run_alone(R"sql(
    create function lenas.sha256(bytea) returns bytea language sql as $$ select '\x00'::bytea $$;
    create function lenas.encode(bytea, text) returns text language sql as $$ select 'forged'::text $$;
    create function lenas.nothing(text, text) returns text language sql as $$ select ''::text $$;
    create operator lenas.|| (leftarg = text, rightarg = text, function = lenas.nothing);
    create function lenas.same(text, text) returns boolean language sql as $$ select true $$;
    create operator lenas.= (leftarg = text, rightarg = text, function = lenas.same);
    create function lenas.look(text) returns boolean language plpgsql cost 0.0001 as
      $$ begin insert into lenas.seen values ($1); return true; end $$;
    create function public.lower(varchar) returns text language sql as $$ select 'deceived'::text $$;
  )sql"));
  const auto deceived = [&lena](const std::string& statement) {
    auto transaction = must(Transaction::begin(lena));
    must(transaction.run_script("set local search_path = lenas, pg_catalog"));
    return outcome(transaction.run(statement));
  };
  EXPECT_EQ(
      deceived("insert into steelyard.metrics (identity, name, unit, better, kind) values ('forged', 'real_time', "
               "'ns', 'higher', 'noisy')"),
      "forged");
  EXPECT_EQ(deceived("insert into steelyard.series (identity, project_key, benchmark_key, metric_key, fingerprint, "
                     "count_key) select 'forged', project_key, benchmark_key, metric_key, '', '' "
                     "from steelyard.series limit 1"),
            "forged");
  // Rows that are not hers never reach a function of hers.
  for (const char* table : {"runs", "comparisons", "projects", "history"}) {
    ASSERT_TRUE(lena.run_alone("select from steelyard." + std::string(table) + " t where lenas.look(t::text)"));
  }
  EXPECT_EQ(ask("select count(*)::text from lenas.seen where row like '%hidden%'"), "0");
  EXPECT_NE(ask("select count(*)::text from lenas.seen"), "0");
  // What the program runs with more rights takes the server's own.
  EXPECT_EQ(ask("select lower('A'::varchar)"), "a");
}

TEST_F(HostileSqlTest, NothingBesideItsRowsIsReached) {
  tell("select lo_from_bytea(4711, 'x')");
  for (const char* login : {"kate", "lena", "nils", "pia"}) {
    Session session = as(login);
    std::vector<std::string> statements = kRefusedToAll;
    const bool owns = login == std::string("pia");
    if (!owns) statements.insert(statements.end(), kRefused.begin(), kRefused.end());
    for (const std::string& statement : statements) {
      const Result<void> refused = session.run_alone(statement);
      ASSERT_FALSE(refused) << login << ": " << statement;
      EXPECT_THAT(refused.error().text(), AnyOf(HasSubstr("permission denied"), HasSubstr("must be"),
                                                HasSubstr("must have"), HasSubstr("row-level security")))
          << statement;
    }
    if (owns) continue;
    EXPECT_EQ(ask("select count(*)::text from pg_class c, unnest('{SELECT,UPDATE,USAGE}'::text[]) r where relkind = "
                  "'S' and relnamespace = 'steelyard'::regnamespace and has_sequence_privilege('" +
                  std::string(login) + "', c.oid, r)"),
              "0");
    EXPECT_FALSE(session.run_alone("select lo_get(4711)")) << "somebody else's";
    [[maybe_unused]] const auto warned = session.run_alone("grant select on steelyard.metrics to otto");
    EXPECT_FALSE(as("otto").run_alone("select from steelyard.metrics"));
  }
  Session lena = as("lena");
  EXPECT_FALSE(lena.run_alone("set role steelyard_writer"));
  auto transaction = must(Transaction::begin(lena));
  EXPECT_THAT(transaction.run_script("set local row_security = off; select from steelyard.runs").error().text(),
              HasSubstr("row-level security"));
}

}  // namespace
}  // namespace steelyard::storage::hostile_sql_test
