// The files of one program's profile. Callgrind writes F, or with several dumps F.1, F.2, ..., or with
// --separate-threads=yes F-01, F-02, ... (and F.1-01, ...) beside an F that stays empty.
//
//     Result<std::vector<CallgrindPart>> parts = read_callgrind_program("callgrind.out.4711");
#pragma once

#include <filesystem>
#include <vector>

#include "bench/counting/callgrind_reader.hpp"

namespace steelyard {

struct CallgrindFile {
  std::filesystem::path path;
  int part = 0;    // 0: the name has none, it is the last
  int thread = 0;  // 0: the name has none
  bool operator==(const CallgrindFile&) const = default;
};

// The files beside `file` whose names are its name and a part, a thread or both, by part and thread, the last part
// last. A number behind a dot may be a process as well (callgrind.out.4711): only what is in the file tells.
std::vector<CallgrindFile> find_callgrind_files(const std::filesystem::path& file);

// What read_callgrind() reads where the file has text. Where it is empty: the parts of the files beside it, without
// those whose headers say another part or thread than their name (they are another program's). Error (input): an empty
// file with nothing beside it, one of a part's threads missing between two others, any error in one of the files.
Result<std::vector<CallgrindPart>> read_callgrind_program(const std::filesystem::path& file,
                                                          const CallgrindReadOptions& options = {});

}  // namespace steelyard
