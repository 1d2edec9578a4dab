#include "ci/run.hpp"
namespace steelyard {
int run_program(const std::vector<std::string>&, std::istream&, std::ostream&, std::ostream&) { return 70; }
}  // namespace steelyard
