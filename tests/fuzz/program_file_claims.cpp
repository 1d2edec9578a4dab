#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "bench/counting/equal/executed_code.hpp"
#include "bench/counting/lines/origin_resolver.hpp"
#include "bench/environment/binary_facts.hpp"
#include "bench/environment/elf_file.hpp"
#include "bench/environment/readable_symbol.hpp"
#include "tests/fuzz/claims.hpp"

namespace steelyard::testkit {
namespace {

constexpr std::size_t kMaxAddresses = 64;

bool lies_in(std::string_view part, std::string_view whole) {
  return part.empty() || (part.data() >= whole.data() && part.data() + part.size() <= whole.data() + whole.size());
}

BrokenClaim broken_claim_about_sections(const bench::ElfFile& file) {
  for (const bench::ElfSection& section : file.sections) {
    if (!lies_in(section.name, file.bytes) || !lies_in(section.content, file.bytes)) return "sections lie in the file";
    file.relocations_of(section, 1000);
    for (const bench::ElfSymbol& symbol : file.symbols_of(section)) {
      if (!lies_in(symbol.name, file.bytes)) return "names of symbols lie in the file";
    }
    for (const std::string_view id : file.build_ids(section.content)) {
      if (!lies_in(id, section.content)) return "a build id lies in its note";
    }
  }
  for (const bench::ElfSegment& segment : file.segments) {
    if (!lies_in(segment.content, file.bytes)) return "segments lie in the file";
  }
  for (const std::string_view library : file.needed()) {
    if (!lies_in(library, file.bytes)) return "names of libraries lie in the file";
  }
  return std::nullopt;
}

BrokenClaim broken_claim_about_facts(const bench::BinaryFacts& facts) {
  Environment environment;
  bench::add_binary_facts(facts, environment);
  for (const Fact& fact : environment.facts) {
    const bool is_shown =
        std::all_of(fact.value.begin(), fact.value.end(), [](char c) { return c >= ' ' && c <= '~'; });
    if (!is_shown || fact.decisive) return "a fact is printable and decides nothing: " + fact.name;
  }
  return std::nullopt;
}

// Asks for the lines of what the file says it has, and compares its code with itself.
BrokenClaim broken_claim_about_code(const bench::ElfFile& file, const std::string& path) {
  bench::OriginResolver resolver;
  CountedProfile profile;
  profile.events = {"Ir"};
  profile.totals = {1};
  std::vector<std::uint64_t> addresses{file.entry};
  for (const bench::ElfSection& section : file.sections) addresses.push_back(section.address);
  for (const bench::ElfSymbol& symbol : file.symbols()) {
    addresses.push_back(symbol.address);
    ProfiledFunction& function = profile.functions.emplace_back();
    function.object = path;
    function.name = symbol.name;
    function.calls = 1;
    function.self = function.inclusive = {1};
    if (profile.functions.size() == kMaxAddresses) break;
  }
  addresses.resize(std::min(addresses.size(), kMaxAddresses));
  for (const std::uint64_t address : addresses) {
    resolver.find(path, address);
    resolver.file_of(path, address, 1);
  }
  resolver.why_unknown(path);

  const bench::LoadedProgram baseline{{{path, "a"}}, "a"};
  const bench::LoadedProgram candidate{{{path, "b"}}, "b"};
  bench::ExecutedCodeLimits limits;
  limits.time = seconds(1);
  bench::ExecutedCode code(baseline, candidate, limits);
  code.obstacle();
  if (code.difference(profile).find("its code differs") != std::string::npos) return "code is equal to itself";
  return std::nullopt;
}

}  // namespace

BrokenClaim broken_claim_about_program_file(const std::string& bytes) {
  const Result<bench::LoadedSections> loaded = bench::read_loaded_sections(bytes);
  if (!loaded && loaded.error().kind != ErrorKind::input) return "an error is the input's: " + loaded.error().text();
  const Result<bench::BinaryFacts> facts = bench::read_binary(bytes);
  if (facts) {
    if (const auto broken = broken_claim_about_facts(*facts)) return broken;
  }
  const Result<bench::ElfFile> file = bench::read_elf(bytes);
  if (!file) return file.error().kind == ErrorKind::input ? std::nullopt : BrokenClaim("an error is the input's");
  if (const auto broken = broken_claim_about_sections(*file)) return broken;
  const MemoryFile on_disk(bytes);
  return broken_claim_about_code(*file, on_disk.path().string());
}

BrokenClaim broken_claim_about_symbol_name(const std::string& name) {
  const std::string readable = bench::readable_symbol(name);
  if (readable == name) return std::nullopt;
  if (!name.starts_with("_Z")) return "what is not mangled is itself";
  if (readable.size() > bench::kLongestReadableName) return "a readable name is no longer than it may be";
  if (bench::readable_symbol(name) != readable) return "a name reads the same each time";
  return std::nullopt;
}

}  // namespace steelyard::testkit
