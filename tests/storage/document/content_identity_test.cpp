#include "storage/document/content_identity.hpp"

#include <gtest/gtest.h>

namespace steelyard::storage::content_identity_test {
namespace {

TEST(ContentIdentityTest, IsTheSameForTheSameFields) {
  EXPECT_EQ(ContentIdentity().text("a").integer(1).hex(), ContentIdentity().text("a").integer(1).hex());
  EXPECT_EQ(ContentIdentity().hex().size(), 64U);
}

TEST(ContentIdentityTest, KeepsFieldsApart) {
  EXPECT_NE(ContentIdentity().text("ab").text("c").hex(), ContentIdentity().text("a").text("bc").hex());
  EXPECT_NE(ContentIdentity().text("").text("a").hex(), ContentIdentity().text("a").text("").hex());
  EXPECT_NE(ContentIdentity().texts({"a"}).texts({}).hex(), ContentIdentity().texts({}).texts({"a"}).hex());
}

TEST(ContentIdentityTest, KeepsAnAbsentNumberApartFromZero) {
  EXPECT_NE(ContentIdentity().number(std::optional<double>()).hex(), ContentIdentity().number(0.0).hex());
  EXPECT_NE(ContentIdentity().number(1.0).hex(), ContentIdentity().number(1.0000000000000002).hex());
}

}  // namespace
}  // namespace steelyard::storage::content_identity_test
