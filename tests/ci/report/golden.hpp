// Compares text with a file of tests/golden byte for byte. A mismatch fails with the lines that differ and leaves what
// came out in <name>.got beside the test program; UPDATE_GOLDEN=1 in the environment rewrites the file instead.
#pragma once

#include <string>

namespace steelyard::golden {

void expect_equal(const std::string& got, const std::string& name);  // name: below tests/golden, "report/x.out"

}  // namespace steelyard::golden
