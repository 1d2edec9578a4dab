#include "bench/harness/markup_text.hpp"

#include <gtest/gtest.h>

namespace steelyard {
namespace {

TEST(MarkupText, OpensNoTagNoEntityAndClosesNoQuote) {
  EXPECT_EQ(markup_text("<a href=\"x\" id='y'>&amp;"), "&lt;a href=&quot;x&quot; id=&#39;y&#39;&gt;&amp;amp;");
}

TEST(MarkupText, LeavesTheRestAsItIs) {
  EXPECT_EQ(markup_text("BM_sort/1024 \xC2\xB5s"), "BM_sort/1024 \xC2\xB5s");
  EXPECT_EQ(markup_text(""), "");
}

}  // namespace
}  // namespace steelyard
