// A kernel's symbol as people read it: "_ZN9steelyard4cuda4geluIfEEvPKT_" becomes "steelyard::cuda::gelu<float>". Pure.
#pragma once

#include <string>

namespace steelyard::cuda {

// Without result, parameters and unnamed namespaces; the names that libraries write by hand stay as they are. A list of
// names is separated by ", " and the parts of a label by ";", so that neither is left in a name outside of brackets.
std::string readable_kernel_name(const std::string& symbol);

}  // namespace steelyard::cuda
