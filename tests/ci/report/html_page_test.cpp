// The comparison's page in a browser, from a disk: the fixture fails a test whose page puts anything on the console,
// and so whatever its Content-Security-Policy refused.
#include <gmock/gmock.h>
#include <gtest/gtest-spi.h>

#include <chrono>

#include "ci/report/comparison.hpp"
#include "tests/ci/report/browser.hpp"
#include "tests/ci/report/sample_results.hpp"

namespace steelyard::ci::html_page_test {
namespace {

// Of the rows that are seen, in their order.
constexpr const char* kNames =
    "[...document.querySelectorAll('#all > tbody:not([hidden]) th')].map((h)=>h.textContent).join()";

class HtmlPage : public testkit::Browser {
 protected:
  static std::string page_of(const Comparison& comparison) {
    std::vector<Explanation> explanations;
    for (const ComparisonRow& row : comparison.rows) {
      explanations.push_back({row.benchmark, row.metric.name, {"measured: 24 rounds of " + row.benchmark}});
    }
    steelyard::Run baseline, candidate;
    for (steelyard::Run* run : {&baseline, &candidate}) {
      for (const ComparisonRow& row : comparison.rows) {
        Measurement measurement;
        measurement.benchmark.name = row.benchmark;
        measurement.metric = row.metric;
        const double level = row.baseline.value_or(1);  // a failed row has none
        for (int round = 0; round < 8; ++round) {
          measurement.invocations.push_back({static_cast<std::uint32_t>(round), {level, level + round}, {}});
        }
        if (row.baseline) run->measurements.push_back(measurement);
      }
    }
    return html_report(comparison, {baseline, candidate, explanations});
  }
  static Comparison four() {
    Comparison comparison = sample::quiet_comparison(0);
    comparison.rows = {sample::time_row("BM_sort/8", 1.02, Verdict::regression),
                       sample::time_row("BM_sort/64", 1.3, Verdict::regression),
                       sample::time_row("BM_hash", 0.8, Verdict::improvement),
                       sample::instructions_row("BM_hash", 1000, 1000)};
    return comparison;
  }
  std::string answer(const std::string& fragment, const std::string& script, const std::string& expression,
                     const testkit::Screen& screen = {}) {
    return told(dom_of(page_of(four()), fragment, script + tell(expression), screen));
  }
  static std::string press(const std::string& key) {
    return "document.activeElement.dispatchEvent(new KeyboardEvent('keydown',{key:'" + key +
           "',bubbles:true,cancelable:true}));";
  }
  static std::string click(const std::string& selector) {
    return "document.querySelector('" + selector + "').click();";
  }
  static std::string type(const std::string& text) {
    return "document.getElementById('find').value='" + text +
           "';document.getElementById('find').dispatchEvent(new Event('input'));";
  }
};

TEST_F(HtmlPage, WhatComesOnItsConsoleFailsATestAndTheNextPageHasNoneOfIt) {
  const auto shown = [&](const std::string& script) { return dom_of(page_of(four()), "", script); };
  EXPECT_NONFATAL_FAILURE(shown("console.error('said')"), "said");
  EXPECT_NONFATAL_FAILURE(shown("throw new Error('thrown')"), "thrown");
  EXPECT_NONFATAL_FAILURE(shown("setTimeout(()=>{throw new Error('a second later')},1000)"), "a second later");
  EXPECT_NONFATAL_FAILURE(
      shown("document.body.append(Object.assign(document.createElement('script'),{textContent:'let x'}))"),
      "Content Security Policy");
  std::string pictured = page_of(four());
  pictured.insert(pictured.find("</h1>"), "<img src=x.png>");
  EXPECT_NONFATAL_FAILURE(dom_of(pictured, ""), "Loading the image");
  EXPECT_NONFATAL_FAILURE(dom_of("<!doctype html><p>x", ""), "the page's script did not end");
  EXPECT_EQ(answer("", "", "innerWidth+' '+matchMedia('(prefers-color-scheme:dark)').matches"), "1300 false");
  EXPECT_EQ(answer("", "", "innerWidth+' '+matchMedia('(prefers-color-scheme:dark)').matches",
                   {.width = 500, .is_dark = true}),
            "500 true");
}

TEST_F(HtmlPage, APageThatDiesOrComesToNoEndFailsItsOwnTestAndNotTheNext) {
  const auto ends_in_failure_and_the_next_does_not = [&] {
    EXPECT_NONFATAL_FAILURE(TearDown(), "the browser ended or came to no end");
    SetUp();
    EXPECT_EQ(answer("", "", "innerWidth"), "1300");
  };
  dom_of(page_of(four()), "");
  end_page();
  ends_in_failure_and_the_next_does_not();
  wait_at_most(std::chrono::seconds(2));
  open("<!doctype html><p>x<script>for(;;);</script>", "");
  ends_in_failure_and_the_next_does_not();
  open("<!doctype html><p>x", "");
  wait_at_most(std::chrono::seconds(2));
  run("for(;;);");
  ends_in_failure_and_the_next_does_not();
}

TEST_F(HtmlPage, OpensFromADiskWithoutARequest) {
  EXPECT_EQ(answer("", "",
                   "performance.getEntriesByType('resource').length+'|'+document.images.length+'|'+"
                   "document.querySelectorAll('svg.distributions').length"),
            "0|0|3");
}

TEST_F(HtmlPage, SortsByAColumnEitherWayAndBack) {
  const std::string by_change = click("[data-sort=change] button");
  EXPECT_EQ(answer("", "", kNames), "BM_sort/64,BM_sort/8,BM_hash,BM_hash");
  EXPECT_EQ(answer("", click("[data-sort=name] button"), kNames), "BM_hash,BM_hash,BM_sort/8,BM_sort/64");
  EXPECT_EQ(answer("", by_change, std::string(kNames) + "+' '+document.querySelector('[aria-sort]').ariaSort"),
            "BM_sort/64,BM_sort/8,BM_hash,BM_hash descending");
  EXPECT_EQ(answer("", by_change + by_change, kNames), "BM_hash,BM_hash,BM_sort/8,BM_sort/64");
  EXPECT_EQ(answer("", by_change + by_change + by_change, std::string(kNames) + "+location.hash"),
            "BM_sort/64,BM_sort/8,BM_hash,BM_hash");
}

TEST_F(HtmlPage, FiltersByPatternVerdictAndMetric) {
  const std::string shown = std::string(kNames) + "+' '+document.getElementById('shown').textContent";
  EXPECT_EQ(answer("", type("sort/?4"), shown), "BM_sort/64 1 of 4 rows");
  EXPECT_EQ(answer("", type("b*/8"), shown), "BM_sort/8 1 of 4 rows");
  EXPECT_EQ(answer("", type("a+b("), shown), " 0 of 4 rows");
  EXPECT_EQ(answer("", click("#verdicts input[value=improvement]"), shown), "BM_hash 1 of 4 rows");
  EXPECT_EQ(answer("",
                   "const m=document.getElementById('metric');m.value='instructions';"
                   "m.dispatchEvent(new Event('change'));",
                   shown),
            "BM_hash 1 of 4 rows");
  EXPECT_EQ(answer("#find=sort", click("#reset"), shown), "BM_sort/64,BM_sort/8,BM_hash,BM_hash 4 of 4 rows");
}

TEST_F(HtmlPage, TheAddressKeepsWhatIsShown) {
  const std::string state = "#find=sort&verdict=regression&sort=change";
  EXPECT_EQ(answer(state, "", kNames), "BM_sort/8,BM_sort/64");
  EXPECT_EQ(answer("", type("sort") + click("#verdicts input[value=regression]"), "location.hash"),
            "#find=sort&amp;verdict=regression");
  EXPECT_EQ(answer("#find=%FF&sort=nothing&verdict=none&metric=x", "", "document.body.dataset.ready"), "true");
}

TEST_F(HtmlPage, ARowOpensItsExplanationByClickByKeyAndByLink) {
  const std::string visible =
      "[...document.querySelectorAll('#all .why')].filter((r)=>getComputedStyle(r).display!=='none')"
      ".map((r)=>r.querySelector('dd').textContent).join()";
  EXPECT_EQ(answer("", "", visible), "");
  EXPECT_EQ(answer("", click("#row-2 td.c"), visible), "24 rounds of BM_sort/8");
  EXPECT_EQ(answer("", click("#row-2 input"), visible), "24 rounds of BM_sort/8");
  EXPECT_EQ(answer("#row-3", "", visible), "24 rounds of BM_hash");
  EXPECT_EQ(answer("", click("#open"), "document.querySelectorAll('#all input:checked').length"), "4");
  // A link to a row that the filter hides shows it all the same.
  EXPECT_EQ(answer("#find=hash", "addEventListener('hashchange',()=>{" + tell(visible) + "});location.hash='#row-1';",
                   "'waits'"),
            "24 rounds of BM_sort/64");
}

TEST_F(HtmlPage, KeysSearchAndWalk) {
  EXPECT_EQ(answer("", press("/"), "document.activeElement.id"), "find");
  EXPECT_EQ(answer("#find=sort", press("/") + press("Escape"), "document.getElementById('shown').textContent"),
            "4 of 4 rows");
  EXPECT_EQ(answer("", "document.querySelector('#row-1 input').focus();" + press("ArrowDown") + press("ArrowDown"),
                   "document.activeElement.getAttribute('aria-label')"),
            "improvement, explain BM_hash, time");
}

TEST_F(HtmlPage, HostileNamesRunNothing) {
  Comparison comparison = four();
  comparison.rows[0].benchmark = "</script><script>window.hacked=1</script>";
  comparison.rows[1].benchmark = "\"><img src=x onerror=window.hacked=2>";
  comparison.rows[2].benchmark = "' autofocus onfocus=window.hacked=3 x='";
  comparison.warnings = {"<a href=javascript:window.hacked=4>x</a>", "<meta http-equiv=refresh content=0>"};
  const std::string dom = dom_of(page_of(comparison), "",
                                 tell("typeof hacked+'|'+document.images.length+'|'+document.scripts.length+'|'+"
                                      "document.querySelectorAll('#all > tbody').length"));
  EXPECT_EQ(told(dom), "undefined|0|2|4");
}

TEST_F(HtmlPage, WithoutItsScriptEveryRowIsThereAndOpens) {
  std::string page = page_of(four());
  const std::size_t at = page.rfind("<script>");
  page.erase(at, page.find("</script>", at) + 9 - at);
  const std::string opened = click("#row-2 input") +
                             tell(
                                 "getComputedStyle(document.querySelector('#row-2 .why')).display+'|'+"
                                 "getComputedStyle(document.querySelector('#row-1 "
                                 ".why')).display+'|'+document.getElementById('controls').hidden"
                                 "+'|'+" +
                                 std::string(kNames)) +
                             "document.body.dataset.ready='true';";
  EXPECT_EQ(told(dom_of(page, "", opened)), "table-row|none|true|BM_sort/64,BM_sort/8,BM_hash,BM_hash");
}

TEST_F(HtmlPage, TextHasContrastInBothThemes) {
  const std::string script =
      "const light=(c)=>{const v=c.match(/[0-9.]+/g).slice(0,3).map((x)=>{x/=255;"
      "return x<=0.03928?x/12.92:((x+0.055)/1.055)**2.4});return 0.2126*v[0]+0.7152*v[1]+0.0722*v[2]};"
      "const back=light(getComputedStyle(document.body).backgroundColor);let least=99;"
      "for(const one of document.querySelectorAll('p,th,td,dt,dd,a,code,h1,h2,h3,.mark,.tag,summary,label,button')){"
      "const ink=light(getComputedStyle(one).color);"
      "least=Math.min(least,(Math.max(ink,back)+0.05)/(Math.min(ink,back)+0.05))}";
  const std::string answer = "(least>=4.5)+' '+(back<0.5?'dark':'light')";
  const std::string page = page_of(sample::comparison_with_every_verdict());
  EXPECT_EQ(told(dom_of(page, "#row-1", script + tell(answer))), "true light");
  EXPECT_EQ(told(dom_of(page, "#row-1", script + tell(answer), {.is_dark = true})), "true dark");
}

TEST_F(HtmlPage, ANarrowScreenIsNotScrolledSideways) {
  const std::string page = page_of(sample::comparison_with_every_verdict());
  EXPECT_EQ(told(dom_of(page, "#row-1", tell("document.documentElement.scrollWidth<=innerWidth"), {.width = 500})),
            "true");
}

TEST_F(HtmlPage, TwoThousandRowsAreSortedAndFiltered) {
  std::vector<ComparisonRow> rows;
  for (int i = 0; i < 500; ++i) {
    const std::string name = "BM_family" + std::to_string(i % 20) + "/" + std::to_string(i);
    for (const char* metric : {"real_time", "cpu_time", "bytes_allocated", "allocations"}) {
      rows.push_back(sample::time_row(name, 1 + 0.0001 * (i % 7), Verdict::unchanged));
      rows.back().metric.name = metric;
    }
  }
  Comparison comparison = sample::quiet_comparison(0);
  comparison.rows = rows;
  const std::string page = page_of(comparison);
  EXPECT_LE(page.size(), kMaxPageBytes);
  const std::string dom =
      dom_of(page, "#find=family7/&sort=-change", tell("document.getElementById('shown').textContent"));
  EXPECT_EQ(told(dom), "100 of 2,000 rows");
}

}  // namespace
}  // namespace steelyard::ci::html_page_test
