// What most tests and what they call need of the standard library's templates, optimised: the linker takes of each the
// first that it finds, which would be that of an unoptimised test, for the libraries that are tested as well.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

template class std::basic_string<char>;
template class std::basic_string_view<char>;
template class std::vector<std::string>;
template class std::vector<double>;
template class std::vector<std::int64_t>;
template class std::vector<std::size_t>;
template class std::vector<char>;
template const std::size_t& std::min(const std::size_t&, const std::size_t&);
template const std::size_t& std::max(const std::size_t&, const std::size_t&);
