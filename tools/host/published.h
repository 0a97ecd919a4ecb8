// What others measured of networks on the CPUs of the model: some of it is fitted to these, the
// rest says what it is worth.
#pragma once

#include <array>
#include <string_view>

#include "tools/host/cpus.h"

namespace vta::tools {

struct PublishedNetwork {
  std::string_view network;       // of vta model
  std::array<double, kHosts> ms;  // in the order of kHostCpus; 0 where it did not run
  bool is_fitted = false;         // the model is to it
};

/// TVM 0.4, float32 at batch 1, all cores, tuned: "Automatic Kernel Optimization for Deep Learning
/// on All Hardware Platforms", 2018, the rows of "Xilinx PYNQ" and of "Raspberry Pi 3B".
inline constexpr PublishedNetwork kPublished[] = {
    {"resnet18", {1234.6, 314.4}, true},
    {"resnet50", {3580.5, 722.8}, true},
    {"mobilenet_v1", {723.5, 122.3}, true},
    {"mobilenet_v2", {514.3, 103.9}},
    {"squeezenet", {477.3, 94.2}},
    {"squeezenet1_0", {909.9, 185.2}},
    {"densenet121", {2888.3, 608.4}},
    {"inception_v3", {9709.1, 2065.7}},
    {"vgg16", {0, 1801.4}},
    {"vgg19", {0, 2124.2}},
};

}  // namespace vta::tools
