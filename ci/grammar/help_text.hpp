// The text of --help, laid out from plain values: what a verb does, how it is called, its options, an example.
#pragma once

#include <string>
#include <vector>

namespace steelyard {

struct HelpEntry {
  std::string group;  // "Measuring"; entries of a group stand together, groups in order of first appearance
  std::string names;  // "--min-time DURATION"
  std::string text;
};

struct HelpPage {
  std::string usage;        // "steelyard compare BASELINE CANDIDATE [options]"
  std::string description;  // one sentence or two
  std::vector<HelpEntry> entries;
  std::string footer;  // "Example:\n  ..."; taken as it is
};

// At most 100 columns wide, newline at the end.
std::string help_text(const HelpPage& page);

}  // namespace steelyard
