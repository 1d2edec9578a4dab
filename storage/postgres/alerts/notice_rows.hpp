// Who was told how alerts stand, as the database keeps it: facts that are only added. Whoever tells claims beforehand,
// in a transaction of its own, so that nothing is held while a service answers.
#pragma once

#include <vector>

#include "bench/model/result.hpp"
#include "storage/model/alert.hpp"
#include "storage/postgres/session/session.hpp"

namespace steelyard::storage {

Result<std::vector<AlertNotice>> claim_notices(Session& session, const std::vector<AlertNotice>& wanted,
                                               const NoticeClaim& claim);
Result<void> settle_notices(Session& session, const std::vector<AlertNotice>& claimed, bool is_told,
                            const NoticeClaim& claim);

}  // namespace steelyard::storage
