// Names of spans and kernels in the width of a table's column.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace steelyard::ci {

// A kernel's name without its result, its parameters and namespaces, also within the arguments of its template:
// "void a::(anonymous namespace)::gelu<a::Bf16>(a::Bf16 const*)" is "gelu<Bf16>". Names that libraries write by hand
// ("nvjet_sm90_tst_64x24") stay as they are.
std::string short_kernel_name(const std::string& name);

// In one line of at most `columns`, "..." in place of what is cut off at the end, or at the beginning.
std::string cut_right(const std::string& text, std::size_t columns);
std::string cut_left(const std::string& text, std::size_t columns);

// The names of one table's rows, cut at their ends; up to a thousand that would look alike are cut where they do not
// differ.
std::vector<std::string> fitted_names(const std::vector<std::string>& names, std::size_t columns);

struct TraceName {
  std::string name;
  bool is_on_device = false;
};
// The same, kernels by their short names, but for those of one short name.
std::vector<std::string> fitted_names(const std::vector<TraceName>& names, std::size_t columns);

}  // namespace steelyard::ci
