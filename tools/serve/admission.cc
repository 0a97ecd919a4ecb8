#include "tools/serve/admission.h"

#include <grpcpp/security/server_credentials.h>
#include <openssl/crypto.h>

#include "isa/support/error.h"

namespace vta::serve {

namespace remote = driver::remote;
using grpc::Status;

namespace {

std::shared_ptr<grpc::ServerCredentials> CredentialsOf(const remote::Credentials& own) {
  if (own.certificate.empty()) return grpc::InsecureServerCredentials();
  grpc::SslServerCredentialsOptions options(
      own.ca.empty() ? GRPC_SSL_DONT_REQUEST_CLIENT_CERTIFICATE
                     : GRPC_SSL_REQUEST_AND_REQUIRE_CLIENT_CERTIFICATE_AND_VERIFY);
  options.pem_root_certs = own.ca;
  options.pem_key_cert_pairs.push_back({own.key, own.certificate});
  return grpc::SslServerCredentials(options);
}

}  // namespace

Status AdmitCaller(const grpc::ServerContext& context, const remote::Credentials& own,
                   const std::function<void(const std::string&)>& log) {
  if (own.token.empty()) return Status::OK;
  const auto found = context.client_metadata().find(remote::kTokenKey);
  const bool shows = found != context.client_metadata().end();
  const std::string want = remote::kTokenPrefix + own.token;
  if (shows && found->second.size() == want.size() &&
      CRYPTO_memcmp(found->second.data(), want.data(), want.size()) == 0)
    return Status::OK;
  log(StrCat("refused: ", context.peer(), " shows ", shows ? "a wrong token" : "no token"));
  return {grpc::StatusCode::UNAUTHENTICATED,
          shows ? "refuses the token"
                : "wants a token, and none is shown: --credentials names the folder with it"};
}

Status RefusedCall(const std::exception& error) {
  return {grpc::StatusCode::FAILED_PRECONDITION, error.what()};
}

std::unique_ptr<grpc::Server> ListenAt(const remote::Address& listen,
                                       const remote::Credentials& own, grpc::Service& service,
                                       int64_t* port) {
  grpc::ServerBuilder builder;
  builder.AddChannelArgument(GRPC_ARG_ALLOW_REUSEPORT, 0);  // a port that is taken is an error
  builder.SetMaxReceiveMessageSize(remote::kMostMessageBytes);
  int got = 0;
  builder.AddListeningPort(listen.HostPort(), CredentialsOf(own), &got);
  builder.RegisterService(&service);
  std::unique_ptr<grpc::Server> server = builder.BuildAndStart();
  if (!server || got == 0)
    throw Error("--listen", "", listen.HostPort(),
                "cannot be listened at: the port may be taken, the host another machine's, or a "
                "certificate or key none");
  *port = got;
  return server;
}

}  // namespace vta::serve
