#include "bench/environment/binary_facts.hpp"

#include <elf.h>

#include <algorithm>
#include <array>
#include <utility>

#include "bench/environment/elf_file.hpp"
#include "bench/model/text.hpp"

namespace steelyard::bench {
namespace {

using Counts = std::map<std::string, std::int64_t>;

constexpr std::size_t kMaxNamed = 4;

std::vector<std::pair<std::string, std::int64_t>> by_falling_count(const Counts& counts) {
  std::vector<std::pair<std::string, std::int64_t>> rows(counts.begin(), counts.end());
  std::stable_sort(rows.begin(), rows.end(), [](const auto& a, const auto& b) { return a.second > b.second; });
  return rows;
}

std::string others_text(std::size_t others, std::string_view noun) {
  if (others == 0) return "";
  return " (and " + std::to_string(others) + " other " + std::string(noun) + (others > 1 ? "s" : "") + ")";
}

// The last -O of the line holds. A line that records switches and has none is not optimized: that is the compilers'
// default.
std::string optimization_of(std::string_view switches) {
  std::string found = "-O0";
  while (!switches.empty()) {
    const std::size_t end = std::min(switches.find(' '), switches.size());
    const std::string_view word = switches.substr(0, end);
    if (word.starts_with("-O")) found = word == "-O" ? "-O1" : std::string(word);
    switches.remove_prefix(std::min(end + 1, switches.size()));
  }
  return found;
}

// Clang records the whole line: names of files, which differ from unit to unit, and what decides where output goes.
std::string without_files(std::string_view line) {
  std::string kept;
  while (!line.empty()) {
    const std::size_t end = std::min(line.find(' '), line.size());
    const std::string_view word = line.substr(0, end);
    line.remove_prefix(std::min(end + 1, line.size()));
    bool dropped = !word.starts_with('-');
    for (const std::string_view name : {"-o", "-c", "-MD", "-MMD", "-MT", "-MF", "-I", "-isystem", "-include"}) {
      dropped = dropped || word == name;
    }
    dropped = dropped || word.starts_with("--driver-mode") || word.starts_with("-I") || word == "-grecord-command-line";
    if (!dropped) kept.append(kept.empty() ? "" : " ").append(word);
  }
  return kept;
}

}  // namespace

ProducedBy parse_producer(std::string_view producer) {
  ProducedBy produced;
  // GCC: "GNU C++17 12.2.0 -mtune=generic -O2"; Clang with recorded command line: "clang version 14 /usr/bin/clang
  // -O2".
  const std::size_t dash = producer.find(" -");
  const std::string_view compiler = producer.substr(0, dash);
  produced.compiler = std::string(compiler.substr(0, compiler.find(" /")));
  if (dash != std::string_view::npos) {
    const std::string_view line = producer.substr(dash + 1);
    produced.switches = compiler.find("clang") == std::string_view::npos ? std::string(line) : without_files(line);
  }
  produced.is_assembly = producer.starts_with("GNU AS");
  return produced;
}

ProgramSwitches summarize_producers(const std::map<std::string, std::int64_t>& producers) {
  Counts compilers;
  Counts switches;
  Counts optimizations;
  ProgramSwitches summary;
  for (const auto& [text, units] : producers) {
    const ProducedBy produced = parse_producer(text);
    if (produced.is_assembly) continue;
    compilers[produced.compiler] += units;
    if (produced.switches.empty()) continue;
    switches[produced.switches] += units;
    const std::string optimization = optimization_of(produced.switches);
    optimizations[optimization] += units;
    summary.units += units;
    if (optimization == "-O0") summary.unoptimized_units += units;
  }
  const auto named = by_falling_count(compilers);
  for (std::size_t i = 0; i < named.size() && i < kMaxNamed; ++i) {
    summary.compiler += (i == 0 ? "" : " + ") + named[i].first;
  }
  if (named.size() > kMaxNamed) summary.compiler += others_text(named.size() - kMaxNamed, "compiler");
  if (!switches.empty()) {
    summary.switches = by_falling_count(switches).front().first + others_text(switches.size() - 1, "set");
  }
  if (optimizations.size() == 1) summary.optimization = optimizations.begin()->first;
  if (optimizations.size() > 1) {
    for (const auto& [level, units] : optimizations) {
      const bool first = summary.optimization.empty();
      summary.optimization += (first ? "" : ", ") + level + " in " + std::to_string(units) +
                              (first ? " of " + std::to_string(summary.units) + " units" : "");
    }
  }
  return summary;
}

namespace {

constexpr std::size_t kMaxComments = 16;
constexpr std::size_t kLongestComment = 200;

std::string build_id_of(const ElfFile& file) {
  constexpr std::size_t kMaxBytes = 64;
  const auto first_of = [&](std::string_view notes) {
    for (const std::string_view id : file.build_ids(notes)) {
      if (id.size() <= kMaxBytes) return hex_text(id);
    }
    return std::string();
  };
  for (const ElfSection& section : file.sections) {
    if (section.type != SHT_NOTE) continue;
    if (std::string id = first_of(section.content); !id.empty()) return id;
  }
  for (const ElfSegment& segment : file.segments) {  // a file without a table of sections
    if (segment.type != PT_NOTE) continue;
    if (std::string id = first_of(segment.content); !id.empty()) return id;
  }
  return "";
}

std::vector<std::string> comments_of(const ElfFile& file) {
  std::vector<std::string> comments;
  const ElfSection* section = file.find(".comment");
  if (section == nullptr) return comments;
  std::string_view rest = section->content;
  while (!rest.empty() && comments.size() < kMaxComments) {
    const std::size_t end = std::min(rest.find('\0'), rest.size());
    const std::string_view text = trimmed(rest.substr(0, std::min(end, kLongestComment)));
    const bool known = std::find(comments.begin(), comments.end(), text) != comments.end();
    if (!text.empty() && !known) comments.emplace_back(text);
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  return comments;
}

// A symbol, or the beginning of one, that only programs with this have.
struct Sign {
  std::string_view symbol;
  bool is_prefix;
  std::string_view meaning;
};

constexpr std::array kAllocatorSigns{
    Sign{"mallctl", false, "jemalloc"},    Sign{"je_mallctl", false, "jemalloc"}, Sign{"tc_malloc", false, "tcmalloc"},
    Sign{"tc_version", false, "tcmalloc"}, Sign{"mi_malloc", false, "mimalloc"},  Sign{"mi_version", false, "mimalloc"},
};
constexpr std::array<std::string_view, 3> kAllocators{"jemalloc", "tcmalloc", "mimalloc"};  // lib....so
constexpr std::array kInstrumentSigns{
    Sign{"__asan_init", false, "address sanitizer"},
    Sign{"__hwasan_init", false, "address sanitizer"},
    Sign{"__tsan_init", false, "thread sanitizer"},
    Sign{"__msan_init", false, "memory sanitizer"},
    Sign{"__ubsan_handle_", true, "undefined behaviour sanitizer"},
    Sign{"__gcov_init", false, "coverage"},
    Sign{"__llvm_profile_", true, "coverage or profile"},
    Sign{"mcount", false, "profiling calls (-pg)"},
    Sign{"_mcount", false, "profiling calls (-pg)"},
};
constexpr std::array kAssertionSigns{
    Sign{"__assert_fail", false, "assert"},
    Sign{"_ZSt21__glibcxx_assert_fail", true, "library assertions"},
};

template <std::size_t n>
std::string_view meaning_of(std::string_view name, const std::array<Sign, n>& signs) {
  for (const Sign& sign : signs) {
    if (sign.is_prefix ? name.starts_with(sign.symbol) : name == sign.symbol) return sign.meaning;
  }
  return {};
}

void read_symbols(const ElfFile& file, BinaryFacts& facts) {
  bool asserts = false;
  bool defines_malloc = false;
  for (const ElfSymbol& symbol : file.symbols()) {
    // "__assert_fail@GLIBC_2.2.5": some linkers write the version into the name.
    const std::string_view name = symbol.name.substr(0, symbol.name.find('@'));
    if (const auto allocator = meaning_of(name, kAllocatorSigns); symbol.defined && !allocator.empty()) {
      facts.allocator = allocator;
    }
    const auto instrument = meaning_of(name, kInstrumentSigns);
    const bool known =
        std::find(facts.instruments.begin(), facts.instruments.end(), instrument) != facts.instruments.end();
    if (!instrument.empty() && !known) facts.instruments.emplace_back(instrument);
    defines_malloc = defines_malloc || (symbol.defined && name == "malloc");
    asserts = asserts || !meaning_of(name, kAssertionSigns).empty();
  }
  // An allocator that shows no name of its own still has to define malloc.
  if (facts.allocator.empty() && defines_malloc && !facts.is_static) facts.allocator = "its own";
  // A static program holds the C library, which asserts on its own account.
  if (!facts.is_static && file.find(".dynsym") != nullptr) facts.assertions = asserts;
}

}  // namespace

Result<BinaryFacts> read_binary(std::string_view bytes) {
  STEELYARD_TRY(const ElfFile file, read_elf(bytes));
  if (!file.is_executable()) return input_error("", "an ELF file that is no program");
  BinaryFacts facts;
  facts.build_id = build_id_of(file);
  facts.comments = comments_of(file);
  DwarfProducers producers = read_producers(file);
  facts.debug_info = producers.state;
  facts.switches = summarize_producers(producers.units);
  facts.is_stripped = file.find(".symtab") == nullptr;
  for (const std::string_view library : file.needed()) {
    facts.libraries.emplace_back(library);
    if (std::string allocator = allocator_of_library(library); !allocator.empty()) facts.allocator = allocator;
  }
  // A shared library names no loader, but libraries of its own.
  facts.is_static =
      facts.libraries.empty() && std::none_of(file.segments.begin(), file.segments.end(),
                                              [](const ElfSegment& segment) { return segment.type == PT_INTERP; });
  read_symbols(file, facts);
  return facts;
}

std::string allocator_of_library(std::string_view paths) {
  for (const std::string_view name : kAllocators) {
    if (paths.find("lib" + std::string(name)) != std::string_view::npos) return std::string(name);
  }
  return "";
}

void add_binary_facts(const BinaryFacts& facts, Environment& environment) {
  const auto set = [&](std::string_view name, std::string value) {
    // A file may hold any bytes there; facts go to terminals, documents and a database.
    for (char& c : value) {
      if (c < ' ' || c > '~') c = '?';
    }
    if (!value.empty()) environment.set(name, std::move(value), false);
  };
  set("program.build_id", facts.build_id);
  set("program.compiler",
      facts.switches.compiler.empty() ? joined_text(facts.comments, " + ") : facts.switches.compiler);
  set("program.switches", facts.switches.switches);
  set("program.optimization", facts.switches.optimization);
  if (facts.switches.units > 0) set("program.unoptimized_units", std::to_string(facts.switches.unoptimized_units));
  set("program.debug_info", std::string(to_text(facts.debug_info)));
  set("program.linkage", facts.is_static ? "static" : "dynamic");
  set("program.symbols", facts.is_stripped ? "stripped" : "present");
  const bool may_hide_one = facts.is_static && facts.is_stripped;
  set("program.allocator", facts.allocator.empty() && !may_hide_one ? "the C library's" : facts.allocator);
  if (facts.assertions) set("program.assertions", *facts.assertions ? "present" : "none");
  set("program.instruments", joined_text(facts.instruments, ", "));
}

}  // namespace steelyard::bench
