#include "ci/app/app.hpp"

#include <fcntl.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <csignal>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <iostream>
#include <optional>
#include <string_view>
#include <system_error>

#include "bench/model/text.hpp"

namespace steelyard::ci {
namespace {

// Worst first (docs/reference/verdicts.md, "Exit status"). A bug beats all, since it makes every other answer doubtful.
constexpr std::array kWorstExitFirst{ExitCode::bug,        ExitCode::bad_input,  ExitCode::program_failed,
                                     ExitCode::regression, ExitCode::not_judged, ExitCode::store_away,
                                     ExitCode::success};

auto rank(ExitCode code) { return std::find(kWorstExitFirst.begin(), kWorstExitFirst.end(), code); }

}  // namespace

const char* const kExitCodeTable =
    "Exit status:\n"
    "   0  nothing regressed\n"
    "   1  a regression, or a missed target\n"
    "   2  something that should have been judged was not, or the measuring was interrupted\n"
    "   3  the input or the configuration is wrong\n"
    "   4  the measured program failed, or its build\n"
    "   5  the store could not be reached: the run is kept in the spool\n"
    "  70  a mistake of steelyard's own\n"
    "Where several apply: 3, 4, 1, 2, 5.\n";

ExitCode worse(ExitCode a, ExitCode b) { return rank(a) < rank(b) ? a : b; }

ExitCode exit_code_of(const Error& error) {
  switch (error.kind) {
    case ErrorKind::input:
      return ExitCode::bad_input;
    case ErrorKind::program:
    case ErrorKind::budget:
      return ExitCode::program_failed;
    case ErrorKind::store:
      return ExitCode::store_away;
    case ErrorKind::bug:
      break;
  }
  return ExitCode::bug;
}

namespace {

constexpr int kDefaultWidth = 100;
constexpr int kMinWidth = 60;   // below it no table fits; the terminal wraps
constexpr int kMaxWidth = 200;  // wider lines are harder to follow than wrapped ones
constexpr int kMaxAskedWidth = 1000;

std::string_view variable(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? std::string_view() : std::string_view(value);
}

// $COLUMNS; 0 where it is not set or no number.
int asked_columns() {
  const std::string_view columns = variable("COLUMNS");
  int width = 0;
  std::from_chars(columns.data(), columns.data() + columns.size(), width);
  return std::max(width, 0);
}

int width_of(int descriptor) {
  winsize size{};
  if (ioctl(descriptor, TIOCGWINSZ, &size) == 0 && size.ws_col > 0) return size.ws_col;
  const int asked = asked_columns();
  return asked > 0 ? asked : kDefaultWidth;
}

int bounded_width(int width) { return width < kMinWidth ? kMinWidth : width > kMaxWidth ? kMaxWidth : width; }

// The first of the three that is set decides (POSIX, "Internationalization Variables").
bool locale_is_utf8() {
  for (const char* name : {"LC_ALL", "LC_CTYPE", "LANG"}) {
    const std::string_view value = variable(name);
    if (value.empty()) continue;
    for (const char* encoding : {"UTF-8", "utf-8", "UTF8", "utf8"}) {
      if (value.find(encoding) != std::string_view::npos) return true;
    }
    return false;
  }
  return false;
}

}  // namespace

Streams make_streams(std::istream& in, std::ostream& out, std::ostream& err) {
  return {in, out, err, &out == &std::cout && isatty(STDOUT_FILENO) == 1,
          &err == &std::cerr && isatty(STDERR_FILENO) == 1};
}

void App::print(const std::string& text) const { streams.out << text << std::flush; }

void App::warn(const std::string& text) const { streams.err << log_text("steelyard: " + text) << '\n' << std::flush; }

ExitCode App::report(const Error& error) const {
  warn(error.text());
  return exit_code_of(error);
}

void App::note(const std::string& text) const {
  if (!common.quiet) streams.err << log_text(text) << '\n' << std::flush;
}

void App::notes(const std::vector<std::string>& texts) const {
  for (const std::string& text : texts) note(text);
}

TerminalStyle App::style(const std::filesystem::path& file) const {
  TerminalStyle style;
  const bool automatic =
      streams.out_is_terminal && file.empty() && variable("NO_COLOR").empty() && variable("TERM") != "dumb";
  style.color = common.color == ColorChoice::always || (common.color == ColorChoice::automatic && automatic);
  style.unicode = locale_is_utf8();
  if (streams.out_is_terminal && file.empty()) {
    style.width = bounded_width(width_of(STDOUT_FILENO));
  } else {
    // A pipe or a file has no width: sentences are wrapped as for the usual terminal, and names stay whole.
    const int asked = asked_columns();
    style.width = asked > 0 ? std::clamp(asked, kMinWidth, kMaxAskedWidth) : kDefaultWidth;
    style.cuts_names = asked > 0;
  }
  return style;
}

namespace {

// A terminal that cannot do more than show characters one after the other says so.
bool is_dumb() { return variable("TERM") == "dumb"; }

ProgressStyle progress_style(const App& app) {
  ProgressStyle style;
  if (app.streams.err_is_terminal && !app.common.quiet) style.form = ProgressForm::bar;
  style.width = bounded_width(width_of(STDERR_FILENO));
  style.erases = !is_dumb();
  return style;
}

int rows_of(int descriptor) {
  winsize size{};
  constexpr int kUsualRows = 24;
  return ioctl(descriptor, TIOCGWINSZ, &size) == 0 && size.ws_row > 0 ? size.ws_row : kUsualRows;
}

}  // namespace

ProgressLine App::progress() const { return ProgressLine(streams.err, progress_style(*this)); }

ProgressLine App::live_view() const {
  ProgressStyle style = progress_style(*this);
  if (style.form == ProgressForm::bar && !is_dumb()) style.form = ProgressForm::live;
  if (style.form == ProgressForm::none && !common.quiet) style.form = ProgressForm::lines;
  style.rows = rows_of(STDERR_FILENO);
  const bool automatic = style.form == ProgressForm::live && variable("NO_COLOR").empty();
  style.color = style.form == ProgressForm::live &&
                (common.color == ColorChoice::always || (common.color == ColorChoice::automatic && automatic));
  style.unicode = locale_is_utf8();
  return ProgressLine(streams.err, style);
}

namespace {

namespace fs = std::filesystem;

// Into the folder as it is now, whatever takes its name meanwhile; without a text nothing is left there. 0, or the
// system's error code.
int replace_file(const fs::path& file, std::optional<std::string_view> text) {
  const fs::path folder = file.parent_path();
  const storage::FileDescriptor place(::open(folder.empty() ? "." : folder.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
  if (!place) return errno;
  std::array<char, 16> entropy{};  // a name that nobody can have made anything of
  if (::getentropy(entropy.data(), entropy.size()) != 0) return errno;
  const std::string part = ".steelyard-" + hex_text({entropy.data(), entropy.size()}) + ".partial";
  constexpr int kNew = O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC;
  storage::FileDescriptor made(::openat(place.number(), part.c_str(), kNew, 0666));
  if (!made) return errno;
  int trouble = text ? storage::write_all(made.number(), *text) : 0;
  if (!made.close() && trouble == 0) trouble = errno;
  const std::string name = file.filename().string();
  if (trouble == 0 && text && ::renameat(place.number(), part.c_str(), place.number(), name.c_str()) != 0)
    trouble = errno;
  if (trouble != 0 || !text) ::unlinkat(place.number(), part.c_str(), 0);
  return trouble;
}

}  // namespace

Result<void> write_text_file(const std::filesystem::path& file, const std::string& text, LinkInPlace link) {
  const fs::path place = storage::place_of(file, link);
  const int trouble =
      storage::is_written_in_place(place) ? storage::write_in_place(place, text) : replace_file(place, text);
  if (trouble == 0) return {};
  return input_error(file.string(), std::strerror(trouble), "a place to write the report",
                     "name another file or make room");
}

std::string trouble_of_place(const std::filesystem::path& file, LinkInPlace link) {
  const fs::path place = storage::place_of(file, link);
  std::error_code ignored;
  int trouble = 0;
  if (!place.has_filename() || fs::is_directory(fs::symlink_status(place, ignored))) {
    trouble = EISDIR;
  } else if (storage::is_written_in_place(place)) {
    trouble = ::access(place.c_str(), W_OK) == 0 ? 0 : errno;
  } else {
    trouble = replace_file(place, std::nullopt);
  }
  return trouble == 0 ? "" : std::strerror(trouble);
}

namespace {

// The only global state: a signal handler can reach nothing else.
std::atomic<bool> requested_flag{false};
std::atomic<std::int64_t> requested_at_ms{0};
static_assert(std::atomic<bool>::is_always_lock_free && std::atomic<std::int64_t>::is_always_lock_free,
              "a handler may touch only what is lock-free");

std::int64_t monotonic_ms() {
  timespec now = {};
  ::clock_gettime(CLOCK_MONOTONIC, &now);
  return std::int64_t{now.tv_sec} * 1000 + now.tv_nsec / 1'000'000;
}

// A second signal ends the process. What comes within half a second is the same one: a shell's to its group, and
// another of whoever ends the process, as timeout does.
extern "C" void request_cancellation(int number) {
  constexpr std::int64_t kOneSignalMs = 500;
  const int error = errno;
  if (!requested_flag.exchange(true)) {
    requested_at_ms.store(monotonic_ms());
  } else if (monotonic_ms() - requested_at_ms.load() > kOneSignalMs) {
    std::signal(number, SIG_DFL);
    std::raise(number);
  }
  errno = error;
}

}  // namespace

Cancellation::Cancellation() {
  requested_flag.store(false);
  struct sigaction action = {};
  action.sa_handler = request_cancellation;
  sigemptyset(&action.sa_mask);
  sigaction(SIGINT, &action, &previous_interrupt_);
  sigaction(SIGTERM, &action, &previous_terminate_);
}

Cancellation::~Cancellation() {
  sigaction(SIGINT, &previous_interrupt_, nullptr);
  sigaction(SIGTERM, &previous_terminate_, nullptr);
}

const std::atomic<bool>* Cancellation::flag() const { return &requested_flag; }

}  // namespace steelyard::ci
