// How a value that is kept describes itself: beside its members stands a function that shows each of them to a visitor
// by the name that it has in JSON. Writing and reading JSON, the columns of the store, the identity of a comparison and
// what a replay holds against each other are such visitors (storage/document/json.hpp,
// storage/postgres/session/sql_fields.hpp, storage/comparison/comparison_identity.cpp, ci/judging/replay.cpp); none of
// them names a field. A new one is a member with its line here, a column of a migration, and a line of
// docs/reference/verdicts.md.
//
//     struct Look {
//       std::int32_t rounds = 0;
//       double p = 1;
//       static void fields(auto& visit, auto& self) {
//         visit("rounds", self.rounds, kRoundCount);
//         visit("p", self.p, {.null = Null::accepted});
//       }
//     };
//
// Not for what has one form only: archives have their own versions, and most tables are no more than their columns.
#pragma once

#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

namespace steelyard {

// What null means in the place of a value that cannot be absent. In the place of a text it is always the empty one.
enum class Null {
  refused,
  accepted,  // the member's default; so that a field may be younger than the document
  written,   // the empty text, or 0: written as null too
};

struct FieldRule {
  Null null = Null::refused;
  std::int64_t low = 0;                                          // of whole numbers
  std::int64_t high = std::numeric_limits<std::int64_t>::max();  // of whole numbers; never above what the member holds
  std::size_t most = 10'000;                                     // items of a list
  bool not_negative = false;                                     // of other numbers
  bool omitted = false;  // where it is absent or empty the JSON object has no such member, rather than null
  bool applies = true;   // false: it means nothing for this value and is written as null
  std::array<std::string_view, 2> words = {};  // of a bool: false and true, where they are words in JSON
  // In the store, where the column is not called by the name. "dictionary.column": it is there, under a key. Of a value
  // with fields of its own: what their columns begin with; "": nothing.
  const char* column = nullptr;
};

// The rule of what has rows of its own in the store.
struct OwnTable : FieldRule {};

inline constexpr FieldRule kAnyTime{.low = std::numeric_limits<std::int64_t>::min()};  // some clocks are before 1970
inline constexpr FieldRule kRoundCount{.high = 1'000'000};

// An enumeration whose values have a text each: words_of(any of them) gives the texts in the order of the values.
template <class E>
concept Word = std::is_enum_v<E> && requires(E value) {
  { words_of(value) } -> std::convertible_to<std::span<const std::string_view>>;
};

template <Word E>
std::string_view word_of(E value) {
  return words_of(value)[static_cast<std::size_t>(value)];
}

template <Word E>
std::optional<E> parse_word(std::string_view text) {
  const std::span<const std::string_view> words = words_of(E{});
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (words[i] == text) return static_cast<E>(i);
  }
  return std::nullopt;
}

// A set of words of one enumeration: in JSON and in the store the list of its words in the order of the values.
template <Word E>
class WordSet {
 public:
  WordSet() = default;
  WordSet(std::initializer_list<E> words) {
    for (const E word : words) add(word);
  }
  void add(E word) { bits_ |= bit(word); }
  bool has(E word) const { return (bits_ & bit(word)) != 0; }
  bool operator==(const WordSet&) const = default;

  std::vector<std::string> texts() const {
    std::vector<std::string> all;
    const std::span<const std::string_view> words = words_of(E{});
    for (std::size_t i = 0; i < words.size(); ++i) {
      if (has(static_cast<E>(i))) all.emplace_back(words[i]);
    }
    return all;
  }
  // A word that a newer program wrote says nothing here.
  static WordSet of(const std::vector<std::string>& texts) {
    WordSet set;
    for (const std::string& text : texts) {
      if (const std::optional<E> word = parse_word<E>(text)) set.add(*word);
    }
    return set;
  }

 private:
  static std::uint64_t bit(E word) { return std::uint64_t{1} << static_cast<unsigned>(word); }

  std::uint64_t bits_ = 0;
};

struct AnyVisitor;

// A value that describes itself.
template <class T>
concept Described = requires(T& value, AnyVisitor& visit) {
  T::fields(visit, value);
};

// For visitors that ask for the names alone.
template <Described T>
void visit_default(auto& visit) {
  const T value{};
  T::fields(visit, value);
}

}  // namespace steelyard
