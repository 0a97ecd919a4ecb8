// Instructions as the modules see them, and the queues between fetch and modules.
#pragma once

#include <memory>
#include <vector>

#include "isa/codec.h"
#include "sim/cycle/core/clock.h"
#include "sim/cycle/core/ring.h"

namespace vta::sim::cycle {

struct Insn {
  int64_t index = 0;
  isa::Word word;
  isa::Instruction fields;
  isa::Module module = isa::Module::kCompute;
  isa::Fault fault = isa::Fault::kNone;
  bool moves = false;  // a LOAD or STORE of something
  bool loads_uops = false;
  bool loops = false;  // a GEMM or ALU with micro-ops
  isa::Opcode opcode() const { return static_cast<isa::Opcode>(fields.opcode); }
};

/// The instructions of a launch, which stay where they are until they are released; room for them
/// is kept from one launch to the next.
class Insns {
 public:
  void Clear() {
    for (Chunk& chunk : chunks_)
      if (chunk.insns) spare_.push_back(std::move(chunk.insns));
    chunks_.clear();
    count_ = 0;
  }
  int64_t count() const { return count_; }
  /// The next index. What it holds is left of another one.
  Insn& Add() {
    if (count_++ % kChunk == 0) AddChunk();
    return back();
  }
  Insn& operator[](int64_t i) { return chunks_[static_cast<size_t>(i / kChunk)].insns[i % kChunk]; }
  const Insn& operator[](int64_t i) const {
    return chunks_[static_cast<size_t>(i / kChunk)].insns[i % kChunk];
  }
  Insn& back() { return (*this)[count_ - 1]; }
  const Insn& back() const { return (*this)[count_ - 1]; }
  /// Nobody looks at it once the next one is added.
  void Release(const Insn& insn) {
    Chunk& chunk = chunks_[static_cast<size_t>(insn.index / kChunk)];
    if (++chunk.released == kChunk) spare_.push_back(std::move(chunk.insns));
  }

 private:
  static constexpr int64_t kChunk = 64;
  struct Chunk {
    std::unique_ptr<Insn[]> insns;
    int64_t released = 0;
  };
  void AddChunk() {
    if (spare_.empty()) spare_.push_back(std::make_unique<Insn[]>(kChunk));
    chunks_.push_back({std::move(spare_.back())});
    spare_.pop_back();
  }

  std::vector<Chunk> chunks_;
  std::vector<std::unique_ptr<Insn[]>> spare_;
  int64_t count_ = 0;
};

/// A command queue, as vta_commands keeps it.
class Commands {
 public:
  explicit Commands(int64_t depth) : depth_(depth) {}
  bool Full(int64_t cycle) const { return held_.At(cycle) == depth_; }
  void Push(int64_t cycle, const Insn* insn) {
    words_.push_back({insn, cycle});
    if (!halted_) held_.Add(cycle, 1);
  }
  /// The module takes an instruction's tokens, or its fault. Returns whether the queue was full.
  bool Started(int64_t cycle) {
    const bool full = Full(cycle);
    held_.Add(cycle, -1);
    return full;
  }
  /// What is there and comes is thrown away: nothing holds a place.
  void Halt() {
    halted_ = true;
    held_ = Counter();
  }
  bool empty(int64_t cycle) const { return words_.empty() || words_.front().pushed >= cycle; }
  /// An instruction is there, and cannot be popped yet.
  bool Moves(int64_t cycle) const { return !empty(cycle) && Ready() > cycle; }
  /// The first cycle in which the next instruction can be popped; kNever: there is none.
  int64_t Ready() const {
    return words_.empty() ? kNever : FifoReady(words_.front().pushed, popped_);
  }
  const Insn* front() const { return words_.front().insn; }
  void Pop(int64_t cycle) {
    words_.pop_front();
    popped_ = cycle;
  }

 private:
  struct Word {
    const Insn* insn;
    int64_t pushed;
  };
  int64_t depth_;
  Counter held_;
  bool halted_ = false;
  Ring<Word> words_;
  int64_t popped_ = kLongAgo;
};

/// A dependency queue, as vta_tokens keeps it, and its reader's own count of what is not promised
/// to an instruction yet.
struct Tokens {
  Counter held, free;
  int64_t capacity = 0, pushed = 0;
  bool is_free = false;  // nobody waits here: Freed::tokens
  bool Space(int64_t cycle) const { return is_free || held.At(cycle) < capacity; }
  bool Some(int64_t cycle) const { return is_free || free.At(cycle) > 0; }
  bool Held(int64_t cycle) const { return is_free || held.At(cycle) > 0; }
  void Push(int64_t cycle) {
    held.Add(cycle, 1), free.Add(cycle, 1);
    ++pushed;
  }
  void Take(int64_t cycle) { held.Add(cycle, -1); }
};

}  // namespace vta::sim::cycle
