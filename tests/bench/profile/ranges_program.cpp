// ranges_program [FILE]: makes spans, recorded into FILE where there is one; for spans_test.cpp, which has a tool
// listen.
#include <optional>
#include <utility>

#include "bench/profile/spans/span.hpp"
#include "bench/profile/spans/span_recording.hpp"

int main(int count, char** arguments) {
  std::optional<steelyard::SpanRecording> recording;
  if (count > 1) {
    auto started = steelyard::SpanRecording::start({.file = arguments[1]});
    if (!started) return 1;
    recording.emplace(std::move(*started));
  }
  {
    STEELYARD_SPAN("outer");
    const steelyard::Span inner(steelyard::SpanName("made at run time"));
  }
  if (recording) recording->stop();
  { STEELYARD_SPAN("after"); }
  return 0;
}
