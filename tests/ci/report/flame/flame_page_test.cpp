// The flame graph in a browser: what is drawn, the address, keys, themes.
#include <gmock/gmock.h>

#include "ci/report/flame/flame_graph.hpp"
#include "tests/ci/report/browser.hpp"
#include "tests/ci/report/flame/sample_profiles.hpp"

namespace steelyard::ci::flame_page_test {
namespace {

using ::testing::AllOf;
using ::testing::ContainsRegex;
using ::testing::HasSubstr;
using ::testing::Not;

class FlamePage : public testkit::Browser {
 protected:
  static std::string page_of(const JoinedProfile& profile) {
    return html_flame_graph(profile, unfold(profile, StackLimits{}), {"BM_sample", "old", "new"});
  }
  // shared grew in right, old_helper is gone, fresh is new.
  static JoinedProfile changed() {
    const CountedProfile baseline =
        testkit::sample_profile({{"main", 10}, {"left", 20}, {"right", 30}, {"shared", 100}, {"old_helper", 40}},
                                {{"main", "left", 95},
                                 {"main", "right", 95},
                                 {"left", "shared", 75},
                                 {"right", "shared", 25},
                                 {"right", "old_helper", 40, 9}});
    const CountedProfile candidate = testkit::sample_profile(
        {{"main", 10}, {"left", 20}, {"right", 30}, {"shared", 150}, {"fresh", 90}}, {{"main", "left", 95},
                                                                                      {"main", "right", 195},
                                                                                      {"left", "shared", 75},
                                                                                      {"right", "shared", 75},
                                                                                      {"right", "fresh", 90}});
    return testkit::joined(baseline, candidate);
  }
  static std::size_t count(const std::string& text, const std::string& word) {
    std::size_t found = 0;
    for (std::size_t at = 0; (at = text.find(word, at)) != std::string::npos; at += word.size()) ++found;
    return found;
  }
  static std::string press(const std::string& key) {
    return "document.activeElement.dispatchEvent(new KeyboardEvent('keydown',{key:'" + key + "',bubbles:true}));";
  }
};

TEST_F(FlamePage, DrawsEveryFrameWithItsShareForThoseWhoListen) {
  const std::string dom = dom_of(page_of(testkit::joined(testkit::diamond())), "");
  EXPECT_EQ(count(dom, "role=\"treeitem\""), 6U);
  EXPECT_THAT(dom, AllOf(HasSubstr("aria-label=\"left, 59.4 % of all\""), HasSubstr("aria-level=\"4\""),
                         HasSubstr("160 Ir"), HasSubstr("the program")));
}

TEST_F(FlamePage, AddressZoomsAndSearches) {
  const std::string dom = dom_of(page_of(testkit::joined(testkit::diamond())), "#zoom=2&search=SHA");
  // (all), main, left and its shared: right is out of sight.
  EXPECT_EQ(count(dom, "role=\"treeitem\""), 4U);
  EXPECT_THAT(dom, HasSubstr("1 function, 62.5 % of Ir"));
  EXPECT_EQ(count(dom, " match\""), 1U);
  EXPECT_EQ(count(dom, " above\""), 2U);
}

TEST_F(FlamePage, AMatchBelowAMatchIsNotCountedTwice) {
  EXPECT_THAT(dom_of(page_of(testkit::joined(testkit::diamond())), "#search=left%7Cshared"),
              HasSubstr("2 functions, 75.0 % of Ir"));
}

TEST_F(FlamePage, ABrokenExpressionIsSaidToBeOne) {
  EXPECT_THAT(dom_of(page_of(testkit::joined(testkit::diamond())), "#search=%5B"),
              AllOf(HasSubstr("not a regular expression"), HasSubstr("aria-invalid=\"true\"")));
}

TEST_F(FlamePage, AnAddressOfNoFrameShowsAll) {
  for (const char* fragment : {"#zoom=999999", "#zoom=-1", "#zoom=x&at=1e9&side=neither"}) {
    EXPECT_EQ(count(dom_of(page_of(testkit::joined(testkit::diamond())), fragment), "role=\"treeitem\""), 6U);
  }
}

TEST_F(FlamePage, WidthIsByTheSideThatIsAskedFor) {
  const std::string page = page_of(changed());
  const std::string by_candidate = dom_of(page, "");
  EXPECT_THAT(by_candidate, AllOf(HasSubstr("fresh, 30.0 % of all, only in the candidate"), HasSubstr(">fresh  new<"),
                                  Not(HasSubstr(">old_helper"))));
  const std::string by_baseline = dom_of(page, "#side=baseline");
  EXPECT_THAT(by_baseline, AllOf(HasSubstr("old_helper, 20.0 % of all, only in the baseline"),
                                 HasSubstr(">old_helper  gone<"), Not(HasSubstr(">fresh"))));
}

TEST_F(FlamePage, ChangesHaveASignBesideTheColour) {
  const std::string dom = dom_of(page_of(changed()), "");
  EXPECT_THAT(dom, AllOf(HasSubstr("right  +105.3 %"), HasSubstr("frame plain"), HasSubstr("frame grew-4"),
                         HasSubstr("shrank</span>")));
}

TEST_F(FlamePage, TooltipHasBothSidesAndTheChange) {
  const std::string page = page_of(changed());
  // The frame of right's call of shared.
  const std::string dom = dom_of(page, "",
                                 tell("[...document.querySelectorAll('.frame')].map((f)=>f.dataset.frame+'='"
                                      "+f.textContent).join()"));
  EXPECT_THAT(told(dom), HasSubstr("2=right"));
  const std::string tip = dom_of(page, "#at=2", tell("document.getElementById('tip').innerText"));
  EXPECT_THAT(told(tip), AllOf(HasSubstr("right"), HasSubstr("sample.cpp:7"), HasSubstr("195"), HasSubstr("+100"),
                               HasSubstr("+105.3 %"), HasSubstr("calls")));
}

TEST_F(FlamePage, KeysWalkZoomAndReturn) {
  const std::string page = page_of(testkit::joined(testkit::diamond()));
  const std::string start = "document.querySelector('[data-frame=\"0\"]').focus();";
  const std::string where = tell("document.activeElement.textContent+'|'+location.hash");
  const std::string down = press("ArrowDown") + press("ArrowDown");
  EXPECT_EQ(told(dom_of(page, "", start + down + where)), "left|#at=2");
  EXPECT_EQ(told(dom_of(page, "", start + down + press("ArrowRight") + where)), "right|#at=4");
  EXPECT_EQ(told(dom_of(page, "", start + down + press("ArrowRight") + press("ArrowLeft") + where)), "left|#at=2");
  EXPECT_EQ(told(dom_of(page, "", start + down + press("ArrowUp") + where)), "main|#at=1");
  EXPECT_EQ(told(dom_of(page, "", start + down + press("Enter") + where)), "left|#zoom=2");
  EXPECT_EQ(told(dom_of(page, "", start + down + press("Enter") + press("Escape") + where)), "(all)|");
}

TEST_F(FlamePage, TheTooltipGoesAlongWhenAKeyWalksOutOfSight) {
  std::vector<testkit::SampleFunction> functions;
  std::vector<testkit::SampleArc> arcs;
  for (int i = 0; i < 200; ++i) {
    functions.push_back({"f" + std::to_string(i), 100});
    if (i > 0)
      arcs.push_back({functions[static_cast<std::size_t>(i - 1)].name, functions.back().name, 20'000 - 100 * i});
  }
  const std::string page = page_of(testkit::joined(testkit::sample_profile(functions, arcs)));
  const std::string walk = "addEventListener('scroll',()=>{" +
                           tell("(scrollY>0)+'|'+document.querySelector('#tip:not([hidden]) b').textContent") + "});" +
                           "document.querySelector('[data-frame=\"0\"]').focus();" + "for(let k=0;k<100;++k){" +
                           press("ArrowDown") + "}";
  EXPECT_EQ(told(dom_of(page, "", walk)), "true|f99");
}

TEST_F(FlamePage, OneFrameAtATimeIsInTheOrderOfTabs) {
  const std::string dom = dom_of(page_of(testkit::joined(testkit::diamond())), "#at=3");
  EXPECT_EQ(count(dom, "tabindex=\"0\""), 1U);
  EXPECT_EQ(count(dom, "tabindex=\"-1\""), 5U);
}

TEST_F(FlamePage, NamesAreTextWhateverTheyContain) {
  const std::string dom = dom_of(
      page_of(testkit::joined(testkit::sample_profile(
          {{"</script><img src=x onerror=alert(1)>", 50}, {"operator<", 30}, {"a&lt;b\"'`${x}\\u003c<!--", 20}}, {}))),
      "",
      tell("document.images.length+'|'+[...document.querySelectorAll('.frame')]"
           ".map((f)=>f.getAttribute('aria-label')).join('|')"));
  EXPECT_THAT(told(dom), AllOf(HasSubstr("0|"), ContainsRegex("operator(<|&lt;), 30.0 %"), HasSubstr("a&amp;lt;b")));
}

TEST_F(FlamePage, TextOnEveryFillHasContrastInBothThemes) {
  const JoinedProfile profile = testkit::joined(testkit::diamond());
  std::string tones;
  for (const std::string_view tone : flame_tones()) tones += (tones.empty() ? "'" : ",'") + std::string(tone) + "'";
  const std::string script =
      "const light=(c)=>{const mixed=c.startsWith('color(');"
      "const v=c.match(/[0-9.]+/g).slice(0,3).map((x)=>{x/=mixed?1:255;"
      "return x<=0.03928?x/12.92:((x+0.055)/1.055)**2.4});return 0.2126*v[0]+0.7152*v[1]+0.0722*v[2]};"
      "let least=99;for(const tone of [" +
      tones +
      "])for(const state of ['',' above']){const box=document.createElement('div');"
      "box.className='frame '+tone+state;document.body.append(box);const s=getComputedStyle(box);"
      "const a=light(s.color),b=light(s.backgroundColor);"
      "least=Math.min(least,(Math.max(a,b)+0.05)/(Math.min(a,b)+0.05))}"
      "const page=getComputedStyle(document.body);" +
      tell("(least>=4.5)+' '+(light(page.backgroundColor)<0.5?'dark':'light')");
  EXPECT_EQ(told(dom_of(page_of(profile), "", script)), "true light");
  EXPECT_EQ(told(dom_of(page_of(profile), "", script, {.is_dark = true})), "true dark");
}

TEST_F(FlamePage, OnlyWhatCanBeSeenIsMade) {
  // Eight thousand leaves of one thousandth of a pixel to two pixels.
  std::vector<testkit::SampleFunction> functions{{"main", 0}};
  std::vector<testkit::SampleArc> arcs;
  for (int i = 0; i < 8000; ++i) {
    const std::int64_t cost = i < 500 ? 2000 : 1 + i % 50;
    functions.push_back({"f" + std::to_string(i), cost});
    arcs.push_back({"main", functions.back().name, cost});
  }
  const JoinedProfile profile = testkit::joined(testkit::sample_profile(functions, arcs));
  const std::string page = html_flame_graph(
      profile, unfold(profile, {.max_frames = 10'000, .greatest_depth = 100, .min_share = 0}), {"many", "", "new"});
  const std::string dom = dom_of(page, "", tell("document.querySelectorAll('.frame').length"));
  EXPECT_EQ(told(dom), "502");
}

TEST_F(FlamePage, SvgIsWellFormedAndHasTitlesForTooltips) {
  const JoinedProfile profile = changed();
  const std::string svg = svg_flame_graph(profile, unfold(profile, StackLimits{}), {"a<b & c", "old", "new"});
  const std::string dom = dom_of_svg(svg);
  EXPECT_THAT(dom, AllOf(Not(HasSubstr("parsererror")), HasSubstr("a&lt;b &amp; c"), HasSubstr("<title>right")));
  EXPECT_GE(count(dom, "<title>"), 6U);
}

}  // namespace
}  // namespace steelyard::ci::flame_page_test
