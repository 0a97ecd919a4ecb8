// A peer that a script plays.
#pragma once

#include <unistd.h>

#include <filesystem>
#include <string>

#include "isa/support/error.h"
#include "isa/support/file.h"
#include "isa/support/temporary.h"
#include "tools/vta/bench/peer.h"
#include "tools/vta/common/tensor_file.h"

namespace vta::tools {

inline compiler::Tensor Floats(const std::vector<float>& values) {
  return compiler::Tensor::Of<float>({static_cast<int64_t>(values.size())}, values);
}

/// Answers a load as the real one does, runs of 2,000 ns, and `output` as output "y". `cases` are
/// of a shell's case, before those: what it answers instead. $0 is the script, so that it can name
/// files beside it.
class FakePeer {
 public:
  explicit FakePeer(const std::string& cases = "", const compiler::Tensor& output = Floats({1}))
      : folder_(testing::TempDir() + StrCat("/vta_fake_peer_", getpid())) {
    std::filesystem::create_directories(folder_.path());
    const std::string npy = folder_.path() + "/y.npy";
    WriteFileAtomically(npy, SerializeTensorFile(output, npy));
    WriteFileAtomically(folder_.path() + "/peer.sh", StrCat(R"(core=$1 threads=$2
here=${0%/*}
while read -r line; do
  printf '%s\n' "$line" >>"$here/requests"
  case $line in
)",
                                                            cases, R"(
    *'"do":"load"'*) echo '{"runtime": "Fake", "version": "1.2", "providers": ["A", "B"], "cores": ['$core'], "threads": '$threads',' \
      '"nodes": {"QuantizeLinear": 1, "com.x.QLinearConv": 3, "Conv": 2, "Relu": 1, "MaxPool": 1}}' ;;
    *'"do":"run"'*) count=${line##*:}; count=${count%\}}; times=2000
      while [ "$count" -gt 1 ]; do times="$times, 2000"; count=$((count - 1)); done; echo "{\"ns\": [$times]}" ;;
    *) echo '{"files": {"y": "'"$here/y.npy"'"}}' ;;
  esac
done
)"));
  }

  PeerOptions options() const {
    PeerOptions options;
    options.name = "fake";
    options.command = {"/bin/sh", folder_.path() + "/peer.sh"};
    options.limit_s = 60;
    return options;
  }
  /// All that it was asked, line after line.
  std::string requests() const { return ReadTextFile(folder_.path() + "/requests"); }

 private:
  Temporary folder_;
};

}  // namespace vta::tools
