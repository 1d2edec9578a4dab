// What each verb was asked to do: one struct per verb, filled by command_line.cpp. Settings that steelyard.toml has as
// well are not repeated here: they travel as overrides of its keys, so that both doors share one parser and one text.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "ci/config/configuration_key.hpp"
#include "storage/access.hpp"
#include "storage/distribution.hpp"

namespace steelyard {

enum class ColorChoice { automatic, always, never };

struct Override {
  const ConfigurationKey* key = nullptr;
  std::string text;
};

// Every verb has these.
struct CommonOptions {
  bool quiet = false;  // no progress, no notes; results and errors only
  ColorChoice color = ColorChoice::automatic;
  bool json = false;
  std::vector<Override> overrides;
};

struct RunOptions {
  CommonOptions common;
  std::vector<std::string> command;  // the program and its arguments
  std::optional<std::uint64_t> seed;
  std::filesystem::path output;  // .syrun; empty: none beside the spool's
  bool no_store = false;
};

// How the samples behind a comparison are drawn; ab, gate and compare have it.
struct PictureOptions {
  std::filesystem::path svg_dir;  // one file for each row that changed; empty: none
  bool in_terminal = false;       // below the report
};

struct AbOptions {
  CommonOptions common;
  std::string baseline;  // an executable, or a commit
  std::string candidate;
  std::string bench;                   // with commits: path and arguments of the program, relative to the work tree
  std::vector<std::string> arguments;  // for the program, from after --
  std::optional<std::uint64_t> seed;
  std::filesystem::path markdown;     // file to write; empty: none
  std::filesystem::path archive_dir;  // both .syrun are copied there; empty: none
  std::filesystem::path flame_dir;    // for a flame graph of each changed count; empty: none
  std::string explain;                // a part of the names of rows to explain, or all; empty: none
  PictureOptions pictures;
  bool no_store = false;
};

enum class TableFormat { text, markdown, csv, html };

// What compare --table adds.
struct TableChoice {
  bool wanted = false;
  std::vector<std::string> sides;  // 1 to 20, each as a side of compare
  TableFormat format = TableFormat::text;
  bool rowwise = false;  // neither: as the kind of the sides has it
  bool columnwise = false;
  bool reference_style = false;
  bool ascii = false;
  std::string against;  // a side; empty: the best
};

struct CompareOptions {
  CommonOptions common;
  std::string baseline;  // .syrun, Google Benchmark JSON, a folder of it, run:ID, commit:SHA
  std::string candidate;
  bool markdown = false;
  std::filesystem::path output;     // the report goes there; empty: to the output stream
  std::filesystem::path flame_dir;  // as ab's
  std::string explain;              // as ab's
  PictureOptions pictures;
  std::optional<std::uint64_t> seed;
  TableChoice table;
};

struct GateOptions {
  CommonOptions common;
  std::string run;   // with --against-history: one side of compare that was measured before; empty: measures the head
  std::string base;  // empty: from the CI system's variables, else the first parent
  std::string head;  // empty: HEAD
  std::string bench;
  std::optional<std::uint64_t> seed;
  std::filesystem::path markdown;
  std::filesystem::path archive_dir;
  std::filesystem::path flame_dir;
  std::string explain;
  PictureOptions pictures;
  bool no_store = false;
};

struct CalibrateOptions {
  CommonOptions common;
  std::vector<std::string> programs;   // empty: those of steelyard.toml
  std::vector<std::string> arguments;  // for each of them, from after --
  int gates = 10;
  bool drift = false;  // measure as many pairs whose sides follow each other
  std::optional<std::uint64_t> seed;
  std::filesystem::path output;  // empty: the state folder
};

struct VerifyOptions {
  CommonOptions common;
  std::string comparison;  // a JSON file, a folder with comparison.json, or comparison:ID
  std::string baseline;    // as one side of compare; empty: found by its id
  std::string candidate;
};

struct ImportOptions {
  CommonOptions common;
  std::string format;  // "google-benchmark"
  std::vector<std::string> paths;
  std::string commit;
  std::string branch;
};

struct ExportOptions {
  CommonOptions common;
  std::string run;               // as one side of compare
  std::filesystem::path output;  // .syrun: an archive; anything else: JSON; empty: JSON to the output stream
};

struct HistoryOptions {
  CommonOptions common;
  std::string benchmark;  // a part of the name; empty: all
  std::string metric;
  std::string branch;
  std::string machine;                  // HistoryQuery's
  std::vector<std::string> parameters;  // NAME=VALUE
  std::string label;
  std::string after;               // what an answer named as next, or as older
  int limit = 0;                   // newest points of each series, or rows of a range; 0: what is usual
  int most_series = 0;             // of one answer; 0: all
  std::filesystem::path archives;  // a folder of .syrun files; empty: the store
  // Instead of series: what happened in a range of commits.
  bool changed = false;
  bool movers = false;
  std::string range;  // A..B; empty: the newest commits
};

struct ChangesOptions {
  CommonOptions common;
  std::filesystem::path input;     // a JSON file of series, "-" for the input stream; empty: from the store
  std::filesystem::path archives;  // a folder of .syrun files; empty: the store
  std::string benchmark;           // a part of the name; empty: all
  std::string metric;
  std::string branch;
  int limit = 1000;
  std::filesystem::path svg;       // a .svg file, or a folder; empty: none
  std::filesystem::path markdown;  // empty: none
  bool fail_on_regression = false;
  bool no_store = false;  // what was found is not kept
};

struct SweepOptions {
  CommonOptions common;
  std::string run;        // as one side of compare
  std::string over;       // a parameter; empty: each that three benchmarks differ in
  std::string metric;     // empty: real_time
  std::string benchmark;  // a part of the name; empty: all
  std::string expect;     // an exponent; empty: none is claimed
  std::string tolerance;  // empty: 0
};

struct ProfileOptions {
  CommonOptions common;
  std::string format;              // "callgrind": `files` are such; empty: `side` is a run
  std::vector<std::string> files;  // callgrind files
  std::string side;                // as one side of compare
  std::string benchmark;           // of the run; empty: all in tables, the only one in pictures
  std::string against;             // the baseline of a difference: a side or a callgrind file; empty: none
  std::string event;               // that tables, pictures and stacks show; empty: Ir, else the first
  bool inclusive = false;          // tables by inclusive cost
  bool lines = false;              // tables by source line
  std::string filter;              // an extended regular expression: functions of tables; empty: all
  std::string fold;                // "recursion", "clones" or both with a comma; empty: none
  std::string standardize;         // folders, with commas between; empty: names stay
  std::string repeats;             // callgrind files of the baseline's program, with commas; empty: no noise is known
  int part = 0;                    // of the callgrind files, counted from 1; 0: all
  int rows = 30;
  std::filesystem::path flame;       // .html or .svg; empty: none
  std::filesystem::path folded;      // empty: none
  std::filesystem::path speedscope;  // empty: none
};

struct ConfigOptions {
  enum class Action { show, check };
  CommonOptions common;
  Action action = Action::show;
  std::filesystem::path file;  // empty: the one that is found from here
};

// What db grant adds.
struct GrantChoice {
  AccessGrant access;
  bool revoke = false;
  bool list = false;
};

struct DbOptions {
  enum class Action { init, migrate, rebuild, status, stop, prune, backup, restore, grant, distribute };
  CommonOptions common;
  Action action = Action::status;
  std::filesystem::path from;    // with rebuild: the folder of archives; empty: that of the state folder
  bool derived = false;          // with rebuild: derived data in place, no archives
  std::filesystem::path folder;  // with backup and restore
  bool dry_run = false;          // with prune, migrate and distribute
  bool archives = false;         // with prune: those of the state folder as well
  GrantChoice grant;
  DistributeOptions distribute;
};

struct AlertsOptions {
  enum class Action { list, show, acknowledge, accept, resolve, reopen };
  CommonOptions common;
  Action action = Action::list;
  std::string alert;  // id or its beginning; with list: empty
  // With list:
  std::string branch;
  std::string benchmark;  // a part of the name
  bool resolved_too = false;
  int limit = 200;
  // With what is done to one:
  std::string commit;  // accept: by which
  std::string note;
  std::string who;  // empty: the login name
};

struct TargetsOptions {
  enum class Action { ceilings, datasheet, check, roofline };
  CommonOptions common;
  Action action = Action::ceilings;
  std::vector<std::string> names;  // what follows the action: devices, runs
  std::filesystem::path output;    // .syrun: an archive; anything else: JSON; empty: none
  // With ceilings:
  bool quick = false;         // a fifth of the time
  bool normal_pages = false;  // memory as a program gets it that asks for no huge pages
  std::string only;           // a part of the names: these alone are measured, and nothing is kept
  bool no_store = false;
  std::string from;  // a run that measured them, as one side of compare; empty: measure this machine
  // With check and roofline:
  std::filesystem::path ceilings;  // an archive of ceilings; empty: those kept of the run's machine
  // With roofline:
  std::filesystem::path svg;  // empty: none
};

struct DoctorOptions {
  CommonOptions common;
  std::string program;               // to examine as well; empty: none
  std::vector<std::string> command;  // with fix: what to run, from after --
  bool fix = false;                  // mend for the length of the command
  bool restore = false;              // set back what a killed --fix left
  bool fixed_addresses = false;      // with fix: the command runs without address randomization
  bool strict = false;               // exit 1 where something severe was found
  bool no_probe = false;             // files only
  std::filesystem::path root;        // of /proc and /sys; empty: this machine's
};

using VerbOptions =
    std::variant<RunOptions, AbOptions, CompareOptions, GateOptions, CalibrateOptions, VerifyOptions, ImportOptions,
                 ExportOptions, HistoryOptions, ChangesOptions, SweepOptions, ProfileOptions, ConfigOptions, DbOptions,
                 TargetsOptions, DoctorOptions, AlertsOptions>;

}  // namespace steelyard
