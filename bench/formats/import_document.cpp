#include "bench/formats/import_document.hpp"

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>

#include "bench/formats/non_finite_tokens.hpp"
#include "bench/model/text.hpp"

namespace steelyard::bench {
namespace {

constexpr std::size_t kDeepestDocument = 64;
constexpr std::size_t kMaxHeldValues = 1'000'000;
constexpr std::size_t kMaxHeldNumbers = 64'000'000;  // half a gigabyte, in lists of numbers
constexpr std::size_t kChunkBytes = std::size_t{1} << 20;
constexpr const char* kHowToSplit = "write it in several files";
constexpr char kNotFinite = '\x7f';              // between the quotes of what was NaN or infinity
constexpr double kFirstInexactInteger = 0x1p53;  // from here on not every whole number is a double
constexpr std::size_t kMaxToldDamages = 100;
constexpr std::size_t kMaxDamagesOfFile = 100;   // a damaged line each
constexpr std::size_t kLongestAssignment = 200;  // "window.BENCHMARK_DATA = "
constexpr std::size_t kLongestMemberPath = 200;  // names of members, in messages
constexpr std::size_t kNearStop = 8;             // bytes: more than a character has

Error cannot_open(const std::filesystem::path& path, int code) {
  return input_error(path.string(), unopened_text(code), "a file of another tool's results");
}

// A text that is none, by the marks and zero bytes that it begins with; empty: it may be UTF-8.
std::string_view foreign_encoding(std::string_view beginning) {
  if (beginning.starts_with("\xff\xfe") || beginning.starts_with("\xfe\xff")) return "UTF-16 text";
  if (beginning.substr(0, 4).find('\0') != std::string_view::npos) return "zero bytes, as UTF-16 or binary files have";
  return "";
}

Error wrong_encoding(const std::string& name, std::string_view found) {
  return input_error(name, std::string(found), "text in UTF-8",
                     "write it in UTF-8 (of PowerShell: | Out-File -Encoding utf8 FILE)");
}

// The file as the parser sees it: without a mark and an assignment before the document, without what may stand behind
// it, and with NaN and its like as texts. Holds a chunk at a time.
class DocumentBuffer : public std::streambuf {
 public:
  DocumentBuffer(const std::filesystem::path& path, char filler) : stream_(path, std::ios::binary), filler_(filler) {}
  bool is_open() const { return stream_.is_open(); }
  // How many bytes of the file stand before the document.
  std::size_t skipped() const { return skipped_; }
  std::string_view encoding() const { return encoding_; }

 protected:
  int_type underflow() override {
    if (!fill()) return traits_type::eof();
    setg(chunk_.data(), chunk_.data(), chunk_.data() + chunk_.size());
    return traits_type::to_int_type(chunk_.front());
  }

 private:
  bool fill() {
    chunk_ = std::exchange(carried_, {});
    const std::size_t carried = chunk_.size();
    chunk_.resize(carried + kChunkBytes);
    stream_.read(chunk_.data() + carried, static_cast<std::streamsize>(kChunkBytes));
    chunk_.resize(carried + static_cast<std::size_t>(stream_.gcount()));
    if (is_first_) skip_to_document();
    is_first_ = false;
    mask(stream_.good());
    return !chunk_.empty() || (stream_.good() && fill());
  }

  void skip_to_document() {
    encoding_ = foreign_encoding(chunk_);
    if (chunk_.starts_with("\xef\xbb\xbf")) skipped_ = 3;
    const std::size_t bracket = std::min(chunk_.find_first_of("[{"), chunk_.size());
    if (bracket < kLongestAssignment) {
      const std::size_t last = chunk_.find_last_not_of(" \t\r\n", bracket == 0 ? 0 : bracket - 1);
      if (bracket > 0 && last != std::string::npos && chunk_[last] == '=') skipped_ = bracket, is_assignment_ = true;
    }
    chunk_.erase(0, skipped_);
  }

  // Masks what is not finite outside of strings, and carries a token that the end of the chunk may have cut.
  void mask(bool has_more) {
    std::size_t begin = 0;  // of the text outside of a string
    std::size_t at = 0;
    const auto mask_to = [&](std::size_t end) {
      if (begin >= end) return;
      const std::string_view piece = std::string_view(chunk_).substr(begin, end - begin);
      if (piece.find_first_of("nN") != std::string_view::npos) {
        chunk_.replace(begin, end - begin, mask_non_finite_tokens(std::string(piece), filler_));
      }
    };
    for (; at < chunk_.size(); ++at) {
      const char c = chunk_[at];
      if (in_string_) {
        if (!is_escaped_ && c == '"') in_string_ = false, begin = at + 1;
        is_escaped_ = !is_escaped_ && c == '\\';
      } else if (c == '"') {
        mask_to(at);
        in_string_ = true;
      } else if (c == '[' || c == '{') {
        ++depth_;
      } else if (c == ']' || c == '}') {
        --depth_;
        if (is_assignment_ && depth_ == 0) has_ended_ = true;
      } else if (c == ';' && has_ended_) {
        chunk_[at] = ' ';
      }
    }
    if (in_string_) return;
    std::size_t end = chunk_.size();
    if (has_more) {
      const std::size_t last = chunk_.find_last_of(" \t\r\n,:[]{}\"");
      end = std::max(begin, last == std::string::npos ? 0 : last + 1);
      if (chunk_.size() - end > 64) end = chunk_.size();  // no token is so long
    }
    carried_ = chunk_.substr(end);
    mask_to(end);
    chunk_.resize(end);
  }

  std::ifstream stream_;
  char filler_;
  std::string chunk_;
  std::string carried_;
  std::size_t skipped_ = 0;
  std::string_view encoding_;
  bool is_first_ = true;
  bool is_assignment_ = false;
  bool has_ended_ = false;
  std::int64_t depth_ = 0;
  bool in_string_ = false;
  bool is_escaped_ = false;
};

// Listens to the parser and builds values, the records apart from the rest.
class ValueBuilder {
 public:
  using number_integer_t = nlohmann::json::number_integer_t;
  using number_unsigned_t = nlohmann::json::number_unsigned_t;
  using number_float_t = nlohmann::json::number_float_t;
  using string_t = nlohmann::json::string_t;
  using binary_t = nlohmann::json::binary_t;

  ValueBuilder(std::string_view records, const TakeRecord& take, const bool& is_full) : take_(take), is_full_(is_full) {
    has_records_ = !records.empty();
    container_ = records.ends_with("{}") ? JsonValue::Kind::object : JsonValue::Kind::list;
    for (std::string_view rest = records.substr(0, has_records_ ? records.size() - 2 : 0); !rest.empty();) {
      const std::size_t point = std::min(rest.find('.'), rest.size());
      path_.emplace_back(rest.substr(0, point));
      rest.remove_prefix(std::min(rest.size(), point + 1));
    }
  }

  bool null() { return add({}); }
  bool boolean(bool value) { return add(JsonValue{JsonValue::Kind::boolean, value ? 1.0 : 0.0, {}, {}, {}, {}}); }
  bool number_integer(number_integer_t value) { return number(static_cast<double>(value)); }
  bool number_unsigned(number_unsigned_t value) { return number(static_cast<double>(value)); }
  bool number_float(number_float_t value, const string_t&) { return number(value); }
  bool string(string_t& value) {
    if (value.starts_with(kNotFinite)) return number(std::numeric_limits<double>::quiet_NaN());
    return add(JsonValue{JsonValue::Kind::text, 0, std::move(value), {}, {}, {}});
  }
  bool binary(binary_t&) { return false; }
  bool start_object(std::size_t) { return open(JsonValue::Kind::object); }
  bool end_object() { return take_held_number() && close(); }
  bool start_array(std::size_t) { return open(JsonValue::Kind::list); }
  bool end_array() { return close(); }
  bool key(string_t& value) {
    if (!take_held_number()) return false;
    key_ = std::move(value);
    is_behind_number_ = false;
    return true;
  }
  bool parse_error(std::size_t position, const std::string&, const nlohmann::json::exception& error) {
    if (is_behind_number_) drop_number();
    position_ = position;
    said_ = error.what();
    return false;
  }

  // Of a document that has no end as far as it was read; a record that was open is none.
  JsonValue take_rest() {
    while (!open_.empty()) {
      const bool is_in_record = has_records_ && in_record_list() && open_.size() > path_.size() + 1;
      Open done = std::move(open_.back());
      open_.pop_back();
      if (is_in_record) continue;
      done.value.is_cut = true;
      JsonValue* const around = open_.empty() ? &root_ : &open_.back().value;
      if (open_.empty()) {
        *around = std::move(done.value);
      } else if (around->kind == JsonValue::Kind::object) {
        around->members.push_back({std::move(done.key), std::move(done.value)});
      } else {
        append(std::move(done.value), *around);
      }
    }
    return std::move(root_);
  }
  std::size_t position() const { return position_; }
  const std::string& said() const { return said_; }
  // What is beyond a limit, to be said with its place; absent: nothing is.
  std::optional<Error> refused(std::string where) const {
    std::optional<Error> refusal = refused_;
    if (refusal) refusal->where = std::move(where);
    return refusal;
  }
  bool has_stopped() const { return has_stopped_; }
  // What the parser was in the middle of.
  std::string place() const {
    return in_record_list() ? printable_line(where().substr(0, kLongestMemberPath), true) : "";
  }
  // The same by names where there are no records: "results.time_sort".
  std::string named_place() const {
    if (in_record_list()) return place();
    std::string names;
    for (const Open& one : open_) names += one.key.empty() ? "" : one.key + '.';
    return printable_line((names + key_).substr(0, kLongestMemberPath), true);
  }

 private:
  struct Open {
    JsonValue value;
    std::string key;  // under which it goes into the one that is open around it
  };

  bool in_record_list() const {
    if (!has_records_ || open_.size() <= path_.size()) return false;
    for (std::size_t i = 0; i < path_.size(); ++i) {
      if (open_[i].value.kind != JsonValue::Kind::object) return false;
      if (path_[i] != "*" && path_[i] != open_[i + 1].key) return false;
    }
    return open_[path_.size()].value.kind == container_;
  }
  std::string where() const {
    std::string names;
    for (std::size_t i = 1; i <= path_.size(); ++i) names += (i > 1 ? "." : "") + open_[i].key;
    if (container_ == JsonValue::Kind::list) return names + '[' + std::to_string(index_) + ']';
    return names + (names.empty() ? "" : ".") + (open_.size() > path_.size() + 1 ? open_[path_.size() + 1].key : key_);
  }

  bool refuse(std::size_t most, const std::string& of_what, std::string fix = "") {
    const std::string limit = std::to_string(most);
    refused_ = input_error("", "more than " + limit + ' ' + of_what, "at most " + limit, std::move(fix));
    return false;
  }
  bool hold() {
    std::size_t& held = in_record_list() ? held_ : held_of_rest_;
    if (++held <= kMaxHeldValues) return true;
    return refuse(kMaxHeldValues, "values in one piece", kHowToSplit);
  }

  // A member that is a record and a number is known to be whole by what follows it.
  bool take_held_number() {
    const std::optional<double> held = std::exchange(held_number_, std::nullopt);
    return !held || add(JsonValue{JsonValue::Kind::number, *held, {}, {}, {}, {}});
  }

  // Of 123.45 that the end of the file cuts the parser tells 12.
  void drop_number() {
    if (open_.empty() || is_record()) return;
    JsonValue& around = open_.back().value;
    if (around.kind == JsonValue::Kind::object) {
      around.members.pop_back();
    } else if (!around.numbers.empty()) {
      around.numbers.pop_back();
    } else {
      around.items.pop_back();
    }
  }

  bool number(double value) {
    const bool is_held = container_ == JsonValue::Kind::object && is_record();
    if (is_held) held_number_ = value;
    const bool goes_on = is_held || take_number(value);
    is_behind_number_ = true;
    return goes_on;
  }

  bool take_number(double value) {
    if (!open_.empty() && open_.back().value.kind == JsonValue::Kind::list && std::isfinite(value) &&
        open_.back().value.items.empty() && !is_record()) {
      if (++held_numbers_ > kMaxHeldNumbers) {
        return refuse(kMaxHeldNumbers, "numbers in one record", kHowToSplit);
      }
      open_.back().value.numbers.push_back(value);
      return true;
    }
    return add(JsonValue{JsonValue::Kind::number, value, {}, {}, {}, {}});
  }

  bool is_record() const { return in_record_list() && open_.size() == path_.size() + 1; }

  bool open(JsonValue::Kind kind) {
    if (open_.size() == kDeepestDocument) return refuse(kDeepestDocument, "levels of brackets");
    if (!hold()) return false;
    if (open_.size() == path_.size()) index_ = 0;
    is_behind_number_ = false;
    open_.push_back({JsonValue{kind, 0, {}, {}, {}, {}}, std::exchange(key_, {})});
    return true;
  }

  bool close() {
    Open done = std::move(open_.back());
    open_.pop_back();
    key_ = std::move(done.key);
    return add(std::move(done.value), true);
  }

  // What was a list of numbers so far is none.
  static void append(JsonValue value, JsonValue& list) {
    for (const double one : list.numbers) list.items.push_back(JsonValue{JsonValue::Kind::number, one, {}, {}, {}, {}});
    list.numbers.clear();
    list.items.push_back(std::move(value));
  }

  bool add(JsonValue value, bool is_held = false) {
    is_behind_number_ = false;
    if (!is_held && !hold()) return false;
    if (open_.empty()) {
      root_ = std::move(value);
      return true;
    }
    if (is_record()) {
      held_ = held_numbers_ = 0;
      has_stopped_ = !take_(std::move(value), where()) || is_full_;
      ++index_;
      return !has_stopped_;
    }
    JsonValue& around = open_.back().value;
    if (around.kind == JsonValue::Kind::object) {
      around.members.push_back({std::exchange(key_, {}), std::move(value)});
      return true;
    }
    for (std::size_t i = 0; i < around.numbers.size(); ++i) {
      if (!hold()) return false;
    }
    append(std::move(value), around);
    return true;
  }

  const TakeRecord& take_;
  const bool& is_full_;
  bool has_records_ = false;
  JsonValue::Kind container_ = JsonValue::Kind::list;  // of records
  std::vector<std::string> path_;                      // of members to it
  std::optional<double> held_number_;
  JsonValue root_;
  std::vector<Open> open_;
  std::string key_;
  std::size_t index_ = 0;
  std::size_t held_ = 0;  // of the record
  std::size_t held_of_rest_ = 0;
  std::size_t held_numbers_ = 0;
  std::size_t position_ = 0;
  std::string said_;
  std::optional<Error> refused_;
  bool has_stopped_ = false;
  bool is_behind_number_ = false;
};

// "FILE:12", the line of a byte; only for an error's sake, so that the file is read again.
std::string file_and_line(const std::filesystem::path& path, std::uint64_t byte) {
  std::ifstream stream(path, std::ios::binary);
  std::int64_t line = 1;
  std::string chunk(kChunkBytes, '\0');
  while (byte > 0 &&
         stream.read(chunk.data(), static_cast<std::streamsize>(std::min<std::uint64_t>(byte, kChunkBytes))).gcount() >
             0) {
    line += std::count(chunk.begin(), chunk.begin() + stream.gcount(), '\n');
    byte -= static_cast<std::uint64_t>(stream.gcount());
  }
  return path.string() + ":" + std::to_string(line);
}

// What nlohmann's message says behind its own code and place: "unexpected end of input".
std::string reason_of(const std::string& said) {
  const std::size_t begin = said.rfind("; ");
  const std::size_t dash = said.find(" - ");
  std::string reason = begin != std::string::npos ? said.substr(0, begin) : said;
  if (dash != std::string::npos) reason = said.substr(dash + 3, begin == std::string::npos ? begin : begin - dash - 3);
  return printable_line(reason, true).substr(0, 200);
}

// `byte`: of the file, where the parser stopped.
Error no_json(const std::filesystem::path& path, std::uint64_t byte, const ValueBuilder& builder) {
  std::error_code code;
  const std::uintmax_t size = std::filesystem::file_size(path, code);
  const bool is_cut = !code && byte >= size;
  const std::string place = builder.place().empty() ? "" : " in " + builder.place();
  if (!is_cut && is_broken_text_in(path, byte)) {
    return broken_text(file_and_line(path, byte), builder.place());
  }
  const std::string found = is_cut ? "the end of the file" : "no JSON (" + reason_of(builder.said()) + ")";
  return input_error(file_and_line(path, byte), found + place, "JSON that is whole",
                     is_cut ? "the file is cut: write it anew" : "");
}

}  // namespace

Result<void> ImportReading::damaged(Error damage) {
  if (!keeps_readable) return damage;
  if (damages_of[damage.where.substr(0, damage.where.rfind(':'))]++ >= kMaxDamagesOfFile) return {};
  if (damages.size() < kMaxToldDamages) warnings.push_back(damage.text() + "; what can be read is kept");
  damages.push_back(std::move(damage));
  return {};
}

Result<JsonValue> read_json(const std::filesystem::path& path, std::string_view records, const TakeRecord& take,
                            ImportReading& reading) {
  std::error_code code;
  if (std::filesystem::is_directory(path, code)) return input_error(path.string(), "a folder", "a file");
  DocumentBuffer buffer(path, kNotFinite);
  if (!buffer.is_open()) return cannot_open(path, errno);
  std::istream stream(&buffer);
  ValueBuilder builder(records, take, reading.is_full);
  const bool is_whole = nlohmann::json::sax_parse(stream, &builder);
  if (!buffer.encoding().empty()) return wrong_encoding(path.string(), buffer.encoding());
  const std::string place = builder.named_place();
  if (const auto refused = builder.refused(path.string() + (place.empty() ? "" : ": " + place))) {
    STEELYARD_CHECK(reading.damaged(*refused));
  } else if (!is_whole && !builder.has_stopped()) {
    STEELYARD_CHECK(reading.damaged(no_json(path, buffer.skipped() + builder.position(), builder)));
  }
  return builder.take_rest();
}

Result<void> check_encoding(const std::filesystem::path& path) {
  std::ifstream stream(path, std::ios::binary);
  std::string beginning(4, '\0');
  stream.read(beginning.data(), 4);
  beginning.resize(static_cast<std::size_t>(stream.gcount()));
  const std::string_view found = foreign_encoding(beginning);
  return found.empty() ? Result<void>() : wrong_encoding(path.string(), found);
}

bool is_broken_text(std::string_view text, std::size_t stopped) {
  const auto is_continuation = [&](std::size_t at) { return (static_cast<unsigned char>(text[at]) & 0xC0U) == 0x80U; };
  std::size_t at = stopped > kNearStop ? stopped - kNearStop : 0;
  // The end of a character that begins before.
  for (int skipped = 0; at > 0 && at < text.size() && skipped < 3 && is_continuation(at); ++skipped) ++at;
  for (; at < std::min(stopped, text.size()); at += code_point_at(text, at).bytes) {
    if (code_point_at(text, at).value == kBrokenCodePoint) return true;
  }
  return false;
}

bool is_broken_text_in(const std::filesystem::path& path, std::uint64_t stopped) {
  const std::uint64_t begin = stopped - std::min<std::uint64_t>(stopped, 2 * kNearStop);
  std::ifstream stream(path, std::ios::binary);
  stream.seekg(static_cast<std::streamoff>(begin));
  std::string near(4 * kNearStop, '\0');
  stream.read(near.data(), static_cast<std::streamsize>(near.size()));
  near.resize(static_cast<std::size_t>(stream.gcount()));
  return is_broken_text(near, static_cast<std::size_t>(stopped - begin));
}

Error broken_text(const std::string& where, const std::string& place) {
  return wrong_encoding(where, "a character that is no UTF-8" + (place.empty() ? "" : " in " + place));
}

std::unique_ptr<std::streambuf> json_bytes(const std::filesystem::path& path, char filler) {
  auto buffer = std::make_unique<DocumentBuffer>(path, filler);
  return buffer->is_open() ? std::move(buffer) : nullptr;
}

Result<JsonValue> read_json(const std::filesystem::path& path, ImportReading& reading) {
  return read_json(
      path, "", [](JsonValue&&, const std::string&) { return true; }, reading);
}

Result<JsonValue> parse_json(std::string_view text, const std::string& where) {
  const TakeRecord none = [](JsonValue&&, const std::string&) { return true; };
  const bool is_full = false;
  ValueBuilder builder("", none, is_full);
  const std::string masked = mask_non_finite_tokens(std::string(text), kNotFinite);
  if (nlohmann::json::sax_parse(masked, &builder)) return builder.take_rest();
  if (const auto refused = builder.refused(where)) return *refused;
  if (is_broken_text(masked, builder.position())) return broken_text(where);
  return input_error(where, "no JSON (" + reason_of(builder.said()) + ")", "one JSON object in the line");
}

const JsonValue* JsonValue::find(std::string_view path) const {
  const JsonValue* at = this;
  while (true) {
    const auto member =
        std::find_if(at->members.begin(), at->members.end(), [&](const auto& one) { return one.name == path; });
    if (member != at->members.end()) return &member->value;
    const std::size_t point = path.find('.');
    if (point == std::string_view::npos) return nullptr;
    const auto outer = std::find_if(at->members.begin(), at->members.end(),
                                    [&](const auto& one) { return one.name == path.substr(0, point); });
    if (outer == at->members.end()) return nullptr;
    at = &outer->value;
    path.remove_prefix(point + 1);
  }
}

std::string JsonValue::word() const {
  if (kind == Kind::text) return text;
  if (kind == Kind::boolean) return number != 0 ? "true" : "false";
  if (kind != Kind::number || !std::isfinite(number)) return "";
  // 100000, which the shortest text of a double has as 1e+05.
  const bool is_whole = std::abs(number) < kFirstInexactInteger && number == std::trunc(number);
  return is_whole ? std::to_string(static_cast<std::int64_t>(number)) : shortest_text(number);
}

std::string JsonValue::text_of(std::string_view path) const {
  const JsonValue* const at = find(path);
  return at == nullptr || at->kind == Kind::boolean ? "" : at->word();
}

std::optional<double> JsonValue::number_of(std::string_view path) const {
  const JsonValue* const at = find(path);
  return at != nullptr && at->kind == Kind::number ? std::optional(at->number) : std::nullopt;
}

const std::vector<JsonValue>& JsonValue::items_of(std::string_view path) const {
  static const std::vector<JsonValue> kNone;
  const JsonValue* const at = find(path);
  return at == nullptr ? kNone : at->items;
}

const std::vector<JsonMember>& JsonValue::members_of(std::string_view path) const {
  static const std::vector<JsonMember> kNone;
  const JsonValue* const at = path.empty() ? this : find(path);
  return at == nullptr ? kNone : at->members;
}

std::vector<JsonValue> JsonValue::list_of(std::string_view path) const {
  const JsonValue* const at = path.empty() ? this : find(path);
  if (at == nullptr) return {};
  std::vector<JsonValue> values = at->items;
  for (const double one : at->numbers) values.push_back(JsonValue{Kind::number, one, {}, {}, {}, {}});
  return values;
}

std::string describe(const JsonValue& value) {
  switch (value.kind) {
    case JsonValue::Kind::null:
      return "null";
    case JsonValue::Kind::boolean:
      return "true or false";
    case JsonValue::Kind::number:
      return std::isfinite(value.number) ? "a number" : "NaN or infinity";
    case JsonValue::Kind::text:
      return "a string";
    case JsonValue::Kind::list:
      return "a list";
    case JsonValue::Kind::object:
      return "an object";
  }
  return "";
}

Result<ImportLines> ImportLines::open(const std::filesystem::path& path) {
  ImportLines lines;
  lines.name_ = path.string();
  std::error_code code;
  if (std::filesystem::is_directory(path, code)) return input_error(path.string(), "a folder", "a file");
  lines.stream_.open(path, std::ios::binary);
  if (!lines.stream_) return cannot_open(path, errno);
  STEELYARD_CHECK(check_encoding(path));
  std::string mark(3, '\0');
  lines.stream_.read(mark.data(), 3);
  lines.stream_.clear();
  lines.stream_.seekg(mark == "\xef\xbb\xbf" ? 3 : 0);
  return lines;
}

bool ImportLines::next(std::string& line) {
  line.clear();
  has_end_ = false;
  if (!stream_.good()) return false;
  std::streambuf& buffer = *stream_.rdbuf();
  int c = buffer.sbumpc();
  if (c == std::char_traits<char>::eof()) return false;
  std::size_t bytes = 0;
  for (; c != std::char_traits<char>::eof() && c != '\n'; c = buffer.sbumpc(), ++bytes) {
    if (bytes < kLongestLine) line += static_cast<char>(c);
  }
  has_end_ = c == '\n' && bytes <= kLongestLine;
  if (line.ends_with('\r')) line.pop_back();
  ++number_;
  return true;
}

bool is_cut_line(const ImportLines& lines, ImportReading& reading) {
  if (!reading.keeps_readable || lines.has_end()) return false;
  static_cast<void>(static_cast<bool>(reading.damaged(
      input_error(lines.where(), "a line that has no end", "whole lines", "the file is cut: write it anew"))));
  return true;
}

}  // namespace steelyard::bench
