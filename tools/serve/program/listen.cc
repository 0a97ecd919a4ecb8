#include "tools/serve/program/listen.h"

#include <CLI/CLI.hpp>

#include "isa/support/error.h"
#include "tools/shared/usage.h"

namespace vta::tools {

namespace remote = driver::remote;

remote::Address HostPortOf(const std::string& text, const std::string& option) {
  try {
    return remote::ParseHostPort(text, option);
  } catch (const Error& error) {
    throw UsageError(error.where(), "", error.value(), error.rule());
  }
}

void AddListenTo(CLI::App& app, ListenOptions& options) {
  app.option_defaults()->group("Network");
  app.add_option("--listen", options.listen,
                 "where: other machines reach what is no loopback, which needs --credentials; port "
                 "0 is one that is free")
      ->type_name("HOST:PORT")
      ->capture_default_str();
  app.add_option("--credentials", options.credentials,
                 "a folder with what clients must show and this side shows: token, or ca.pem, "
                 "certificate.pem and key.pem, or all")
      ->type_name("FOLDER");
}

Listening ListenOf(const ListenOptions& options, const std::string& program) {
  Listening listening{HostPortOf(options.listen, "--listen"),
                      remote::ReadCredentials(options.credentials)};
  const remote::Credentials& own = listening.credentials;
  if (!listening.at.IsLoopback() && own.token.empty() && own.ca.empty())
    throw UsageError("--listen", "", options.listen,
                     StrCat("can be reached from other machines, for which --credentials is "
                            "needed: ",
                            program, " --make-credentials makes some"));
  return listening;
}

}  // namespace vta::tools
