// Whoever issues the tokens of CI jobs, in a test.
#pragma once

#include <openssl/bn.h>
#include <openssl/core_names.h>
#include <openssl/evp.h>
#include <openssl/rsa.h>

#include <algorithm>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>

namespace steelyard::ci {

inline std::string base64url(const std::string& bytes) {
  constexpr const char* kDigits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
  std::string text;
  for (std::size_t at = 0; at < bytes.size(); at += 3) {
    std::uint32_t bits = 0;
    const std::size_t count = std::min<std::size_t>(3, bytes.size() - at);
    for (std::size_t i = 0; i < 3; ++i) bits = bits << 8 | (i < count ? static_cast<unsigned char>(bytes[at + i]) : 0U);
    for (std::size_t i = 0; i <= count; ++i) text += kDigits[bits >> (18 - 6 * i) & 63];
  }
  return text;
}

// Whoever signs tokens, with a key of their own.
class Issuer {
 public:
  Issuer() : key_(EVP_RSA_gen(2048)) {}
  ~Issuer() { EVP_PKEY_free(key_); }
  Issuer(const Issuer&) = delete;
  Issuer& operator=(const Issuer&) = delete;

  std::string token(const nlohmann::json& claims, nlohmann::json header = {{"alg", "RS256"}, {"kid", "one"}}) const {
    const std::string text = base64url(header.dump()) + '.' + base64url(claims.dump());
    return text + '.' + base64url(signed_text(text));
  }
  std::string keys(const std::string& id = "one") const {
    return nlohmann::json{
        {"keys",
         {{{"kty", "RSA"}, {"kid", id}, {"n", number(OSSL_PKEY_PARAM_RSA_N)}, {"e", number(OSSL_PKEY_PARAM_RSA_E)}}}}}
        .dump();
  }

 private:
  std::string signed_text(const std::string& text) const {
    EVP_MD_CTX* context = EVP_MD_CTX_new();
    EVP_DigestSignInit(context, nullptr, EVP_sha256(), nullptr, key_);
    std::string signature(256, '\0');
    std::size_t size = signature.size();
    EVP_DigestSign(context, reinterpret_cast<unsigned char*>(signature.data()), &size,
                   reinterpret_cast<const unsigned char*>(text.data()), text.size());
    EVP_MD_CTX_free(context);
    return signature;
  }
  std::string number(const char* which) const {
    BIGNUM* value = nullptr;
    EVP_PKEY_get_bn_param(key_, which, &value);
    std::string bytes(static_cast<std::size_t>(BN_num_bytes(value)), '\0');
    BN_bn2bin(value, reinterpret_cast<unsigned char*>(bytes.data()));
    BN_free(value);
    return base64url(bytes);
  }
  EVP_PKEY* key_;
};

}  // namespace steelyard::ci
