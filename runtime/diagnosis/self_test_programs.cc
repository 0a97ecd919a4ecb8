#include "runtime/diagnosis/self_test_programs.h"

#include <algorithm>

#include "isa/spec/instructions.h"
#include "isa/spec/memories.h"
#include "isa/spec/modes.h"
#include "isa/spec/modules.h"
#include "isa/spec/requant.h"
#include "isa/spec/timing.h"
#include "isa/support/error.h"

namespace vta::runtime {
namespace {

using isa::AluOp;
using isa::Instruction;
using isa::MemoryType;
using isa::Module;
using isa::Opcode;
using isa::Uop;

constexpr int64_t kMostTileBytes = 64 << 10;  // over a slow cable it takes seconds
constexpr int64_t kMostTokens = 256;

struct Suite {
  explicit Suite(const isa::Config& wanted) : config(wanted), arch(wanted.arch) {}

  template <typename Write>
  void Add(const std::string& name, const Write& write) {
    SelfTestWriter writer(config, name);
    write(writer);
    programs.push_back(std::move(writer).Finish());
  }
  int64_t Depth(const isa::MemorySpec& memory) const { return isa::DepthOf(arch, memory); }
  /// Accumulators that a test of few rows uses.
  int64_t Rows(int64_t most = 8) const { return std::min(most, arch.acc_depth / 2); }

  const isa::Config& config;
  const isa::Arch& arch;
  std::vector<SelfTestProgram> programs;
};

Instruction Set(isa::Mode mode, int64_t value) {
  return {.opcode = static_cast<int64_t>(Opcode::kSet),
          .mode = static_cast<int64_t>(mode),
          .value = value};
}

// Where products show a scratchpad: one row of the other one.
void LoadOther(SelfTestWriter& w, const isa::MemorySpec& memory) {
  if (memory.load_module != Module::kLoad) return;
  const MemoryType other = memory.code == MemoryType::kInp ? MemoryType::kWgt : MemoryType::kInp;
  w.Load(other, 0, 1, w.Random(other, 1));
}

// Brings rows of a scratchpad to DRAM: inputs and weights as products with row 0 of the other one.
void ShowRows(SelfTestWriter& w, MemoryType type, int64_t first, int64_t rows) {
  const bool is_acc = type == MemoryType::kAcc || type == MemoryType::kAcc8;
  for (int64_t done = 0; done < rows;) {
    const int64_t now = std::min(rows - done, w.arch().acc_depth);
    if (is_acc) {
      w.RunRows({.dst = first + done}, now, AluImmOf(AluOp::kAdd, 1, 3));
      w.StoreAll(first + done, now);
    } else {
      Instruction reset = GemmOf(1, 0, 0);
      reset.reset = 1;
      w.RunRows({}, now, reset);
      const bool inp = type == MemoryType::kInp;
      const Uop uop{.src = inp ? first + done : 0, .wgt = inp ? 0 : first + done};
      w.RunRows(uop, now, GemmOf(1, inp, !inp));
      w.Store(0, now, w.Reserve(now));
      w.EndRound();
    }
    done += now;
  }
}

void TestTile(Suite& suite, const isa::MemorySpec& memory) {
  suite.Add(StrCat("load.", memory.name, " largest tile"), [&](SelfTestWriter& w) {
    constexpr int64_t kMostRows = 16383;  // of one loop
    const int64_t rows =
        std::min({suite.Depth(memory),
                  std::max<int64_t>(1, kMostTileBytes / w.BytesOf(memory.code)), kMostRows});
    LoadOther(w, memory);
    w.Load(memory.code, 0, rows, w.Random(memory.code, rows));
    ShowRows(w, memory.code, 0, rows);
  });
}

// The rows that tell one address line from another.
void TestFarRows(Suite& suite, const isa::MemorySpec& memory) {
  suite.Add(StrCat("load.", memory.name, " rows far apart"), [&](SelfTestWriter& w) {
    const int64_t depth = suite.Depth(memory);
    LoadOther(w, memory);
    std::vector<int64_t> rows = {0};
    for (int64_t row = 1; row < depth; row *= 2) rows.push_back(row);
    if (depth > 2) rows.push_back(depth - 1);
    for (const int64_t row : rows) w.Load(memory.code, row, 1, w.Random(memory.code, 1));
    for (const int64_t row : rows) ShowRows(w, memory.code, row, 1);
  });
}

// As many elements as a burst has beats, one after the other, from each element around a page on.
void TestAlignment(Suite& suite, const isa::MemorySpec& memory) {
  suite.Add(StrCat("load.", memory.name, " around a page"), [&](SelfTestWriter& w) {
    LoadOther(w, memory);
    const int64_t most = std::min<int64_t>(4, suite.Depth(memory));
    for (int64_t before = 0; before <= most; ++before) {
      w.BeforePage(memory.code, before);
      const int64_t element = w.Random(memory.code, most);
      w.Load(memory.code, 0, most, element);
      ShowRows(w, memory.code, 0, most);
    }
  });
}

// Rows that lie further apart in DRAM than a page.
void TestStride(Suite& suite, const isa::MemorySpec& memory) {
  suite.Add(StrCat("load.", memory.name, " in rows"), [&](SelfTestWriter& w) {
    LoadOther(w, memory);
    const int64_t stride = kPage / w.BytesOf(memory.code) + 1;
    w.Add({.opcode = static_cast<int64_t>(Opcode::kLoad),
           .memory_type = static_cast<int64_t>(memory.code),
           .dram_base = w.Random(memory.code, stride + 2),
           .y_size = 2,
           .x_size = 2,
           .x_stride = stride});
    ShowRows(w, memory.code, 0, 4);
  });
}

void TestPadding(Suite& suite, const isa::MemorySpec& memory, bool selected) {
  suite.Add(StrCat("load.", memory.name, selected ? " padded with a set byte" : " padded"),
            [&](SelfTestWriter& w) {
              LoadOther(w, memory);
              // Two rows of two, then padding around them as far as the scratchpad goes.
              Instruction load{.opcode = static_cast<int64_t>(Opcode::kLoad),
                               .memory_type = static_cast<int64_t>(memory.code),
                               .pad_select = selected,
                               .y_size = 1,
                               .x_size = 1,
                               .x_stride = 3};
              int64_t rows = 4;
              load.x_pad_left = 1, load.y_pad_top = 1;
              if (suite.Depth(memory) >= 16) {
                load.y_size = load.x_size = 2;
                load.x_pad_right = 2, load.y_pad_bottom = 1;
                rows = (1 + 2 + 2) * 4;
                if (suite.Depth(memory) < rows) load.y_pad_top = 0, rows = (1 + 2 + 2) * 3;
              }
              load.dram_base = w.Random(memory.code, 6);
              if (suite.arch.pad_value)
                w.Add(Set(memory.load_module == Module::kLoad ? isa::Mode::kPadLoad
                                                              : isa::Mode::kPadCompute,
                          0x85));
              w.Add(load);
              ShowRows(w, memory.code, 0, rows);
            });
}

void TestMemories(Suite& suite, Module module) {
  for (const isa::MemorySpec& memory : isa::kMemories) {
    if (!isa::FindMemory(suite.arch, static_cast<int64_t>(memory.code)) || !memory.loadable ||
        memory.load_module != module || memory.code == MemoryType::kUop ||
        memory.code == MemoryType::kLut)
      continue;
    TestAlignment(suite, memory);
    TestStride(suite, memory);
    TestFarRows(suite, memory);
    TestTile(suite, memory);
    if (!memory.may_pad) continue;
    TestPadding(suite, memory, false);
    if (suite.arch.pad_value) TestPadding(suite, memory, true);
  }
}

// Micro-ops that add to accumulators, from every lane of the bus and up to the last row.
void TestUops(Suite& suite) {
  suite.Add("load.uop largest tile", [&](SelfTestWriter& w) {
    const int64_t rows = suite.Rows();
    w.Load(MemoryType::kAcc, 0, rows, w.Random(MemoryType::kAcc, rows));
    std::vector<Uop> uops;
    for (int64_t i = 0; i < suite.arch.uop_depth; ++i)
      uops.push_back({.dst = w.Draw(0, rows - 1), .src = w.Draw(0, rows - 1)});
    w.Run(uops, AluOf(AluOp::kAdd, 0, 0));
    w.RunRows({}, rows, AluImmOf(AluOp::kAdd, 1, 1));
    w.StoreAll(0, rows);
  });
  suite.Add("load.uop around a page", [&](SelfTestWriter& w) {
    const int64_t rows = suite.Rows();
    w.Load(MemoryType::kAcc, 0, rows, w.Random(MemoryType::kAcc, rows));
    for (int64_t before = 0; before <= 8; ++before) {
      w.BeforePage(MemoryType::kUop, before);
      const Uop uops[] = {{.dst = 0, .src = 1}, {.dst = 1, .src = 0}, {.dst = before % rows}};
      w.Run(uops, AluOf(AluOp::kAdd, 0, 0));
    }
    w.RunRows({}, rows, AluImmOf(AluOp::kAdd, 1, 1));
    w.StoreAll(0, rows);
  });
}

void TestStores(Suite& suite) {
  const auto fill = [&](SelfTestWriter& w, int64_t rows) {
    w.Load(MemoryType::kAcc, 0, rows, w.Random(MemoryType::kAcc, rows));
    w.RunRows({}, rows, AluImmOf(AluOp::kAdd, 1, 1));
  };
  suite.Add("store.out in rows", [&](SelfTestWriter& w) {
    fill(w, 4);
    w.Add({.opcode = static_cast<int64_t>(Opcode::kStore),
           .memory_type = static_cast<int64_t>(MemoryType::kOut),
           .dram_base = w.Reserve(8) + 1,
           .y_size = 2,
           .x_size = 2,
           .x_stride = 5});
    w.EndRound();
  });
  suite.Add("store.out around a page", [&](SelfTestWriter& w) {
    const int64_t rows = std::min<int64_t>(4, suite.arch.acc_depth);
    fill(w, rows);
    for (int64_t before = 0; before <= rows; ++before)
      for (int64_t count = 1; count <= rows; ++count) {
        w.BeforePage(MemoryType::kOut, before);
        w.Store(rows - count, count, w.Reserve(rows));
      }
    w.EndRound();
  });
}

// Two loops and two micro-ops; each accumulator is met several times, soon after it was written.
void TestGemm(Suite& suite, const std::string& name, bool resets, bool overwrites) {
  suite.Add(name, [&](SelfTestWriter& w) {
    const int64_t rows = 3, few = 4;
    w.Load(MemoryType::kInp, 0, few, w.Random(MemoryType::kInp, few));
    w.Load(MemoryType::kWgt, 0, few, w.Random(MemoryType::kWgt, few));
    w.Load(MemoryType::kAcc, 0, rows, w.Random(MemoryType::kAcc, rows));
    Instruction gemm = GemmOf(1, 1, 0);
    gemm.iter_out = 2, gemm.iter_in = 2;
    gemm.src_factor_out = 1, gemm.wgt_factor_out = 2, gemm.dst_factor_out = 0;
    gemm.reset = resets, gemm.overwrite = overwrites;
    const Uop uops[] = {{.dst = 0, .src = 0, .wgt = 0}, {.dst = 1, .src = 1, .wgt = 1}};
    w.Run(uops, gemm);
    w.StoreAll(0, rows);
  });
}

// Operands and results with all bits: half of the lanes hold small numbers, as shifts want them.
int64_t Operands(SelfTestWriter& w, const isa::Config& config, int64_t rows) {
  std::vector<int32_t> values;
  for (int64_t i = 0; i < rows * config.acc_bytes() / 4; ++i)
    values.push_back(static_cast<int32_t>(i % 2 ? w.Draw(-40, 40) : w.Draw(INT32_MIN, INT32_MAX)));
  values[0] = INT32_MIN, values[1] = INT32_MAX;
  return w.Words(MemoryType::kAcc, values);
}

void TestAlu(Suite& suite, const isa::AluOpSpec& op) {
  const int64_t rows = suite.Rows();
  for (const bool immediate : {false, true})
    suite.Add(StrCat("alu.", op.name, immediate ? " imm" : ""), [&](SelfTestWriter& w) {
      w.Load(MemoryType::kAcc, 0, 2 * rows, Operands(w, suite.config, 2 * rows));
      if (immediate) {
        w.RunRows({}, rows, AluImmOf(op.code, 1, -5));
        w.RunRows({.dst = rows}, rows, AluImmOf(op.code, 1, 7));
      } else {
        w.RunRows({.dst = 0, .src = rows}, rows, AluOf(op.code, 1, 1));
        w.RunRows({.dst = rows, .src = rows}, rows, AluOf(op.code, 1, 1));
      }
      w.StoreAll(0, 2 * rows);
    });
}

void TestRequant(Suite& suite, const isa::AluOpSpec& op, isa::Rounding rounding) {
  const bool is_double = rounding == isa::Rounding::kDouble;
  suite.Add(StrCat("alu.", op.name, is_double ? " double" : " single"), [&](SelfTestWriter& w) {
    const int64_t lanes = suite.config.acc_bytes() / 4;
    const int64_t rows = std::min<int64_t>(8, suite.arch.acc_depth - isa::kRequantRows);
    std::vector<int32_t> block(static_cast<size_t>(isa::kRequantRows * lanes));
    // Every other lane halves small numbers, where roundings differ: random ones hardly ever tie.
    for (int64_t lane = 0; lane < lanes; ++lane) {
      const bool ties = lane % 2 == 0;
      block[lane] = ties ? 0 : static_cast<int32_t>(w.Draw(-1000, 1000));
      block[lanes + lane] = ties ? 1 << 30 : static_cast<int32_t>(w.Draw(INT32_MAX / 2, INT32_MAX));
      block[2 * lanes + lane] =
          isa::PackRequant({.exponent = static_cast<int8_t>(ties ? -1 : w.Draw(-12, 2)),
                            .zero_point = static_cast<int8_t>(w.Draw(-20, 20)),
                            .low = static_cast<int8_t>(w.Draw(-128, -100)),
                            .high = static_cast<int8_t>(w.Draw(100, 127))});
    }
    w.Load(MemoryType::kAcc, 0, isa::kRequantRows, w.Words(MemoryType::kAcc, block));
    std::vector<int32_t> values;
    for (int64_t i = 0; i < rows * lanes; ++i)
      values.push_back(
          static_cast<int32_t>(i % lanes % 2 ? w.Draw(-40'000, 40'000) : w.Draw(-50, 50)));
    w.Load(MemoryType::kAcc, isa::kRequantRows, rows, w.Words(MemoryType::kAcc, values));
    if (op.code == AluOp::kLut) w.Load(MemoryType::kLut, 0, 1, w.Random(MemoryType::kLut, 1));
    w.Add(Set(isa::Mode::kRounding, is_double));
    w.RunRows({.dst = isa::kRequantRows}, rows, AluOf(op.code, 1, 0));
    w.StoreAll(isa::kRequantRows, rows);
  });
}

// A queue full of tokens, which are all taken before the work that needs them goes on.
void TestTokens(Suite& suite, const isa::QueueSpec& queue) {
  suite.Add(StrCat("tokens ", queue.name), [&](SelfTestWriter& w) {
    const bool to_next = queue.from < queue.to;
    // The round's own token to the next module may be there beside them.
    const int64_t tokens = std::min(suite.arch.token_capacity, kMostTokens) - to_next;
    std::vector<Instruction> carriers;
    for (const Module module : {queue.from, queue.to})
      for (int64_t i = 0; i < tokens; ++i) {
        Instruction carrier = CarrierOf(module);
        if (module == queue.from)
          (to_next ? carrier.push_next : carrier.push_prev) = 1;
        else
          (to_next ? carrier.pop_prev : carrier.pop_next) = 1;
        carriers.push_back(carrier);
      }
    w.Before(carriers);
    w.Load(MemoryType::kAcc, 0, 1, w.Random(MemoryType::kAcc, 1));
    w.RunRows({}, 1, AluImmOf(AluOp::kAdd, 1, 9));
    w.StoreAll(0, 1);
  });
}

}  // namespace

std::vector<SelfTestProgram> SelfTestPrograms(const isa::Config& config) {
  Suite suite(config);
  suite.Add("finish", [](SelfTestWriter&) {});
  TestStores(suite);
  TestMemories(suite, Module::kCompute);
  TestUops(suite);
  for (const isa::AluOpSpec& op : isa::kAluOps) {
    if (!isa::FindAluOp(suite.arch, static_cast<int64_t>(op.code))) continue;
    if (op.apply) {
      TestAlu(suite, op);
      continue;
    }
    TestRequant(suite, op, isa::Rounding::kSingle);
    TestRequant(suite, op, isa::Rounding::kDouble);
  }
  TestGemm(suite, "gemm", false, false);
  TestGemm(suite, "gemm reset", true, false);
  if (suite.arch.overwrite) TestGemm(suite, "gemm overwrite", false, true);
  TestMemories(suite, Module::kLoad);
  for (const isa::QueueSpec& queue : isa::kQueueTable) TestTokens(suite, queue);
  return std::move(suite.programs);
}

}  // namespace vta::runtime
