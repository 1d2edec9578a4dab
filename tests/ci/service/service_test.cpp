#include "ci/service/service.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <thread>

#include "storage/alert_store.hpp"
#include "storage/archive/archive.hpp"
#include "storage/embedded/cluster.hpp"
#include "storage/history_store.hpp"
#include "storage/place/store_address.hpp"
#include "storage/postgres/session/session.hpp"
#include "storage/run_store.hpp"
#include "tests/ci/service/schema_check.hpp"
#include "tests/ci/service/served_store.hpp"
#include "tests/storage/postgres/test_server.hpp"

namespace steelyard::ci::service_test {
namespace {

using nlohmann::json;
using ::testing::HasSubstr;
using ::testing::Not;

class ServiceTest : public ServedStore {};

std::string percent(const std::string& text) { return storage::percent_encode(text); }

TEST_F(ServiceTest, AnswersEveryReadingOperationAsItsDescriptionSays) {
  const std::string run = sealed_run(1).header.id;
  const std::string other = sealed_run(2).header.id;
  json runs = checked("/api/v1/runs", "/api/v1/runs?project=demo");
  ASSERT_EQ(runs["items"].size(), 2U);
  EXPECT_EQ(runs["items"][0]["id"], other) << "the newest first";
  const std::string fingerprint = runs["items"][0]["fingerprint"];
  const std::string sha = runs["items"][0]["commit"];

  EXPECT_EQ(checked("/healthz", "/healthz")["status"], "ok");
  EXPECT_GE(checked("/readyz", "/readyz")["schema_version"], 31);
  EXPECT_TRUE(checked("/readyz", "/readyz").contains("store"));
  checked("/api/v1/openapi.json", "/api/v1/openapi.json");
  EXPECT_EQ(checked("/api/v1/session", "/api/v1/session")["scopes"], json::array({"read", "report", "submit"}));
  json projects = checked("/api/v1/projects", "/api/v1/projects");
  ASSERT_EQ(projects["items"].size(), 2U);
  EXPECT_EQ(projects["items"][0]["name"], "demo");
  EXPECT_EQ(projects["items"][0]["newest_run"], other);
  EXPECT_EQ(projects["items"][0]["branches"][0]["name"], "main");
  EXPECT_GE(projects["items"][0]["open_alerts"], 1);

  EXPECT_EQ(checked("/api/v1/runs/{id}", "/api/v1/runs/" + run)["run"]["id"], run);
  checked("/api/v1/runs/{id}/profile", "/api/v1/runs/" + run + "/profile");
  json series = checked("/api/v1/series", "/api/v1/series?project=demo");
  ASSERT_EQ(series["items"].size(), 2U);
  checked("/api/v1/history", "/api/v1/history?project=demo&branch=main");
  json changes = checked("/api/v1/changes", "/api/v1/changes?project=demo");
  ASSERT_EQ(changes["items"].size(), 1U);
  EXPECT_EQ(changes["items"][0]["verdict"], "regression");
  checked("/api/v1/changed", "/api/v1/changed?project=demo&branch=main");
  checked("/api/v1/movers", "/api/v1/movers?project=demo&branch=main");
  const json judged =
      checked("/api/v1/compare", "/api/v1/compare?baseline=" + run + "&candidate=" + other + "&explain=all");
  EXPECT_FALSE(judged["comparisons"].empty());
  json kept = checked("/api/v1/comparisons", "/api/v1/comparisons?project=demo");
  ASSERT_EQ(kept["items"].size(), 1U);
  EXPECT_EQ(kept["items"][0]["summary"]["regression"], 1);
  checked("/api/v1/comparisons/{id}", "/api/v1/comparisons/" + kept["items"][0]["id"].get<std::string>());
  json alerts = checked("/api/v1/alerts", "/api/v1/alerts?project=demo");
  ASSERT_FALSE(alerts["items"].empty());
  checked("/api/v1/alerts/{id}", "/api/v1/alerts/" + alerts["items"][0]["id"].get<std::string>());
  EXPECT_EQ(checked("/api/v1/targets", "/api/v1/targets?project=demo")["items"].size(), 1U);
  EXPECT_EQ(checked("/api/v1/targets", "/api/v1/targets?run=" + other)["items"][0]["verdict"], "undecided");
  json machines = checked("/api/v1/machines", "/api/v1/machines?project=demo");
  ASSERT_EQ(machines["items"].size(), 1U);
  EXPECT_EQ(machines["items"][0]["runs"], 2);
  checked("/api/v1/machines/{fingerprint}", "/api/v1/machines/" + fingerprint);
  json commit = checked("/api/v1/commits/{sha}", "/api/v1/commits/" + sha + "?project=demo");
  EXPECT_EQ(commit["runs"].size(), 1U);
  EXPECT_EQ(commit["change_points"].size(), 1U);
  EXPECT_EQ(checked("/api/v1/search", "/api/v1/search?q=sort")["items"][0]["kind"], "benchmark");
  EXPECT_EQ(checked("/api/v1/search", "/api/v1/search?q=" + run.substr(0, 10))["items"][0]["id"], run);
  checked("/api/v1/badge.svg", "/api/v1/badge.svg?project=demo");
  checked("/api/v1/flame", "/api/v1/flame?baseline=" + run + "&candidate=" + other +
                               "&benchmark=" + percent("BM_sort/1024 [suite=cpu]"));
  const HttpReply archive = get("/api/v1/runs/" + run + "/archive");
  EXPECT_EQ(archive.body, storage::encode_run(sealed_run(1)));
}

TEST_F(ServiceTest, AnswersForAProjectThatHasNothingYet) {
  const Fields fields = bearer(issue({"read"}, "empty one"));
  EXPECT_EQ(checked("/api/v1/projects", "/api/v1/projects", 200, fields)["items"][0]["branches"], json::array());
  for (const char* list : {"runs", "series", "changes", "comparisons", "alerts", "targets", "machines"}) {
    const std::string path = std::string("/api/v1/") + list;
    EXPECT_EQ(checked(path, path, 200, fields)["items"], json::array()) << list;
  }
}

TEST_F(ServiceTest, TellsTheColumnsOfOneSeriesThatWereAskedFor) {
  json series = checked("/api/v1/series", "/api/v1/series?project=demo&metric=real_time");
  ASSERT_EQ(series["items"].size(), 1U);
  const std::string which =
      "/api/v1/points?project=demo&branch=main&metric=real_time&benchmark=" + percent(series["items"][0]["benchmark"]);
  const json points =
      checked("/api/v1/points", which + "&columns=at,value,run,commit,subject,least,low,high,most,samples,off_branch");
  EXPECT_EQ(points["count"], 2);
  EXPECT_EQ(points["run"][1], sealed_run(2).header.id.substr(0, 12));
  EXPECT_EQ(points["subject"][1], sealed_run(2).header.commit.subject);
  EXPECT_EQ(points["most"][1], 1.7976931348623157e308);
  EXPECT_EQ(points["least"][1], -0.0);
  EXPECT_FALSE(checked("/api/v1/points", which).contains("low"));
  EXPECT_THAT(get(which + "&columns=at,secret").body, HasSubstr("secret"));
  const HttpReply twice = get(which + "&columns=at,subject,subject");
  EXPECT_EQ(twice.status, 400);
  EXPECT_THAT(twice.body, HasSubstr("subject twice"));
  EXPECT_EQ(get("/api/v1/points?project=demo&metric=real_time&benchmark=BM_none").status, 400);
}

TEST_F(ServiceTest, PagesByKeysFromOneItemToTheNext) {
  json all = checked("/api/v1/runs", "/api/v1/runs");
  ASSERT_EQ(all["items"].size(), 3U);
  std::vector<json> paged;
  std::string after;
  do {
    json page = checked("/api/v1/runs", "/api/v1/runs?limit=1&after=" + after);
    ASSERT_EQ(page["items"].size(), 1U);
    paged.push_back(page["items"][0]);
    after = page["next"].is_null() ? "" : page["next"].get<std::string>();
  } while (!after.empty() && paged.size() < 5);
  EXPECT_EQ(json(paged), all["items"]);
  for (const char* path : {"projects", "runs", "comparisons", "machines", "targets", "alerts", "changes", "series"}) {
    const HttpReply reply = get("/api/v1/" + std::string(path) + "?after=runs-7a-7a");
    EXPECT_EQ(reply.status, 400) << path << reply.body;
  }
}

TEST_F(ServiceTest, RefusesAPlaceBeyondEveryNumber) {
  const std::string runs = checked("/api/v1/runs", "/api/v1/runs?limit=1")["next"];
  // A list's place is its kind and each field in hexadecimal digits.
  const std::string kind = runs.substr(0, runs.find('-'));
  std::string digits;
  for (int i = 0; i < 19; ++i) digits += "39";  // "9999999999999999999" has 64 bits and more
  EXPECT_EQ(get("/api/v1/runs?after=" + kind + '-' + digits + "-31").status, 400);
  EXPECT_EQ(get("/api/v1/runs?after=" + kind + "-31-" + digits).status, 400);
  EXPECT_EQ(get("/api/v1/targets?after=targets-61-" + digits + "-30").status, 400);
}

TEST_F(ServiceTest, SaysThatNothingChangedToWhoHasTheAnswer) {
  const HttpReply first = get("/api/v1/runs");
  ASSERT_EQ(first.status, 200);
  const std::string etag = first.fields.at("etag");
  const HttpReply second = get("/api/v1/runs", {{"If-None-Match", etag}});
  EXPECT_EQ(second.status, 304);
  EXPECT_EQ(second.body, "");
  EXPECT_EQ(second.fields.at("etag"), etag);
  EXPECT_EQ(get("/api/v1/runs", {{"If-None-Match", "W/\"0123\""}}).status, 200);
  const HttpReply head = ask(port(), "HEAD", "/api/v1/runs", with_token());
  EXPECT_EQ(head.status, 200);
  EXPECT_EQ(head.fields.at("content-length"), std::to_string(first.body.size()));
}

TEST_F(ServiceTest, PacksForWhoTakesIt) {
  const HttpReply plain = get("/api/v1/openapi.json");
  const HttpReply packed = get("/api/v1/openapi.json", {{"Accept-Encoding", "br, gzip"}});
  EXPECT_EQ(packed.fields.at("content-encoding"), "gzip");
  EXPECT_LT(packed.body.size(), plain.body.size() / 2);
  EXPECT_EQ(unpacked(packed.body), plain.body);
  EXPECT_FALSE(get("/api/v1/openapi.json", {{"Accept-Encoding", "gzip;q=0"}}).fields.contains("content-encoding"));
}

TEST_F(ServiceTest, TakesARunOnceHoweverOftenItIsSent) {
  const std::string token = issue({"submit"}, "demo");
  const steelyard::Run run = sealed_run(77);
  const std::string archive = storage::encode_run(run);
  Fields fields = bearer(token);
  fields.emplace_back("Content-Type", "application/vnd.steelyard.run");
  const HttpReply first = ask(port(), "POST", "/api/v1/runs", fields, archive);
  EXPECT_EQ(first.status, 201) << first.body;
  EXPECT_EQ(answer_fault(document(), "/api/v1/runs", "post", 201, first.fields.at("content-type"), first.body), "");
  EXPECT_EQ(json::parse(first.body)["id"], run.header.id);
  const HttpReply second = ask(port(), "POST", "/api/v1/runs", fields, archive);
  EXPECT_EQ(second.status, 200);
  EXPECT_EQ(json::parse(second.body)["is_new"], false);
  EXPECT_EQ(get("/api/v1/runs/" + run.header.id).status, 200);
  storage::Store store = open();
  const auto trail = storage::AccessStore(store).audit_trail(100);
  const auto lines = std::count_if(trail->begin(), trail->end(), [&](const storage::AuditEntry& one) {
    return one.action == "run submitted" && one.subject == "run:" + run.header.id && one.who == "token a test";
  });
  EXPECT_EQ(lines, 1);
}

TEST_F(ServiceTest, TakesNoRunThatIsNotWhatItSays) {
  Fields fields = bearer(issue({"submit"}));
  fields.emplace_back("Content-Type", "application/vnd.steelyard.run");
  const auto send = [&](const std::string& bytes) { return ask(port(), "POST", "/api/v1/runs", fields, bytes).status; };
  steelyard::Run forged = sealed_run(78);
  forged.header.id = sealed_run(1).header.id;
  EXPECT_EQ(send(storage::encode_run(forged)), 422);
  const std::string good = storage::encode_run(sealed_run(78));
  EXPECT_EQ(send(good.substr(0, good.size() / 2)), 422);
  std::string damaged = good;
  damaged[good.size() / 2] ^= 1;
  EXPECT_EQ(send(damaged), 422);
  EXPECT_EQ(send("<script>alert(1)</script>"), 422);
  EXPECT_EQ(send("[[[[[[[["), 422);
  EXPECT_EQ(ask(port(), "POST", "/api/v1/runs", fields).status, 422) << "nothing at all";
  EXPECT_EQ(get("/api/v1/runs/" + sealed_run(78).header.id).status, 404);
  fields.back().second = "text/html";
  EXPECT_EQ(send(good), 415);
}

TEST_F(ServiceTest, LetsEveryTokenDoWhatItsScopesSayAndNothingElse) {
  const std::string alert = checked("/api/v1/alerts", "/api/v1/alerts?project=demo")["items"][0]["id"];
  const json act{{"note", "looking"}};
  for (const char* scope : {"read", "submit", "report", "admin"}) {
    const Fields fields = bearer(issue({scope}));
    const auto is_allowed = [&](const std::string& method, const std::string& target, const char* type,
                                const std::string& body) {
      Fields all = fields;
      all.emplace_back("Content-Type", type);
      const int status = ask(port(), method, target, all, body).status;
      EXPECT_NE(status, 401) << scope << ' ' << target;
      return status != 403;
    };
    const std::string named = scope;
    EXPECT_EQ(is_allowed("GET", "/api/v1/runs", "text/plain", ""), named == "read");
    EXPECT_EQ(is_allowed("POST", "/api/v1/runs", "application/octet-stream", "x"), named == "submit");
    EXPECT_EQ(is_allowed("POST", "/api/v1/alerts/" + alert + "/reopen", "application/json", act.dump()),
              named == "report");
    EXPECT_EQ(is_allowed("GET", "/api/v1/audit", "text/plain", ""), named == "admin");
    EXPECT_EQ(is_allowed("POST", "/api/v1/tokens", "application/json", "{}"), named == "admin");
  }
  EXPECT_EQ(ask(port(), "POST", "/api/v1/alerts/" + alert + "/acknowledge", {{"Content-Type", "application/json"}},
                act.dump())
                .status,
            401);
}

TEST_F(ServiceTest, KnowsNoTokenThatIsForgedExpiredOrRevoked) {
  const std::string good = issue({"read"});
  EXPECT_EQ(get("/api/v1/runs", bearer(good)).status, 200);
  std::string forged = good;
  forged.back() = forged.back() == '0' ? '1' : '0';
  storage::Store store = open();
  for (const std::string& bad : {forged, std::string("x"), std::string(10'000, 'a'), std::string(kKey).substr(1),
                                 std::string("steelyard_' or 1=1 --")}) {
    const HttpReply reply = get("/api/v1/runs", bearer(bad));
    EXPECT_EQ(reply.status, 401) << bad.substr(0, 40);
    if (bad.size() > 5) {
      EXPECT_THAT(reply.body, Not(HasSubstr(bad.substr(0, 40)))) << "no secret comes back";
    }
    EXPECT_THAT(reply.fields.at("www-authenticate"), HasSubstr("Bearer"));
  }
  EXPECT_EQ(get("/api/v1/runs", {{"Authorization", "Basic YTpi"}}).status, 401);
  const std::string late = issue({"read"});
  storage::Session session = storage::Session::connect(*url_, "test").value();
  ASSERT_TRUE(
      session.run_alone("update steelyard.tokens set expires_at = now() where id = '" + late.substr(10, 32) + "'"));
  EXPECT_EQ(get("/api/v1/runs", bearer(late)).status, 401);
  ASSERT_TRUE(storage::AccessStore(store).revoke_token(good.substr(10, 32), "ada"));
  EXPECT_EQ(get("/api/v1/runs", bearer(good)).status, 401);
}

TEST_F(ServiceTest, ShowsATokenOfOneProjectNothingOfAnother) {
  const Fields fields = bearer(issue({"read"}, "demo"));
  const steelyard::Run hidden = sealed_run(3, "hidden");
  const auto fault = [&](const std::string& target) {
    const HttpReply reply = get(target, fields);
    EXPECT_LT(reply.status, 500) << target << reply.body;
    return reply.status == 200 && reply.body.find("hidden") != reply.body.npos ? target + ": " + reply.body : "";
  };
  for (const char* path :
       {"projects", "runs", "series", "history", "changes", "comparisons", "alerts", "targets", "machines",
        "search?q=hidden", "runs?project=hidden", "series?project=hidden", "history?project=hidden",
        "comparisons?project=hidden", "alerts?project=hidden", "targets?project=hidden"}) {
    EXPECT_EQ(fault("/api/v1/" + std::string(path)), "");
  }
  EXPECT_EQ(get("/api/v1/runs/" + hidden.header.id, fields).status, 404);
  EXPECT_EQ(get("/api/v1/runs/" + hidden.header.id + "/archive", fields).status, 404);
  EXPECT_EQ(get("/api/v1/commits/" + hidden.header.commit.sha, fields).status, 404);
  EXPECT_EQ(
      get("/api/v1/compare?baseline=" + sealed_run(1).header.id + "&candidate=" + hidden.header.id, fields).status,
      404);
  EXPECT_EQ(json::parse(get("/api/v1/runs", fields).body)["items"][0]["project"], "demo");
  // The same question by who sees everything, before and after: nothing that was kept is shown to the other.
  EXPECT_THAT(get("/api/v1/projects").body, HasSubstr("hidden"));
  EXPECT_EQ(fault("/api/v1/projects"), "");
}

TEST_F(ServiceTest, LetsATokenOfOneProjectAddNothingToAnother) {
  Fields fields = bearer(issue({"submit"}, "demo"));
  fields.emplace_back("Content-Type", "application/octet-stream");
  const steelyard::Run run = sealed_run(79, "hidden");
  EXPECT_EQ(ask(port(), "POST", "/api/v1/runs", fields, storage::encode_run(run)).status, 403);
  EXPECT_EQ(get("/api/v1/runs/" + run.header.id).status, 404);
}

// What the service would do wrong, the database does not let it: the session of such a token, asked in SQL.
TEST_F(ServiceTest, IsHeldByTheDatabaseWhereItWouldForgetAProject) {
  static_cast<void>(issue({"read"}, "demo"));
  storage::Store store = open();
  ASSERT_TRUE(store.see_only("demo"));
  storage::HistoryQuery query;
  query.project = "hidden";
  EXPECT_TRUE(storage::HistoryStore(store).series(query)->empty());
  const auto projects = storage::HistoryStore(store).projects("");
  EXPECT_EQ(*projects, (std::vector<std::string>{"demo"}));
  ASSERT_TRUE(store.see_only("hidden"));
  EXPECT_EQ(*storage::HistoryStore(store).projects(""), (std::vector<std::string>{"hidden"}));
  ASSERT_TRUE(store.see_only(""));
  EXPECT_GE(storage::HistoryStore(store).projects("")->size(), 2U);
}

TEST_F(ServiceTest, KeepsWhatPeopleSayOfAnAlert) {
  const Fields fields = bearer(issue({"report"}, "demo"));
  const std::string id = checked("/api/v1/alerts", "/api/v1/alerts?project=demo")["items"][0]["id"];
  const std::string target = "/api/v1/alerts/" + id + '/';
  const std::string path = "/api/v1/alerts/{id}/";
  EXPECT_EQ(posted(path + "acknowledge", target + "acknowledge", {{"note", "on it <b>"}}, 200, fields)["state"],
            "acknowledged");
  posted(path + "accept", target + "accept", {{"note", ""}}, 422, fields);
  posted(path + "accept", target + "accept", {{"reason", "x"}}, 422, fields);
  posted(path + "accept", target + "accept", {{"note", std::string(3000, 'x')}}, 422, fields);
  const json accepted =
      posted(path + "accept", target + "accept", {{"note", "a checksum more"}, {"until", "2099-12-31"}}, 200, fields);
  EXPECT_EQ(accepted["state"], "accepted");
  EXPECT_EQ(accepted["life"].back()["by"], "token a test");
  EXPECT_EQ(accepted["accepted_until"], "2099-12-31");
  EXPECT_EQ(posted(path + "reopen", target + "reopen", json::object(), 200, fields)["state"], "reopened");
  posted(path + "reopen", target + "reopen", json::object(), 409, fields);
  posted(path + "resolve", "/api/v1/alerts/0123456789/resolve", json::object(), 404, fields);
  EXPECT_EQ(json::parse(get("/api/v1/alerts/" + id).body)["state"], "reopened") << "no answer of before is told";
}

TEST_F(ServiceTest, AssignsAnAlertAndTakesItBack) {
  const Fields fields = bearer(issue({"report"}, "demo"));
  const std::string id = checked("/api/v1/alerts", "/api/v1/alerts?project=demo")["items"][0]["id"];
  const std::string target = "/api/v1/alerts/" + id + "/assign";
  const std::string path = "/api/v1/alerts/{id}/assign";
  const json given = posted(path, target, {{"to", "ada <b>"}, {"note", R"(no zero: \u0000)"}}, 200, fields);
  EXPECT_EQ(given["assignment"]["to"], "ada <b>");
  EXPECT_EQ(given["assignment"]["by"], "token a test");
  EXPECT_EQ(given["assignment"]["note"], R"(no zero: \u0000)");
  EXPECT_EQ(json::parse(get("/api/v1/alerts/" + id).body)["assignment"], given["assignment"]);
  posted(path, target, {{"to", "ada <b>"}}, 409, fields);
  posted(path, target, json::object(), 422, fields);
  posted(path, target, {{"to", std::string(201, 'x')}}, 422, fields);
  posted(path, target, {{"to", std::string("a\0b", 3)}}, 422, fields);
  posted("/api/v1/alerts/{id}/resolve", "/api/v1/alerts/" + id + "/resolve", {{"to", "ada"}}, 422, fields);
  posted(path, target, {{"to", "ada"}}, 403, bearer(issue({"read", "submit"}, "demo")));
  posted(path, target, {{"to", "ada"}}, 404, bearer(issue({"report"}, "hidden")));
  EXPECT_TRUE(posted(path, target, {{"to", ""}}, 200, fields)["assignment"].is_null());
}

TEST_F(ServiceTest, IssuesTokensToAnAdministratorAndNoMoreThanTheirOwnProject) {
  const Fields all = bearer(issue({"admin"}));
  const json issued =
      posted("/api/v1/tokens", "/api/v1/tokens", {{"name", "ci"}, {"scopes", {"read"}}, {"project", "demo"}}, 201, all);
  const std::string secret = issued["secret"];
  EXPECT_EQ(get("/api/v1/runs", bearer(secret)).status, 200);
  json listed = checked("/api/v1/tokens", "/api/v1/tokens", 200, all);
  EXPECT_EQ(listed["items"][0]["id"], issued["token"]["id"]);
  EXPECT_FALSE(listed["items"][0]["last_used"].is_null());
  EXPECT_THAT(listed.dump(), Not(HasSubstr(secret.substr(50))));
  const Fields one = bearer(issue({"admin"}, "demo"));
  posted("/api/v1/tokens", "/api/v1/tokens", {{"name", "x"}, {"scopes", {"read"}}}, 403, one);
  posted("/api/v1/tokens", "/api/v1/tokens", {{"name", "x"}, {"scopes", {"root"}}}, 422, all);
  EXPECT_EQ(get("/api/v1/audit", one).status, 403);
  EXPECT_THAT(checked("/api/v1/audit", "/api/v1/audit", 200, all).dump(), HasSubstr("token issued"));
  const std::string id = issued["token"]["id"];
  EXPECT_EQ(ask(port(), "DELETE", "/api/v1/tokens/" + id, all).status, 204);
  EXPECT_EQ(get("/api/v1/runs", bearer(secret)).status, 401);
}

TEST_F(ServiceTest, MakesOneTokenOfOneWhoeverRotatesItAtOnce) {
  const Fields admin = bearer(issue({"admin"}));
  for (int i = 0; i < 10; ++i) {
    const std::string target = "/api/v1/tokens/" + issue({"read"}).substr(10, 32) + "/rotate";
    std::atomic<int> made = 0;
    const auto rotate = [&] {
      Fields fields = admin;
      fields.emplace_back("Content-Type", "application/json");
      made += ask(port(), "POST", target, fields, "{}").status == 201 ? 1 : 0;
    };
    std::thread other(rotate);
    rotate();
    other.join();
    EXPECT_EQ(made, 1);
  }
}

TEST_F(ServiceTest, TakesSqlAndScriptInEveryParameterForText) {
  const std::vector<std::string> hostile{"' or 1=1 --",
                                         "'; drop table steelyard.runs; --",
                                         "$1",
                                         "%00",
                                         "\\",
                                         "<script>alert(1)</script>",
                                         "../../etc/passwd",
                                         "\xE2\x80\xAE"};
  for (const auto& [path, operations] : document()["paths"].items()) {
    if (!operations.contains("get") || path.find('{') != path.npos || path == "/api/v1/events") continue;
    for (json parameter : operations["get"]["parameters"]) {
      if (parameter.contains("$ref"))
        parameter = document().at(json::json_pointer(parameter["$ref"].get<std::string>().substr(1)));
      for (const std::string& text : hostile) {
        const HttpReply reply =
            get(path + '?' + parameter["name"].get<std::string>() + '=' + (text == "%00" ? text : percent(text)));
        EXPECT_LT(reply.status, 500) << path << ' ' << parameter["name"] << ' ' << text << reply.body;
        EXPECT_THAT(reply.fields.at("x-content-type-options"), HasSubstr("nosniff"));
      }
    }
  }
  EXPECT_GE(checked("/api/v1/projects", "/api/v1/projects")["items"].size(), 2U) << "all is there";
}

// Another user of this machine, a page of a stranger whose name was made to point here, and whoever comes through a
// proxy on this machine.
TEST_F(ServiceTest, TellsNobodyOnThisMachineAnythingWithoutTheKeyOrAToken) {
  for (const char* host : {"localhost", "127.0.0.1:8731", "[::1]:8731", "evil.example", ""}) {
    HttpClient stranger(port());
    stranger.send("GET /api/v1/runs HTTP/1.1\r\nHost: " + std::string(host) + "\r\n\r\n");
    EXPECT_EQ(stranger.receive().status, 401) << host;
    HttpClient own(port());
    own.send("GET /api/v1/runs HTTP/1.1\r\nHost: " + std::string(host) + "\r\nAuthorization: Bearer " + kKey +
             "\r\n\r\n");
    EXPECT_EQ(own.receive().status, 200) << host;
  }
  EXPECT_EQ(ask(port(), "GET", "/api/v1/runs", {{"X-Forwarded-For", "192.0.2.1"}}).status, 401);
  EXPECT_EQ(ask(port(), "GET", "/api/v1/events").status, 401);
  const HttpReply badge = ask(port(), "GET", "/api/v1/badge.svg?project=demo");
  EXPECT_EQ(badge.status, 401);
  EXPECT_EQ(get("/api/v1/badge.svg?project=demo").fields.at("cross-origin-resource-policy"), "same-origin");
  const HttpReply ready = ask(port(), "GET", "/readyz");
  EXPECT_EQ(ready.status, 200);
  EXPECT_FALSE(json::parse(ready.body).contains("store")) << "where it is";
}

TEST_F(ServiceTest, AsksForATokenWhereOthersCanReachItUnlessItIsPublic) {
  ServingOptions guarded = options();
  guarded.admission = {};
  {
    const RunningService service(guarded);
    EXPECT_EQ(ask(service.port(), "GET", "/api/v1/runs").status, 401);
    EXPECT_EQ(ask(service.port(), "GET", "/healthz").status, 200);
    EXPECT_EQ(ask(service.port(), "GET", "/api/v1/runs", bearer(issue({"read"}))).status, 200);
    EXPECT_EQ(ask(service.port(), "GET", "/api/v1/runs", bearer(kKey)).status, 401) << "no key was made";
    EXPECT_EQ(ask(service.port(), "GET", "/api/v1/runs", bearer("")).status, 401);
  }
  guarded.admission.is_public = true;
  const RunningService service(guarded);
  EXPECT_EQ(ask(service.port(), "GET", "/api/v1/runs").status, 200);
  EXPECT_EQ(ask(service.port(), "GET", "/api/v1/badge.svg?project=demo").fields.at("cross-origin-resource-policy"),
            "cross-origin");
  EXPECT_FALSE(json::parse(ask(service.port(), "GET", "/readyz").body).contains("store"));
  EXPECT_EQ(ask(service.port(), "POST", "/api/v1/runs", {{"Content-Type", "application/octet-stream"}}, "x").status,
            401);
}

TEST_F(ServiceTest, LimitsHowOftenSomebodyAsks) {
  ServingOptions few = options();
  few.requests_a_second = 0.001;
  few.requests_at_once = 3;
  const RunningService service(few);
  for (int i = 0; i < 3; ++i) EXPECT_EQ(ask(service.port(), "GET", "/api/v1/runs", with_token()).status, 200);
  const HttpReply refused = ask(service.port(), "GET", "/api/v1/runs", with_token());
  EXPECT_EQ(refused.status, 429);
  EXPECT_TRUE(refused.fields.contains("retry-after"));
  EXPECT_EQ(ask(service.port(), "GET", "/api/v1/runs", bearer(issue({"read"}))).status, 200) << "a token has its own";
  int unknown = 0;
  for (int i = 0; i < 40; ++i)
    unknown += ask(service.port(), "GET", "/api/v1/runs", bearer("guess")).status == 429 ? 1 : 0;
  EXPECT_GT(unknown, 15) << "guessing is limited";
}

TEST_F(ServiceTest, LooksUpNoTokenOfWhoGuessedTooOftenAndKnowsWhoBelongs) {
  const RunningService service(options());
  const Fields known = bearer(issue({"read"}));
  EXPECT_EQ(ask(service.port(), "GET", "/api/v1/runs", known).status, 200);
  int guesses = 0;
  while (guesses < 100 && ask(service.port(), "GET", "/api/v1/runs", bearer("guess")).status == 401) ++guesses;
  EXPECT_GE(guesses, 20);
  EXPECT_LT(guesses, 60);
  EXPECT_EQ(ask(service.port(), "GET", "/api/v1/runs", bearer(issue({"read"}))).status, 429) << "it might be a guess";
  EXPECT_EQ(ask(service.port(), "GET", "/api/v1/runs", known).status, 200) << "behind a proxy all have one address";
}

// The signature is job_tokens_test's to check: here is what a job may do whose token is good.
TEST_F(ServiceTest, MakesNoBaselineOfWhatARequestsJobSends) {
  storage::Store store = open();
  steelyard::Run honest = sealed_run(90);
  steelyard::Run forged = sealed_run(91);
  ASSERT_EQ(forged.header.commit.branch, "main");
  const storage::AuditEntry note{"job of owner/name", "run submitted", "run", ""};
  ASSERT_TRUE(storage::RunStore(store).put(honest, storage::RunStore::Submission{note, false}));
  ASSERT_TRUE(storage::RunStore(store).put(forged, storage::RunStore::Submission{note, true}));
  EXPECT_EQ(get("/api/v1/runs/" + forged.header.id).status, 200) << "it is kept";
  TargetRow target;
  target.benchmark = "BM_sort/1024";
  target.metric = "bandwidth";
  target.target.text = "0.7 of bandwidth";
  target.target.of = Target::Of::bandwidth;
  target.target.least = 0.7;
  target.achieved = 5e9;
  target.reason = "made up";
  ASSERT_TRUE(storage::RunStore(store).put_target_verdicts(forged.header.id, {target}));
  EXPECT_THAT(get("/api/v1/targets?project=demo&branch=main").body, Not(HasSubstr("made up")));
  EXPECT_THAT(get("/api/v1/targets?run=" + forged.header.id).body, HasSubstr("made up"));
  const std::string points = get("/api/v1/history?project=demo&branch=main&metric=real_time").body;
  EXPECT_THAT(points, HasSubstr(honest.header.id));
  EXPECT_THAT(points, Not(HasSubstr(forged.header.id)));
  EXPECT_THAT(get("/api/v1/history?project=demo&metric=real_time").body, Not(HasSubstr(forged.header.id)));
  storage::BaselineQuery query;
  query.project = "demo";
  query.fingerprint = forged.environment.fingerprint();
  query.commit = std::string(40, 'e');
  query.branch = "main";
  const auto baseline = storage::HistoryStore(store).latest_baseline(query);
  ASSERT_TRUE(baseline) << baseline.error().text();
  ASSERT_TRUE(*baseline);
  EXPECT_EQ((*baseline)->run, honest.header.id);
}

TEST_F(ServiceTest, TellsWhoListensOfARunThatCameIn) {
  HttpClient client(port());
  client.send("GET /api/v1/events HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer " + std::string(kKey) +
              "\r\n\r\n");
  EXPECT_THAT(client.receive_for(10'000, "retry"), HasSubstr("text/event-stream"));
  std::this_thread::sleep_for(std::chrono::milliseconds(2500));
  Fields fields = bearer(issue({"submit"}));
  fields.emplace_back("Content-Type", "application/octet-stream");
  ASSERT_EQ(ask(port(), "POST", "/api/v1/runs", fields, storage::encode_run(sealed_run(80))).status, 201);
  EXPECT_THAT(client.receive_for(20'000, "event: run\ndata: {\"project\":\"demo\"}\n\n"), HasSubstr("event: run"));
}

TEST_F(ServiceTest, SaysWhatItDidInOpenMetrics) {
  get("/api/v1/runs");
  const std::string text = get("/metrics").body;
  EXPECT_THAT(text, HasSubstr("steelyard_http_requests_total{operation=\"runs\",status=\"200\"}"));
  EXPECT_THAT(text, HasSubstr("steelyard_store_up 1"));
  EXPECT_TRUE(text.ends_with("# EOF\n"));
}

TEST_F(ServiceTest, SaysThatTheStoreIsAwayAndComesBackWithIt) {
  ASSERT_EQ(get("/api/v1/runs").status, 200);
  ASSERT_TRUE(storage::stop_embedded(storage_test::server_state()));
  int away = 0;
  for (int i = 0; i < 6; ++i) {
    const HttpReply reply = get("/api/v1/runs?limit=" + std::to_string(i + 1));
    if (reply.status != 503) continue;
    ++away;
    EXPECT_EQ(reply.fields.at("retry-after"), "2");
    EXPECT_THAT(reply.body, HasSubstr("the store cannot be reached"));
    EXPECT_THAT(reply.body, Not(HasSubstr("passfile"))) << "nothing of where it is";
  }
  EXPECT_GT(away, 3);
  EXPECT_EQ(get("/readyz").status, 503);
  EXPECT_EQ(ask(port(), "GET", "/healthz").status, 200) << "the process itself is well";
  ASSERT_TRUE(storage::ensure_embedded_running(storage_test::server_state()));
  int status = 0;
  for (int i = 0; i < 100 && status != 200; ++i) {
    status = get("/readyz").status;
    if (status != 200) std::this_thread::sleep_for(std::chrono::milliseconds(200));
  }
  EXPECT_EQ(status, 200);
  EXPECT_EQ(get("/api/v1/runs").status, 200);
}

TEST_F(ServiceTest, TellsNothingOfItselfInAProblem) {
  const HttpReply reply = get("/api/v1/runs/0123456789");
  EXPECT_EQ(reply.status, 404);
  json problem = json::parse(reply.body);
  EXPECT_EQ(problem["request"], reply.fields.at("x-request-id"));
  EXPECT_EQ(reply.fields.at("content-type"), "application/problem+json");
  const HttpReply wrong = ask(port(), "DELETE", "/api/v1/runs", with_token());
  EXPECT_EQ(wrong.status, 405);
  EXPECT_THAT(wrong.fields.at("allow"), HasSubstr("POST"));
  const auto nowhere = {"/api/v1/nothing", "/../../etc/passwd", "/%2e%2e/etc/passwd.txt"};
  for (const char* path : nowhere) EXPECT_EQ(get(path).status, 404) << path;
}

TEST_F(ServiceTest, TellsAHistoryAnewWithWhatCameAndNobodyWhoMayNotSeeIt) {
  for (int number = 21; number < 30; ++number) {
    steelyard::Run run = sealed_run(number);
    run.header.project = "grown";
    storage::seal(run);
    ASSERT_TRUE(storage::RunStore(*std::make_unique<storage::Store>(open())).put(run));
    const std::string columns = "&columns=run,subject,most,at,value,least,low,high&points=" + std::to_string(number);
    const std::string which = "/api/v1/points?project=grown&branch=main&metric=real_time&benchmark=BM" + columns;
    const HttpReply plain = get(which), packed = get(which, {{"Accept-Encoding", "gzip"}});
    EXPECT_EQ(json::parse(plain.body)["count"], number - 20) << plain.body;
    const bool is_packed = packed.fields.contains("content-encoding") || number == 29;  // the last is, whatever is said
    EXPECT_EQ(is_packed ? unpacked(packed.body) : packed.body, plain.body);
    EXPECT_THAT(get(which, bearer(issue({"read"}, "demo"))).body, HasSubstr("see /api/v1/series"));
  }
}

}  // namespace
}  // namespace steelyard::ci::service_test
