// An embedded store that all tests of a suite share: one server, started once.
#pragma once

#include <cstdlib>

#include "tests/ci/verbs/program_under_test.hpp"
#include "tests/promised.hpp"

namespace steelyard::ci {

class SharedStore : public ProgramUnderTest {
 protected:
  static void SetUpTestSuite() {
    std::string name = (std::filesystem::temp_directory_path() / "steelyard-store-XXXXXX").string();
    ASSERT_NE(mkdtemp(name.data()), nullptr);
    shared_ = name;
    std::filesystem::permissions(name, std::filesystem::perms(0711));
    use_state(shared_ / "state");
    const Outcome started = run({"db", "init"});
    available_ = started.status == 0;
    why_ = started.err;
  }
  static void TearDownTestSuite() {
    use_state(shared_ / "state");
    run({"db", "stop", "--quiet"});
    std::error_code ignored;
    std::filesystem::remove_all(shared_, ignored);
  }
  void SetUp() override {
    ProgramUnderTest::SetUp();
    const bool is_missing = !available_ && why_.find("install") != std::string::npos;
    STEELYARD_SKIP_WITHOUT("postgresql", !is_missing, "no PostgreSQL server: " + why_);
    ASSERT_TRUE(available_) << why_;
    use_state(shared_ / "state");
  }

  static inline std::filesystem::path shared_;

 private:
  static inline bool available_ = false;
  static inline std::string why_;
};

}  // namespace steelyard::ci
