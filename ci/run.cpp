#include "ci/run.hpp"

#include <exception>
#include <istream>
#include <new>
#include <ostream>
#include <type_traits>

#include "ci/app/exit_code.hpp"
#include "ci/app/messages.hpp"
#include "ci/grammar/command_line.hpp"
#include "ci/verbs/verbs.hpp"

namespace steelyard {
namespace {

struct Dispatcher {
  Streams& streams;
  ExitCode operator()(const RunOptions& options) const { return do_run(options, streams); }
  ExitCode operator()(const AbOptions& options) const { return do_ab(options, streams); }
  ExitCode operator()(const CompareOptions& options) const { return do_compare(options, streams); }
  ExitCode operator()(const GateOptions& options) const { return do_gate(options, streams); }
  ExitCode operator()(const CalibrateOptions& options) const { return do_calibrate(options, streams); }
  ExitCode operator()(const VerifyOptions& options) const { return do_verify(options, streams); }
  ExitCode operator()(const ImportOptions& options) const { return do_import(options, streams); }
  ExitCode operator()(const ExportOptions& options) const { return do_export(options, streams); }
  ExitCode operator()(const HistoryOptions& options) const { return do_history(options, streams); }
  ExitCode operator()(const ChangesOptions& options) const { return do_changes(options, streams); }
  ExitCode operator()(const SweepOptions& options) const { return do_sweep(options, streams); }
  ExitCode operator()(const ProfileOptions& options) const { return do_profile(options, streams); }
  ExitCode operator()(const ConfigOptions& options) const { return do_config(options, streams); }
  ExitCode operator()(const DoctorOptions& options) const { return do_doctor(options, streams); }
  ExitCode operator()(const DbOptions& options) const { return do_db(options, streams); }
  ExitCode operator()(const AlertsOptions& options) const { return do_alerts(options, streams); }
  ExitCode operator()(const TargetsOptions& options) const { return do_targets(options, streams); }
};

ExitCode run_guarded(const std::vector<std::string>& arguments, Streams& streams) {
  const Result<ParsedCommand> parsed = parse_command_line(arguments);
  if (!parsed) return report_error(parsed.error(), streams);
  if (const auto* requested = std::get_if<RequestedText>(&*parsed)) {
    streams.out << requested->text << std::flush;
    return ExitCode::success;
  }
  return std::visit(Dispatcher{streams}, std::get<VerbOptions>(*parsed));
}

// The streams do not throw unless they were told to, which nobody here does.
int bug(std::ostream& err, const char* what) noexcept {
  err << "steelyard: " << what << "; please report this" << std::endl;
  return static_cast<int>(ExitCode::bug);
}

}  // namespace

int run_program(const std::vector<std::string>& arguments, std::istream& in, std::ostream& out, std::ostream& err) {
  try {
    Streams streams = make_streams(in, out, err);
    ExitCode code = run_guarded(arguments, streams);
    // Results that nobody received are no success: a full disk behind a redirection shows only here.
    if (!out.flush() && code == ExitCode::success) {
      err << "steelyard: standard output could not be written" << std::endl;
      code = ExitCode::bad_input;
    }
    return static_cast<int>(code);
  } catch (const std::bad_alloc&) {
    return bug(err, "out of memory");
  } catch (const std::exception& exception) {
    return bug(err, exception.what());
  } catch (...) {
    return bug(err, "an unknown exception");
  }
}

}  // namespace steelyard
