// Peers that scripts play, and the real one where it is installed.
#include "tools/vta/bench/peer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>

#include "compiler/models/models.h"
#include "tests/support/error_of.h"
#include "tests/unit/tools/fake_peer.h"
#include "tools/vta/common/cpu/facts.h"

namespace vta::tools {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::Pair;

TEST(PeerTest, LoadsRunsAndGivesOutputs) {
  const FakePeer fake("", Floats({1.5f, -2}));
  Peer peer(fake.options());
  const PeerModel model = peer.Load("a \"model\".onnx", {{"x", Floats({1, 2, 3})}});
  EXPECT_EQ(model.runtime, "Fake");
  EXPECT_EQ(model.version, "1.2");
  EXPECT_THAT(model.providers, ElementsAre("A", "B"));
  EXPECT_THAT(model.nodes, testing::Contains(Pair("com.x.QLinearConv", 3)));
  EXPECT_THAT(peer.Run(3), ElementsAre(2000, 2000, 2000));
  EXPECT_EQ(peer.Outputs().at("y"), Floats({1.5f, -2}));
  EXPECT_THAT(fake.requests(),
              HasSubstr(R"({"do":"load","model":"a \"model\".onnx","inputs":{"x":)"));
  EXPECT_THAT(fake.requests(), HasSubstr("{\"do\":\"run\",\"count\":3}\n{\"do\":\"output\"}\n"));
}

TEST(PeerTest, InputsAreFilesWhileItLives) {
  // Its output is its input: the file that the first request names.
  const FakePeer fake(R"sh(*'"do":"run"'*)
      cp "$(sed -n 's/.*"x":"\([^"]*\)".*/\1/p' "$here/requests")" "$here/y.npy"
      echo '{"ns": [1]}' ;;)sh");
  std::string input;
  {
    Peer peer(fake.options());
    peer.Load("m", {{"x", Floats({4, 5})}});
    peer.Run(1);
    EXPECT_EQ(peer.Outputs().at("y"), Floats({4, 5}));
    const std::string requests = fake.requests();
    const size_t begin = requests.find("\"x\":\"") + 5;
    input = requests.substr(begin, requests.find('"', begin) - begin);
    EXPECT_TRUE(std::filesystem::exists(input));
  }
  EXPECT_FALSE(std::filesystem::exists(input));
}

TEST(PeerTest, CountsWhatRunsInInt8) {
  PeerModel model;
  model.nodes = {{"Conv", 2},
                 {"QuantizeLinear", 5},
                 {"com.microsoft.QGemm", 1},
                 {"QLinearConv", 4},
                 {"com.microsoft.QLinearAdd", 3},
                 {"com.microsoft.nchwc.Conv", 7},
                 {"Relu", 6},
                 {"com.microsoft.nchwc.ReorderInput", 9},
                 {"MaxPool", 1},
                 {"FusedMatMul", 1}};
  const PeerPrecision precision = PrecisionOf(model);
  EXPECT_EQ(precision.in_int8, 1 + 4 + 3);
  EXPECT_EQ(precision.in_float, 2 + 7 + 6 + 1);
  EXPECT_EQ(precision.products_in_int8, 1 + 4);
  EXPECT_EQ(precision.products_in_float, 2 + 7 + 1);
}

TEST(PeerTest, SaysWhatThePeerSaysOfItsFailure) {
  const FakePeer fake(R"(*'"do":"load"'*) echo '{"error": "NoSuchFile: m"}' ;;)");
  Peer peer(fake.options());
  EXPECT_EQ(ErrorOf([&] { peer.Load("m", {}); }), "fake: load: failed: NoSuchFile: m");
  EXPECT_EQ(peer.Run(1).size(), 1u);  // it goes on
}

TEST(PeerTest, SaysThatItCannotBeStarted) {
  PeerOptions options;
  options.command = {"/nonexistent/python"};
  EXPECT_EQ(ErrorOf([&] { Peer peer(options); }),
            "/nonexistent/python: cannot run: No such file or directory");
}

TEST(PeerTest, SaysHowItEndedAndItsLastWords) {
  const FakePeer fake(R"(*'"do":"load"'*) echo 'ImportError: no numpy' >&2; exit 3 ;;
    *'"do":"output"'*) kill -9 $$ ;;)");
  Peer peer(fake.options());
  EXPECT_EQ(ErrorOf([&] { peer.Load("m", {}); }),
            "fake: ended with exit status 3\nImportError: no numpy");
  EXPECT_EQ(ErrorOf([&] { peer.Run(1); }), "fake: has ended\nImportError: no numpy");
  Peer other(fake.options());
  EXPECT_EQ(ErrorOf([&] { other.Outputs(); }), "fake: ended by signal 9");
}

TEST(PeerTest, AnEndBeforeTheFirstRequestIsNoSignal) {
  PeerOptions options;
  options.command = {"/bin/false"};
  Peer peer(options);
  usleep(100'000);
  EXPECT_EQ(ErrorOf([&] { peer.Run(1); }), "peer: ended with exit status 1");
}

TEST(PeerTest, GivesUpWaiting) {
  const FakePeer fake("*) exec sleep 50 ;;");
  PeerOptions options = fake.options();
  options.limit_s = 0.2;
  Peer peer(options);
  EXPECT_EQ(ErrorOf([&] { peer.Run(1); }), "fake: gave no answer in 0.2 s");
}

TEST(PeerTest, IsNotWaitedForWhereItClosesItsEndsAndLivesOn) {
  const FakePeer fake("*) exec sleep 50 <&- >&- ;;");
  PeerOptions options = fake.options();
  options.limit_s = 0.2;
  const auto start = std::chrono::steady_clock::now();
  Peer peer(options);
  EXPECT_EQ(ErrorOf([&] { peer.Run(1); }),
            "fake: closed its output, but had not ended 0.2 s later");
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(30));
}

TEST(PeerTest, RefusesOtherAnswers) {
  const struct {
    const char *answer, *message;
  } kCases[] = {
      {"hello", "fake: answer 'hello': is no JSON"},
      {"{}", "fake: run: ns: is missing"},
      {R"({"ns": [1]})", "fake: run: ns = [1]: must hold 2 times above 0"},
      {R"({"ns": [1, 0]})", "fake: run: ns = [1,0]: must hold 2 times above 0"},
      {R"({"ns": [1, "x"]})", "fake: run: ns = [1,\"x\"]: must hold 2 times above 0"},
  };
  for (const auto& [answer, message] : kCases) {
    const FakePeer fake(StrCat("*) echo '", answer, "' ;;"));
    Peer peer(fake.options());
    EXPECT_EQ(ErrorOf([&] { peer.Run(2); }), message);
  }
}

TEST(PeerTest, RefusesAPeerThatStrays) {
  const FakePeer fake;
  PeerOptions options = fake.options();
  options.command = {"/bin/sh", options.command[1], "7"};  // stands for the cores
  Peer peer(options);
  EXPECT_EQ(ErrorOf([&] { peer.Load("m", {}); }),
            "fake: cores: are not those that it was told to stay on");
}

TEST(OnnxRuntimePeerTest, RunsANetworkInInt8) {
  PeerOptions options;
  try {
    options = OnnxRuntimePeer({AllowedCores().front()}, 1);
  } catch (const Error& error) {
    GTEST_SKIP() << "skipped: no ONNX Runtime: " << error.what();
  }
  const Temporary file(testing::TempDir() + StrCat("/vta_peer_test_", getpid(), ".onnx"));
  Peer peer(options);
  compiler::Tensor image(compiler::TensorType{compiler::DType::kFloat32, {1, 3, 32, 32}});
  NamedTensors outputs[2];
  for (const auto type : {compiler::ModelType::kUint8, compiler::ModelType::kFloat}) {
    compiler::BuildModel("resnet_tiny", 1, file.path(), type);
    const PeerModel model = peer.Load(file.path(), {{"image", image}});
    EXPECT_EQ(model.runtime, "ONNX Runtime");
    EXPECT_EQ(model.version, "1.31.1");
    EXPECT_THAT(model.providers, ElementsAre("CPUExecutionProvider"));
    const PeerPrecision precision = PrecisionOf(model);
    const bool is_float = type == compiler::ModelType::kFloat;
    EXPECT_EQ(precision.products_in_int8, is_float ? 0 : 7);
    EXPECT_EQ(precision.products_in_float, is_float ? 7 : 0);
    EXPECT_EQ(precision.in_int8 > 0, !is_float);
    EXPECT_EQ(precision.in_float > 0, is_float);
    EXPECT_EQ(peer.Run(2).size(), 2u);
    outputs[is_float] = peer.Outputs();
    EXPECT_EQ(outputs[is_float].at("logits").shape(), (compiler::Shape{1, 10}));
  }
  EXPECT_NE(outputs[0], outputs[1]);
  EXPECT_THAT(ErrorOf([&] { peer.Load("/nonexistent.onnx", {}); }),
              HasSubstr("ONNX Runtime: load: failed: NoSuchFile: "));
}

}  // namespace
}  // namespace vta::tools
