#include "tests/bench/harness/sample_measurements.hpp"

namespace steelyard {

// Never change what this returns: the files of version 1 hold it.
std::vector<TaskMeasurement> sample_measurements() {
  TaskMeasurement full;
  full.task = {"for (auto& x : v) {\n\tf(x, \"a<b>&'c'\");\n}\n",
               "v = make(1000)",
               "#include <vector>",
               "sort",
               "  leading and trailing  ",
               "float32",
               "with patch",
               4};
  full.runs_per_time = 1000;
  full.raw_times = {0.1, 1e-9, 5e-324, 1.7976931348623157e308, 0.0, 0.0123456789012345678};
  full.runs_of_times = {1000, 1200, 1001, 1, 9'007'199'254'740'993, 1100};
  full.fingerprint = "0123456789abcdef";
  full.metadata = {{"clock", "monotonic"}, {"empty", ""}, {"", "empty key"}, {"lines", "one\ntwo\n"}};

  TaskMeasurement awkward;
  awkward.task.statement = "";
  awkward.task.label =
      "gr\xC3\xB6\xC3\x9F"
      "e \xE2\x82\xAC";  // UTF-8
  awkward.task.sub_label = "\xFF\xFE not UTF-8";
  awkward.task.description = std::string("nul\0 cr\r esc\x1B del\x7F", 18);
  awkward.task.environment = "back\\slash \\x41 \\";
  awkward.metadata = {{"]]>", "<!-- -->"}, {"&amp;", "&#65;"}};

  TaskMeasurement plain;
  plain.task.statement = "f(x)";
  plain.raw_times = {2.5};
  return {full, awkward, plain};
}

}  // namespace steelyard
