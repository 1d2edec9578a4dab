// The two archive classes behind the payload of a .syrun file. They take the serialize() functions of
// Boost.Serialization and write what those name in a form of our own, the same on every platform and with every version
// of Boost: integers little-endian in their declared width, doubles as their IEEE bits (a NaN keeps its payload), texts
// and lists after their length. Boost's own archives do not: text ones cannot read NaN back and are refused by older
// libraries, binary ones depend on the machine, and all of them allocate what the file claims.
//
//     using Types = PayloadTypes<ThroughBoost, Thing>;
//     PayloadWriter<Types> writer;          PayloadReader<Types> reader(bytes, memory);
//     writer & thing;                       reader & thing;  // throws PayloadDefect
//     use(writer.bytes());                  reader.expect_end();
//
// Not for pointers, and no object tracking: what is archived are plain values. Internal to storage/archive.
#pragma once

#include <array>
#include <bit>
#include <boost/serialization/serialization.hpp>
#include <boost/serialization/version.hpp>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

namespace steelyard::storage {

// What is wrong with a payload. Thrown by the reader, since serialize() functions return nothing, and caught in the
// folder it is thrown in.
struct PayloadDefect {
  std::size_t offset = 0;
  std::string found;
  std::string wanted;
  bool newer = false;      // not damaged: written by a later version
  bool too_large = false;  // perhaps not damaged: needs more memory than the reader was given
};

// The classes that may stand in a payload. Their order is part of the format: append, never insert, never remove. A
// payload opens with the version of each that it was written in.
//
// `Serialization` keeps Boost's headers out of this one. It tells the current version of a class, 0 unless declared
// with BOOST_CLASS_VERSION, and calls its serialize():
//
//     struct ThroughBoost {
//       template <class T> static constexpr std::uint32_t kVersion = boost::serialization::version<T>::value;
//       template <class Archive, class T> static void call(Archive& archive, T& object, std::uint32_t version);
//     };
template <class Serialization, class... Types>
struct PayloadTypes {
  static constexpr std::size_t kCount = sizeof...(Types);
  using Versions = std::array<std::uint32_t, kCount>;
  using Through = Serialization;

  static constexpr Versions current() { return {Serialization::template kVersion<Types>...}; }

  // Grows with every class added and every version raised, so that one number tells a newer payload.
  static constexpr std::uint32_t payload_version() {
    return (static_cast<std::uint32_t>(kCount) + ... + Serialization::template kVersion<Types>);
  }

  template <class T>
  static constexpr std::size_t index_of() {
    static_assert((std::is_same_v<T, Types> || ...), "add the class to the payload's list of types");
    std::size_t index = 0;
    (void)((std::is_same_v<T, Types> ? true : (++index, false)) || ...);
    return index;
  }
};

// How many enumerators an enum has; specialized for each that is archived.
template <class Enum>
inline constexpr std::uint8_t kEnumerators = 0;

template <class T>
concept FixedWidthInteger = std::same_as<T, std::int32_t> || std::same_as<T, std::uint32_t> ||
    std::same_as<T, std::int64_t> || std::same_as<T, std::uint64_t>;

template <class Types>
class PayloadWriter {
 public:
  using is_saving = std::true_type;
  using is_loading = std::false_type;

  // `versions` other than the current ones, of the first `kinds` of record alone, write what an older program wrote.
  explicit PayloadWriter(typename Types::Versions versions = Types::current(), std::uint32_t kinds = Types::kCount)
      : versions_(versions) {
    *this& kinds;
    for (std::uint32_t i = 0; i < kinds; ++i) *this& versions_[i];
  }

  // What is written goes there in pieces and is not held, so that a large object is not in memory twice.
  using Take = std::function<void(std::string_view piece)>;
  explicit PayloadWriter(Take take) : PayloadWriter() { take_ = std::move(take); }
  // Precondition: it has a taker. Call once, last.
  void hand_on_rest() {
    take_(bytes_);
    bytes_.clear();
  }

  const std::string& bytes() const& { return bytes_; }
  std::string bytes() && { return std::move(bytes_); }

  template <FixedWidthInteger T>
  PayloadWriter& operator&(const T& value) {
    auto rest = static_cast<std::make_unsigned_t<T>>(value);
    for (std::size_t i = 0; i < sizeof(T); ++i, rest = static_cast<std::make_unsigned_t<T>>(rest >> 8U)) {
      bytes_ += static_cast<char>(rest & 0xFFU);
    }
    return *this;
  }
  PayloadWriter& operator&(const double& value) { return *this & std::bit_cast<std::uint64_t>(value); }
  PayloadWriter& operator&(const bool& value) { return bytes_ += value ? '\1' : '\0', *this; }
  PayloadWriter& operator&(const std::string& text) {
    *this& static_cast<std::uint64_t>(text.size());
    bytes_ += text;
    return *this;
  }
  template <class T>
  PayloadWriter& operator&(const std::vector<T>& list) {
    *this& static_cast<std::uint64_t>(list.size());
    for (const T& element : list) {
      *this& element;
      if (take_ && bytes_.size() >= kPieceBytes) hand_on_rest();
    }
    return *this;
  }
  PayloadWriter& operator&(const std::map<std::string, std::string>& entries) {
    *this& static_cast<std::uint64_t>(entries.size());
    for (const auto& [key, value] : entries) *this& key& value;
    return *this;
  }
  template <class T>
  PayloadWriter& operator&(const std::optional<T>& value) {
    *this& value.has_value();
    if (value) *this&* value;
    return *this;
  }
  template <class T>
  requires std::is_enum_v<T> PayloadWriter& operator&(const T& value) {
    static_assert(kEnumerators<T> > 0, "declare how many enumerators it has");
    bytes_ += static_cast<char>(value);
    return *this;
  }
  template <class T>
  requires std::is_class_v<T> PayloadWriter& operator&(const T& object) {
    // One serialize() serves both directions, so that it takes a reference; a writer does not change what it is given.
    Types::Through::call(*this, const_cast<T&>(object), versions_[Types::template index_of<T>()]);
    return *this;
  }
  template <class T>
  PayloadWriter& operator<<(const T& value) {
    return *this & value;
  }

 private:
  static constexpr std::size_t kPieceBytes = std::size_t{64} << 10;

  std::string bytes_;  // with a taker: that it has not got yet
  typename Types::Versions versions_;
  Take take_;
};

template <class Types>
class PayloadReader {
 public:
  using is_saving = std::false_type;
  using is_loading = std::true_type;

  // `memory`: bytes that what is read may take, as this reader counts them: texts, and the elements of lists and maps.
  PayloadReader(std::string_view bytes, std::uint64_t memory) : bytes_(bytes), memory_left_(memory) {
    std::uint32_t count = 0;
    *this& count;
    if (count > versions_.size()) fail_newer(std::to_string(count) + " kinds of record", versions_.size());
    const auto current = Types::current();
    for (std::size_t i = 0; i < count; ++i) {
      *this& versions_[i];
      if (versions_[i] > current[i]) fail_newer("record version " + std::to_string(versions_[i]), current[i]);
    }
  }

  std::size_t offset() const { return offset_; }
  void expect_end() const {
    if (offset_ != bytes_.size()) fail(std::to_string(bytes_.size() - offset_) + " bytes more", "the payload's end");
  }

  template <FixedWidthInteger T>
  PayloadReader& operator&(T& value) {
    const std::string_view taken = take(sizeof(T));
    std::make_unsigned_t<T> number = 0;
    for (std::size_t i = sizeof(T); i-- > 0;) {
      number = static_cast<std::make_unsigned_t<T>>((number << 8U) | static_cast<unsigned char>(taken[i]));
    }
    value = static_cast<T>(number);
    return *this;
  }
  PayloadReader& operator&(double& value) {
    std::uint64_t bits = 0;
    *this& bits;
    value = std::bit_cast<double>(bits);
    return *this;
  }
  PayloadReader& operator&(bool& value) {
    value = small_number(2, "0 or 1") == 1;
    return *this;
  }
  PayloadReader& operator&(std::string& text) {
    const std::string_view taken = take(count_of(1));
    spend(taken.size());
    text = taken;
    return *this;
  }
  template <class T>
  PayloadReader& operator&(std::vector<T>& list) {
    const std::size_t count = count_of(kMinBytes<T>);
    list.clear();
    // Small records become larger objects: what a count claims is allowed for before it is allocated.
    spend(count * sizeof(T));
    list.reserve(count);
    for (std::size_t i = 0; i < count; ++i) *this& list.emplace_back();
    return *this;
  }
  PayloadReader& operator&(std::map<std::string, std::string>& entries) {
    entries.clear();
    for (std::size_t left = count_of(2 * kMinBytes<std::string>); left > 0; --left) {
      spend(kBytesOfEntry);
      std::string key;
      *this& key;
      if (!entries.empty() && key <= entries.rbegin()->first) fail("a key out of order", "ascending keys");
      *this& entries[key];
    }
    return *this;
  }
  template <class T>
  PayloadReader& operator&(std::optional<T>& value) {
    bool present = false;
    *this& present;
    value.reset();
    if (present) *this& value.emplace();
    return *this;
  }
  template <class T>
  requires std::is_enum_v<T> PayloadReader& operator&(T& value) {
    static_assert(kEnumerators<T> > 0, "declare how many enumerators it has");
    value = static_cast<T>(small_number(kEnumerators<T>, "below " + std::to_string(kEnumerators<T>)));
    return *this;
  }
  template <class T>
  requires std::is_class_v<T> PayloadReader& operator&(T& object) {
    Types::Through::call(*this, object, versions_[Types::template index_of<T>()]);
    return *this;
  }
  template <class T>
  PayloadReader& operator>>(T& value) {
    return *this & value;
  }

 private:
  // The fewest bytes an element can take: bounds a count by what is left of the payload. A class holds at least one
  // text, list or 64-bit number.
  template <class T>
  static constexpr std::size_t kMinBytes = std::is_arithmetic_v<T> ? sizeof(T) : sizeof(std::uint64_t);

  // Two texts and a node's links, as the usual libraries have them.
  static constexpr std::size_t kBytesOfEntry = 2 * sizeof(std::string) + 4 * sizeof(void*);

  void spend(std::uint64_t bytes) {
    if (bytes > memory_left_) {
      throw PayloadDefect{offset_, "content that needs more memory than is allowed for an archive", "", false, true};
    }
    memory_left_ -= bytes;
  }

  std::string_view take(std::size_t count) {
    if (count > bytes_.size() - offset_) {
      fail("the end after " + std::to_string(bytes_.size() - offset_) + " bytes",
           std::to_string(count) + " more bytes");
    }
    const std::string_view taken = bytes_.substr(offset_, count);
    offset_ += count;
    return taken;
  }

  std::size_t count_of(std::size_t min_bytes) {
    std::uint64_t count = 0;
    *this& count;
    const std::size_t left = bytes_.size() - offset_;
    if (count > left / min_bytes) {
      fail("a count of " + std::to_string(count),
           "at most the " + std::to_string(left / min_bytes) + " that the rest of the payload has room for");
    }
    return static_cast<std::size_t>(count);
  }

  std::uint8_t small_number(std::uint8_t limit, const std::string& wanted) {
    const auto number = static_cast<std::uint8_t>(take(1).front());
    if (number >= limit) fail(std::to_string(number), wanted);
    return number;
  }

  [[noreturn]] void fail(std::string found, std::string wanted) const {
    throw PayloadDefect{offset_, std::move(found), std::move(wanted)};
  }
  [[noreturn]] void fail_newer(std::string found, std::size_t newest) const {
    throw PayloadDefect{offset_, std::move(found), "at most " + std::to_string(newest), true};
  }

  std::string_view bytes_;
  std::uint64_t memory_left_;
  std::size_t offset_ = 0;
  typename Types::Versions versions_{};
};

// How a payload meets Boost.Serialization (see PayloadTypes): the class's version as declared with BOOST_CLASS_VERSION,
// and its serialize().
struct ThroughBoost {
  template <class T>
  static constexpr std::uint32_t kVersion = boost::serialization::version<T>::value;
  template <class Archive, class T>
  static void call(Archive& archive, T& object, std::uint32_t version) {
    boost::serialization::serialize_adl(archive, object, version);
  }
};

}  // namespace steelyard::storage
