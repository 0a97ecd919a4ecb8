#include "runtime/diagnosis/self_test_writer.h"

#include <algorithm>
#include <cstring>

#include "isa/layout.h"
#include "isa/register_launch.h"
#include "isa/spec/memories.h"
#include "isa/support/error.h"

namespace vta::runtime {
namespace {

using isa::Instruction;
using isa::MemoryType;
using isa::Module;
using isa::Opcode;

uint64_t SeedOf(const std::string& name) {
  uint64_t seed = 0;
  for (const char letter : name) seed = seed * 31 + static_cast<uint8_t>(letter);
  return seed;
}

Instruction Transfer(Opcode opcode, MemoryType type, int64_t row, int64_t rows, int64_t element) {
  return {.opcode = static_cast<int64_t>(opcode),
          .memory_type = static_cast<int64_t>(type),
          .sram_base = row,
          .dram_base = element,
          .y_size = 1,
          .x_size = rows,
          .x_stride = rows};
}

}  // namespace

Instruction GemmOf(int64_t dst_in, int64_t src_in, int64_t wgt_in) {
  return {.opcode = static_cast<int64_t>(Opcode::kGemm),
          .iter_out = 1,
          .iter_in = 1,
          .dst_factor_in = dst_in,
          .src_factor_in = src_in,
          .wgt_factor_in = wgt_in};
}

Instruction AluOf(isa::AluOp op, int64_t dst_in, int64_t src_in) {
  return {.opcode = static_cast<int64_t>(Opcode::kAlu),
          .iter_out = 1,
          .iter_in = 1,
          .dst_factor_in = dst_in,
          .src_factor_in = src_in,
          .alu_opcode = static_cast<int64_t>(op)};
}

Instruction AluImmOf(isa::AluOp op, int64_t dst_in, int64_t imm) {
  Instruction insn = AluOf(op, dst_in, dst_in);
  insn.use_imm = 1, insn.imm = imm;
  return insn;
}

Instruction CarrierOf(Module module) {
  if (module == Module::kStore) return Transfer(Opcode::kStore, MemoryType::kOut, 0, 0, 0);
  const MemoryType type = module == Module::kLoad ? MemoryType::kInp : MemoryType::kAcc;
  return Transfer(Opcode::kLoad, type, 0, 0, 0);
}

SelfTestWriter::SelfTestWriter(const isa::Config& config, std::string name)
    : config_(config), name_(std::move(name)), engine_(SeedOf(name_)) {}

int64_t SelfTestWriter::BytesOf(MemoryType type) const {
  return isa::FindMemory(config_.arch, static_cast<int64_t>(type))->dram_element_bytes(config_);
}

int64_t SelfTestWriter::BeginOf(MemoryType type) const {
  return isa::BaseAlignmentBytes(config_, type);
}

int64_t SelfTestWriter::Draw(int64_t low, int64_t high) {
  return low + static_cast<int64_t>(engine_() % static_cast<uint64_t>(high - low + 1));
}

int64_t SelfTestWriter::Align(MemoryType type) {
  std::vector<uint8_t>& segment = Segment(type);
  const int64_t bytes = BytesOf(type), have = std::ssize(segment);
  const int64_t element = (have + bytes - 1) / bytes;
  segment.resize(static_cast<size_t>(element * bytes));
  return element;
}

int64_t SelfTestWriter::Random(MemoryType type, int64_t elements) {
  const int64_t first = Align(type);
  for (int64_t i = elements * BytesOf(type); i > 0; --i)
    Segment(type).push_back(static_cast<uint8_t>(engine_() >> 56));
  return first;
}

int64_t SelfTestWriter::Words(MemoryType type, std::span<const int32_t> values) {
  const int64_t first = Align(type);
  std::vector<uint8_t>& segment = Segment(type);
  const size_t at = segment.size();
  segment.resize(at + values.size_bytes());
  std::memcpy(segment.data() + at, values.data(), values.size_bytes());
  return first;
}

void SelfTestWriter::BeforePage(MemoryType type, int64_t elements) {
  std::vector<uint8_t>& segment = Segment(type);
  const int64_t before = elements * BytesOf(type);
  const int64_t begin = BeginOf(type);
  const int64_t page = (begin + std::ssize(segment) + before + kPage - 1) / kPage * kPage;
  while (begin + std::ssize(segment) < page - before)
    segment.push_back(static_cast<uint8_t>(engine_() >> 56));
}

void SelfTestWriter::Add(const Instruction& insn) {
  round_[static_cast<size_t>(isa::Route(config_, insn))].push_back(insn);
}

void SelfTestWriter::Load(MemoryType type, int64_t row, int64_t rows, int64_t element) {
  Add(Transfer(Opcode::kLoad, type, row, rows, element));
}

void SelfTestWriter::Store(int64_t row, int64_t rows, int64_t element) {
  Add(Transfer(Opcode::kStore, MemoryType::kOut, row, rows, element));
}

void SelfTestWriter::Run(std::span<const isa::Uop> uops, Instruction insn) {
  const isa::Layout layout(config_);
  std::vector<int32_t> words;
  for (const isa::Uop& uop : uops)
    words.push_back(static_cast<int32_t>(isa::EncodeUop(layout, uop)));
  Load(MemoryType::kUop, 0, std::ssize(words), Words(MemoryType::kUop, words));
  insn.uop_begin = 0, insn.uop_end = std::ssize(words);
  Add(insn);
}

void SelfTestWriter::RunRows(isa::Uop uop, int64_t rows, Instruction insn) {
  insn.iter_in = rows;
  Run({&uop, 1}, insn);
}

void SelfTestWriter::StoreAll(int64_t row, int64_t rows) {
  constexpr int kBytes = isa::kAccBits / 8;
  for (int byte = 0; byte < kBytes; ++byte) {
    if (byte > 0) RunRows({.dst = row}, rows, AluImmOf(isa::AluOp::kShr, 1, 8));
    Store(row, rows, Reserve(rows));
    EndRound();
  }
}

// Each part begins when the part before it has ended, and the loads also when the computes of the
// round before have, for they would write what those read; so the computes, for the stores.
void SelfTestWriter::EndRound() {
  for (int m = 0; m < isa::kModules; ++m)
    if (round_[m].empty()) round_[m].push_back(CarrierOf(static_cast<Module>(m)));
  auto& [loads, computes, stores] = round_;
  if (last_compute_) {
    program_[*last_compute_].push_prev = 1;
    loads.front().pop_next = 1;
    computes.front().pop_next = 1;
  }
  loads.back().push_next = 1;
  computes.front().pop_prev = 1;
  computes.back().push_next = 1;
  stores.front().pop_prev = 1;
  stores.back().push_prev = 1;
  for (std::vector<Instruction>* part : {&loads, &computes, &stores}) {
    program_.insert(program_.end(), part->begin(), part->end());
    if (part == &computes) last_compute_ = program_.size() - 1;
    part->clear();
  }
}

SelfTestProgram SelfTestWriter::Finish() && {
  VTA_CHECK(std::ranges::all_of(round_, [](const auto& part) { return part.empty(); }), name_);
  program_.push_back(
      {.opcode = static_cast<int64_t>(Opcode::kFinish), .pop_next = last_compute_.has_value()});
  SelfTestProgram program{name_, std::move(program_)};
  for (size_t i = 0; i < segments_.size(); ++i) {
    program.memory.resize(program.memory.size() +
                          static_cast<size_t>(BeginOf(static_cast<MemoryType>(i))));
    program.bases[i] = std::ssize(program.memory);
    program.memory.insert(program.memory.end(), segments_[i].begin(), segments_[i].end());
    program.memory.resize((program.memory.size() / kPage + 1) * kPage);
  }
  return program;
}

}  // namespace vta::runtime
