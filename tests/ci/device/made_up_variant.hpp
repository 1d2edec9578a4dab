// What differs between two builds of made_up_program.cpp.
#pragma once

namespace steelyard::testkit {

struct MadeUpVariant {
  double ns;     // of one product
  double clock;  // while it is multiplied, Hz
  const char* uuid;
  const char* kernel;
};

extern const MadeUpVariant kMadeUpVariant;

}  // namespace steelyard::testkit
