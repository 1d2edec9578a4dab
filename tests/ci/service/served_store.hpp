// A service on a store with something in every list, and whoever asks it.
#pragma once

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "bench/model/run.hpp"
#include "ci/service/service.hpp"
#include "storage/access_store.hpp"
#include "tests/ci/service/http_client.hpp"

namespace steelyard::ci {

inline constexpr const char* kKey = "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef";

// A service with its server, on threads of its own.
class RunningService {
 public:
  explicit RunningService(ServingOptions options, WebOptions http = {});
  ~RunningService();
  std::uint16_t port() const { return port_; }

 private:
  Service service_;
  std::optional<WebServer> server_;
  std::uint16_t port_ = 0;
  std::atomic<bool> stop_{false};
  std::thread thread_;
};

class ServedStore : public ::testing::Test {
 protected:
  static void SetUpTestSuite();
  static void TearDownTestSuite();
  void SetUp() override;

  static ServingOptions options();
  static storage::Store open();
  static Fields bearer(const std::string& token) { return {{"Authorization", "Bearer " + token}}; }
  static std::string issue(const std::vector<std::string>& scopes, const std::string& project = "");
  static const nlohmann::json& document();
  // With the key of whoever started it, unless the fields have a token.
  HttpReply get(const std::string& target, const Fields& fields = {}) {
    return ask(port(), "GET", target, with_token(fields));
  }
  static Fields with_token(Fields fields = {});
  // What is answered, once it was held against the description of that path.
  nlohmann::json checked(const std::string& path, const std::string& target, int status = 200,
                         const Fields& fields = {});
  nlohmann::json posted(const std::string& path, const std::string& target, const nlohmann::json& body, int status,
                        const Fields& fields);
  std::uint16_t port() const { return service_->port(); }

  static inline std::optional<std::string> url_;
  static inline std::filesystem::path state_;
  static inline std::unique_ptr<RunningService> service_;
};

// Sealed: two of one number are one.
Run sealed_run(int number, const std::string& project = "demo");
// The same on a branch, with a measurement of each of the benchmarks and without profiles.
Run run_of_benchmarks(int number, const std::string& project, const std::string& branch,
                      const std::vector<std::string>& names);

}  // namespace steelyard::ci
