// A platform: the accelerator, our memory, a second master that contends for it, and a host that
// writes registers and waits for the interrupt. It runs the launches that a file lists, and prints
// what the host sees of each, and when its instructions began and ended.
//
// A launch is a line of words: the config, the file that holds the memory, the address and the
// number of instructions, the five base registers, and the seed of the traffic or "none".
#include <tlm_utils/simple_initiator_socket.h>

#include <cstdint>
#include <fstream>
#include <iostream>
#include <iterator>
#include <memory>
#include <optional>
#include <sstream>
#include <stdexcept>
#include <string>
#include <systemc>
#include <tlm>
#include <vector>

#include "isa/spec/registers.h"
#include "sim/cycle/systemc/burst_pool.h"
#include "sim/cycle/systemc/cycle_model.h"
#include "sim/cycle/systemc/memory_model.h"
#include "sim/memory/traffic.h"

using vta::isa::Register;
using vta::sim::BurstPool;
using vta::sim::CycleModel;
using vta::sim::Traffic;

struct Launch {
  std::string config, memory;
  uint64_t address = 0, base[5] = {};
  uint32_t count = 0;
  std::optional<uint64_t> traffic;
};

std::optional<uint64_t> SeedOf(const std::string& word) {
  uint64_t seed = 0;
  std::istringstream in(word);
  if (!(in >> seed) || !in.eof()) return {};
  return seed;
}

Launch LaunchOf(const std::string& line) {
  Launch launch;
  std::istringstream in(line);
  in >> launch.config >> launch.memory >> launch.address >> launch.count;
  for (uint64_t& base : launch.base) in >> base;
  std::string seed, more;
  if (!(in >> seed) || in >> more) throw std::runtime_error("must be ten words");
  if (!std::ifstream(launch.memory)) throw std::runtime_error(launch.memory + ": cannot be read");
  if (seed == "none") return launch;
  launch.traffic = SeedOf(seed);
  if (!launch.traffic) throw std::runtime_error("seed " + seed + ": must be a number, or none");
  return launch;
}

std::vector<Launch> LaunchesOf(const std::string& path) {
  std::ifstream in(path);
  if (!in) throw std::runtime_error(path + ": cannot be read");
  std::vector<Launch> launches;
  for (std::string line; std::getline(in, line);) {
    try {
      launches.push_back(LaunchOf(line));
    } catch (const std::exception& error) {
      throw std::runtime_error(path + ": line " + std::to_string(launches.size() + 1) + ": " +
                               error.what());
    }
  }
  if (launches.empty()) throw std::runtime_error(path + ": lists no launch");
  return launches;
}

std::vector<uint8_t> BytesOf(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

// The second master: asks for the bursts of a Traffic while a launch runs.
class TrafficMaster : public sc_core::sc_module {
 public:
  tlm_utils::simple_initiator_socket<TrafficMaster> reads{"reads"}, writes{"writes"};

  SC_HAS_PROCESS(TrafficMaster);
  explicit TrafficMaster(sc_core::sc_module_name name) : sc_module(name) {
    reads.register_nb_transport_bw(this, &TrafficMaster::Back);
    writes.register_nb_transport_bw(this, &TrafficMaster::Back);
    SC_METHOD(Ask);
    sensitive << next_;
    dont_initialize();
  }

  // Its cycle 0 begins with the next edge of the clock.
  void Begin(const Traffic& traffic, const sc_core::sc_time& period, int64_t beat_bytes) {
    traffic_ = std::make_unique<Traffic>(traffic);
    period_ = period;
    beat_bytes_ = beat_bytes;
    const uint64_t now = sc_core::sc_time_stamp().value();
    origin_ =
        sc_core::sc_time::from_value((now + period.value() - 1) / period.value() * period.value());
    Schedule();
  }
  // It asks for nothing more; what it asked for goes on.
  void End() {
    traffic_.reset();
    next_.cancel();
  }

 private:
  void Schedule() {
    const sc_core::sc_time at = origin_ + static_cast<double>(traffic_->next().cycle) * period_;
    next_.notify(at - sc_core::sc_time_stamp());
  }
  void Ask() {
    const Traffic::Burst& next = traffic_->next();
    auto* burst =
        pool_.Make(next.write, next.address, static_cast<unsigned>(next.beats * beat_bytes_));
    tlm::tlm_phase phase = tlm::BEGIN_REQ;
    sc_core::sc_time delay;
    (next.write ? writes : reads)->nb_transport_fw(*burst, phase, delay);
  }
  tlm::tlm_sync_enum Back(tlm::tlm_generic_payload& burst, tlm::tlm_phase& phase,
                          sc_core::sc_time&) {
    if (phase == tlm::BEGIN_RESP) {
      burst.release();
      return tlm::TLM_COMPLETED;
    }
    if (phase == tlm::END_REQ && traffic_) {
      traffic_->Taken(static_cast<int64_t>((sc_core::sc_time_stamp() - origin_) / period_));
      Schedule();
    }
    return tlm::TLM_ACCEPTED;  // its data comes at once
  }

  BurstPool pool_;
  std::unique_ptr<Traffic> traffic_;
  sc_core::sc_time period_, origin_;
  int64_t beat_bytes_ = 0;
  sc_core::sc_event next_;
};

class Host : public sc_core::sc_module {
 public:
  tlm_utils::simple_initiator_socket<Host> registers{"registers"};
  sc_core::sc_in<bool> interrupt{"interrupt"};

  SC_HAS_PROCESS(Host);
  Host(sc_core::sc_module_name name, std::vector<Launch> launches, CycleModel& model,
       vta::sim::MemoryModel& memory, TrafficMaster& traffic)
      : sc_module(name),
        launches_(std::move(launches)),
        model_(model),
        memory_(memory),
        traffic_(traffic) {
    SC_THREAD(Work);
  }

 private:
  uint32_t Access(tlm::tlm_command command, Register first, int word, uint32_t value) {
    tlm::tlm_generic_payload access;
    access.set_command(command);
    access.set_address(static_cast<uint64_t>(first) + 4 * static_cast<uint64_t>(word));
    access.set_data_ptr(reinterpret_cast<unsigned char*>(&value));
    access.set_data_length(4);
    access.set_streaming_width(4);
    sc_core::sc_time delay;
    registers->b_transport(access, delay);
    if (access.is_response_error()) SC_REPORT_ERROR("host", "a register refuses an access");
    wait(delay);
    return value;
  }
  void Write(Register first, uint32_t value, int word = 0) {
    Access(tlm::TLM_WRITE_COMMAND, first, word, value);
  }
  uint64_t Read(Register first, int word = 0) {
    return Access(tlm::TLM_READ_COMMAND, first, word, 0);
  }
  void WritePair(Register first, uint64_t value, int word = 0) {
    Write(first, static_cast<uint32_t>(value), word);
    Write(first, static_cast<uint32_t>(value >> 32), word + 1);
  }

  void Work() {
    Write(Register::kInterruptEnable, 1);
    std::string config;
    for (size_t i = 0; i < launches_.size(); ++i) {
      const Launch& launch = launches_[i];
      memory_.bytes() = BytesOf(launch.memory);
      CycleModel::Options options;
      options.memory_bytes = memory_.bytes().size();
      if (launch.config != config) {
        memory_.Configure(launch.config);
        model_.Configure(launch.config, options);
        Write(Register::kInterruptEnable, 1);
      }
      config = launch.config;
      model_.set_memory(0, options.memory_bytes);
      Run(launch);
      Print(i);
    }
  }
  void Run(const Launch& launch) {
    memory_.BeginLaunch();
    WritePair(Register::kInstructionAddressLow, launch.address);
    Write(Register::kInstructionCount, launch.count);
    for (int i = 0; i < 5; ++i) WritePair(Register::kBase, launch.base[i], 2 * i);
    Write(Register::kControl, vta::isa::kControlStart);
    // The start is accepted with the next edge of the clock.
    if (launch.traffic)
      traffic_.Begin({*launch.traffic, memory_.bytes().size(), memory_.beat_bytes()},
                     model_.clock_period(), memory_.beat_bytes());
    if (!interrupt.read()) wait(interrupt.posedge_event());
    if (launch.traffic) traffic_.End();
    while (memory_.busy()) wait(100 * model_.clock_period());
  }
  void Print(size_t launch) {
    const uint64_t status = Read(Register::kStatus);
    const uint64_t cycles = Read(Register::kCounter) | Read(Register::kCounter, 1) << 32;
    std::cout << "launch " << launch << ": outcome " << (status >> vta::isa::kStatusOutcomeLsb & 7)
              << ", " << cycles << " cycles\n";
    for (const CycleModel::Instruction& row : model_.instructions())
      std::cout << row.module << ' ' << row.index << ' ' << row.begin << ' ' << row.end << '\n';
    Write(Register::kInterruptStatus, 1);
    if (interrupt.read()) wait(interrupt.negedge_event());
  }

  std::vector<Launch> launches_;
  CycleModel& model_;
  vta::sim::MemoryModel& memory_;
  TrafficMaster& traffic_;
};

int sc_main(int argc, char** argv) {
  try {
    if (argc != 2) {
      std::cerr << "usage: platform FILE, which lists launches\n";
      return 2;
    }
    const std::vector<Launch> launches = LaunchesOf(argv[1]);
    const std::string& config = launches[0].config;
    CycleModel model("model", config, {});
    vta::sim::MemoryModel memory("memory", config, 0);
    TrafficMaster traffic("traffic");
    Host host("host", launches, model, memory, traffic);
    sc_core::sc_signal<bool> interrupt("interrupt");
    host.registers.bind(model.registers);
    model.interrupt(interrupt);
    host.interrupt(interrupt);
    model.reads.bind(memory.port);
    model.writes.bind(memory.port);
    traffic.reads.bind(memory.port);
    traffic.writes.bind(memory.port);
    sc_core::sc_start();
    return 0;
  } catch (const std::exception& error) {
    std::cerr << error.what() << '\n';
    return 1;
  }
}
