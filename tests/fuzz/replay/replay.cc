// Stands in for libFuzzer where its runtime is not linked: feeds a target its corpus, then seeded
// mutations of it. usage: TARGET CORPUS_FOLDER MUTATIONS. The input being tried is in
// <TARGET>.input, so a crash leaves it there.
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <random>
#include <string>
#include <vector>

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size);

namespace {

std::vector<std::string> ReadCorpus(const std::filesystem::path& folder) {
  std::vector<std::filesystem::path> files;
  if (std::filesystem::is_directory(folder)) {
    for (const auto& entry : std::filesystem::recursive_directory_iterator(folder)) {
      if (entry.is_regular_file()) files.push_back(entry.path());
    }
  }
  std::sort(files.begin(), files.end());
  std::vector<std::string> corpus = {""};
  for (const auto& path : files) {
    std::ifstream file(path, std::ios::binary);
    corpus.emplace_back(std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>());
  }
  return corpus;
}

/// One to four small changes: a byte, a bit, a cut, a repeated piece, a piece of another input.
std::string Mutate(std::string input, const std::vector<std::string>& corpus,
                   std::mt19937& random) {
  const auto below = [&](size_t limit) { return limit == 0 ? size_t{0} : random() % limit; };
  for (size_t change = 0, changes = 1 + below(4); change < changes; ++change) {
    const size_t at = below(input.size() + 1);
    const size_t length = below(std::min<size_t>(input.size() - at, 64) + 1);
    switch (below(5)) {
      case 0:
        if (at < input.size()) input[at] = static_cast<char>(random());
        break;
      case 1:
        if (at < input.size()) input[at] = static_cast<char>(input[at] ^ (1 << below(8)));
        break;
      case 2:
        input.erase(at, below(8) == 0 ? std::string::npos : length);
        break;
      case 3:
        input.insert(at, input.substr(at, length));
        break;
      default: {
        const std::string& other = corpus[below(corpus.size())];
        input.insert(at, other.substr(below(other.size() + 1), below(64)));
      }
    }
  }
  return input;
}

void Try(const std::string& input, const std::string& left_behind) {
  std::ofstream(left_behind, std::ios::binary) << input;
  LLVMFuzzerTestOneInput(reinterpret_cast<const uint8_t*>(input.data()), input.size());
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3) {
    std::fprintf(stderr, "usage: %s CORPUS_FOLDER MUTATIONS\n", argv[0]);
    return 2;
  }
  const std::string left_behind = std::string(argv[0]) + ".input";
  const std::vector<std::string> corpus = ReadCorpus(argv[1]);
  for (const std::string& input : corpus) Try(input, left_behind);
  std::mt19937 random(1);
  const int64_t mutations = std::atoll(argv[2]);
  for (int64_t i = 0; i < mutations; ++i) {
    Try(Mutate(corpus[random() % corpus.size()], corpus, random), left_behind);
  }
  std::filesystem::remove(left_behind);
  std::printf("%zu inputs and %lld mutations\n", corpus.size(), static_cast<long long>(mutations));
}
