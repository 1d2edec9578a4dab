#include "bench/counting/equal/executed_code.hpp"

#include <optional>
#include <system_error>
#include <utility>

#include "bench/counting/equal/code_object.hpp"
#include "bench/counting/equal/machine_code.hpp"

namespace steelyard {

// One file of the baseline and its counterpart.
struct ExecutedCode::ObjectPair {
  std::string trouble;  // why it cannot be compared
  bool equal = false;   // as a whole
  std::optional<CodeObject> baseline;
  std::optional<CodeObject> candidate;
  std::map<std::string, std::string> compared;  // by function: the difference
};

namespace {

std::filesystem::path real_path(const std::filesystem::path& path) {
  std::error_code ignored;
  const std::filesystem::path real = std::filesystem::weakly_canonical(path, ignored);
  return ignored ? path.lexically_normal() : real;
}

Result<NormalizedCode> normalize(const CodeObject& object, const CodeFunction& function) {
  CodeBytes code;
  code.bytes = function.code;
  code.address = function.address;
  code.machine = object.machine();
  code.is_address = [&object](std::uint64_t number) { return object.is_address(number); };
  return normalize_code(code);
}

// Where a jump within the function leads, or what an address outside it stands for.
std::string meaning(const CodeObject& object, const CodeFunction& function, std::uint64_t target) {
  const std::uint64_t offset = target - function.address;
  if (target >= function.address && offset < function.code.size()) return "byte " + std::to_string(offset);
  return object.meaning_of(target);
}

std::string code_difference(const CodeObject& baseline, const CodeFunction& b, const CodeObject& candidate,
                            const CodeFunction& c) {
  if (b.code.empty() || c.code.empty()) return "its code is not in the file";
  if (b.code.size() != c.code.size()) {
    return "its code is " + std::to_string(b.code.size()) + " bytes in the baseline, " + std::to_string(c.code.size()) +
           " in the candidate";
  }
  const Result<NormalizedCode> of_b = normalize(baseline, b);
  if (!of_b) return "it cannot be compared: " + of_b.error().text();
  const Result<NormalizedCode> of_c = normalize(candidate, c);
  if (!of_c) return "it cannot be compared: " + of_c.error().text();
  if (of_b->bytes != of_c->bytes || of_b->references.size() != of_c->references.size()) return "its code differs";
  for (std::size_t i = 0; i < of_b->references.size(); ++i) {
    const CodeReference& from_b = of_b->references[i];
    const CodeReference& from_c = of_c->references[i];
    const std::string points_b = meaning(baseline, b, from_b.target);
    const std::string points_c = meaning(candidate, c, from_c.target);
    if (from_b.instruction == from_c.instruction && !points_b.empty() && points_b == points_c) continue;
    const auto shown = [](const std::string& text) { return text.empty() ? std::string("something unnamed") : text; };
    return "byte " + std::to_string(from_b.instruction) + " refers to " + shown(points_b) + " in the baseline, " +
           shown(points_c) + " in the candidate";
  }
  return "";
}

}  // namespace

ExecutedCode::ExecutedCode(const LoadedProgram& baseline, const LoadedProgram& candidate, ExecutedCodeLimits limits)
    : baseline_(baseline), candidate_(candidate), limits_(limits) {}

ExecutedCode::~ExecutedCode() = default;

// The program's counterpart is the program; a library's is the one of its name.
ExecutedCode::ObjectPair& ExecutedCode::pair_of(const std::string& object) {
  std::unique_ptr<ObjectPair>& known = pairs_[object];
  if (known) return *known;
  known = std::make_unique<ObjectPair>();
  const std::filesystem::path wanted = real_path(object);
  std::size_t at = 0;
  while (at < baseline_.objects.size() && real_path(baseline_.objects[at].path) != wanted) ++at;
  std::size_t other = at == 0 ? 0 : 1;
  const auto is_counterpart = [&](const LoadedObject& candidate) {
    return candidate.path.filename() == baseline_.objects[at].path.filename();
  };
  while (at > 0 && at < baseline_.objects.size() && other < candidate_.objects.size() &&
         !is_counterpart(candidate_.objects[other])) {
    ++other;
  }
  if (at >= baseline_.objects.size() || other >= candidate_.objects.size()) {
    known->trouble = "it lies in " + (object.empty() ? std::string("no file") : object) +
                     ", which the loader does not bring to both sides";
    return *known;
  }
  known->equal = baseline_.objects[at].sha256 == candidate_.objects[other].sha256;
  if (known->equal) return *known;
  Result<CodeObject> of_baseline = CodeObject::open(baseline_.objects[at].path);
  Result<CodeObject> of_candidate = CodeObject::open(candidate_.objects[other].path);
  if (!of_baseline || !of_candidate) {
    known->trouble = "it cannot be compared: " + (of_baseline ? of_candidate : of_baseline).error().text();
    return *known;
  }
  known->baseline.emplace(std::move(of_baseline).value());
  known->candidate.emplace(std::move(of_candidate).value());
  return *known;
}

std::string ExecutedCode::compare(ObjectPair& pair, const std::string& function) {
  if (pair.equal || !pair.trouble.empty()) return pair.trouble;
  const auto [known, is_new] = pair.compared.emplace(function, "");
  if (!is_new) return known->second;
  const std::vector<CodeFunction> of_b = pair.baseline->functions(function);
  const std::vector<CodeFunction> of_c = pair.candidate->functions(function);
  std::string& difference = known->second;
  if (of_b.empty() || of_b.size() != of_c.size()) return difference = "it has no counterpart by name";
  for (std::size_t i = 0; i < of_b.size() && difference.empty(); ++i) {
    bytes_ += of_b[i].code.size() + of_c[i].code.size();
    difference = of_b[i].symbol == of_c[i].symbol ? code_difference(*pair.baseline, of_b[i], *pair.candidate, of_c[i])
                                                  : "it has no counterpart by name";
  }
  return difference;
}

std::string ExecutedCode::difference(const CountedProfile& profile) {
  if (profile.functions.empty()) return "there is no profile";
  if (profile.functions.size() > limits_.functions) return "more functions than are compared";
  const auto begun = std::chrono::steady_clock::now();
  const auto before = spent_;
  for (const ProfiledFunction& function : profile.functions) {
    if (bytes_ > limits_.bytes) return "more code than is compared";
    if (std::chrono::duration<double, std::nano>(spent_).count() > limits_.time.count()) {
      return "comparing it takes too long";
    }
    const std::string difference = compare(pair_of(function.object), function.name);
    spent_ = before + (std::chrono::steady_clock::now() - begun);
    if (!difference.empty()) return function.name + ": " + difference;
  }
  return "";
}

}  // namespace steelyard
