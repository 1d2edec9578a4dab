// The sudden end of an embedded server: as a machine that loses its power, or the kernel's killer of processes that ate
// the memory.
#pragma once

#include <filesystem>

namespace steelyard::storage_test {

// kill -9 of the server and all its processes. data: EmbeddedServer::data.
void kill_server(const std::filesystem::path& data);

}  // namespace steelyard::storage_test
