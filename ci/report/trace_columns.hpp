// The columns of a table of a trace, filled from its rows, and such a table as Markdown.
//
//     class Columns : public TraceColumns<bench::KeyAverage> { ... add("Calls", [](const auto& row) { return ...; });
//     }; aligned_rows(columns.cells(), aligns_of(columns.kinds()), "");
#pragma once

#include <algorithm>
#include <cstddef>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "bench/model/text.hpp"
#include "ci/report/markup.hpp"

namespace steelyard::ci {

// What a column holds: figures stand to the right; words are ours, names are strangers' text.
enum class TraceCells { figures, words, names };

// Of the first rows of a list, which outlives it.
template <class Row>
class TraceColumns {
 public:
  std::size_t rows() const { return rows_.size(); }
  const std::vector<TraceCells>& kinds() const { return kinds_; }
  // The titles, then one line a row.
  const std::vector<std::vector<std::string>>& cells() const { return cells_; }

 protected:
  // most: -1: all.
  TraceColumns(std::span<const Row> rows, int most)
      : rows_(rows.first(most < 0 ? rows.size() : std::min(rows.size(), static_cast<std::size_t>(most)))),
        cells_(1 + rows_.size()) {}

  std::span<const Row> shown() const { return rows_; }
  // texts: one a row.
  void add_texts(std::string title, std::vector<std::string> texts, TraceCells kind) {
    kinds_.push_back(kind);
    cells_[0].push_back(std::move(title));
    for (std::size_t i = 0; i < rows_.size(); ++i) cells_[i + 1].push_back(std::move(texts[i]));
  }
  template <class Text>
  void add(std::string title, Text text, TraceCells kind = TraceCells::figures) {
    std::vector<std::string> texts;
    for (const Row& row : rows_) texts.push_back(text(row));
    add_texts(std::move(title), std::move(texts), kind);
  }
  template <class Has>
  bool any(Has has) const {
    return std::any_of(rows_.begin(), rows_.end(), has);
  }

 private:
  std::span<const Row> rows_;
  std::vector<TraceCells> kinds_;
  std::vector<std::vector<std::string>> cells_;
};

inline std::vector<Align> aligns_of(const std::vector<TraceCells>& kinds) {
  std::vector<Align> aligns;
  for (const TraceCells kind : kinds) aligns.push_back(kind == TraceCells::figures ? Align::right : Align::left);
  return aligns;
}

// The first row is the titles.
inline std::string markdown_rows(const std::vector<std::vector<std::string>>& rows,
                                 const std::vector<TraceCells>& kinds) {
  std::string text;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    for (std::size_t j = 0; j < rows[i].size(); ++j) {
      const bool is_strangers = i > 0 && kinds[j] == TraceCells::names;
      text += "| " + (is_strangers ? markdown::code(rows[i][j], true) : rows[i][j]) + " ";
    }
    text += "|\n";
    if (i > 0) continue;
    for (const Align align : aligns_of(kinds)) text += align == Align::left ? "|---" : "|---:";
    text += "|\n";
  }
  return text;
}

}  // namespace steelyard::ci
