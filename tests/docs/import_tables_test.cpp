// The tables of docs/guide/importing.md have the rows of the code, and no others.
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <string>
#include <string_view>
#include <vector>

#include "bench/formats/import_formats.hpp"
#include "ci/report/exports.hpp"

namespace steelyard::documentation::import_tables_test {
namespace {

// The rows below the table's head, as they stand there.
std::vector<std::string> rows_below(const std::string& head) {
  std::ifstream page(std::string(STEELYARD_SOURCE_FOLDER) + "/docs/guide/importing.md");
  std::vector<std::string> rows;
  bool is_inside = false;
  for (std::string line; std::getline(page, line);) {
    if (is_inside && !line.starts_with('|')) break;
    if (is_inside && !line.starts_with("|--")) rows.push_back(line);
    if (line == head) is_inside = true;
  }
  return rows;
}

// Of two tables the first row that differs; empty: none does.
std::string first_difference(const std::vector<std::string>& on_the_page, const std::vector<std::string>& of_the_code) {
  for (std::size_t i = 0; i < std::max(on_the_page.size(), of_the_code.size()); ++i) {
    const std::string found = i < on_the_page.size() ? on_the_page[i] : "no row";
    if (i >= of_the_code.size()) return "remove this row from docs/guide/importing.md: " + found;
    if (found != of_the_code[i]) {
      return "paste into docs/guide/importing.md: " + of_the_code[i] + "\nwhere there is now: " + found;
    }
  }
  return "";
}

std::string quoted(std::string_view name) { return '`' + std::string(name) + '`'; }

TEST(ImportTables, ADifferenceIsToldAsTheRowToPaste) {
  EXPECT_EQ(first_difference({"a", "b"}, {"a", "b"}), "");
  EXPECT_EQ(first_difference({"a"}, {"a", "b"}), "paste into docs/guide/importing.md: b\nwhere there is now: no row");
  EXPECT_EQ(first_difference({"a", "c", "d"}, {"a", "b", "c", "d"}),
            "paste into docs/guide/importing.md: b\nwhere there is now: c");
  EXPECT_EQ(first_difference({"a", "b"}, {"a"}), "remove this row from docs/guide/importing.md: b");
}

TEST(ImportTables, FormatsAreThoseThatImportTakes) {
  std::vector<std::string> rows;
  for (const bench::ImportFormat& format : bench::import_formats()) {
    rows.push_back("| " + quoted(format.name) + " | " + std::string(format.what) + " | " + std::string(format.samples) +
                   " | " + std::string(format.processes) + " |");
  }
  EXPECT_EQ(first_difference(rows_below("| format | written by | of each benchmark | a process is |"), rows), "");
}

TEST(ImportTables, FieldsAreThoseOfPlainSamples) {
  std::vector<std::string> rows;
  for (const bench::SampleField& field : bench::sample_fields()) {
    rows.push_back("| " + quoted(field.name) + (field.is_needed ? " (needed)" : "") + " | " + std::string(field.what) +
                   " |");
  }
  EXPECT_EQ(first_difference(rows_below("| field | what it says |"), rows), "");
}

TEST(ImportTables, ExportsAreThoseThatExportWrites) {
  std::vector<std::string> rows;
  for (const ci::ExportFormat& format : ci::export_formats()) {
    rows.push_back("| " + quoted(format.name) + " | " + (format.ending.empty() ? "" : quoted(format.ending)) + " | " +
                   std::string(format.what) + " |");
  }
  EXPECT_EQ(first_difference(rows_below("| format | of a name in | what it holds |"), rows), "");
}

}  // namespace
}  // namespace steelyard::documentation::import_tables_test
