// The hash by which a comparison is known: over every field, each with its length.
#include "storage/comparison/comparison_identity.hpp"

#include <algorithm>
#include <concepts>
#include <map>
#include <optional>
#include <sstream>

#include "bench/model/sha256.hpp"
#include "storage/calibration/calibration_document.hpp"
#include "storage/comparison/history_document.hpp"
#include "storage/document/content_identity.hpp"

namespace steelyard::storage {
namespace {

// The fields that were hashed when identities began to follow from fields(), in their order then: stores hold such
// identities, so nothing here is ever changed. What stands after a | was added in its time and is hashed only where one
// of it, up to the next |, says something that older programs did not; (brackets): which does not count for that.
// name+: of the items of a list, what stands after the | of theirs.
//
// A field that is named nowhere here is younger. It is hashed behind the others, with its name, where it says
// something: comparisons that were stored before it keep their identity.
template <class T>
constexpr const char* kFirstFields = "";
template <>
constexpr const char* kFirstFields<Comparison> =
    "environment_differences policy rule_version warnings comparisons | drifts calibration | history";
template <>
constexpr const char* kFirstFields<RunHeader> =
    "id created_at_unix_ns tool project program session layout seed commit parent branch subject committed_at_unix_s "
    "dirty settings";
template <>
constexpr const char* kFirstFields<FactDifference> = "name baseline candidate decisive";
template <>
constexpr const char* kFirstFields<ComparisonPolicy> =
    "false_alarm_rate confidence minimum_effect margin seed metrics ignored_facts | gates counted_minimum_effect "
    "witness";
template <>
constexpr const char* kFirstFields<ComparisonRow> =
    "benchmark metric unit better kind baseline candidate ratio interval confidence test layout p p_kind q "
    "minimum_effect margin minimum_detectable_effect slot_effect rounds jitter verdict reason functions | count_scope "
    "gates (gate_note) call_path | functions+ | looks discovery_q equivalence_interval rounds_wanted noise | solo";
template <>
constexpr const char* kFirstFields<FunctionChange> =
    "name file line self_change inclusive_change calls_change share own_source | from_calls from_cost_per_call "
    "renamed_from inlined_into once_inlined_into";
template <>
constexpr const char* kFirstFields<Look> = "rounds p share";
template <>
constexpr const char* kFirstFields<NoiseParts> = "within between rounds";
template <>
constexpr const char* kFirstFields<SoloCheck> = "ratio interval rounds agrees";
template <>
constexpr const char* kFirstFields<SharedDrift> = "metric ratio deviation benchmarks removed";

// What a value says that an older program wrote, in the fields that it did not know.
template <class T>
T as_older_programs_wrote() {
  return {};
}
// Whatever the default is now.
template <>
ComparisonPolicy as_older_programs_wrote() {
  ComparisonPolicy policy;
  policy.counted_minimum_effect = 0;
  policy.witness = Witness::either;
  return policy;
}

struct HashedField {
  std::string name;
  ContentIdentity content;
  bool operator==(const HashedField&) const = default;
};

// Of a value what is hashed always, and the rest.
struct HashParts {
  ContentIdentity always;
  ContentIdentity more;
};

// usual: the same fields of a value that says nothing. item: where the value is one of a list, its place there.
HashParts parts_of(const char* first_fields, const std::vector<HashedField>& fields,
                   const std::vector<HashedField>& usual, const std::string& item) {
  HashParts parts;
  std::vector<bool> is_first(fields.size(), false);
  ContentIdentity group;
  bool is_hashed = true;
  ContentIdentity* into = &parts.always;
  std::istringstream words(first_fields + std::string(" |"));
  for (std::string word; words >> word;) {
    if (word == "|") {
      if (is_hashed) into->append(group);
      group = {};
      is_hashed = false;
      into = &parts.more;
      continue;
    }
    const bool counts = word.front() != '(';
    if (!counts) word = word.substr(1, word.size() - 2);
    const auto named = [&word](const HashedField& field) { return field.name == word; };
    const auto i = static_cast<std::size_t>(std::find_if(fields.begin(), fields.end(), named) - fields.begin());
    is_first.at(i) = true;
    group.append(fields[i].content);
    is_hashed = is_hashed || (counts && fields[i] != usual[i]);
  }
  for (std::size_t i = 0; i < fields.size(); ++i) {
    if (!is_first[i] && fields[i] != usual[i]) parts.more.text(fields[i].name + item).append(fields[i].content);
  }
  return parts;
}

class FieldHasher {
 public:
  template <Described T>
  static HashParts hash(const T& value, const std::string& item = "") {
    static const std::vector<HashedField> usual = fields_of(as_older_programs_wrote<T>());
    return parts_of(kFirstFields<T>, fields_of(value), usual, item);
  }

  void operator()(const char* name, const std::string& text, const FieldRule& = {}) { add(name).text(text); }
  void operator()(const char* name, double number, const FieldRule& = {}) { add(name).number(number); }
  void operator()(const char* name, const std::optional<double>& number, const FieldRule& = {}) {
    add(name).number(number);
  }
  void operator()(const char* name, const std::optional<Interval>& interval, const FieldRule& = {}) {
    add(name).number(low_of(interval)).number(high_of(interval));
  }
  void operator()(const char* name, const std::vector<std::string>& texts, const FieldRule& = {}) {
    add(name).texts(texts);
  }
  void operator()(const char* name, const std::optional<std::vector<std::string>>& texts, const FieldRule& = {}) {
    ContentIdentity& content = add(name);
    if (texts) content.texts(*texts);
  }
  void operator()(const char* name, const std::map<std::string, std::string>& texts, const FieldRule& = {}) {
    ContentIdentity& content = add(name).integer(static_cast<std::int64_t>(texts.size()));
    for (const auto& [key, text] : texts) content.text(key).text(text);
  }
  void operator()(const char* name, const std::optional<Calibration>& calibration, const FieldRule&) {
    add(name).text(calibration ? calibration_document(*calibration) : "");
  }
  void operator()(const char* name, const std::optional<JudgedHistory>& history, const FieldRule&) {
    ContentIdentity& content = add(name);
    if (history) content.text(sha256_hex(history_document(*history)));
  }
  void operator()(const char* name, const std::vector<ComparisonRow>& rows, const FieldRule&) {
    ContentIdentity& content = add(name);
    for (const ComparisonRow& row : rows) append_all(row, content);
  }
  template <std::integral I>
  void operator()(const char* name, I number, const FieldRule& = {}) {
    add(name).text(std::to_string(number));
  }
  template <std::integral I>
  void operator()(const char* name, const std::optional<I>& number, const FieldRule& = {}) {
    add(name).integer(number ? *number : -1);
  }
  template <Word E>
  void operator()(const char* name, E value, const FieldRule& = {}) {
    add(name).text(word_of(value));
  }
  // What the reason or the gate note of a row tells too. Documents of older programs, whose notes are taken from
  // those, keep their identity.
  template <Word E>
  void operator()(const char*, const WordSet<E>&, const FieldRule& = {}) {}
  template <Described T>
  void operator()(const char* name, const T& value, const FieldRule& = {}) {
    append_all(value, add(name));
  }
  template <Described T>
  void operator()(const char* name, const std::optional<T>& value, const FieldRule& = {}) {
    ContentIdentity& content = add(name);
    if (value) append_all(*value, content);
  }
  template <Described T>
  void operator()(const char* name, const std::vector<T>& list, const FieldRule& = {}) {
    ContentIdentity always;
    ContentIdentity more;
    always.integer(static_cast<std::int64_t>(list.size()));
    for (std::size_t i = 0; i < list.size(); ++i) {
      const HashParts parts = hash(list[i], '[' + std::to_string(i) + ']');
      always.append(parts.always);
      more.append(parts.more);
    }
    add(name) = std::move(always);
    add(std::string(name) + '+') = std::move(more);
  }

 private:
  template <Described T>
  static std::vector<HashedField> fields_of(const T& value) {
    FieldHasher hasher;
    T::fields(hasher, value);
    return std::move(hasher.fields_);
  }
  template <Described T>
  static void append_all(const T& value, ContentIdentity& content) {
    const HashParts parts = hash(value);
    content.append(parts.always).append(parts.more);
  }
  ContentIdentity& add(std::string name) {
    return fields_.emplace_back(HashedField{std::move(name), ContentIdentity()}).content;
  }

  std::vector<HashedField> fields_;
};

}  // namespace

std::string comparison_id(const Comparison& comparison) {
  ContentIdentity identity;
  for (const RunHeader* header : {&comparison.baseline, &comparison.candidate}) {
    const HashParts parts = FieldHasher::hash(*header);
    identity.append(parts.always).append(parts.more);
  }
  identity.text(comparison.baseline_fingerprint).text(comparison.candidate_fingerprint);
  const HashParts parts = FieldHasher::hash(comparison);
  return identity.append(parts.always).append(parts.more).hex();
}

}  // namespace steelyard::storage
