// What holds of each reader whatever bytes it is given: that it reads them or says why not, and what follows where it
// does. Shared by the fuzzer and by the tests that replay its corpus and mutate good files.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "bench/formats/import_formats.hpp"
#include "bench/model/result.hpp"
#include "bench/model/run.hpp"
#include "tests/fuzz/fuzz_target.hpp"

namespace steelyard::testkit {

// An error of what was read under the name "file" is the input's, says where and what was found, and nothing of what it
// says of the place moves a terminal's cursor.
BrokenClaim broken_claim_about_error(const Error& error, const std::string& file = "file");

// A run that a reader has made holds together: it can be sealed, written and read, and is the same then.
BrokenClaim broken_claim_about_run(Run run);

// The parts of an input that have a zero byte between them, one at least. They are the text's own bytes.
std::vector<std::string_view> parts_of(std::string_view text);

// A file without a place on any disk, for readers that want a path.
class MemoryFile {
 public:
  explicit MemoryFile(const std::string& content);
  MemoryFile(const MemoryFile&) = delete;
  MemoryFile& operator=(const MemoryFile&) = delete;
  ~MemoryFile();
  std::filesystem::path path() const;

 private:
  int descriptor_ = -1;
};

// What is imported: a file or, where the text begins with "=== file: ", a folder of at most 16 files. Behind each
// "=== file: " at the beginning of a line stand a path and, from the next line on, what the file holds:
//
//     === file: m/machine.json
//     {"machine": "m"}
//     === file: m/11111111-env.json
//     {...}
//
// No path leads out of the folder, which is gone with this object.
class ImportInput {
 public:
  explicit ImportInput(const std::string& text);
  ImportInput(const ImportInput&) = delete;
  ImportInput& operator=(const ImportInput&) = delete;
  ~ImportInput();
  bool is_folder() const { return !file_; }
  std::filesystem::path path() const;

 private:
  std::optional<MemoryFile> file_;
  std::filesystem::path around_;  // the folder: nothing lies beside it
};

// .syrun files. The payload of a run or of measurements, sealed anew so that it gets past the checksum; and a container
// as it is, and with a checksum and a length that are right.
BrokenClaim broken_claim_about_run_payload(const std::string& payload);
BrokenClaim broken_claim_about_measurement_payload(const std::string& payload);
BrokenClaim broken_claim_about_container(const std::string& bytes);
// Measurements as text or XML.
BrokenClaim broken_claim_about_measurement_archive(const std::string& bytes);

// What is kept or sent as JSON: what was read is the same after it was written and read.
BrokenClaim broken_claim_about_comparison(const std::string& text);
BrokenClaim broken_claim_about_calibration(const std::string& text);
BrokenClaim broken_claim_about_judged_history(const std::string& text);

// What a backup says of itself.
BrokenClaim broken_claim_about_backup_manifest(const std::string& text);

// Where the next page of a list begins, as a caller hands it back.
BrokenClaim broken_claim_about_cursor(const std::string& text);
// What git prints of commits that strangers wrote: trailers that accept a change, the hunks of a diff.
BrokenClaim broken_claim_about_git_output(const std::string& text);
// Files under /proc and /sys, each as all of them: in a container others may have made them.
BrokenClaim broken_claim_about_system_file(const std::string& text);

// What GitHub or GitLab, or whoever answers in their place, says to everything that is asked of them: the event's file,
// then answers, a zero byte between them, each a status, a blank, its headers and, behind an empty line, its body. No
// request leaves the API's address or the paths of one repository, and there is an end to them.
BrokenClaim broken_claim_about_service(const std::string& text);

// What a service in a store's place, or whoever answers there, says: to who asks it first whether it is one, then, from
// the second answer on, to each question and to all that is put, as above. What may have been done is not asked for
// again.
BrokenClaim broken_claim_about_store_answer(const std::string& text);
// What the command line asks of such a service, a question's name on the first line and its JSON behind it; between
// zero bytes, what the service's own store answers. A question is asked in one way, and an answer that was read is the
// same.
BrokenClaim broken_claim_about_store_question(const std::string& text);
// Commits and verdicts on targets, as such a service is sent them.
BrokenClaim broken_claim_about_submitted_json(const std::string& text);
// "GET /api/v1/runs?limit=5": what is read of it is what the API's description allows.
BrokenClaim broken_claim_about_api_request(const std::string& text);
// The bytes of a connection to the service: what it takes for requests is what others take for them, in the obvious
// way, and each has its answer.
BrokenClaim broken_claim_about_web_request(const std::string& bytes);
// A CI job's token. With three zero bytes: header and claims, which are encoded here so that a change of them gets past
// the encoding, the signature and what the issuer says of its keys; with one, a token as it is sent, and these keys.
BrokenClaim broken_claim_about_job_token(const std::string& text);
// What was accepted on a request, as one step of a job hands it to the next.
BrokenClaim broken_claim_about_accepted_file(const std::string& text);

// A file of Google Benchmark; behind a zero byte, what the program wrote to stderr.
BrokenClaim broken_claim_about_google_benchmark(const std::string& text);
// An ImportInput by its content and, as a whole and what is readable of it, by the reader of one format.
BrokenClaim broken_claim_about_import(const bench::ImportFormat& format, const std::string& text);
// What a measured program and its tools write, each as all of them: the log of passes, reports of counters and of the
// counting library, the record of the heap, the loader's list, the trace of opened files.
BrokenClaim broken_claim_about_program_output(const std::string& bytes);

// steelyard.toml: what was read, written by `steelyard config` and read again says the same.
BrokenClaim broken_claim_about_configuration(const std::string& text);
// Two lines, a pattern and a name, and each as everything else that people write into a value: targets, durations,
// commands, addresses of stores, names of benchmarks.
BrokenClaim broken_claim_about_written_words(const std::string& text);

// A program or library: its sections and facts, whose lines its code is (DWARF), and its functions' code.
BrokenClaim broken_claim_about_program_file(const std::string& bytes);
// The name of a symbol, which C++ may have mangled.
BrokenClaim broken_claim_about_symbol_name(const std::string& name);

// Profiles. Self costs add up to the totals, per event and per position; what is inclusive is at least 0, and nothing
// refers to a function or file that is not there. Asking for positions changes nothing else, nor do line ends of two
// characters (they keep the quick scanner of cost lines from being used, so it is held against the careful one). A
// profile whose relative positions are written in full reads the same, at every address and line.
BrokenClaim broken_claim_about_callgrind(const std::string& text);

// Packed samples: memory is in proportion to the bytes, and samples come back to the last bit.
BrokenClaim broken_claim_about_packed_samples(const std::string& bytes);

// Plain series (ci/judging/series_file.hpp): what was read can be written and read, and is the same.
BrokenClaim broken_claim_about_series(const std::string& text);

// Traces: an event is on a track that there is and in one row of the table, self times add up to the roots' times, each
// moment is of one use, and a Chrome trace that was read can be written and read.
BrokenClaim broken_claim_about_chrome_trace(const std::string& text);
// The file of recorded spans that an input stands for: what the input has of its header, and behind that a KiB each of
// up to four chunks, filled up with zeros.
std::string span_file_of(const std::string& input);
BrokenClaim broken_claim_about_spans(const std::string& bytes);

}  // namespace steelyard::testkit
