// Reads the files of other tools piece by piece, so that a file of any size takes the memory of one of its records:
// JSON in which a list holds the records, and text in lines. Internal to bench/formats; the importers know no other
// JSON.
//
//     const auto rest = read_json(path, "benchmarks[]", [&](JsonValue&& benchmark, const std::string& where) { ... });
//
// Errors name the file and the line. Text is UTF-8, with or without a byte order mark.
#pragma once

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <streambuf>
#include <string>
#include <string_view>
#include <vector>

#include "bench/model/result.hpp"

namespace steelyard::bench {

struct JsonMember;

// One value of a document. A list that has nothing but finite numbers is `numbers`, eight bytes each; any other list is
// `items`. NaN and infinity, which are no JSON and which Python writes all the same, are a number that is NaN.
struct JsonValue {
  enum class Kind { null, boolean, number, text, list, object };
  Kind kind = Kind::null;
  double number = 0;  // of a boolean 0 or 1
  std::string text;
  std::vector<double> numbers;
  std::vector<JsonValue> items;
  std::vector<JsonMember> members;
  bool is_cut = false;  // a list or an object that was open where the document is damaged

  bool is(Kind wanted) const { return kind == wanted; }
  // The member of that name, or what stands at a path of members "stats.data"; null where there is none.
  const JsonValue* find(std::string_view path) const;
  // Of a member: empty, absent or none where it is missing or of another kind. A number counts as a text, too, as it
  // would be written.
  std::string text_of(std::string_view path) const;
  std::optional<double> number_of(std::string_view path) const;
  const std::vector<JsonValue>& items_of(std::string_view path) const;
  const std::vector<JsonMember>& members_of(std::string_view path) const;
  // A list of whichever kind, as values.
  std::vector<JsonValue> list_of(std::string_view path) const;
  // As it would be written, of a text, a number (a whole one below 2^53 in digits alone) or a boolean; else empty.
  std::string word() const;
};

struct JsonMember {
  std::string name;
  JsonValue value;
};

// "a string", "NaN or infinity", "null": for messages.
std::string describe(const JsonValue& value);

// How a file is read, and what there is to tell of it beside its content.
struct ImportReading {
  // Of a damaged file what can be read is wanted: in JSON and XML what stands before the damage, of lines and of the
  // files of a folder those that are whole.
  bool keeps_readable = false;
  std::vector<std::string> warnings = {};
  // Of a history, which has warnings without end: how many more there were than are kept.
  std::size_t more_warnings = 0;
  // Where it is wanted: what was found, and where. Of each file the first hundred, and how many there were.
  std::vector<Error> damages = {};
  std::map<std::string, std::size_t> damages_of = {};
  // More was found than a run may have: no more is read.
  bool is_full = false;

  // Keeps the first two hundred.
  void shorten_warnings();
  // The error itself where it is not wanted.
  Result<void> damaged(Error damage);
};

// Takes a record as soon as it is whole; `where`: "benchmarks[3]", of members "results.time_sort". False: that was
// enough, the rest is not read.
using TakeRecord = std::function<bool(JsonValue&& record, const std::string& where)>;

// The document without its records, which go to `take` one at a time. `records`: where they stand, "benchmarks[]",
// "[]" (the document is a list), "entries.*[]" (in every list of "entries"), "results{}" (each member of that object,
// whose name is at the end of `where`), "{}" (each of the document's), "" (there are none). The document may have
// a text before its first bracket, which ends in "=" (JavaScript that sets a variable); behind it nothing but blanks
// and ";". Error (input): no such file, no JSON or no UTF-8 (with the line), more than 64 levels, more than a million
// values in one record or in the rest. Where `reading` keeps what is readable, all but the first are damages, what was
// open is closed, and a number right before the damage is left out, as it may be a part of one.
Result<JsonValue> read_json(const std::filesystem::path& path, std::string_view records, const TakeRecord& take,
                            ImportReading& reading);
Result<JsonValue> read_json(const std::filesystem::path& path, ImportReading& reading);
// One line of a file.
Result<JsonValue> parse_json(std::string_view text, const std::string& where);

// Error (input): its first bytes are of no UTF-8.
Result<void> check_encoding(const std::filesystem::path& path);
// Whether a parser that has read so many bytes was stopped by what is no UTF-8: its last one is within a broken
// character, or right behind it.
bool is_broken_text(std::string_view text, std::size_t stopped);
bool is_broken_text_in(const std::filesystem::path& path, std::uint64_t stopped);
Error broken_text(const std::string& where, const std::string& place = "");

// The bytes of a file as read_json() parses them, a chunk at a time: NaN and its like masked with `filler`
// (mask_non_finite_tokens()). For a parser that listens itself. Null: no such file.
std::unique_ptr<std::streambuf> json_bytes(const std::filesystem::path& path, char filler);

// The lines of a text file, without their ends ("\n" or "\r\n"). A line that has no end before the limit is cut
// there.
class ImportLines {
 public:
  static constexpr std::size_t kLongestLine = std::size_t{64} << 20;
  // Error (input): no such file, text that is no UTF-8 by its first bytes.
  static Result<ImportLines> open(const std::filesystem::path& path);
  bool next(std::string& line);
  // "FILE:12": of the line read last.
  std::string where() const { return name_ + ":" + std::to_string(number_); }
  std::int64_t number() const { return number_; }
  // Whether the line read last is whole for sure: it ends with "\n".
  bool has_end() const { return has_end_; }

 private:
  ImportLines() = default;
  std::string name_;
  std::ifstream stream_;
  std::int64_t number_ = 0;
  bool has_end_ = false;
};
// Of a line that no bracket ends: whether the file may be cut in it, which is a damage where `reading` keeps what is
// readable. It is not to be taken then.
bool is_cut_line(const ImportLines& lines, ImportReading& reading);

// What a file or folder looks like, without reading all of it: for telling its format.
struct FileHead {
  std::filesystem::path path;
  bool is_folder = false;
  std::string text;  // its first bytes, kHeadBytes at most; of a folder nothing
  // The members of its JSON, as far as they stand in `text` and four levels deep: "benchmarks[].stats.data", "[].mode",
  // in the order of the file.
  std::vector<std::string> members;

  static constexpr std::size_t kHeadBytes = std::size_t{1} << 20;
  bool has(std::string_view member) const;
  // Blanks left aside.
  bool starts_with(std::string_view beginning) const;
  // Whether some line begins so.
  bool has_line(std::string_view beginning) const;
};
// Error (input): no such file, nothing that can be read.
Result<FileHead> head_of(const std::filesystem::path& path);

}  // namespace steelyard::bench
