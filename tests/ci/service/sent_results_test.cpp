// What a program sends that is no steelyard: the results of a tool, as they are, and what it is told of them.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "storage/archive/archive.hpp"
#include "storage/run_store.hpp"
#include "tests/ci/service/http_client.hpp"
#include "tests/ci/service/schema_check.hpp"
#include "tests/ci/service/served_store.hpp"
#include "tests/storage/postgres/example_run.hpp"

namespace steelyard::ci::sent_results_test {
namespace {

using nlohmann::json;

constexpr const char* kHash = "94167951c0b15a1d2e3f405162738495a6b7c8d9";

class SentResults : public ServedStore {
 protected:
  json sent(const std::string& parameters, const std::string& body, int status,
            const std::string& type = "application/json") {
    Fields fields = bearer(token_);
    fields.emplace_back("Content-Type", type);
    const std::string of = type == "application/json" ? "?project=sent" + parameters : parameters;
    const HttpReply reply = ask(port(), "POST", "/api/v1/runs" + of, fields, body);
    EXPECT_EQ(reply.status, status) << parameters << ": " << reply.body;
    const std::string fault =
        answer_fault(document(), "/api/v1/runs", "post", reply.status, reply.fields.at("content-type"), reply.body);
    EXPECT_EQ(fault, "");
    return json::parse(reply.body, nullptr, false);
  }
  // Of Google Benchmark.
  static std::string results(const std::string& name, double time) {
    json one{{"name", name},      {"run_type", "iteration"}, {"iterations", 10},
             {"real_time", time}, {"cpu_time", 5},           {"time_unit", "ns"}};
    json context{{"date", "2026-01-02T03:04:05+00:00"},
                 {"host_name", "h"},
                 {"executable", "./b"},
                 {"num_cpus", 2},
                 {"mhz_per_cpu", 2000},
                 {"caches", json::array()},
                 {"library_build_type", "release"}};
    json good = one;
    good["name"] = "BM_good";
    good["real_time"] = 5;
    return json{{"context", context}, {"benchmarks", json::array({good, one})}}.dump();
  }

  void SetUp() override {
    ServedStore::SetUp();
    if (!IsSkipped()) token_ = issue({"submit"});
  }
  std::string token_;
};

TEST_F(SentResults, AreOfACommitByItsWholeHashAlone) {
  const std::string body = results("BM_x", 5);
  const std::string whole = kHash;
  std::string capitals = whole;
  for (char& c : capitals) c = c >= 'a' && c <= 'f' ? static_cast<char>(c - 'a' + 'A') : c;
  for (const std::string& other : {whole.substr(0, 9), whole.substr(0, 39), whole + "0", std::string(40, 'g')}) {
    const json refused = sent("&commit=" + other, body, 422);
    EXPECT_EQ(refused["where"], "commit") << other;
    EXPECT_EQ(refused["wanted"], "a whole hash: 40 or 64 hexadecimal digits");
    EXPECT_EQ(sent("&commit=" + whole + "&parent=" + other, body, 422)["where"], "parent") << other;
  }
  const json first = sent("&commit=" + whole + "&parent=" + std::string(40, 'B'), body, 201);
  EXPECT_EQ(sent("&commit=" + capitals + "&parent=" + std::string(40, 'b'), body, 200)["id"], first["id"]);
  storage::Store store = open();
  const auto kept = storage::RunStore(store).get(first["id"]);
  ASSERT_TRUE(kept) << kept.error().text();
  EXPECT_EQ(kept->header.commit.sha, whole);
  EXPECT_EQ(kept->header.commit.parent, std::string(40, 'b'));
  sent("&commit=" + std::string(64, 'a'), body, 201);
}

TEST_F(SentResults, ThatCannotBeUsedAreToldToWhoeverSentThem) {
  const std::string at = "&commit=" + std::string(kHash);
  const json good = sent(at, results("BM_other", 5), 201);
  EXPECT_EQ(good["failures"], 0);
  EXPECT_THAT(good["warnings"].dump(), testing::Not(testing::HasSubstr("bad record")));
  const json bad = sent(at, results("BM_bad", -5), 201);
  EXPECT_GE(bad["failures"], 1);
  ASSERT_GE(bad["warnings"].size(), 2U);
  EXPECT_THAT(bad["warnings"][0].get<std::string>(),
              testing::AllOf(testing::StartsWith("submission: "), testing::HasSubstr("kept as failed; a gate")));
  EXPECT_THAT(bad["warnings"][1].get<std::string>(), testing::HasSubstr("submission"));
  EXPECT_THAT(bad.dump(), testing::Not(testing::HasSubstr("/proc/")));
  EXPECT_EQ(sent(at, results("BM_bad", -5), 200)["warnings"], bad["warnings"]) << "sent again it is told again";
  // An archive was read where it was made, and has them all the same.
  storage::Store store = open();
  const auto kept = storage::RunStore(store).get(bad["id"]);
  ASSERT_TRUE(kept) << kept.error().text();
  const json archive = sent("", storage::encode_run(*kept), 200, "application/vnd.steelyard.run");
  EXPECT_EQ(archive["failures"], bad["failures"]);
  EXPECT_EQ(archive["warnings"], json::array({bad["warnings"][0]}));
}

TEST_F(SentResults, ThatAreRefusedAreToldAFixOfThisInterface) {
  const auto fix_of = [](const json& problem) { return problem.value("fix", ""); };
  const std::string go_text = "goos: linux\npkg: example\nBenchmarkSort-2   100   5 ns/op\n";
  EXPECT_THAT(fix_of(sent("", go_text, 415, "text/plain")), testing::HasSubstr("text too, as application/json"));
  const json nothing = sent("", "", 422);
  EXPECT_EQ(nothing["wanted"], "the results of a tool");
  EXPECT_EQ(sent("", "", 422, "application/vnd.steelyard.run")["wanted"], "an archive");
  EXPECT_EQ(fix_of(sent("", "hello", 422)), "say which: the parameter format=FORMAT");
  const std::string folly = R"({"sort.cpp:sort": 12500.5})";
  EXPECT_EQ(fix_of(sent("", folly, 422)), "if folly's --json wrote it: the parameter format=folly");
  sent("&format=folly&committed_at=2026-01-02T03:04:05Z", folly, 201);
  EXPECT_EQ(sent("&format=foly", folly, 422)["where"], "format");
  EXPECT_EQ(sent("?format=folly", "an archive", 422, "application/vnd.steelyard.run")["where"], "format");
  const auto example = storage_test::example_run(1);
  for (const char* format : {"", "&format=folly", "&format=google-benchmark"}) {
    const json archive = sent(format, storage::encode_run(example), 422);
    EXPECT_EQ(archive["found"], "an archive of Steelyard's") << format;
    EXPECT_EQ(fix_of(archive), "send it as application/vnd.steelyard.run") << format;
    const json packed = sent(format, "\x1f\x8b\x08 and so on", 422);
    EXPECT_EQ(fix_of(packed), "send the text, not packed") << format;
    for (const json& problem : {archive, packed}) {
      EXPECT_THAT(problem.dump(), testing::Not(testing::HasSubstr("/proc/"))) << format;
      EXPECT_THAT(problem.dump(), testing::Not(testing::HasSubstr("steelyard "))) << format;
    }
  }
  HttpClient client(port());
  client.send("POST /api/v1/runs HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer " + token_ +
              "\r\nContent-Type: application/json\r\nContent-Length: 16777217\r\n\r\n");
  EXPECT_THAT(client.receive().body, testing::HasSubstr("an archive of at most 268435456 bytes"));
}

TEST_F(SentResults, AndListsNameNoOptionOfTheCommandLine) {
  for (const char* list : {"projects", "runs", "series", "history", "changes", "comparisons", "alerts", "machines"}) {
    const json problem = json::parse(get("/api/v1/" + std::string(list) + "?after=zzz").body);
    EXPECT_EQ(problem["where"], "after") << list;
    EXPECT_THAT(problem.dump(), testing::Not(testing::HasSubstr("--after"))) << list;
  }
}

}  // namespace
}  // namespace steelyard::ci::sent_results_test
