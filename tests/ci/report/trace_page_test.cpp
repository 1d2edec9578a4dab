// The page of a trace in a browser, from a disk.
#include "ci/report/trace_page/trace_page.hpp"

#include <gmock/gmock.h>

#include <chrono>
#include <cstdio>

#include <string>
#include <tuple>
#include <vector>

#include "tests/ci/report/browser.hpp"
#include "tests/ci/report/sample_traces.hpp"

namespace steelyard::ci::trace_page_test {
namespace {

using bench::TraceEvent;
using bench::TraceKind;
using sample::launch_bound;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

class TracePage : public testkit::Browser {
 protected:
  std::string answer(const bench::Trace& trace, const std::string& fragment, const std::string& script,
                     const std::string& expression) {
    return told(dom_of(html_trace(trace, "a trace"), fragment, script + tell(expression)));
  }
  static std::string view() {
    return "document.querySelector('#tracks canvas').dataset.from+'-'+document.querySelector('#tracks "
           "canvas').dataset.to";
  }
};

TEST_F(TracePage, OpensFromADiskWithoutARequest) {
  EXPECT_EQ(answer(launch_bound(10), "", "",
                   "performance.getEntriesByType('resource').length+'|'+document.body.dataset.ready+'|'+"
                   "document.querySelectorAll('article.finding').length+'|'+document.querySelectorAll('#host tbody "
                   "tr').length+'|'+document.querySelectorAll('#devices tbody tr').length"),
            "0|true|2|3|1");
}

TEST_F(TracePage, ShowsTheStretchThatTheAddressNames) {
  EXPECT_EQ(answer(launch_bound(10), "#from=120000&to=240000", "", view()), "120000-240000");
}

TEST_F(TracePage, ZoomsAndMovesByKeys) {
  const auto after = [&](const std::string& keys) {
    std::string script = "window.requestAnimationFrame=(f)=>f();";
    for (const char key : keys) {
      script += "document.querySelector('#tracks canvas').dispatchEvent(new KeyboardEvent('keydown',{key:'" +
                std::string(1, key) + "',bubbles:true,cancelable:true}));";
    }
    return answer(launch_bound(10), "#from=100000&to=200000", script, view());
  };
  EXPECT_EQ(after("w"), "120000-180000");
  EXPECT_EQ(after("d"), "120000-220000");
  EXPECT_EQ(after("w0"), "0-1199000");
}

TEST_F(TracePage, SearchTellsHowManyAndHowLong) {
  EXPECT_EQ(answer(launch_bound(10), "#find=SGEMM", "", "document.getElementById('found').textContent"),
            "10 events, 100 us in all");
}

TEST_F(TracePage, TellsOfWhatKindAnEventIs) {
  EXPECT_EQ(answer(launch_bound(2), "#find=SGEMM", "document.getElementById('next').click();",
                   "document.getElementById('told').textContent.split('\\n')[1]"),
            "10 us from 103 us, kernel");
}

TEST_F(TracePage, OfAPausedRecordingSaysSoAndCountsWhatWasRecorded) {
  bench::Trace trace = launch_bound(2);
  trace.tracks.push_back({static_cast<std::uint64_t>(-1), 0, "the recording itself"});
  trace.events.push_back({.name_text = trace.texts.id_of("pause of the recording"),
                          .track = 2,
                          .begin_ns = 240'000,
                          .duration_ns = 2'000'000,
                          .kind = TraceKind::pause});
  for (TraceEvent& event : trace.events) {
    if (event.begin_ns >= 120'000 && event.kind != TraceKind::pause) event.begin_ns += 2'121'000;
  }
  bench::sort_events(trace);
  EXPECT_EQ(answer(trace, "", "", "document.querySelector('#overview p').textContent"),
            "Pauses of the recording, 2.00 ms in all, are in no share on this page.");
  EXPECT_THAT(html_trace(trace, "a trace"),
              AllOf(HasSubstr("the recording itself (-1/0)"), Not(HasSubstr("pause of the recording</th>"))));
}

TEST_F(TracePage, SortsItsTables) {
  const std::string names = "[...document.querySelectorAll('#host tbody th')].map((h)=>h.textContent).join()";
  EXPECT_EQ(answer(launch_bound(3), "", "document.querySelector('#host thead button').click();", names),
            "cudaLaunchKernel,prepare,step *");
}

TEST_F(TracePage, DrawsMemoryAndTheRoofline) {
  bench::Trace trace = launch_bound(3);
  trace.devices = {{0, "NVIDIA A100-SXM4-40GB"}};
  trace.memory = {{0, trace.texts.id_of("Device memory, device 0"), 1 << 20}, {200'000, 0, 3 << 20}};
  trace.memory[1].pool_text = trace.memory[0].pool_text;
  for (TraceEvent& event : trace.events) {
    if (event.kind != TraceKind::operation) continue;
    event.flops = 1e9;
    event.bytes = 1e6;
    event.allocated_bytes = 512;
  }
  const std::string seen =
      "document.querySelectorAll('#memory path').length+'|'+"
      "document.querySelector('#memory figcaption').textContent+'|'+"
      "document.querySelectorAll('#rates circle').length+'|'+"
      "[' bf16',' DRAM'].map((name)=>[...document.querySelectorAll('#rates text.roof')].filter((t)=>"
      "t.textContent.includes(name)).length).join()+'|'+"
      "(new Set([...document.querySelectorAll('#rates text.roof')].map((t)=>t.getAttribute('y'))).size==="
      "document.querySelectorAll('#rates text.roof').length)";
  EXPECT_EQ(answer(trace, "", "", seen), "1|Device memory, device 0 in use: at most 3.00 MiB|1|1,1|true")
      << "names of one height would lie on each other";
}

TEST_F(TracePage, OfWorkThatADeviceDidTheRateIsOverItsTime) {
  bench::Trace trace = launch_bound(2);
  for (TraceEvent& event : trace.events) {
    if (event.kind == TraceKind::annotation) event.flops = 1e9;
  }
  EXPECT_EQ(answer(trace, "", "",
                   "[...document.querySelectorAll('#host tbody tr')].filter((r)=>r.querySelector('th').textContent==="
                   "'step *').map((r)=>r.lastElementChild.textContent).join()"),
            "100 Tflop/s");
}

TEST_F(TracePage, NamesOfTheRooflineDoNotLieOnEachOther) {
  bench::Trace trace = launch_bound(3);
  const auto say = [&](const char* name, std::uint32_t i, double flops) {
    trace.events[i].name_text = trace.texts.id_of(name);
    trace.events[i].flops = flops;
    trace.events[i].bytes = 1e6;
  };
  std::vector<std::uint32_t> steps;
  for (std::uint32_t i = 0; i < trace.events.size(); ++i) {
    if (trace.events[i].kind == TraceKind::annotation) steps.push_back(i);
  }
  say("one", steps.at(0), 1e9);
  say("as one", steps.at(1), 1.001e9);
  say("far from both", steps.at(2), 1e12);
  EXPECT_EQ(answer(trace, "", "",
                   "document.querySelectorAll('#rates circle').length+'|'+"
                   "[...document.querySelectorAll('#rates text.rate')].map((t)=>t.textContent).sort().join()"),
            "3|as one,far from both");
}

TEST_F(TracePage, OfSpansThatAllocateDrawsWhatWasAskedFor) {
  bench::Trace trace = launch_bound(3);
  for (TraceEvent& event : trace.events) {
    if (event.kind == TraceKind::annotation) event.allocated_bytes = 1024;
  }
  EXPECT_EQ(answer(trace, "", "", "document.querySelector('#memory figcaption').textContent"),
            "Asked for by the host's spans so far; what was given back is not known: at most 3.00 KiB");
}

TEST_F(TracePage, HasHowKernelsWereLaunched) {
  bench::Trace trace = launch_bound(3);
  trace.launches = {
      {.grid = {264, 2, 1}, .block = {128, 1, 1}, .registers = 63, .occupancy = 0.375, .achieved_occupancy = 0.125}};
  for (TraceEvent& event : trace.events) event.launch = event.kind == TraceKind::kernel ? 1 : 0;
  EXPECT_EQ(answer(trace, "", "",
                   "[...document.querySelectorAll('#devices tbody td')].slice(-7).map((t)=>"
                   "t.textContent).join()"),
            "264x2x1,128x1x1,63,0 B,37.5%,12.5%,");
}

TEST_F(TracePage, HasWhatKernelsReachOfTheWorkThatSpansSay) {
  bench::Trace trace = launch_bound(3);
  trace.devices = {{0, "NVIDIA A100-SXM4-40GB"}};
  trace.launches = {{.grid = {264, 2, 1}, .block = {128, 1, 1}}};
  for (TraceEvent& event : trace.events) {
    event.launch = event.kind == TraceKind::kernel ? 1 : 0;
    if (event.kind == TraceKind::annotation) event.flops = event.bytes = 1e7;
    if (event.kind == TraceKind::annotation) event.name_text = trace.texts.id_of("step/bf16");
  }
  EXPECT_EQ(
      answer(trace, "", "",
             "[...document.querySelectorAll('#devices .sorted th')].slice(6,8).map((t)=>t.textContent).join()+'|'+"
             "[...document.querySelectorAll('#devices .sorted tbody td')].filter((t)=>t.textContent.includes('/s')"
             "||['64.3%','0.3% bf16'].includes(t.textContent)).map((t)=>t.textContent).join()"),
      "operations/s,% of peak|1.00 Tflop/s,0.3% bf16,1.00 TB/s,64.3%");
}

TEST_F(TracePage, NamesOfStrangersAreWords) {
  bench::Trace trace = launch_bound(2);
  trace.events[1].name_text =
      trace.texts.id_of("</script><script>document.title='x'</script><img src=x onerror=y>\n\"");
  trace.program = "<b>bold</b>";
  EXPECT_EQ(answer(trace, "", "", "document.title+'|'+document.querySelectorAll('img,b').length"), "a trace|0");
}

// What it takes is printed: docs/measured/spans.md has it.
TEST_F(TracePage, OpensAMillionEventsWithinSecondsAndMovesWithoutStalls) {
  bench::Trace trace;
  for (std::uint32_t track = 0; track < 10; ++track) {
    trace.tracks.push_back({1, track, "thread"});
    for (std::int64_t i = 0; i < 25'000; ++i) {
      const std::int64_t at = i * 4'000 + track * 100;
      for (const auto& [name, begin, ns] : {std::tuple("layer", 0, 3'900), std::tuple("product", 100, 3'000),
                                            std::tuple("pack", 200, 900), std::tuple("multiply", 1'200, 1'800)}) {
        trace.events.push_back(TraceEvent{.name_text = trace.texts.id_of(name + std::to_string(i % 50)),
                                          .track = track,
                                          .begin_ns = at + begin,
                                          .duration_ns = ns});
      }
    }
  }
  bench::sort_events(trace);
  // By our clock: the browser's own stands still while a script runs, as its time is a virtual one here.
  const auto seconds_of = [](const auto& step) {
    const auto begin = std::chrono::steady_clock::now();
    step();
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  };
  const std::string moves =
      "window.requestAnimationFrame=(f)=>f();for(let i=0;i<10;++i)for(const k of ['w','d','s','a'])"
      "document.querySelector('#tracks canvas').dispatchEvent(new KeyboardEvent('keydown',{key:k,bubbles:true,"
      "cancelable:true}));";
  const double opened = seconds_of([&] { open(html_trace(trace, "a trace"), ""); });
  const double moved = seconds_of([&] { run(moves); }) / 40;
  expect_a_sound_page(dom());
  std::printf("a million events: %.1f s to write and open, %.0f ms a move\n", opened, 1e3 * moved);
#if defined(STEELYARD_SANITIZED)
  constexpr double kLongest = 60;  // seconds: the page is written by a program that checks every access
#else
  constexpr double kLongest = 20;
#endif
  EXPECT_LT(opened, kLongest);
  EXPECT_LT(moved, 0.2);
}

TEST_F(TracePage, WithoutEventsSaysThatNothingStandsOut) {
  EXPECT_EQ(answer(bench::Trace{}, "", "", "document.body.dataset.ready+document.querySelectorAll('canvas').length"),
            "true0");
}

}  // namespace
}  // namespace steelyard::ci::trace_page_test
