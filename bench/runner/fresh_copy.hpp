// A program in physical pages of its own, new for every round.
//
// Two byte-identical files lie in different pages of the page cache, and keep them for as long as they are cached. By
// that alone, copies of one program differ: by nothing for most benchmarks, by 0.4 to 2.4 % (once 50 %) for some
// (docs/method/fresh_copies.md, with the command). With one copy a side for a whole measurement that luck is a bias of
// a side, which no number of rounds removes and no permutation of rounds sees; with a copy a round it is noise between
// rounds.
//
// How, the first that can be had:
//   copied   a byte-equal copy, its pages written in random order; the last one is removed only then, so that its
//            pages cannot come back at once. So are the shared libraries that the other side has elsewhere.
//   reread   of a program above 64 MiB, a command, or one that runs only from where it lies: those pages of the same
//            files that are in memory are dropped and read anew, in random order
//   kept     a script, a file system that keeps its pages, or no space for a new copy: one set of pages
// Both sides of a measurement are copied or none is: pages that were written one by one are not pages that a linker
// wrote.
//
//     STEELYARD_TRY(FreshCopy copy, FreshCopy::prepare(program, &other, folder, cancelled));
//     copy.renew(seed, round, layout);             // nothing of it may be running
//     command.executable = copy.executable();
#pragma once

#include <atomic>
#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "bench/model/quantity.hpp"
#include "bench/model/result.hpp"
#include "bench/runner/descriptor.hpp"
#include "bench/runner/program.hpp"
#include "bench/runner/run_folder.hpp"

namespace steelyard::bench {

enum class Side { baseline, candidate };

// A private temporary folder with a folder for each side's copy of its program and a place for its output, under paths
// of equal length: the length of a path reaches the program's stack and heap, and moves what is measured.
class PrivateFolder {
 public:
  // Error (input): it cannot be made.
  static Result<PrivateFolder> create();

  // A link to the executable, to run it by where it need not be copied (fresh_copy.hpp): for counting. A script is run
  // by its own path, because it may look for files beside itself; a program's $ORIGIN and /proc/self/exe lead to the
  // real place through the link.
  Result<std::filesystem::path> place(Side side, const std::filesystem::path& executable) const;
  std::filesystem::path of(Side side) const;
  std::filesystem::path output_file(Side side) const;

 private:
  explicit PrivateFolder(RunFolder folder) : folder_(std::move(folder)) {}
  RunFolder folder_;
};

// Begins with "#!".
bool is_script(const std::filesystem::path& file);

// Why a side is not copied, where that shows only when it is run.
inline constexpr const char* kOnlyInPlace = "it yields results only where it lies";

enum class PagesOf { copied, reread, kept };
std::string_view to_text(PagesOf pages);  // "copied", "reread", "kept"
// A setting of a run's header.
inline constexpr std::string_view kPagesSetting = "pages";

class FreshCopy {
 public:
  // `other`: the program of the other side; null where there is none. `folder`: private, empty, and with a path as long
  // as the other side's, because the length of a path reaches the program's stack and heap. Error (input): what is to
  // be run cannot be named there.
  static Result<FreshCopy> prepare(const Program& program, const Program* other, const std::filesystem::path& folder,
                                   const std::atomic<bool>* cancelled = nullptr);

  // New pages. Where that fails the last ones stay, and are kept from then on. `layout`: of the program's layouts, the
  // one to run from now on; absent: the program as it was built. Where it is not copied, or no longer, it is linked to.
  // Cost: about 1 ms a MiB.
  void renew(std::uint64_t seed, int round, std::optional<std::size_t> layout = {});
  // From now on the program itself, where it lies, its pages dropped and read anew. Nothing where it is not copied.
  void run_in_place(std::string why);

  const std::filesystem::path& executable() const { return executable_; }
  bool has_layouts() const { return !layouts_.empty(); }
  // Beside the program's own: where its libraries are, if they are not where the loader would look.
  const std::map<std::string, std::string>& environment() const { return environment_; }

  PagesOf pages() const { return pages_; }
  const std::string& why() const { return why_; }  // not copied, or no longer; empty: it is
  // One file is run by both sides, or by the only one: its pages are no side's luck.
  bool is_of_both_sides() const { return is_of_both_sides_; }
  Bytes size() const { return size_; }          // of what is renewed
  Nanoseconds spent() const { return spent_; }  // on all renewals so far
  int renewals() const { return renewals_; }

 private:
  // A file to be renewed, as it was when it was first seen.
  struct Source {
    std::filesystem::path path;
    std::filesystem::path target;
    Descriptor file;
    std::int64_t bytes = 0;
    std::int64_t changed_at_ns = 0;
  };

  FreshCopy() = default;
  Result<void> add(const std::filesystem::path& path, const std::filesystem::path& target);
  Result<void> add_libraries(const Program& program, const Program& other, const std::atomic<bool>* cancelled);
  Result<void> make_copies(const Program& program, const std::atomic<bool>* cancelled);
  Result<void> check_libraries(const Program& program, const std::atomic<bool>* cancelled);
  Result<void> copy(const Source& source, std::uint64_t seed, int round) const;
  Result<Source> opened(const std::filesystem::path& path, const std::filesystem::path& target) const;
  void link_to(const std::filesystem::path& program) const;
  std::filesystem::path libraries_folder();
  std::filesystem::path place_of(const std::filesystem::path& target) const;

  SharedConfinement confinement_;  // in which the program runs
  std::filesystem::path folder_;
  // It, the program's in it, and that of its libraries as they were made, wherever their names lead by now.
  Descriptor opened_folder_, opened_place_, opened_libraries_;
  std::filesystem::path file_;  // the program, where it lies
  std::filesystem::path executable_;
  std::map<std::string, std::string> environment_;
  std::vector<Source> sources_;  // the program, then libraries
  std::vector<Source> layouts_;  // of the program, in its place
  PagesOf pages_ = PagesOf::copied;
  std::string why_;
  bool is_of_both_sides_ = false;
  Bytes size_;
  Nanoseconds spent_;
  int renewals_ = 0;
};

// What becomes of a program's pages in a measurement here, found out by renewing them once.
struct PageRenewal {
  PagesOf pages = PagesOf::copied;
  std::string why;  // not copied; empty: it is
  Bytes size;       // of what is copied
  Nanoseconds took;
};
Result<PageRenewal> try_renewal(const Program& program, const std::atomic<bool>* cancelled = nullptr);

// Where copies are made ($TMPDIR, else /tmp), and whether they may be run from there. Error (input): no such folder can
// be written to, and nothing can be measured.
struct CopyPlace {
  std::filesystem::path folder;
  bool may_execute = true;  // false: mounted noexec
};
Result<CopyPlace> find_copy_place();

// Drops those pages of a file that are in memory, and reads them anew in random order. False: they stayed, because the
// file system keeps them, somebody else uses them, or they could not be written out. Linux tells which pages are in
// memory to the file's owner alone (mincore(2)); to others it looks as if all were, and this says false.
bool reread_pages(const std::filesystem::path& file, std::uint64_t seed, int round);

}  // namespace steelyard::bench
