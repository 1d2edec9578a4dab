#include "tests/storage/faults/older_rows.hpp"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <regex>
#include <set>
#include <sstream>
#include <stdexcept>

#include "storage/postgres/sql/migrations.hpp"
#include "tests/must.hpp"

namespace steelyard::storage_test {
namespace {

namespace fs = std::filesystem;

const fs::path kOlder = fs::path(STEELYARD_FAULTS_FOLDER) / "older";
// Rows of these tables came with the second script.
constexpr const char* kOfSecondScript = "INSERT INTO steelyard.comparison|steelyard.comparison[a-z_]*_seq";

using testkit::must;

}  // namespace

std::vector<int> recorded_versions() {
  std::set<int> versions{1, 2};
  for (const auto& entry : fs::directory_iterator(kOlder)) {
    const std::string name = entry.path().filename().string();
    if (entry.path().extension() == ".rows") versions.insert(std::stoi(name.substr(1)));
  }
  return {versions.begin(), versions.end()};
}

std::string older_rows(int version) {
  std::ifstream file(kOlder / ("v" + std::to_string(std::max(version, kFirstRecordedVersion)) + ".rows"),
                     std::ios::binary);
  std::string text{std::istreambuf_iterator<char>(file), {}};
  if (version != 1) return text;
  std::string rows;
  const std::regex later(kOfSecondScript);
  std::istringstream lines(text);
  // No row of a comparison spans two lines.
  for (std::string line; std::getline(lines, line);) {
    if (!std::regex_search(line, later)) rows += line + '\n';
  }
  return rows;
}

void make_older_database(const std::string& url, int version) {
  storage::Session session = must(storage::Session::connect(url, "test"));
  must(storage::migrate(session, storage::known_migrations().first(static_cast<std::size_t>(version))));
  storage::Transaction transaction = must(storage::Transaction::begin(session));
  if (const auto written = transaction.run_script(older_rows(version)); !written) {
    throw std::runtime_error(written.error().text());
  }
  if (const auto done = transaction.commit(); !done) throw std::runtime_error(done.error().text());
}

}  // namespace steelyard::storage_test
