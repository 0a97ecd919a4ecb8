#include "tools/vta/common/farm/machine.h"

#include <algorithm>
#include <chrono>
#include <memory>
#include <thread>
#include <vector>

namespace vta::tools {
namespace {

using namespace std::chrono_literals;

/// Of workers of that build, by their names.
std::vector<farm::Machine> MachinesThere(farm::Link& link, const MachineWanted& wanted) {
  std::vector<farm::Machine> machines;
  for (const auto& [worker, facts] : farm::Workers(link))
    if (facts.build == wanted.build && facts.machine && facts.machine->target == wanted.target &&
        std::ranges::count(machines, *facts.machine) == 0)
      machines.push_back(*facts.machine);
  std::ranges::sort(machines, {}, &farm::Machine::name);
  return machines;
}

std::string ListOf(const std::vector<farm::Machine>& machines) {
  if (machines.empty()) return "none";
  std::string text;
  for (const farm::Machine& machine : machines)
    text += StrCat(text.empty() ? "" : ", ", Words(machine));
  return text;
}

}  // namespace

farm::Machine PickMachine(const FarmOptions& options, const MachineWanted& wanted) {
  const farm::Access access = options.access();
  const std::unique_ptr<farm::Link> link = farm::Connect(access, "vta tune", options.patience());
  const auto end = std::chrono::steady_clock::now() + std::chrono::duration<double>(options.wait_s);
  for (;; std::this_thread::sleep_for(200ms)) {
    const std::vector<farm::Machine> all = MachinesThere(*link, wanted);
    std::vector<farm::Machine> fit = all;
    std::erase_if(fit, [&](const farm::Machine& machine) {
      return (wanted.arch && machine.arch != *wanted.arch) ||
             (!wanted.name.empty() && machine.name != wanted.name);
    });
    const auto is_of_first = [&](const farm::Machine& machine) {
      return machine.measured_on == fit[0].measured_on;
    };
    if (!std::ranges::all_of(fit, is_of_first))
      throw Error(access.Name(), "machines", ListOf(fit),
                  "are of several models: --machine must name one");
    const auto last = std::ranges::find(fit, wanted.last, &farm::Machine::name);
    if (!fit.empty()) return last == fit.end() ? fit[0] : *last;
    if (std::chrono::steady_clock::now() < end) continue;
    throw Error(
        access.Name(), "machine", wanted.name.empty() ? "none" : wanted.name,
        StrCat("was there for ", options.wait_s, " s to measure for --target ", wanted.target,
               wanted.arch ? " with that config" : "", "; there is: ", ListOf(all)));
  }
}

}  // namespace vta::tools
