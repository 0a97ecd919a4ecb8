// Runs the demo's network from C++ on all of its images, and compares the scores with expected
// ones. usage: digits PACKAGE IMAGES EXPECTED
#include <array>
#include <cstring>
#include <iostream>
#include <memory>
#include <vector>

#include "driver/functional/functional_device.h"
#include "isa/support/error.h"
#include "isa/support/file.h"
#include "runtime/session.h"

namespace {

std::span<const uint8_t> BytesOf(const auto& values) {
  return {reinterpret_cast<const uint8_t*>(values.data()), sizeof values};
}

int Run(const std::string& file, const std::string& images, const std::string& reference) {
  using namespace vta;
  const auto model = std::make_shared<runtime::Model>(isa::ReadPackage(file), file);
  std::unique_ptr<driver::Device> device;
  if (model->package().config)
    device = std::make_unique<driver::FunctionalDevice>(*model->package().config);
  runtime::Session session(model, device.get());

  const std::vector<uint8_t> pixels = ReadFile(images), expected = ReadFile(reference);
  std::array<float, 64> image;
  std::array<uint8_t, 10 * sizeof(float)> scores;
  const size_t count = pixels.size() / image.size();
  size_t equal = 0;
  for (size_t n = 0; n < count; ++n) {
    for (size_t i = 0; i < image.size(); ++i)
      image[i] = static_cast<float>(pixels[n * image.size() + i]) * 0.0625f;
    session.SetInput(0, BytesOf(image));
    session.Run();
    session.GetOutput(0, scores);
    equal += std::memcmp(scores.data(), expected.data() + n * scores.size(), scores.size()) == 0;
  }
  std::cout << equal << " of " << count << " equal\n";
  return equal == count ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    return argc == 4 ? Run(argv[1], argv[2], argv[3]) : 2;
  } catch (const vta::Error& error) {
    std::cerr << error.what() << "\n";
    return 1;
  }
}
