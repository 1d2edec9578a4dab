// The service that stands in place of a store, asked over HTTP: CI jobs then need a token and no database. The token is
// $STEELYARD_TOKEN, or what the file $STEELYARD_TOKEN_FILE holds; it is never an argument. A service that lets anybody
// read needs none for that.
//
//     STEELYARD_TRY(std::unique_ptr<storage::StoreService> service, connect_to_service("https://steelyard.example"));
//
// Each request is tried a few times within bounds of time (ServiceApi); what is put may be sent again, as it is put
// once.
#pragma once

#include <memory>
#include <string>

#include "bench/model/result.hpp"
#include "ci/http/service_api.hpp"
#include "storage/store_service.hpp"

namespace steelyard::ci {

// Whether a token is given, whatever it is.
bool has_store_token();

// Asks who we are there, so that a service that is away, another server, an older service or a token that is none is
// told at once. address: as check_api_address() gives it. Errors: store; input, where the token cannot be read.
Result<std::unique_ptr<storage::StoreService>> connect_to_service(const std::string& address,
                                                                  ApiTransport transport = network_transport());

}  // namespace steelyard::ci
