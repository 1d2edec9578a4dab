// What each verb does, as a function of what it was asked: no command line library, no global state. Every one prints
// its own errors and returns the exit status.
#pragma once

#include "ci/app/exit_code.hpp"
#include "ci/app/options.hpp"
#include "ci/app/streams.hpp"

namespace steelyard {

ExitCode do_run(const RunOptions& options, Streams& streams);
ExitCode do_ab(const AbOptions& options, Streams& streams);
ExitCode do_compare(const CompareOptions& options, Streams& streams);
ExitCode do_gate(const GateOptions& options, Streams& streams);
ExitCode do_calibrate(const CalibrateOptions& options, Streams& streams);
ExitCode do_verify(const VerifyOptions& options, Streams& streams);
ExitCode do_import(const ImportOptions& options, Streams& streams);
ExitCode do_export(const ExportOptions& options, Streams& streams);
ExitCode do_history(const HistoryOptions& options, Streams& streams);
ExitCode do_changes(const ChangesOptions& options, Streams& streams);
ExitCode do_sweep(const SweepOptions& options, Streams& streams);
ExitCode do_profile(const ProfileOptions& options, Streams& streams);
ExitCode do_config(const ConfigOptions& options, Streams& streams);
ExitCode do_doctor(const DoctorOptions& options, Streams& streams);
ExitCode do_db(const DbOptions& options, Streams& streams);
ExitCode do_alerts(const AlertsOptions& options, Streams& streams);
ExitCode do_targets(const TargetsOptions& options, Streams& streams);

}  // namespace steelyard
