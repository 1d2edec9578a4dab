// C++ names as debuggers print them, made short enough for a line. For showing and for guessing whose they are, never
// for matching: two overloads become one.
#pragma once

#include <string>
#include <string_view>

namespace steelyard {

// Without the return type, which templates are printed with: "void std::vector<int>::push_back(int)" begins with std.
std::string_view qualified_name(std::string_view function);

// "std::vector<>::push_back": without return type, parameters, template arguments and the marks of clones.
std::string short_function_name(std::string_view function);

}  // namespace steelyard
