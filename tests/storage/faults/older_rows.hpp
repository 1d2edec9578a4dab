// Databases as the programs of older versions left them: the first scripts, and the rows that such a program wrote.
#pragma once

#include <string>
#include <vector>

namespace steelyard::storage_test {

// The first program that was released had three scripts; what scripts 1 and 2 keep is a part of its rows.
inline constexpr int kFirstRecordedVersion = 3;

// Versions that have a file of rows (older/vN.rows), and those before the first of them; ascending.
std::vector<int> recorded_versions();
// A version's rows as one script; empty: there is no such file.
std::string older_rows(int version);
// Fills the empty database. Throws where that fails.
void make_older_database(const std::string& url, int version);

}  // namespace steelyard::storage_test
