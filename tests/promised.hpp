// Skips that cannot hide: where a tool was promised (./check installs it, CI counts on it) its absence fails the test.
//
//     STEELYARD_SKIP_WITHOUT("valgrind", valgrind_is_here, "valgrind is not installed");
#pragma once

#include <gtest/gtest.h>

#include <cstdlib>
#include <string>

namespace steelyard::testkit {

// $STEELYARD_TESTS_PROMISED is a list of words: postgresql valgrind benchmark openblas chromium capstone citus openssl
// aiosmtpd pgbouncer libfaketime yaml gpu, and rights that ./check promises nobody: mount, namespaces (of users and
// mounts), network-namespace, cgroup.
inline bool is_promised(const std::string& tool) {
  const char* list = std::getenv("STEELYARD_TESTS_PROMISED");
  return list != nullptr && (" " + std::string(list) + " ").find(" " + tool + " ") != std::string::npos;
}

}  // namespace steelyard::testkit

// Usable where GTEST_SKIP is: in the body of a test or SetUp.
#define STEELYARD_SKIP_WITHOUT(tool, is_here, why)                                                  \
  do {                                                                                              \
    if (!(is_here)) {                                                                               \
      ASSERT_FALSE(steelyard::testkit::is_promised(tool)) << "promised by ./check, and: " << (why); \
      GTEST_SKIP() << (why);                                                                        \
    }                                                                                               \
  } while (false)
