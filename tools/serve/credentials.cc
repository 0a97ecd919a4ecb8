// What both sides of a connection show each other: a token, and certificates of an authority of
// their own.
#include <fcntl.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/rand.h>
#include <openssl/x509v3.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <memory>

#include "isa/support/error.h"
#include "tools/serve/serve.h"

namespace vta::serve {
namespace {

namespace fs = std::filesystem;

constexpr int kTokenBytes = 32, kSerialBytes = 16;
constexpr long kSecondsOfDay = 86400;

template <auto kFree>
struct Freed {
  template <typename T>
  void operator()(T* pointer) const {
    kFree(pointer);
  }
};
using Key = std::unique_ptr<EVP_PKEY, Freed<EVP_PKEY_free>>;
using Certificate = std::unique_ptr<X509, Freed<X509_free>>;

void Require(bool good) { VTA_CHECK(good, "OpenSSL refuses what it can do"); }

Key NewKey() {
  Key key(EVP_EC_gen("P-256"));
  Require(key != nullptr);
  return key;
}

void AddExtension(X509* certificate, X509* issuer, int kind, const std::string& value) {
  X509V3_CTX context;
  X509V3_set_ctx_nodb(&context);
  X509V3_set_ctx(&context, issuer, certificate, nullptr, nullptr, 0);
  const std::unique_ptr<X509_EXTENSION, Freed<X509_EXTENSION_free>> extension(
      X509V3_EXT_conf_nid(nullptr, &context, kind, value.c_str()));
  Require(extension && X509_add_ext(certificate, extension.get(), -1) == 1);
}

enum class Use { kAuthority, kServer, kClient };

/// Signed by the issuer; by itself where that is null.
Certificate Sign(EVP_PKEY* key, const std::string& name, Use use, X509* issuer,
                 EVP_PKEY* issuer_key, int64_t days) {
  Certificate certificate(X509_new());
  X509* const x509 = certificate.get();
  Require(x509 && X509_set_version(x509, 2) == 1);
  std::array<unsigned char, kSerialBytes> serial;
  Require(RAND_bytes(serial.data(), kSerialBytes) == 1);
  serial[0] &= 0x7f;  // it is positive
  const std::unique_ptr<BIGNUM, Freed<BN_free>> number(
      BN_bin2bn(serial.data(), kSerialBytes, nullptr));
  Require(BN_to_ASN1_INTEGER(number.get(), X509_get_serialNumber(x509)) != nullptr);
  // Clocks of two machines differ.
  X509_gmtime_adj(X509_getm_notBefore(x509), -kSecondsOfDay);
  X509_gmtime_adj(X509_getm_notAfter(x509), static_cast<long>(days) * kSecondsOfDay);
  X509_NAME* const subject = X509_get_subject_name(x509);
  Require(X509_NAME_add_entry_by_txt(subject, "CN", MBSTRING_ASC,
                                     reinterpret_cast<const unsigned char*>(name.c_str()), -1, -1,
                                     0) == 1);
  X509* const signer = issuer ? issuer : x509;
  X509_set_issuer_name(x509, X509_get_subject_name(signer));
  X509_set_pubkey(x509, key);
  const bool is_authority = use == Use::kAuthority;
  AddExtension(x509, signer, NID_basic_constraints,
               is_authority ? "critical,CA:TRUE,pathlen:0" : "critical,CA:FALSE");
  AddExtension(x509, signer, NID_key_usage,
               is_authority ? "critical,keyCertSign" : "critical,digitalSignature");
  if (!is_authority)
    AddExtension(x509, signer, NID_ext_key_usage,
                 // One that announces itself is a tracker's client.
                 use == Use::kServer ? "serverAuth,clientAuth" : "clientAuth");
  if (use == Use::kServer)
    AddExtension(x509, signer, NID_subject_alt_name, StrCat("DNS:", driver::remote::kServerName));
  Require(X509_sign(x509, issuer_key, EVP_sha256()) > 0);
  return certificate;
}

template <typename Write>
std::string Pem(const Write& write) {
  const std::unique_ptr<BIO, Freed<BIO_free_all>> memory(BIO_new(BIO_s_mem()));
  Require(memory && write(memory.get()) == 1);
  char* data = nullptr;
  const long bytes = BIO_get_mem_data(memory.get(), &data);
  return {data, static_cast<size_t>(bytes)};
}

std::string PemOf(X509* certificate) {
  return Pem([&](BIO* out) { return PEM_write_bio_X509(out, certificate); });
}
std::string PemOf(EVP_PKEY* key) {
  return Pem([&](BIO* out) {
    return PEM_write_bio_PrivateKey(out, key, nullptr, nullptr, 0, nullptr, nullptr);
  });
}

std::string NewToken() {
  std::array<unsigned char, kTokenBytes> bytes;
  Require(RAND_bytes(bytes.data(), kTokenBytes) == 1);
  std::string token;
  for (const unsigned char byte : bytes) token += Hex(byte, 2).substr(2);
  return token;
}

/// That only this user may read.
void WriteSecret(const fs::path& path, const std::string& text) {
  const int file = open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
  const bool good = file >= 0 && write(file, text.data(), text.size()) == std::ssize(text);
  const int error = errno;
  if (file >= 0) close(file);
  if (!good) throw Error(path, "cannot write", "", std::strerror(error));
}

void MakeFolder(const fs::path& path) {
  if (mkdir(path.c_str(), 0700) != 0 && errno != EEXIST)
    throw Error(path, "cannot write", "", std::strerror(errno));
}

void WriteSide(const fs::path& folder, const std::string& token, X509* authority, X509* own,
               EVP_PKEY* key) {
  MakeFolder(folder);
  WriteSecret(folder / "token", token + "\n");
  WriteSecret(folder / "ca.pem", PemOf(authority));
  WriteSecret(folder / "certificate.pem", PemOf(own));
  WriteSecret(folder / "key.pem", PemOf(key));
}

}  // namespace

extern "C" void vta_remote_make_credentials(const std::string& folder, int64_t days) {
  std::error_code ignored;
  if (fs::exists(folder, ignored) && !fs::is_empty(folder, ignored))
    throw Error(folder, "", "", "holds something: credentials go into a folder of their own");
  MakeFolder(folder);
  const std::string token = NewToken();
  const Key authority_key = NewKey(), server_key = NewKey(), client_key = NewKey();
  const Certificate authority = Sign(authority_key.get(), "vta authority", Use::kAuthority, nullptr,
                                     authority_key.get(), days);
  const auto sign = [&](const Key& key, const char* name, Use use) {
    return Sign(key.get(), name, use, authority.get(), authority_key.get(), days);
  };
  const Certificate server = sign(server_key, "vta server", Use::kServer);
  const Certificate client = sign(client_key, "vta client", Use::kClient);
  WriteSide(fs::path(folder) / "server", token, authority.get(), server.get(), server_key.get());
  WriteSide(fs::path(folder) / "client", token, authority.get(), client.get(), client_key.get());
}

}  // namespace vta::serve
