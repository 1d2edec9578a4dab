// Files as the store needs them: an open one that has an owner, one that locks, one that is read or written whole.
#pragma once

#include <sys/types.h>
#include <unistd.h>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "bench/model/result.hpp"

namespace steelyard::storage {

// One owner of an open file descriptor; closes it, never throws. Named apart from bench's Descriptor: the two layers
// share nothing but the model, and one program links both.
class FileDescriptor {
 public:
  explicit FileDescriptor(int number = -1) : number_(number) {}
  FileDescriptor(FileDescriptor&& other) noexcept : number_(std::exchange(other.number_, -1)) {}
  FileDescriptor& operator=(FileDescriptor&&) = delete;
  ~FileDescriptor() { close(); }

  explicit operator bool() const { return number_ >= 0; }
  int number() const { return number_; }  // -1: closed
  // False where the system reports, only now, that something was not written.
  bool close() { return number_ < 0 || ::close(std::exchange(number_, -1)) == 0; }

 private:
  int number_;
};

// An advisory lock on a file (flock): held until it goes out of scope, by every process that inherits its descriptor as
// well, and gone with the last of them, however that ends. Works between containers that share the folder. The file
// stays: removing it would let two processes lock two files of one name.
//
//     STEELYARD_TRY(const auto lock, FileLock::take(folder / "lock", std::chrono::seconds(5)));
//     if (!lock) ...  // another has it
class FileLock {
 public:
  // Absent where another holds it still after `patience` (from 0 to a year). `mode`: of the file where it is created;
  // a link in its place is not followed. Error (store): no file that can be locked.
  static Result<std::optional<FileLock>> take(const std::filesystem::path& file, std::chrono::nanoseconds patience,
                                              mode_t mode = 0600);
  int descriptor() const { return descriptor_.number(); }  // for a child to inherit, which then holds the lock too

 private:
  explicit FileLock(FileDescriptor descriptor) : descriptor_(std::move(descriptor)) {}
  FileDescriptor descriptor_;  // closing it gives the lock back
};

// The files that archives lie in: read within a bound, written whole or not at all. Knows nothing of what is in them.
// Internal to storage.

// Error (input): absent, unreadable, no regular file, above `limit` bytes.
Result<std::string> read_file(const std::filesystem::path& path, std::int64_t limit);

// Its first `most` bytes, or all where it has fewer. Error (input): absent, unreadable, no regular file.
Result<std::string> read_beginning(const std::filesystem::path& path, std::size_t most);

// What is looked for below a folder, and what an error says of it.
struct FileSearch {
  std::string_view extension;  // ".syrun"
  std::string_view wanted;     // what the folder is to be: "a folder of .syrun archives"
  std::size_t most = 0;        // files; of more there is an error:
  std::string_view counted;    // what they are called: "archives"
  std::string_view wanted_of_more;
  std::string_view fix_of_more;
};

// The files of that extension below `folder`, by their paths; nothing of a work tree's .git, in which thousands of
// folders lie and no file of ours. Error (input): no such folder, or more files than `most`.
Result<std::vector<std::filesystem::path>> files_below(const std::filesystem::path& folder, const FileSearch& search);

// Written under another name in the same folder, flushed to the disk, renamed, and the folder flushed: under `path` is
// ever the old file or the whole new one. Error: store where the disk is full or failing, else input; the part that was
// written is removed.
Result<void> write_file(const std::filesystem::path& path, std::string_view bytes);
// What becomes of a link that stands in a file's place. Strangers may have put it there: their code, or their commit.
enum class LinkInPlace { replaced, followed };
// Where a file that a person names is written: what its links lead to, there or not, if they are followed.
std::filesystem::path place_of(const std::filesystem::path& file, LinkInPlace link);
// Of such a place: a device, a pipe or what is open (/dev/stdout, /dev/fd/63), which is written to, never replaced.
bool is_written_in_place(const std::filesystem::path& place);
// All of the bytes into that; a pipe's reader is waited for, for some seconds. 0, or the system's error code.
int write_in_place(const std::filesystem::path& place, std::string_view bytes);
int write_all(int descriptor, std::string_view bytes);
// write_file(), or write_in_place(). Error: as write_file().
Result<void> write_named_file(const std::filesystem::path& file, std::string_view bytes, LinkInPlace link);
// A file that write_file() wrote gets another name in its folder, which is flushed. Error: as write_file().
Result<void> rename_file(const std::filesystem::path& from, const std::filesystem::path& to);

}  // namespace steelyard::storage
