#include "tests/ci/publish/service_server.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <tuple>
#include <vector>

#include "ci/http/http.hpp"

namespace steelyard::ci::service_server_test {
namespace {

using testing::IsEmpty;
using testing::SizeIs;

// The local servers are as strict as the published descriptions: what they take, the services take.
TEST(ServiceServer, RefusesWhatThePublishedDescriptionsDoNotAllow) {
  ci_test::ServiceServer server;
  server.pulls[7] = std::string(40, 'a');
  const auto status = [&server](const char* method, const std::string& path, const std::string& body) {
    const bool is_gitlabs = path.starts_with("/projects/");
    const std::string token = (is_gitlabs ? "PRIVATE-TOKEN: " : "Authorization: Bearer ") + server.token;
    const HttpOutcome outcome = send({method, server.address() + path, {token}, body});
    const auto* const answer = std::get_if<HttpAnswer>(&outcome);
    return answer == nullptr ? 0 : answer->status;
  };
  const std::string repository = "/repos/acme/shop";
  EXPECT_EQ(status("POST", repository + "/issues/7/comments", R"({"body":"x"})"), 201);
  EXPECT_EQ(status("POST", "/projects/17/merge_requests/7/notes", R"({"body":"x"})"), 201);
  EXPECT_THAT(server.faults(), IsEmpty());
  const std::string sha(40, 'a');
  const std::vector<std::tuple<const char*, std::string, std::string>> refused{
      {"POST", repository + "/issues/7/comments", R"({"text":"x"})"},
      {"POST", repository + "/issues/seven/comments", R"({"body":"x"})"},
      {"PUT", repository + "/issues/comments/1001", R"({"body":"x"})"},
      {"GET", repository + "/pulls?state=living", ""},
      {"GET", repository + "/pulls?per_side=3", ""},
      {"POST", repository + "/check-runs", R"({"name":"x"})"},
      {"POST", repository + "/check-runs", R"({"name":"x","head_sha":")" + sha + R"(","conclusion":"good"})"},
      {"POST", repository + "/check-runs", R"({"name":"x","head_sha":")" + sha + R"(","output":{"title":"x"}})"},
      {"POST", repository + "/check-runs",
       R"({"name":"x","head_sha":")" + sha + R"(","output":{"title":"x","summary":")" + std::string(65536, 'x') +
           R"("}})"},
      {"GET", "/projects/17/merge_requests/7/notes?per_page=101", ""},
      {"POST", "/projects/17/merge_requests/7/notes", R"({"body":5})"}};
  std::size_t faults = 0;
  for (const auto& [method, path, body] : refused) {
    EXPECT_EQ(status(method, path, body), 422) << method << ' ' << path << ' ' << body.substr(0, 100);
    EXPECT_THAT(server.faults(), SizeIs(++faults)) << path;
  }
}

}  // namespace
}  // namespace steelyard::ci::service_server_test
