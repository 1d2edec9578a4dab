// Lines for the person at the terminal, on the error stream, so that results can be piped on.
#pragma once

#include <filesystem>
#include <string>

#include "bench/model/result.hpp"
#include "ci/app/exit_code.hpp"
#include "ci/app/options.hpp"
#include "ci/app/streams.hpp"

namespace steelyard {

// "steelyard: ..."; returns the exit status that belongs to the error.
ExitCode report_error(const Error& error, Streams& streams);
// Silent under --quiet.
void note(const std::string& text, const CommonOptions& common, Streams& streams);

// Writes the whole text beside the target and renames it into place. Error (input): a folder that is missing, a full
// disk.
Result<void> write_text_file(const std::filesystem::path& file, const std::string& text);

}  // namespace steelyard
