// What every verb is given: where it reads and writes, what is known of that (whether a person watches, how wide, in
// which characters), and the options that all verbs have. Handed down as one argument; nothing of it is global.
//
//     STEELYARD_TRY(const Configuration configuration, effective_configuration(app));
//     app.note("baseline: main");
//     app.print(app.common.json ? json_run(run) : terminal_run(run, app.style()));
#pragma once

#include <signal.h>

#include <atomic>
#include <filesystem>
#include <iosfwd>
#include <string>
#include <vector>

#include "bench/model/result.hpp"
#include "ci/app/progress.hpp"
#include "ci/app/terminal_text.hpp"
#include "ci/config/configuration_key.hpp"
#include "storage/place/files.hpp"

namespace steelyard::ci {

// The exit statuses of every verb: an interface that others script against.
enum class ExitCode : int {
  success = 0,
  regression = 1,  // a regression or a missed target
  not_judged = 2,  // something that should have been judged was not
  bad_input = 3,   // the user's input or configuration is wrong
  program_failed = 4,
  store_away = 5,  // the run is kept in the spool
  bug = 70,
};

// Precedence where several apply: 3, 4, 1, 2, 5 (a bug beats all).
ExitCode worse(ExitCode a, ExitCode b);
ExitCode exit_code_of(const Error& error);

extern const char* const kExitCodeTable;  // what each of them means, for the help

enum class ColorChoice { automatic, always, never };

// A setting that steelyard.toml has as well: both doors share one parser and one text.
struct Override {
  const ConfigurationKey* key = nullptr;
  std::string text;
};

// Every verb has these.
struct CommonOptions {
  bool quiet = false;  // no progress, no notes; results and errors only
  ColorChoice color = ColorChoice::automatic;
  bool json = false;
  std::vector<Override> overrides = {};
};

struct Streams {
  std::istream& in;
  std::ostream& out;
  std::ostream& err;
  bool out_is_terminal = false;
  bool err_is_terminal = false;
};
// Knows the process's own streams by their address; any other, as in tests, is no terminal.
Streams make_streams(std::istream& in, std::ostream& out, std::ostream& err);

struct App {
  Streams streams;
  CommonOptions common;

  // A result, whole.
  void print(const std::string& text) const;
  // "steelyard: ..." on the error stream, even under --quiet. It and notes hold words of strangers (keys, names, what a
  // build printed): see log_text().
  void warn(const std::string& text) const;
  // warn(), and the exit status that belongs to the error.
  ExitCode report(const Error& error) const;
  // A line for the person at the terminal, on the error stream, so that results can be piped on. Silent under --quiet.
  void note(const std::string& text) const;
  void notes(const std::vector<std::string>& texts) const;

  // Colour: as asked for; automatic means a terminal and no NO_COLOR (https://no-color.org). Width: the terminal's,
  // else $COLUMNS, else 100, and then names are not cut. Unicode: where the locale's variables say UTF-8. What goes to
  // a `file` is automatically without colour, and as wide as in a pipe.
  TerminalStyle style(const std::filesystem::path& file = {}) const;
  // A bar where the error stream is a terminal.
  ProgressLine progress() const;
  // What was found so far as well: below the bar on a terminal, line by line in a pipe.
  ProgressLine live_view() const;
};

using storage::LinkInPlace;

// Writes the whole text as a new file beside the target and renames it into place; into a device, a pipe and what is
// open (/dev/stdout, /dev/fd/63) as they are. Error (input): a folder that is missing, a full disk.
Result<void> write_text_file(const std::filesystem::path& file, const std::string& text,
                             LinkInPlace link = LinkInPlace::replaced);

// Why write_text_file() could not write there now; empty: it could. A file made for trying does not stay.
std::string trouble_of_place(const std::filesystem::path& file, LinkInPlace link);

// Ctrl-C and SIGTERM while something long runs: the first sets a flag that the runner looks at, so that what was
// measured is reported and temporary folders go; a second one ends the process at once.
//
//     Cancellation cancellation;
//     options.cancelled = cancellation.flag();
class Cancellation {
 public:
  Cancellation();  // installs the handlers; at most one object at a time
  ~Cancellation();
  Cancellation(const Cancellation&) = delete;
  Cancellation& operator=(const Cancellation&) = delete;

  const std::atomic<bool>* flag() const;
  bool requested() const { return flag()->load(); }

 private:
  struct sigaction previous_interrupt_ = {};
  struct sigaction previous_terminate_ = {};
};

}  // namespace steelyard::ci
