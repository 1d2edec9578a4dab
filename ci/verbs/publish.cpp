// steelyard publish: a judgement where people look: on the pull or merge request, and in the files that services read.
#include <array>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <memory>
#include <optional>
#include <system_error>
#include <utility>

#include "bench/model/text.hpp"
#include "ci/app/settings.hpp"
#include "ci/git/ci_job.hpp"
#include "ci/git/line_map.hpp"
#include "ci/git/repository.hpp"
#include "ci/grammar/verb.hpp"
#include "ci/judging/judge.hpp"
#include "ci/measuring/shard.hpp"
#include "ci/publish/github.hpp"
#include "ci/publish/gitlab.hpp"
#include "ci/report/annotations.hpp"
#include "ci/report/comment.hpp"
#include "ci/report/comparison.hpp"
#include "ci/report/comparison_text.hpp"
#include "ci/report/ended_gate.hpp"
#include "ci/report/published_files.hpp"
#include "ci/verbs/service_options.hpp"
#include "storage/archive/archive.hpp"
#include "storage/comparison/comparison_document.hpp"

namespace steelyard::ci {
namespace {

constexpr std::uintmax_t kMaxReportBytes = std::uintmax_t{1} << 20U;

struct PublishOptions {
  std::string service;
  std::filesystem::path judgement;  // comparison.json, or the folder of --archive-dir
  std::filesystem::path report;
  std::optional<int> status;  // that the gate left with
  std::string key;
  ServiceOptions call;
  bool no_comment = false;
  bool no_check = false;
  bool from_fork = false;
  std::filesystem::path output;  // folder of the files
};

struct ReadJudgement {
  std::optional<Comparison> comparison;  // absent: nothing was compared
  std::optional<EndedGate> ended;        // why, where the gate left that
  std::string report;                    // Markdown
  int status = 0;
};

// What the rows amount to, where the gate's own status is not named; with the archives beside them what failed is told
// from what was not judged.
ExitCode outcome_of_kept(const Comparison& comparison, const std::filesystem::path& folder,
                         const Configuration& configuration) {
  std::array<Run, 2> runs;
  for (std::size_t i = 0; i < runs.size(); ++i) {
    std::error_code ignored;
    if (!std::filesystem::exists(folder / kJudgedFiles.at(i), ignored)) continue;
    if (Result<Run> read = storage::read_archive(folder / kJudgedFiles.at(i))) runs.at(i) = std::move(read).value();
  }
  return outcome_of(comparison, runs[0], runs[1], outcome_rules(configuration));
}

// A report with every detail can be longer than is read: of a comparison another one can be made.
enum class TooLong { is_an_error, is_empty };

Result<std::string> read_report(const std::filesystem::path& file, TooLong too_long) {
  std::error_code code;
  const std::uintmax_t bytes = std::filesystem::file_size(file, code);
  if (code) return input_error(file.string(), code.message(), "a report as --markdown writes it");
  if (bytes > kMaxReportBytes) {
    if (too_long == TooLong::is_empty) return std::string();
    return input_error(file.string(), std::to_string(bytes) + " bytes", "at most 1 MiB");
  }
  std::ifstream stream(file, std::ios::binary);
  return std::string{std::istreambuf_iterator<char>(stream), {}};
}

std::string report_of_kept(const Comparison& comparison) {
  return markdown_report(comparison, {}, Extent::brief, SidesFrom::kept);
}

// A folder that is not there is a wrong name, whatever the gate left with: a gate that could tell nothing else has made
// it. So is that of a file that is not.
Result<void> check_place(const std::filesystem::path& judgement) {
  std::error_code ignored;
  const std::filesystem::path whole = std::filesystem::absolute(judgement, ignored).lexically_normal();
  const bool is_file = whole.extension() == ".json";
  if (std::filesystem::exists(whole, ignored)) return {};
  if (is_file && std::filesystem::is_directory(whole.parent_path(), ignored)) return {};
  return input_error(judgement.string(), is_file ? "no such folder" : "no such file or folder",
                     "the folder that gate was given as --archive-dir", "where the gate never began, make it first");
}

Result<ReadJudgement> read_judgement(const PublishOptions& options, const Configuration& configuration) {
  ReadJudgement read;
  STEELYARD_CHECK(check_place(options.judgement));
  std::error_code ignored;
  const bool is_folder = std::filesystem::is_directory(options.judgement, ignored);
  const std::filesystem::path file = is_folder ? options.judgement / kComparisonFile : options.judgement;
  const std::filesystem::path folder = is_folder ? options.judgement : file.parent_path();
  const bool has_comparison = std::filesystem::exists(file, ignored) && !std::filesystem::is_empty(file, ignored);
  read.ended = read_end(folder);
  // Of another try, of a gate that since then did not come so far.
  if (read.ended && options.status && read.ended->status != *options.status) read.ended.reset();
  // A gate whose options did not hold leaves its end beside what an earlier one had compared.
  if (has_comparison && read.ended && !options.status) {
    return input_error(file.string(), "a comparison beside " + std::string(kEndedFile) + ", which are of two gates",
                       "what one gate left", "--status N, with which the last one left, or remove the older one's");
  }
  if (has_comparison && !read.ended) {
    STEELYARD_TRY(read.comparison, storage::read_comparison(file));
    if (const std::optional<Shard> shard = shard_of(read.comparison->candidate)) {
      return input_error(file.string(), "shard " + to_text(*shard) + " alone", "a judgement of all shards",
                         "publish what steelyard merge leaves in its --archive-dir");
    }
  } else if (options.status.value_or(0) == 0) {
    return input_error(file.string(), "no comparison", "what gate wrote with --archive-dir or --json",
                       "--status N where the gate ended before it compared anything");
  }
  if (!options.report.empty()) {
    STEELYARD_TRY(read.report, read_report(options.report, read.comparison ? TooLong::is_empty : TooLong::is_an_error));
  }
  if (read.report.empty() && read.comparison) read.report = report_of_kept(*read.comparison);
  if (read.report.empty() && read.ended) read.report = ended_report(*read.ended);
  read.status =
      options.status ? *options.status : static_cast<int>(outcome_of_kept(*read.comparison, folder, configuration));
  // A report that has to be cut says less than one that was made to fit.
  if (read.comparison && read.report.size() > kMaxCommentBytes) read.report = report_of_kept(*read.comparison);
  return read;
}

// In a request's job the steelyard.toml at hand is the request's own, which could name another gate's comment and
// check: the judgement has the name that the baseline's file gave. Elsewhere the file is the repository's, and where it
// has no name the judgement's is nearer than that of the current folder. A fork's archives have any name.
Result<std::string> key_of(const PublishOptions& options, const ReadJudgement& read, const Configuration& configuration,
                           const App& app) {
  if (!options.key.empty()) return options.key;
  const bool is_of_request = !options.from_fork && ci_job(caller_environment()).is_of_request();
  const bool is_named = !is_of_request && !configuration.project.empty();
  if (!read.comparison || options.from_fork || is_named) return project_name(configuration);
  Configuration judged;
  judged.project = read.comparison->candidate.project;
  STEELYARD_TRY(judged, with_overrides(std::move(judged), app));
  return project_name(judged);
}

Publication publication_of(std::string key, const PublishOptions& options, const ReadJudgement& read) {
  Publication publication;
  publication.key = std::move(key);
  publication.status = read.status;
  const Comparison* const comparison = read.comparison ? &*read.comparison : nullptr;
  publication.headline = read.ended ? "not judged: " + ended_words(*read.ended) : headline_of(comparison, read.status);
  publication.report = read.report;
  if (comparison != nullptr) {
    publication.annotations = annotations_of(*comparison);
    publication.has_regression = any_regression_gates(*comparison);
  }
  publication.is_strangers = options.from_fork;
  return publication;
}

WrittenPart part_of(const std::string& what, const Error& error) {
  return {what, WrittenPart::State::failed, error.text()};
}

// Notes at the lines of the commit that people see, where another one was measured: a merge with the target branch.
// Where a line is not in it as it was measured there is no note; where git cannot tell they stay.
void move_to_head(const std::string& measured, const std::string& head, std::vector<Annotation>& annotations) {
  if (measured.empty() || measured == head) return;
  const Result<GitRepository> repository = GitRepository::find(std::filesystem::current_path());
  if (!repository) return;
  std::map<std::string, LineMap> maps;
  for (Annotation& one : annotations) {
    auto map = maps.find(one.path);
    if (map == maps.end()) {
      const Result<LineMap> between = LineMap::between(*repository, measured, head, one.path);
      if (!between) return;
      map = maps.emplace(one.path, *between).first;
    }
    one.line = map->second.line_after(one.line);
  }
  std::erase_if(annotations, [](const Annotation& one) { return one.line == 0; });
}

std::vector<WrittenPart> publish_to_github(const PublishOptions& options, const std::string& measured,
                                           Publication publication) {
  Result<GithubPlace> place = github_place(options.call.place);
  if (!place) return {part_of("github", place.error())};
  Result<bench::Secret> token = github_token(options.call);
  if (!token) return {part_of("github", token.error())};
  static_cast<PublishedJob&>(publication) = *place;
  move_to_head(measured, place->head, publication.annotations);
  publication.is_strangers = publication.is_strangers || (place->is_workflow_run && place->is_from_fork);
  if (publication.is_strangers && publication.report.empty()) {
    publication.headline = headline_of_strangers_nothing(publication.status);
  }
  ServiceApi api = github_api(*place, std::move(token).value(), patience_of(options.call));
  std::vector<WrittenPart> parts;
  if (!options.no_comment) {
    const std::optional<WrittenPart> trouble = find_pull(api, *place);
    parts.push_back(trouble ? *trouble : write_github_comment(api, *place, publication));
  }
  if (!options.no_check) parts.push_back(write_check(api, *place, publication));
  return parts;
}

std::vector<WrittenPart> publish_to_gitlab(const PublishOptions& options, const Result<GitlabPlace>& place,
                                           Publication publication) {
  if (options.no_comment) return {};
  if (!place) return {part_of("gitlab", place.error())};
  if (!place->request) return {{"comment", WrittenPart::State::left, "the pipeline is no merge request's"}};
  Result<bench::Secret> token = gitlab_token(options.call);
  if (!token) return {part_of("comment", token.error())};
  static_cast<PublishedJob&>(publication) = *place;
  ServiceApi api = gitlab_api(*place, std::move(token).value(), patience_of(options.call));
  return {write_gitlab_note(api, *place, publication)};
}

// Without a comparison the files say that nothing was judged, so that no earlier ones are taken for these.
Result<void> write_report_files(const std::filesystem::path& folder, const ReadJudgement& read,
                                const Publication& publication) {
  std::error_code code;
  std::filesystem::create_directories(folder, code);
  if (code) return input_error(folder.string(), code.message(), "a folder for reports");
  const Comparison comparison = read.comparison.value_or(Comparison{});
  const std::string junit = read.comparison ? junit_report(comparison, publication.key)
                                            : junit_report_of_nothing(publication.key, publication.headline,
                                                                      read.ended ? read.ended->text : "");
  STEELYARD_CHECK(write_text_file(folder / "junit.xml", junit));
  STEELYARD_CHECK(write_text_file(folder / "code-quality.json", code_quality_report(publication.annotations)));
  STEELYARD_CHECK(write_text_file(folder / "metrics.txt", open_metrics_report(comparison)));
  const Comparison* const judged = read.comparison ? &*read.comparison : nullptr;
  STEELYARD_CHECK(write_text_file(folder / "findings.sarif", sarif_report(judged, publication)));
  return write_text_file(folder / "badge.svg", badge_svg(judged, publication));
}

// Empty where no files are to be written.
std::filesystem::path folder_of_files(const PublishOptions& options) {
  if (!options.output.empty() || options.service != "files") return options.output;
  std::error_code ignored;
  if (std::filesystem::is_directory(options.judgement, ignored)) return options.judgement;
  return std::filesystem::absolute(options.judgement, ignored).parent_path();
}

ExitCode status_of(const std::vector<WrittenPart>& parts) {
  ExitCode code = ExitCode::success;
  for (const WrittenPart& part : parts) {
    if (part.state == WrittenPart::State::failed) code = worse(code, ExitCode::bad_input);
    if (part.state == WrittenPart::State::away) code = worse(code, ExitCode::store_away);
  }
  return code;
}

// A gate that ended because nobody can read steelyard.toml has to be told of, too: then by the options alone. Without
// its status the file's rules say what a comparison comes to.
Result<Configuration> configuration_of_publisher(const PublishOptions& options, const App& app) {
  Result<Configuration> read = effective_configuration(app);
  if (read || !options.status) return read;
  STEELYARD_TRY(Configuration by_options, with_overrides({}, app));
  app.warn("nothing of " + std::string(kConfigurationFile) + " holds here: " + read.error().text());
  return by_options;
}

Result<ExitCode> run_publish(const PublishOptions& options, const App& app) {
  STEELYARD_TRY(const Configuration configuration, configuration_of_publisher(options, app));
  STEELYARD_TRY(const ReadJudgement read, read_judgement(options, configuration));
  STEELYARD_TRY(std::string key, key_of(options, read, configuration, app));
  Publication publication = publication_of(std::move(key), options, read);
  const std::string measured = read.comparison ? read.comparison->candidate.commit.sha : "";
  const Result<GitlabPlace> gitlab = options.service == "gitlab" ? gitlab_place(options.call.place) : GitlabPlace{};
  // GitLab's widgets show the lines of the merge request's commit as well.
  if (options.service == "gitlab" && gitlab) move_to_head(measured, gitlab->head, publication.annotations);
  const std::filesystem::path folder = folder_of_files(options);
  std::vector<WrittenPart> parts;
  // First what needs nobody: it is there whatever the service answers.
  const Result<void> files = folder.empty() ? Result<void>() : write_report_files(folder, read, publication);
  if (options.service == "files") STEELYARD_CHECK(files);
  if (options.service == "github") parts = publish_to_github(options, measured, publication);
  if (options.service == "gitlab") parts = publish_to_gitlab(options, gitlab, publication);
  if (!files) parts.push_back(part_of("files", files.error()));
  for (const WrittenPart& part : parts) {
    const bool is_trouble = part.state == WrittenPart::State::failed || part.state == WrittenPart::State::away;
    if (is_trouble) app.warn(part.what + " was not written: " + part.text);
  }
  if (app.common.json) {
    app.print(json_parts(options.service, parts));
  } else if (!parts.empty()) {
    app.print(terminal_parts(parts));
  }
  return status_of(parts);
}

VerbOption status_option(std::optional<int>& target) {
  const auto set = [&target](const std::string& text) -> Result<void> {
    const bool is_number = !text.empty() && text.size() <= 3 && is_decimal(text);
    if (!is_number) return input_error("--status", '"' + text + '"', "an exit status, 0 to 255");
    target = std::stoi(text);
    return {};
  };
  return {"--status",    "N",   "the exit status that the gate left with (default: what the rows amount to)",
          kGeneralGroup, false, set};
}

void add_publish_options(Verb& verb, PublishOptions& options) {
  verb.add(path_option("--report", "FILE", options.report,
                       "the gate's Markdown, for the comment (default: made from the comparison)"));
  verb.add(status_option(options.status));
  verb.add(text_option("--key", "TEXT", options.key, "one comment for each key (default: the project's name)"));
  verb.add(
      text_option("--login", "NAME", options.call.place.login, "whose the token is (default: the service is asked)"));
  verb.add(flag_option("--no-comment", options.no_comment, "write no comment"));
  verb.add(flag_option("--no-check", options.no_check, "write no check run"));
  verb.add(flag_option("--from-fork", options.from_fork, "say that a job without rights measured it"));
  verb.add(
      path_option("--output", "FOLDER", options.output,
                  "write junit.xml, code-quality.json, metrics.txt (OpenMetrics), findings.sarif and badge.svg there"));
  add_service_options(verb, options.call);
}

}  // namespace

Verb publish_verb() {
  const auto options = std::make_shared<PublishOptions>();
  Verb verb = make_verb(
      options, run_publish, "publish",
      "Tells a judgement where people look. SERVICE github: one comment on the pull request, updated in place, and a "
      "check run with notes at the lines that attribution names; gitlab: one note on the merge request; files: JUnit, "
      "code quality, OpenMetrics, SARIF and a badge beside the comparison. JUDGEMENT: what gate wrote with "
      "--archive-dir, or the "
      "comparison as JSON. The token comes from the environment. Status 0: written, or nothing was to be; 3: the "
      "service refuses it; 5: the service is away.",
      "  steelyard publish github evidence --report report.md --status 1\n"
      "  steelyard publish files evidence --output reports");
  verb.names = {"SERVICE", "JUDGEMENT"};
  verb.first_names = {"github", "gitlab", "files"};
  verb.min_names = 2;
  verb.take = [options](Words words) -> Result<void> {
    options->service = std::move(words.names[0]);
    options->judgement = std::move(words.names[1]);
    const std::string& service = options->service;
    if (service == "github" || service == "gitlab" || service == "files") return {};
    return input_error("steelyard publish", '"' + service + '"', "github, gitlab or files");
  };
  add_publish_options(verb, *options);
  add_key_options(verb, {{"project"}});
  add_common_options(verb);
  return verb;
}

}  // namespace steelyard::ci
