#include "tests/ci/service/test_certificates.hpp"

#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/x509v3.h>

#include <cstdio>
#include <memory>
#include <stdexcept>

namespace steelyard::ci {
namespace {

constexpr long kDay = 86'400;

struct Freeing {
  void operator()(EVP_PKEY* key) const { EVP_PKEY_free(key); }
  void operator()(X509* certificate) const { X509_free(certificate); }
  void operator()(X509_EXTENSION* extension) const { X509_EXTENSION_free(extension); }
  void operator()(std::FILE* file) const { std::fclose(file); }
};
using Key = std::unique_ptr<EVP_PKEY, Freeing>;
using Certificate = std::unique_ptr<X509, Freeing>;
using File = std::unique_ptr<std::FILE, Freeing>;

void need(bool done, const char* what) {
  if (!done) throw std::runtime_error(what);
}

File open_file(const std::filesystem::path& path, const char* mode) {
  File file(std::fopen(path.c_str(), mode));
  need(file != nullptr, path.c_str());
  return file;
}

void add_extension(X509* certificate, X509* issuer, int what, const std::string& value) {
  X509V3_CTX context;
  X509V3_set_ctx(&context, issuer, certificate, nullptr, nullptr, 0);
  const std::unique_ptr<X509_EXTENSION, Freeing> one(X509V3_EXT_conf_nid(nullptr, &context, what, value.c_str()));
  need(one && X509_add_ext(certificate, one.get(), -1) == 1, value.c_str());
}

// issuer: null for one that is its own.
MadeCertificate make(const std::filesystem::path& file, const MadeCertificate* issuer, const std::string& alternatives,
                     long seconds) {
  const Key key(EVP_EC_gen("P-256"));
  const Certificate certificate(X509_new());
  need(key && certificate, "a key");
  X509_set_version(certificate.get(), 2);
  static long serial = 0;
  ASN1_INTEGER_set(X509_get_serialNumber(certificate.get()), ++serial);
  X509_gmtime_adj(X509_getm_notBefore(certificate.get()), -10 * kDay);
  X509_gmtime_adj(X509_getm_notAfter(certificate.get()), seconds);
  X509_set_pubkey(certificate.get(), key.get());
  const std::string name = file.filename().string() + " of a test";
  X509_NAME_add_entry_by_txt(X509_get_subject_name(certificate.get()), "CN", MBSTRING_ASC,
                             reinterpret_cast<const unsigned char*>(name.c_str()), -1, -1, 0);
  Certificate signer;
  Key signing;
  if (issuer != nullptr) {
    signer.reset(PEM_read_X509(open_file(issuer->certificate, "r").get(), nullptr, nullptr, nullptr));
    signing.reset(PEM_read_PrivateKey(open_file(issuer->key, "r").get(), nullptr, nullptr, nullptr));
    need(signer && signing, "the issuer's files");
  }
  X509* const by = issuer == nullptr ? certificate.get() : signer.get();
  X509_set_issuer_name(certificate.get(), X509_get_subject_name(by));
  add_extension(certificate.get(), by, NID_basic_constraints, issuer == nullptr ? "critical,CA:TRUE" : "CA:FALSE");
  if (!alternatives.empty()) add_extension(certificate.get(), by, NID_subject_alt_name, alternatives);
  need(X509_sign(certificate.get(), issuer == nullptr ? key.get() : signing.get(), EVP_sha256()) != 0, "a signature");
  MadeCertificate made{file.string() + ".pem", file.string() + ".key"};
  need(PEM_write_X509(open_file(made.certificate, "w").get(), certificate.get()) == 1, "its file");
  need(PEM_write_PrivateKey(open_file(made.key, "w").get(), key.get(), nullptr, nullptr, 0, nullptr, nullptr) == 1,
       "its key's file");
  return made;
}

}  // namespace

TestAuthority::TestAuthority(const std::filesystem::path& file) : own_(make(file, nullptr, "", 100 * kDay)) {}

MadeCertificate TestAuthority::issue(const std::filesystem::path& file, const std::string& alternatives,
                                     long seconds) const {
  return make(file, &own_, alternatives, seconds);
}

}  // namespace steelyard::ci
