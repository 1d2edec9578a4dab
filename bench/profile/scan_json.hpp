// Takes a JSON text (RFC 8259) apart in one pass: a listener is told each part as it stands there, and nothing is kept.
// For texts of hundreds of megabytes, of which a document in memory would take ten times the room; nlohmann::json's own
// listeners are told the same at a third of the speed, letter by letter.
//
//     struct Keys {
//       bool key(std::string_view key) { return add(key); }
//       bool text(std::string_view) { return true; }
//       bool number(std::string_view) { return true; }
//       bool boolean(bool) { return true; }
//       bool null() { return true; }
//       bool start(bool is_object) { return true; }   // `{` or `[`
//       bool end() { return true; }
//     };
//     if (const auto position = scan_json(text, keys)) complain(*position);
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdlib>
#include <optional>
#include <string>
#include <string_view>

#include "bench/model/text.hpp"

namespace steelyard::bench {

// What other programs write for values that JSON has not, and that leave no doubt about the rest.
struct JsonLeniency {
  // Control characters in texts are taken as they are, NaN and Infinity as null, numbers beyond a double's range as
  // they are written, and an escaped half of a surrogate pair as U+FFFD.
  bool takes_foreign_values = false;
};
struct JsonScan {
  // Where a text is none that JSON has; the text's size: it ends before it is whole. None: it is whole, or the listener
  // said false, after which it is told nothing.
  std::optional<std::size_t> fault = std::nullopt;
  std::size_t replaced = 0;  // halves of surrogate pairs
};
// Texts are unescaped, of valid UTF-8, and stay until the next call; numbers are as they are written. A byte order mark
// is passed over.
template <class Listener>
JsonScan scan_json(std::string_view text, Listener& listener, JsonLeniency leniency);
// Of JSON as it is defined: its fault.
template <class Listener>
std::optional<std::size_t> scan_json(std::string_view text, Listener& listener);

template <class Listener>
class JsonScanner {
 public:
  JsonScanner(std::string_view text, Listener& listener, JsonLeniency leniency)
      : whole_(text), listener_(listener), is_lenient_(leniency.takes_foreign_values) {}

  JsonScan scan() {
    if (whole_.starts_with("\xef\xbb\xbf")) at_ = 3;
    while (goes_on_) {
      pass_spaces();
      if (at_ == whole_.size()) {
        if (next_ != Next::comma || !open_.empty()) fail(at_);
        break;
      }
      step(whole_[at_]);
    }
    return {fault_, replaced_};
  }

 private:
  enum class Next { value, value_or_end, key, key_or_end, comma };

  void step(char c) {
    const bool ends = (next_ == Next::value_or_end || next_ == Next::key_or_end || next_ == Next::comma) &&
                      !open_.empty() && c == (open_.back() == '{' ? '}' : ']');
    if (ends) {
      // Nothing but a list's value_or_end meets `]`, as open_ is '[' there.
      ++at_;
      open_.pop_back();
      next_ = Next::comma;
      tell(listener_.end());
    } else if (next_ == Next::comma) {
      if (c != ',' || open_.empty()) return fail(at_);
      ++at_;
      next_ = open_.back() == '{' ? Next::key : Next::value;
    } else if (next_ == Next::key || next_ == Next::key_or_end) {
      take_key(c);
    } else {
      take_value(c);
    }
  }

  void take_key(char c) {
    if (c != '"') return fail(at_);
    const std::string_view key = take_text();
    if (fault_) return;
    pass_spaces();
    if (at_ == whole_.size() || whole_[at_] != ':') return fail(at_);
    ++at_;
    next_ = Next::value;
    tell(listener_.key(key));
  }

  void take_value(char c) {
    next_ = Next::comma;
    if (c == '"') {
      const std::string_view text = take_text();
      if (!fault_) tell(listener_.text(text));
    } else if (c == '{' || c == '[') {
      ++at_;
      open_ += c;
      next_ = c == '{' ? Next::key_or_end : Next::value_or_end;
      tell(listener_.start(c == '{'));
    } else if (is_lenient_ && take_foreign_number()) {
      tell(listener_.null());
    } else if (c == '-' || is_digit(c)) {
      const std::string_view number = take_number();
      if (!fault_) tell(listener_.number(number));
    } else if (c == 't') {
      if (take_word("true")) tell(listener_.boolean(true));
    } else if (c == 'f') {
      if (take_word("false")) tell(listener_.boolean(false));
    } else if (c == 'n') {
      if (take_word("null")) tell(listener_.null());
    } else {
      fail(at_);
    }
  }

  void tell(bool goes_on) { goes_on_ = goes_on_ && goes_on; }
  void fail(std::size_t position) {
    fault_ = position;
    goes_on_ = false;
  }

  void pass_spaces() {
    while (at_ < whole_.size()) {
      const char c = whole_[at_];
      if (c != ' ' && c != '\n' && c != '\r' && c != '\t') return;
      ++at_;
    }
  }

  // What Python and JavaScript call a number that JSON has not.
  bool take_foreign_number() {
    for (const std::string_view word : {"NaN", "Infinity", "-Infinity"}) {
      if (!whole_.substr(at_).starts_with(word)) continue;
      at_ += word.size();
      return true;
    }
    return false;
  }

  bool take_word(std::string_view word) {
    for (const char c : word) {
      if (at_ == whole_.size() || whole_[at_] != c) {
        fail(at_);
        return false;
      }
      ++at_;
    }
    return true;
  }

  static bool is_digit(char c) { return c >= '0' && c <= '9'; }
  bool meets(char c) const { return at_ < whole_.size() && whole_[at_] == c; }

  // At least one.
  void take_digits() {
    if (at_ == whole_.size() || !is_digit(whole_[at_])) return fail(at_);
    while (at_ < whole_.size() && is_digit(whole_[at_])) ++at_;
  }

  std::string_view take_number() {
    const std::size_t begin = at_;
    if (meets('-')) ++at_;
    if (meets('0')) {
      ++at_;
    } else {
      take_digits();
    }
    if (!fault_ && meets('.')) {
      ++at_;
      take_digits();
    }
    const bool has_exponent = !fault_ && (meets('e') || meets('E'));
    if (has_exponent) {
      ++at_;
      if (meets('+') || meets('-')) ++at_;
      take_digits();
    }
    const std::string_view number = whole_.substr(begin, at_ - begin);
    constexpr std::size_t kMaxSurelyFinite = 300;  // digits
    if (!fault_ && !is_lenient_ && (has_exponent || number.size() > kMaxSurelyFinite) &&
        !std::isfinite(std::strtod(std::string(number).c_str(), nullptr))) {
      fail(at_);
    }
    return number;
  }

  // Those that stand for themselves, and are one byte.
  static constexpr std::array<bool, 256> kPlain = [] {
    std::array<bool, 256> plain{};
    for (std::size_t c = 0x20; c < 0x80; ++c) plain[c] = c != '"' && c != '\\';
    return plain;
  }();

  std::string_view take_text() {
    std::size_t begin = ++at_;
    bool is_copied = false;
    while (!fault_) {
      while (at_ < whole_.size() && kPlain[static_cast<unsigned char>(whole_[at_])]) ++at_;
      if (at_ == whole_.size()) {
        fail(at_);
      } else if (whole_[at_] == '"') {
        const std::string_view rest = whole_.substr(begin, at_++ - begin);
        if (!is_copied) return rest;
        unescaped_ += rest;
        return unescaped_;
      } else if (whole_[at_] == '\\') {
        if (!is_copied) unescaped_.clear();
        is_copied = true;
        unescaped_ += whole_.substr(begin, at_ - begin);
        take_escape();
        begin = at_;
      } else {
        take_character();
      }
    }
    return {};
  }

  // Of several bytes, or one that JSON does not have.
  void take_character() {
    const CodePoint point = code_point_at(whole_, at_);
    if (point.value != kBrokenCodePoint && (point.value >= 0x20 || is_lenient_)) {
      at_ += point.bytes;
      return;
    }
    // Cut off within a character the text ends before it is whole.
    const auto first = static_cast<unsigned char>(whole_[at_]);
    const std::size_t wanted = first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : first >= 0xc2 ? 2 : 1;
    std::size_t end = at_ + 1;
    while (end < whole_.size() && (static_cast<unsigned char>(whole_[end]) & 0xc0U) == 0x80) ++end;
    const bool is_cut = end == whole_.size() && end - at_ < wanted && first <= 0xf4;
    fail(is_cut ? end : at_);
  }

  void take_escape() {
    if (++at_ == whole_.size()) return fail(at_);
    constexpr std::string_view kLetters = "\"\\/bfnrt", kMeanings = "\"\\/\b\f\n\r\t";
    const char c = whole_[at_];
    if (c == 'u') return take_code_point();
    const std::size_t letter = kLetters.find(c);
    if (letter == std::string_view::npos) return fail(at_);
    ++at_;
    unescaped_ += kMeanings[letter];
  }

  // Whether an escaped low surrogate stands here, or the beginning of one where the text is cut.
  bool may_take_low_surrogate() const {
    const std::string_view next = whole_.substr(at_, 4);
    constexpr std::string_view kBeginning = "\\ud";
    for (std::size_t i = 0; i < std::min(next.size(), kBeginning.size()); ++i) {
      if (static_cast<char>(i == 2 ? next[i] | 0x20 : next[i]) != kBeginning[i]) return false;
    }
    if (next.size() < 4) return at_ + next.size() == whole_.size();
    const char last = static_cast<char>(next[3] | 0x20);
    return last >= 'c' && last <= 'f';
  }

  // At the letter u.
  unsigned take_hexadecimal() {
    unsigned value = 0;
    for (int i = 0; i < 4; ++i) {
      if (++at_ == whole_.size()) {
        fail(at_);
        return 0;
      }
      const char c = whole_[at_];
      const char letter = static_cast<char>(c | 0x20);
      if (!is_digit(c) && !(letter >= 'a' && letter <= 'f')) {
        fail(at_);
        return 0;
      }
      value = value * 16 + static_cast<unsigned>(is_digit(c) ? c - '0' : letter - 'a' + 10);
    }
    ++at_;
    return value;
  }

  void take_code_point() {
    unsigned value = take_hexadecimal();
    if (fault_) return;
    const bool is_high = value >= 0xd800 && value < 0xdc00;
    const bool is_half = (value >= 0xdc00 && value < 0xe000) || (is_high && !may_take_low_surrogate());
    if (is_lenient_ && is_half) {
      ++replaced_;
      return append_utf8(0xfffd);
    }
    if (value >= 0xdc00 && value < 0xe000) return fail(at_ - 1);
    if (is_high) {
      for (const char wanted : {'\\', 'u'}) {
        if (!meets(wanted)) return fail(at_);
        if (wanted == '\\') ++at_;
      }
      const unsigned low = take_hexadecimal();
      if (fault_) return;
      if (low < 0xdc00 || low >= 0xe000) return fail(at_ - 1);
      value = 0x10000 + ((value - 0xd800) << 10U) + (low - 0xdc00);
    }
    append_utf8(value);
  }

  void append_utf8(unsigned value) {
    const auto add = [&](unsigned byte) { unescaped_ += static_cast<char>(byte); };
    if (value < 0x80) return add(value);
    if (value < 0x800) {
      add(0xc0U | value >> 6U);
    } else if (value < 0x10000) {
      add(0xe0U | value >> 12U);
      add(0x80U | (value >> 6U & 0x3fU));
    } else {
      add(0xf0U | value >> 18U);
      add(0x80U | (value >> 12U & 0x3fU));
      add(0x80U | (value >> 6U & 0x3fU));
    }
    add(0x80U | (value & 0x3fU));
  }

  const std::string_view whole_;
  Listener& listener_;
  const bool is_lenient_;
  std::size_t replaced_ = 0;
  std::size_t at_ = 0;
  Next next_ = Next::value;
  std::string open_;  // `{` and `[`
  std::string unescaped_;
  bool goes_on_ = true;
  std::optional<std::size_t> fault_;
};

template <class Listener>
JsonScan scan_json(std::string_view text, Listener& listener, JsonLeniency leniency) {
  return JsonScanner<Listener>(text, listener, leniency).scan();
}
template <class Listener>
std::optional<std::size_t> scan_json(std::string_view text, Listener& listener) {
  return scan_json(text, listener, {}).fault;
}

}  // namespace steelyard::bench
