// The spool's way into a store.
//
//     STEELYARD_TRY(const Spool::Delivery done, spool.deliver(destination(store)));
#pragma once

#include "storage/spool/spool.hpp"
#include "storage/store.hpp"

namespace steelyard::storage {

// Not for use after the store.
Spool::Destination destination(Store& store);

}  // namespace steelyard::storage
