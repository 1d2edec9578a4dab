// Making the files of a cluster, and setting those of a replaced one aside.
#pragma once

#include <filesystem>

#include "bench/model/result.hpp"
#include "storage/embedded/cluster_layout.hpp"
#include "storage/embedded/server_account.hpp"
#include "storage/embedded/server_programs.hpp"

namespace steelyard {

// A folder of the account, closed to others. One that exists is used only if it is exactly that: below /tmp anyone
// could have put it there.
Result<void> make_private(const std::filesystem::path& folder, const ServerAccount& account);

// An empty cluster in layout.data(), in place of anything that was there; not flushed to the disk yet.
Result<void> initialise_data(const ClusterLayout& layout, const ServerPrograms& programs, const ServerAccount& account);

// Flushes everything that is not on the disk yet of the file system that the folder is on.
Result<void> flush_disk_of(const std::filesystem::path& folder);

// The same under the final name, there only when it is complete and on the disk.
Result<void> create_cluster(const ClusterLayout& layout, const ServerPrograms& programs, const ServerAccount& account);

// Renames the cluster's folder (15 to 15.replaced) and gives its new path; empty where there is no such cluster, or its
// server still runs. Nothing of it is changed or removed.
Result<std::filesystem::path> set_cluster_aside(const std::filesystem::path& home, int major);

}  // namespace steelyard
