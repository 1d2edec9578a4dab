#include "storage/store_service.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

namespace steelyard::storage::store_service_test {
namespace {

using ::testing::HasSubstr;

// Of each page it says that another comes, and nothing stands on any.
class EndlessService : public StoreService {
 public:
  std::string name() const override { return "https://store.example"; }
  Result<std::string> ask(const std::string&, const std::string&) override {
    return R"({"schema":"steelyard.answer/1","items":[],"next":")" + std::to_string(++asked) + R"(","notes":[]})";
  }
  Result<std::string> archive_of(const std::string&) override { return std::string(); }
  Result<bool> put(Piece, const std::string&) override { return false; }
  Result<void> act(const AlertAct&) override { return {}; }
  bool refused_login() const override { return false; }

  int asked = 0;
};

TEST(StoreService, IsAskedNoFurtherWhereItsAnswersHaveNoEnd) {
  EndlessService service;
  const auto history = ask_history(service, {});
  ASSERT_FALSE(history);
  EXPECT_EQ(history.error().kind, ErrorKind::store);
  EXPECT_THAT(history.error().text(), HasSubstr("more than 1000 answers"));
  EXPECT_EQ(service.asked, kMaxAnswersOverService);
  service.asked = 0;
  EXPECT_FALSE(ask_steps(service, {}));
  EXPECT_EQ(service.asked, kMaxAnswersOverService);
}

}  // namespace
}  // namespace steelyard::storage::store_service_test
