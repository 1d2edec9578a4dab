#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "ci/config/written_value.hpp"

namespace steelyard::ci::written_value_test {
namespace {

using testing::HasSubstr;

// The slow oracle: plain recursion over the definition of the optimal string alignment distance.
int slow_distance(std::string_view a, std::string_view b) {
  if (a.empty() || b.empty()) return static_cast<int>(a.size() + b.size());
  const auto cut = [](std::string_view text, std::size_t n) { return text.substr(0, text.size() - n); };
  int best = slow_distance(cut(a, 1), cut(b, 1)) + (a.back() == b.back() ? 0 : 1);
  best = std::min(best, slow_distance(cut(a, 1), b) + 1);
  best = std::min(best, slow_distance(a, cut(b, 1)) + 1);
  if (a.size() > 1 && b.size() > 1 && a.back() == b[b.size() - 2] && a[a.size() - 2] == b.back()) {
    best = std::min(best, slow_distance(cut(a, 2), cut(b, 2)) + 1);
  }
  return best;
}

TEST(EditDistance, AgreesWithTheDefinitionOnShortTexts) {
  const std::vector<std::string> texts{"", "a", "ab", "ba", "abc", "acb", "cab", "abcd", "badc", "xbcde"};
  for (const std::string& a : texts) {
    for (const std::string& b : texts) EXPECT_EQ(edit_distance(a, b), slow_distance(a, b)) << a << " and " << b;
  }
}

TEST(EditDistance, CountsSwappedNeighboursAsOneSlip) { EXPECT_EQ(edit_distance("min_tiem", "min_time"), 1); }

TEST(NearestName, FindsTheKeyThatWasMeant) {
  EXPECT_EQ(nearest_name("min_tme", {"rounds", "min_time", "timeout"}), "min_time");
  EXPECT_EQ(nearest_name("--minimum-efect", {"--margin", "--minimum-effect"}), "--minimum-effect");
}

TEST(NearestName, SuggestsNothingForAWordThatIsNoSlipOfAnyName) {
  EXPECT_EQ(nearest_name("bananas", {"rounds", "min_time"}), std::nullopt);
  EXPECT_EQ(nearest_name("anything", {}), std::nullopt);
  EXPECT_EQ(nearest_name("BM_sort", {"BM_sort/1024/threads:2", "BM_sort/1024/threads:2", "BM_hash"}),
            "BM_sort/1024/threads:2")
      << "of two metrics";
  EXPECT_EQ(nearest_name("hyper", {"pyperf", "hyperfine"}), "hyperfine") << "its beginning";
  EXPECT_EQ(nearest_name("conf", {"confidence", "config", "cong"}), "cong") << "of two names it is none's";
}

TEST(NearestName, EndsOnTextsLongerThanItsTable) {
  EXPECT_EQ(nearest_name(std::string(100'000, 'x'), {"rounds"}), std::nullopt);
}

std::vector<std::string> words(std::string_view text) {
  Result<std::vector<std::string>> split = command_words(text, "--bench");
  return split ? *split : std::vector<std::string>{"error: " + split.error().text()};
}

using Words = std::vector<std::string>;

TEST(CommandWords, SeparatesAtBlanksAndKeepsQuotedTextTogether) {
  EXPECT_EQ(words("  build/bench  --a=1\t--b "), (Words{"build/bench", "--a=1", "--b"}));
  EXPECT_EQ(words(R"(bench --filter='a b' "c d" e\ f)"), (Words{"bench", "--filter=a b", "c d", "e f"}));
  EXPECT_EQ(words(R"(bench "a\"b" 'c\d' '')"), (Words{"bench", "a\"b", "c\\d", ""}));
}

TEST(CommandWords, ExpandsNothing) { EXPECT_EQ(words("bench $HOME * ;"), (Words{"bench", "$HOME", "*", ";"})); }

TEST(CommandWords, RefusesOpenQuotesAndNothing) {
  EXPECT_EQ(words("bench 'a")[0], "error: --bench: found a ' that is not closed, wanted a command; close it");
  EXPECT_EQ(words("  ")[0], "error: --bench: found nothing, wanted a path and its arguments");
  EXPECT_EQ(words("''")[0], "error: --bench: found nothing, wanted a path and its arguments");
}

TEST(WrittenFilter, ExcludesWhatNoDialectThatTakesItMatches) {
  EXPECT_TRUE(filter_excludes("BM_(varied|changing)", "BM_same"));
  EXPECT_FALSE(filter_excludes("BM_(varied|changing)", "BM_varied/8"));
  EXPECT_FALSE(filter_excludes(R"(BM_sort/\d+)", "BM_sort/1024")) << "digits, or the letter d";
  EXPECT_TRUE(filter_excludes("-BM_same$", "BM_same"));
  EXPECT_FALSE(filter_excludes("-BM_same$", "BM_same/8"));
  EXPECT_TRUE(filter_excludes("(?:BM_a|BM_b)", "BM_c")) << "ECMAScript alone takes it";
  EXPECT_FALSE(filter_excludes("(?:BM_a|BM_b)", "BM_b"));
  for (const char* filter : {"", "all", "(?i)bm_a", "BM_(a", "BM_a{2}", "\\QBM_other\\E", "BM_[[:word:]]+"}) {
    EXPECT_FALSE(filter_excludes(filter, "BM_other")) << filter;
  }
}

TEST(WrittenFilter, IsRefusedWhereNoDialectTakesIt) {
  for (const char* filter : {"", "all", "BM_sum", "-BM_sum", "^a|b$", "a\\.b", "\\d+/8", "(?i)sum", "a{2,3}", "sum\\(",
                             "[a-z]+", "BM_[[:word:]]+", "[[:^alpha:]]"}) {
    EXPECT_TRUE(check_filter(filter, "--filter")) << filter;
  }
  for (const char* filter : {"(", "sum(", "-sum(", "[a", "a\\", "*a", "[[:word:]](", "[[:word:]", "BM_[[:alhpa:]]+"})
    EXPECT_FALSE(check_filter(filter, "--filter")) << filter;
}

TEST(WrittenFilter, IsShownAsItWasWrittenWithTheFixOfWhatIsOpen) {
  const std::vector<std::pair<const char*, const char*>> filters = {
      {"-sum(", "write \\( where a ( itself is meant"},
      {"[0-9](sum", "write \\( where a ( itself is meant"},
      {"-(?i)sum(", "write \\( where a ( itself is meant"},
      {"-[a", "write \\[ where a [ itself is meant"},
      {"[", "write \\[ where a [ itself is meant"},
      {"[a]{2}x[b]\\", "write \\\\ where a \\ itself is meant"},
      {"-[[:word:]](", "write \\( where a ( itself is meant"},
      {"a\\", "write \\\\ where a \\ itself is meant"},
      {"-*a", ""},
      {"[z-a]", ""}};
  for (const auto& [filter, fix] : filters) {
    const Result<void> checked = check_filter(filter, "--filter");
    ASSERT_FALSE(checked) << filter;
    EXPECT_THAT(checked.error().found, HasSubstr('"' + std::string(filter) + "\", which is no regular expression ("));
    EXPECT_EQ(checked.error().fix, fix) << filter;
  }
}

// Flags or not, no dialect has a range that ends before it begins, or such a class.
TEST(WrittenFilter, WithFlagsIsRefusedWhereNoDialectTakesTheRest) {
  for (const char* filter :
       {"(?i)[z-a]", "-(?i)[z-a]", "(?i)[a-Z]", "(?i:BM_[9-0])", "(?P<name>[z-a])", "(?:[z-a]|b)", "(?i)[[:alhpa:]]"}) {
    const Result<std::string> read = read_filter({std::string(filter), false}, "steelyard.toml:2: [run] filter");
    ASSERT_FALSE(read) << filter;
    EXPECT_EQ(read.error().where, "steelyard.toml:2: [run] filter");
    EXPECT_THAT(read.error().found, HasSubstr('"' + std::string(filter) + "\", which is no regular expression ("));
    EXPECT_EQ(read.error().wanted, "one, as Google Benchmark takes it");
  }
  for (const char* filter :
       {"(?i)[a-z]", "(?i)sum", "-(?i)sum|mean", "(?s-i:BM_.*)", "(?i)[[:word:]]+", "(?:a|b)+?", "(?=a)b", "(?!a)b",
        "(?<=a)b", "(?P<name>a)", "(?i)[a--b]", "(?i)[\\d-.]", "(?#[z-a])a", "[(?]", "(?>a)", "(?(1)a|b)"}) {
    EXPECT_TRUE(check_filter(filter, "--filter")) << filter;
  }
}

TEST(WrittenFilter, OfAFileIsToBeMendedBetweenSingleQuotes) {
  const Result<std::string> typed = read_filter({std::string("sum("), true}, "--filter");
  const Result<std::string> written = read_filter({std::string("sum("), false}, "steelyard.toml:2: [run] filter");
  const Result<std::string> plain = read_filter({std::string("*a"), false}, "steelyard.toml:2: [run] filter");
  ASSERT_FALSE(typed || written || plain);
  EXPECT_EQ(typed.error().fix, "write \\( where a ( itself is meant");
  EXPECT_EQ(written.error().fix, "write \\( where a ( itself is meant, between single quotes ('...')");
  EXPECT_EQ(plain.error().fix, "");
}

// What is compiled in no dialect, as it has counts, is long, or has flags and more.
TEST(WrittenFilter, ThatIsNotCompiledIsRefusedWhereItIsOpenInEveryDialect) {
  for (const char* filter : {"(?i)sum(", "-(?i)sum(", "(?i:sum", "sum(a{2}", "a{2}\\", "a{2}[\\", "(?i)[a", "[a{2}",
                             "((a{2})[b]", "(?i)sum(\\)", "(\\Q", "a\\\\Q(", "(\\c({2}", "[\\Q"}) {
    const Result<void> checked = check_filter(filter, "--filter");
    ASSERT_FALSE(checked) << filter;
    EXPECT_THAT(checked.error().found, HasSubstr("which is no regular expression (a ")) << filter;
  }
  const Result<void> of_length = check_filter(std::string(100'000, '('), "--filter");
  ASSERT_FALSE(of_length);
  EXPECT_LT(of_length.error().found.size(), 300U);
}

TEST(WrittenFilter, ThatIsNotCompiledIsTakenUnlessItIsOpenInEveryDialect) {
  const std::vector<std::pair<const char*, const char*>> filters = {{"(?:a|b){2}", "ECMAScript"},
                                                                    {"(?i)sum\\(", "RE2"},
                                                                    {"(?P<name>a)", "RE2"},
                                                                    {"a{2}\\\\", "all"},
                                                                    {"[(]{2}", "all"},
                                                                    {"[](]{2}", "POSIX"},
                                                                    {"[[:alpha:](]{2}", "POSIX"},
                                                                    {"(a{2}[\\])", "POSIX"},
                                                                    {"a){2}", "POSIX"},
                                                                    {"(?:[(]|a)", "RE2"},
                                                                    {"[\\](]{2}", "ECMAScript"},
                                                                    {"[a[b](]{2}", "Rust"},
                                                                    {"{", "RE2"},
                                                                    {"a{2", "RE2"},
                                                                    {"a{,}", "RE2"},
                                                                    {"\\Q(\\E", "RE2"},
                                                                    {"(\\Q(\\E)", "RE2"},
                                                                    {"[[:word:]]{2}", "RE2"},
                                                                    {"(?i)[z-a]{2}", "none, and open is nothing"},
                                                                    {"\\Q[a\\", "PCRE"},
                                                                    {"\\c({2}", "PCRE"},
                                                                    {"(?#(()a", "PCRE"},
                                                                    {"(?x)a#(", "PCRE"}};
  for (const auto& [filter, dialect] : filters)
    EXPECT_TRUE(check_filter(filter, "--filter")) << filter << " of " << dialect;
  EXPECT_TRUE(check_filter(std::string(50'000, '(') + 'a' + std::string(50'000, ')'), "--filter"));
  EXPECT_TRUE(check_filter(std::string(2'000, 'a'), "--filter"));
}

}  // namespace

}  // namespace steelyard::ci::written_value_test
