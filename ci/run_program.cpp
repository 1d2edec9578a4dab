#include "ci/run_program.hpp"

#include <exception>
#include <istream>
#include <new>
#include <ostream>

#include "ci/app/app.hpp"
#include "ci/grammar/command_line.hpp"
#include "ci/verbs/verbs.hpp"
#include "storage/place/store_address.hpp"

namespace steelyard::ci {
namespace {

ExitCode run_guarded(const std::vector<std::string>& arguments, const Streams& streams) {
  const std::vector<Verb> verbs = all_verbs();
  const Result<ParsedCommand> parsed = parse_command_line(verbs, arguments);
  const App app{streams, parsed && parsed->verb != nullptr ? *parsed->verb->common : CommonOptions{}};
  if (!parsed) return app.report(parsed.error());
  if (parsed->verb == nullptr) {
    app.print(parsed->text);
    return ExitCode::success;
  }
  if (const Result<void> places = check_outputs(parsed->outputs); !places) return app.report(places.error());
  const Result<bool> is_new = storage::claim_state_folder();
  if (!is_new) return app.report(is_new.error());
  if (*is_new) {
    app.note("no HOME: state is kept in " + storage::state_folder().string() +
             "; set STEELYARD_STATE to keep it elsewhere");
  }
  const Result<ExitCode> code = parsed->verb->run(app);
  return code ? *code : app.report(code.error());
}

// The streams do not throw unless they were told to, which nobody here does.
int bug(std::ostream& err, const char* what) noexcept {
  err << "steelyard: " << what << "; please report this" << std::endl;
  return static_cast<int>(ExitCode::bug);
}

}  // namespace

int run_program(const std::vector<std::string>& arguments, std::istream& in, std::ostream& out, std::ostream& err) {
  try {
    ExitCode code = run_guarded(arguments, make_streams(in, out, err));
    // Results that nobody received are no success: a full disk behind a redirection shows only here.
    if (!out.flush() && code == ExitCode::success) {
      err << "steelyard: standard output could not be written" << std::endl;
      code = ExitCode::bad_input;
    }
    return static_cast<int>(code);
  } catch (const std::bad_alloc&) {
    // Of this machine, or of a limit on it. What was to be judged was not.
    err << "steelyard: out of memory: the system gives this process no more, as its limit (ulimit -v), its container "
           "or the machine has it; raise that, or judge fewer benchmarks at once"
        << std::endl;
    return static_cast<int>(ExitCode::not_judged);
  } catch (const std::exception& exception) {
    return bug(err, exception.what());
  } catch (...) {
    return bug(err, "an unknown exception");
  }
}

}  // namespace steelyard::ci
