// The person on whose behalf the program does something, as the audit trail names them.
#pragma once

#include <string>

namespace steelyard {

// As named; else the CI system's user, else the login name.
std::string person_or_login(const std::string& named);

}  // namespace steelyard
