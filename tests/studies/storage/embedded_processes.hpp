// What the processes of one embedded server cost: the server, its children and its keeper.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <filesystem>
#include <vector>

namespace steelyard::storage_study {

// Of the server of the cluster in `data`, the server first, its keeper last; empty where none runs.
std::vector<pid_t> server_processes(const std::filesystem::path& data);

// Memory in KiB, from /proc/PID/smaps.
struct HeldMemory {
  // Sum over the processes of what each has in proportion to how many share it (PSS). What other servers on the machine
  // share counts in part only.
  std::int64_t proportional = 0;
  // Memory as if it were alone on the machine and all of its shared buffers had been used, touched by a living process
  // or not: every page that its processes share once, and the server's shared memory whole. An upper bound.
  std::int64_t at_most = 0;
};
HeldMemory held_memory(const std::vector<pid_t>& processes);

// Processor time that they have used, in milliseconds, to the kernel's tick of 10 ms.
std::int64_t processor_ms(const std::vector<pid_t>& processes);

// How many processes named "postgres" the machine has that are not among these.
int other_postgres(const std::vector<pid_t>& processes);

}  // namespace steelyard::storage_study
