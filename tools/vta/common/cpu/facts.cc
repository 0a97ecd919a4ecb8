#include "tools/vta/common/cpu/facts.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <set>
#include <sstream>
#include <utility>

#include "isa/support/error.h"

namespace vta::tools {
namespace {

constexpr std::string_view kFlags[] = {
    "avx",      "avx2",        "fma",         "avx_vnni",    "avx512f",  "avx512bw",
    "avx512vl", "avx512_vnni", "avx512_bf16", "avx512_fp16", "amx_tile", "amx_int8",
    "amx_bf16", "neon",        "asimd",       "asimddp",     "i8mm"};

std::string Trimmed(const std::string& text) {
  const size_t begin = text.find_first_not_of(" \t"), end = text.find_last_not_of(" \t");
  return begin == text.npos ? "" : text.substr(begin, end - begin + 1);
}

std::string CpuInfo() {
  std::ifstream file("/proc/cpuinfo");
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

std::string FirstLine(const std::string& path) {
  std::ifstream file(path);
  std::string line;
  std::getline(file, line);
  return line;
}

}  // namespace

CpuFacts ParseCpuInfo(std::string_view text) {
  CpuFacts facts{.name = "unknown"};
  std::set<std::pair<std::string, std::string>> cores;
  std::string package, line;
  for (std::istringstream lines{std::string(text)}; std::getline(lines, line);) {
    const size_t colon = line.find(':');
    if (colon == line.npos) continue;
    const std::string key = Trimmed(line.substr(0, colon)), value = Trimmed(line.substr(colon + 1));
    if (key == "processor") ++facts.logical_cores;
    if (key == "physical id") package = value;
    if (key == "core id") cores.emplace(package, value);
    if (key == "model name" && facts.name == "unknown" && !value.empty()) facts.name = value;
    if ((key != "flags" && key != "Features") || !facts.flags.empty()) continue;
    std::string flag;
    for (std::istringstream flags(value); flags >> flag;)
      if (std::ranges::find(kFlags, flag) != std::end(kFlags)) facts.flags.push_back(flag);
  }
  // In the order of the list, which the systems' own is not.
  std::ranges::sort(facts.flags, {},
                    [](const std::string& flag) { return std::ranges::find(kFlags, flag); });
  facts.physical_cores = cores.empty() ? facts.logical_cores : static_cast<int64_t>(cores.size());
  return facts;
}

CpuFacts ThisCpu() { return ParseCpuInfo(CpuInfo()); }

std::vector<int64_t> AllowedCores() {
  cpu_set_t allowed;
  if (sched_getaffinity(0, sizeof(allowed), &allowed) != 0)
    throw Error("CPU", "cores", "", std::strerror(errno));
  std::vector<int64_t> first, others;
  std::set<std::string> seen;
  for (int64_t core = 0; core < CPU_SETSIZE; ++core) {
    if (!CPU_ISSET(core, &allowed)) continue;
    const std::string siblings =
        FirstLine(StrCat("/sys/devices/system/cpu/cpu", core, "/topology/thread_siblings_list"));
    (siblings.empty() || seen.insert(siblings).second ? first : others).push_back(core);
  }
  first.insert(first.end(), others.begin(), others.end());
  return first;
}

OnCores::OnCores(const std::vector<int64_t>& cores) {
  cpu_set_t wanted;
  CPU_ZERO(&wanted);
  std::string names;
  for (int64_t core : cores) {
    names += StrCat(names.empty() ? "" : ",", core);
    if (core < 0 || core >= CPU_SETSIZE)
      throw Error("CPU", "core", StrCat(core), StrCat("must be in [0, ", CPU_SETSIZE - 1, "]"));
    CPU_SET(core, &wanted);
  }
  if (sched_getaffinity(0, sizeof(before_), &before_) != 0 ||
      sched_setaffinity(0, sizeof(wanted), &wanted) != 0)
    throw Error("CPU", "cores", names, StrCat("cannot stay there: ", std::strerror(errno)));
}

OnCores::~OnCores() { sched_setaffinity(0, sizeof(before_), &before_); }

}  // namespace vta::tools
