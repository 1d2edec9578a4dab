// The page of a trace, its sentences here and itself in a browser, from a disk.
#include "ci/report/trace_page/trace_page.hpp"

#include <gmock/gmock.h>

#include <chrono>
#include <cstdio>

#include <string>
#include <tuple>
#include <vector>

#include "tests/ci/report/browser.hpp"

namespace steelyard::ci::trace_page_test {
namespace {

using bench::TraceEvent;
using bench::TraceKind;
using ::testing::AllOf;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::SizeIs;

// One thread that prepares for 100 us and launches a kernel of 10 us, over and over.
bench::Trace launch_bound(int steps) {
  bench::Trace trace;
  trace.tracks = {{1, 1, "main"}, {0, 7, "stream 7"}};
  const auto add = [&](const char* name, TraceKind kind, std::uint32_t track, std::int64_t begin, std::int64_t ns,
                       std::uint64_t correlation = 0) {
    trace.events.push_back(TraceEvent{.name_text = trace.texts.id_of(name),
                                      .track = track,
                                      .begin_ns = begin,
                                      .duration_ns = ns,
                                      .kind = kind,
                                      .correlation = correlation});
  };
  for (int i = 0; i < steps; ++i) {
    const std::int64_t at = i * 120'000;
    add(("step " + std::to_string(i)).c_str(), TraceKind::annotation, 0, at, 119'000);
    add("prepare", TraceKind::operation, 0, at + 1'000, 90'000);
    add("cudaLaunchKernel", TraceKind::runtime_call, 0, at + 95'000, 5'000, static_cast<std::uint64_t>(i + 1));
    add("sgemm", TraceKind::kernel, 1, at + 103'000, 10'000, static_cast<std::uint64_t>(i + 1));
  }
  bench::sort_events(trace);
  return trace;
}

std::vector<TraceFinding> findings_in(const bench::Trace& trace) {
  const bench::TraceTree tree = bench::tree_of(trace);
  return findings_of(trace, bench::overview_of(trace, tree), tree);
}

std::vector<std::string> claims_of(const bench::Trace& trace) {
  std::vector<std::string> claims;
  for (const TraceFinding& finding : findings_in(trace)) {
    claims.push_back(finding.claim);
  }
  return claims;
}

TEST(TraceFindings, SayThatTheDeviceWaitsForTheHostAndForWhat) {
  const bench::Trace trace = launch_bound(10);
  const auto found = findings_in(trace);
  ASSERT_THAT(found, SizeIs(2));
  EXPECT_THAT(found[0].claim, HasSubstr("Device 0 waits for launches in 82.6 % of the time"));
  EXPECT_THAT(found[0].evidence, HasSubstr("busy in 8.34 %"));
  EXPECT_THAT(found[0].evidence, HasSubstr("3.00 us, 3.00 us and 3.00 us (quartiles of 10 kernels)"));
  EXPECT_THAT(found[1].claim, HasSubstr("of the host's recorded time is prepare itself"));
}

TEST(TraceFindings, OfAQueueThatIsNeverEmptyThereIsNone) {
  bench::Trace trace = launch_bound(10);
  for (TraceEvent& event : trace.events) {
    if (event.kind == TraceKind::kernel) event.duration_ns = 119'000;
  }
  EXPECT_THAT(claims_of(trace), ElementsAre(HasSubstr("prepare itself")));
}

TEST(TraceFindings, OfNothingAreNone) { EXPECT_THAT(claims_of(bench::Trace{}), IsEmpty()); }

// A millisecond of the host, and what the device did meanwhile, on two streams.
class MillisecondTrace {
 public:
  MillisecondTrace() {
    trace_.tracks = {{1, 1, "main"}, {0, 7, "stream 7"}, {0, 8, "stream 8"}};
    add("run", 0, 0, 1'000'000);
  }
  TraceEvent& add(const std::string& name, std::uint32_t track, std::int64_t begin, std::int64_t ns,
                  TraceKind kind = TraceKind::annotation) {
    return trace_.events.emplace_back(TraceEvent{
        .name_text = trace_.texts.id_of(name), .track = track, .begin_ns = begin, .duration_ns = ns, .kind = kind});
  }
  // What started the kernels at `at`, before them, and says those shapes.
  void start(std::uint64_t correlation, std::int64_t at, const std::string& shapes) {
    add("mul", 0, at, 20'000, TraceKind::operation).shapes_text = trace_.texts.id_of(shapes);
    add("cudaLaunchKernel", 0, at + 10, 100, TraceKind::runtime_call).correlation = correlation;
    for (TraceEvent& event : trace_.events) {
      if (event.kind == TraceKind::kernel && event.begin_ns == at) event.correlation = correlation;
    }
  }
  // The claim that has this in it, and its evidence; empty: there is none.
  std::string told(const std::string& part) {
    bench::sort_events(trace_);
    for (const TraceFinding& one : findings_in(trace_)) {
      if (one.claim.find(part) != std::string::npos) return one.claim + "|" + one.evidence;
    }
    return "";
  }

 private:
  bench::Trace trace_;
};

TEST(TraceFindings, SayHowLongNothingButCopiesRuns) {
  MillisecondTrace beside, covered, few;
  beside.add("gemm", 1, 0, 500'000, TraceKind::kernel);
  beside.add("Memcpy HtoD", 2, 400'000, 250'000, TraceKind::device_copy);
  beside.add("Memset", 2, 700'000, 50'000, TraceKind::device_set);
  EXPECT_EQ(beside.told("copies"),
            "Nothing but copies and sets runs on the device in 20 % of the time|200 us without a kernel beside them.");
  covered.add("gemm", 1, 0, 900'000, TraceKind::kernel);
  covered.add("Memcpy HtoD", 2, 400'000, 450'000, TraceKind::device_copy);
  EXPECT_EQ(covered.told("copies"), "");
  few.add("Memcpy HtoD", 2, 400'000, 99'000, TraceKind::device_copy);
  EXPECT_EQ(few.told("copies"), "") << "less than a tenth";
}

TEST(TraceFindings, SayHowManyElementwiseKernelsRunInARow) {
  const std::string name = "void at::native::vectorized_elementwise_kernel<4, Gelu>(int)";
  MillisecondTrace row, pairs, short_ones;
  for (int i = 0; i < 9; ++i) row.add(name, 1, 20'000 * i, 10'000, TraceKind::kernel);
  EXPECT_EQ(row.told("elementwise"),
            "9 elementwise kernels run directly after another, in 9 % of the time|1 run of three and more, the longest "
            "of 9.");
  for (int i = 0; i < 9; ++i) {
    pairs.add(i % 3 == 2 ? "gemm" : name, 1, 20'000 * i, 10'000, TraceKind::kernel);
    short_ones.add(name, 1, 20'000 * i, 5'000, TraceKind::kernel);
  }
  EXPECT_EQ(pairs.told("elementwise"), "") << "a product after every second one";
  EXPECT_EQ(short_ones.told("elementwise"), "") << "less than a twentieth";
  for (int i = 0; i < 9; ++i) {
    row.start(i + 1, 20'000 * i, i < 4 ? "[[64, 512], [64, 512]]" : "[[64, 512], []]");
  }
  EXPECT_THAT(row.told("elementwise"),
              HasSubstr("9 elementwise kernels move 22 tensors where one would move as few as 2, in 9 % of the time|"));
}

TEST(TraceFindings, SayWhichCallsAreSoShortThatRecordingThemWeighs) {
  MillisecondTrace tiny, longer, rare;
  for (int i = 0; i < 2000; ++i) tiny.add("tick", 0, 400 * i, 100);
  EXPECT_EQ(tiny.told("recording it weighs"),
            "tick is so short that recording it weighs: 100 ns a call|2000 calls are "
            "20 % of the host's recorded time.");
  for (int i = 0; i < 2000; ++i) longer.add("tick", 0, 400 * i, 201);
  EXPECT_EQ(longer.told("recording it weighs"), "");
  for (int i = 0; i < 900; ++i) rare.add("tick", 0, 400 * i, 100);
  EXPECT_EQ(rare.told("recording it weighs"), "") << "less than a tenth";
}

TEST(TraceFindings, SayWhatAllocatesMostOfAStep) {
  MillisecondTrace large, small;
  for (int i = 0; i < 2; ++i) {
    for (MillisecondTrace* trace : {&large, &small}) trace->add("step " + std::to_string(i), 0, 400'000 * i, 300'000);
    large.add("fill", 0, 400'000 * i + 10, 100'000).allocated_bytes = 3 << 20;
    large.add("copy", 0, 400'000 * i + 200'000, 50'000).allocated_bytes = 2 << 20;
    small.add("fill", 0, 400'000 * i + 10, 100'000).allocated_bytes = 500'000;
  }
  EXPECT_EQ(large.told("allocates most"), "fill allocates most: 3.00 MiB a step|2 calls.");
  EXPECT_EQ(small.told("allocates most"), "") << "less than a MiB in all";
}

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

TEST(TraceFindings, SayWhatTheRecordingItselfTakes) {
  bench::Trace trace = launch_bound(10);
  trace.events[1].kind = TraceKind::overhead;
  EXPECT_THAT(claims_of(trace), Contains(HasSubstr("The recording itself takes 7.51 % of the time")));
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
