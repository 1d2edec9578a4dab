#include "storage/postgres/access/tokens.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>

#include "bench/model/sha256.hpp"
#include "storage/access_store.hpp"
#include "tests/storage/postgres/kept_store.hpp"

namespace steelyard::storage::tokens_test {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

TEST(TokenText, IsTakenApartExactlyAsItWasMade) {
  std::string bytes;
  for (std::size_t i = 0; i < kTokenBytes; ++i) bytes += static_cast<char>(i * 5);
  const std::string token = token_from_bytes(bytes);
  const auto text = take_apart_token(token);
  ASSERT_TRUE(text) << text.error().text();
  EXPECT_EQ(text->id, "00050a0f14191e23282d32373c41464b");
  EXPECT_EQ(text->hash.size(), 64U);
  for (const std::string& wrong :
       {std::string(), token.substr(1), token + "0", std::string(token).replace(3, 1, "X"),
        std::string(token).replace(token.size() - 1, 1, "G"), std::string(token).replace(10, 1, "A")}) {
    const auto refused = take_apart_token(wrong);
    ASSERT_FALSE(refused) << wrong;
    EXPECT_THAT(refused.error().text(), Not(HasSubstr("00050a")));
  }
}

TEST(TokenText, EqualTextsAreEqual) {
  EXPECT_TRUE(equal_in_constant_time("abc", "abc"));
  EXPECT_TRUE(equal_in_constant_time("", ""));
  EXPECT_FALSE(equal_in_constant_time("abc", "abd"));
  EXPECT_FALSE(equal_in_constant_time("abc", "abcd"));
  EXPECT_FALSE(equal_in_constant_time("bbc", "abc"));
}

class TokenRows : public storage_test::KeptStore {};

TEST_F(TokenRows, AreFoundUntilTheyAreRevokedAndTheSecretIsNowhere) {
  Store store = open();
  const auto issued = AccessStore(store).issue_token({"the runner", "demo", {"read", "submit"}, 30, "ada"});
  ASSERT_TRUE(issued) << issued.error().text();
  const auto found = AccessStore(store).find_token(issued->secret);
  ASSERT_TRUE(found) << found.error().text();
  ASSERT_TRUE(*found);
  EXPECT_EQ((*found)->project, "demo");
  EXPECT_EQ((*found)->scopes, (std::vector<std::string>{"read", "submit"}));
  EXPECT_EQ(ask("select expires_at - issued_at = interval '30 days' from steelyard.tokens"), "t");
  const std::string secret_part = issued->secret.substr(issued->secret.size() - 64);
  EXPECT_EQ(ask("select count(*) from (select t::text as line from steelyard.tokens t union all select a::text from "
                "steelyard.audit_trail a) x where strpos(line, '" +
                secret_part + "') > 0"),
            "0");
  std::string guess = issued->secret;
  guess.back() = guess.back() == '0' ? '1' : '0';
  EXPECT_FALSE(*AccessStore(store).find_token(guess)) << "the right id with another secret";
  EXPECT_FALSE(*AccessStore(store).find_token("nonsense"));
  EXPECT_TRUE(*AccessStore(store).revoke_token(issued->token.id, "ada"));
  EXPECT_FALSE(*AccessStore(store).revoke_token(issued->token.id, "ada"));
  EXPECT_FALSE(*AccessStore(store).find_token(issued->secret));
  EXPECT_TRUE(AccessStore(store).tokens()->empty());
  EXPECT_EQ(ask("select string_agg(action, ',' order by audit_key) from steelyard.audit_trail"),
            "token issued,token revoked");
  EXPECT_THAT(AccessStore(store).revoke_token("0123", "ada").error().text(), HasSubstr("no such token"));
}

// The policies are laid down with the first of them; that waits for everybody who reads.
TEST_F(TokenRows, OfOneMoreProjectWaitForNobodyWhoReads) {
  Store store = open();
  ASSERT_TRUE(AccessStore(store).issue_token({"first", "demo", {"read"}, 1, "ada"}));
  Session reading = session();
  auto transaction = Transaction::begin(reading);
  ASSERT_TRUE(transaction->run("select count(*) from steelyard.runs"));
  const auto begin = std::chrono::steady_clock::now();
  const auto issued = AccessStore(store).issue_token({"second", "another", {"read"}, 1, "ada"});
  ASSERT_TRUE(issued) << issued.error().text();
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(60));
  ASSERT_TRUE(store.see_only("another"));
}

TEST_F(TokenRows, AreIssuedByAnOwnerAndTheStoreSaysWhetherItIsOne) {
  Store store = open();
  const auto may = AccessStore(store).may_issue_tokens();
  ASSERT_TRUE(may) << may.error().text();
  EXPECT_TRUE(*may);
}

TEST_F(TokenRows, AreGoodForNothingOnceTheyExpired) {
  Store store = open();
  const auto issued = AccessStore(store).issue_token({"x", "", {"read"}, 1, "ada"});
  ASSERT_TRUE(*AccessStore(store).find_token(issued->secret));
  tell("update steelyard.tokens set expires_at = now()");
  EXPECT_FALSE(*AccessStore(store).find_token(issued->secret));
}

TEST_F(TokenRows, AskForWhatTheyAreFor) {
  Store store = open();
  EXPECT_THAT(AccessStore(store).issue_token({"", "", {"read"}, 1, "ada"}).error().text(), HasSubstr("token name"));
  for (const char* name : {"a\n0123  read  every project", "a\x1b[2Jb", "a\tb", "a\xff", "a\u202eb"}) {
    const auto refused = AccessStore(store).issue_token({name, "", {"read"}, 1, "ada"});
    ASSERT_FALSE(refused) << name;
    EXPECT_THAT(refused.error().text(), AllOf(HasSubstr("token name"), HasSubstr("cannot be shown")));
  }
  EXPECT_TRUE(AccessStore(store).issue_token({"l\u00e4uft", "", {"read"}, 1, "ada"}));
  EXPECT_THAT(AccessStore(store).issue_token({"x", "", {}, 1, "ada"}).error().text(), HasSubstr("token scopes"));
  EXPECT_THAT(AccessStore(store).issue_token({"x", "", {"root"}, 1, "ada"}).error().text(), HasSubstr("\"root\""));
  EXPECT_THAT(AccessStore(store).issue_token({"x", "", {"read"}, 0, "ada"}).error().text(), HasSubstr("token days"));
}

}  // namespace
}  // namespace steelyard::storage::tokens_test
