#include "compiler/opencl/body.h"

#include <limits>
#include <set>

#include "compiler/opencl/lanes.h"
#include "compiler/tensorize/expand.h"
#include "isa/support/error.h"

namespace vta::compiler::opencl {

using loop::As;
using loop::For;
using loop::ForKind;
using loop::Stmt;

namespace {

constexpr int64_t kFewLanes = 16;  // that are written out, where there are no vectors for them
constexpr char kTask[] = "task", kThread[] = "thread";

std::string_view TypeOfCounter(const For& loop) {
  return loop.extent > std::numeric_limits<int32_t>::max() ? "long" : "int";
}

/// The head of what runs where all of them hold; of none it is empty.
std::string Condition(const std::vector<Text>& all) {
  if (all.empty()) return "";
  if (all.size() == 1) return StrCat("if (", all[0].text, ")");
  std::string text;
  for (const Text& one : all) text += StrCat(text.empty() ? "if (" : " & ", one.Operand());
  return text + ")";
}

}  // namespace

Writer Body::Write() {
  for (const loop::Buffer& buffer : kernel_.parts)
    around_.parts.emplace(buffer.get(), buffer->SizeElems());
  // What is written the first time says which elements a thread has.
  around_.notes = true;
  WriteOnce();
  around_.notes = false;
  for (auto& [buffer, part] : around_.parts) part.Pack();
  out_ = {};
  loops_.clear();
  WriteOnce();
  return std::move(out_);
}

void Body::WriteOnce() {
  WriteHead();
  WriteMemory();
  Stmt body = loop::WithoutAllocates(kernel_.function.body);
  const For* tasks = As<For>(body);
  if (tasks && tasks->kind == ForKind::kParallel) {
    loops_.push_back(body);
    around_.vars[tasks->var.get()] = {kTask};
    body = tasks->body;
  }
  RunTogether(body);
  out_.Line("}");
}

void Body::WriteHead() {
  const loop::Function& function = kernel_.function;
  std::set<const loop::BufferNode*> written;
  for (const loop::Site& site : loop::Sites(function.body))
    for (const loop::Buffer& buffer : Written(*site.block)) written.insert(buffer.get());
  out_.Line(StrCat("__kernel __attribute__((reqd_work_group_size(", kernel_.threads, ", 1, 1)))"));
  out_.Line(StrCat("void ", function.name, "("));
  std::vector<std::string> starts;
  for (const loop::Buffer& buffer : function.params) {
    const std::string name = around_.buffers[buffer.get()] = out_.NewName(buffer->name);
    const char* const constant = written.contains(buffer.get()) ? "" : "const ";
    const std::string type = StrCat("__global ", constant, MemoryType(buffer->dtype), "*");
    out_.Line(StrCat("    ", type, " restrict ", name, ", const ulong ", name, "_at,"));
    starts.push_back(StrCat(name, " = (", type, ")((__global ", constant, "uchar*)", name, " + ",
                            name, "_at);"));
  }
  out_.Line("    __global uchar* restrict workspace, const ulong workspace_at) {");
  for (const std::string& start : starts) out_.Line(start);
  const auto number = [&](const char* name, const std::string& value) {
    out_.Line(StrCat("const int ", name, " = ", value, ";"));
  };
  const std::string group = "(int)get_group_id(0)";
  number(kTask, group);
  number(kThread, "(int)get_local_id(0)");
}

void Body::WriteMemory() {
  const auto declare = [&](const loop::Buffer& buffer) {
    return around_.buffers[buffer.get()] = out_.NewName(buffer->name);
  };
  if (!kernel_.workspace.empty())
    out_.Line(StrCat("workspace += workspace_at + ", isa::kGpuCounterBytes, "UL + (ulong)", kTask,
                     " * ", kernel_.workspace_bytes, "UL;"));
  for (const lower::PlacedBuffer& placed : kernel_.workspace) {
    const std::string type = StrCat("__global ", MemoryType(placed.buffer->dtype), "*");
    out_.Line(StrCat(type, " const ", declare(placed.buffer), " = (", type, ")(workspace + ",
                     placed.offset_bytes, "UL);"));
  }
  for (const lower::PlacedBuffer& placed : kernel_.shared)
    out_.Line(StrCat("__local ", MemoryType(placed.buffer->dtype), " ", declare(placed.buffer), "[",
                     placed.buffer->SizeElems(), "];"));
  for (const loop::Buffer& buffer : kernel_.registers) {
    const auto part = around_.parts.find(buffer.get());
    out_.Line(StrCat(MemoryType(buffer->dtype), " ", declare(buffer), "[",
                     part == around_.parts.end() ? buffer->SizeElems() : part->second.size_elems(),
                     "];"));
  }
}

void Body::RunTogether(const Stmt& stmt) {
  if (As<loop::Barrier>(stmt)) {
    out_.Line("VTA_BARRIER;");
  } else if (lower::IsThreads(stmt) || !lower::HasThreads(stmt)) {
    const int64_t threads = lower::ThreadsOf(stmt);
    out_.Nest(threads < kernel_.threads ? StrCat("if (", kThread, " < ", threads, ")") : "", [&] {
      thread_ = {kThread};
      Run(stmt);
    });
  } else if (const loop::Seq* seq = As<loop::Seq>(stmt)) {
    for (const Stmt& s : seq->stmts) RunTogether(s);
  } else if (const loop::Allocate* alloc = As<loop::Allocate>(stmt)) {
    RunTogether(alloc->body);
  } else {
    RunLoop(stmt, &Body::RunTogether);
  }
}

void Body::Run(const Stmt& stmt) {
  if (const loop::Seq* seq = As<loop::Seq>(stmt)) {
    for (const Stmt& s : seq->stmts) Run(s);
  } else if (const loop::Allocate* alloc = As<loop::Allocate>(stmt)) {
    Run(alloc->body);
  } else if (lower::IsThreads(stmt)) {
    RunThread(stmt);
  } else if (As<For>(stmt)) {
    RunLoop(stmt, &Body::Run);
  } else {
    RunBlock(stmt);
  }
}

/// Of loops one in the other the innermost has the neighbours.
void Body::RunThread(const Stmt& stmt) {
  const For& loop = *As<For>(stmt);
  around_.threads.insert(loop.var.get());
  const int64_t inside = lower::ThreadsOf(loop.body);
  const Text outer = thread_;
  Text& var = around_.vars[loop.var.get()];
  if (loop.extent == 1) {
    var = {"0"};
  } else if (inside == 1) {
    var = outer, thread_ = {"0"};
  } else {
    var = {Named(loop.var->name, "int", StrCat(outer.text, " / ", inside))};
    thread_ = {Named(kThread, "int", StrCat(outer.text, " % ", inside))};
  }
  loops_.push_back(stmt);
  Run(loop.body);
  loops_.pop_back();
  thread_ = outer;
}

void Body::RunLoop(const Stmt& stmt, void (Body::*run)(const Stmt&)) {
  const For& loop = *As<For>(stmt);
  loops_.push_back(stmt);
  if (loop.extent == 1) {
    around_.vars[loop.var.get()] = {"0"};
    (this->*run)(loop.body);
  } else if (loop.kind != ForKind::kVectorize || !RunLanes(stmt)) {
    const std::string var = out_.NewName(loop.var->name);
    const std::string_view type = TypeOfCounter(loop);
    around_.vars[loop.var.get()] = {var, true, type == "long"};
    if (loop.kind == ForKind::kUnroll ||
        (loop.kind == ForKind::kVectorize && loop.extent <= kFewLanes))
      out_.Line("#pragma unroll");
    out_.Nest(StrCat("for (", type, " ", var, " = 0; ", var, " < ", loop.extent, "; ++", var, ")"),
              [&] { (this->*run)(loop.body); });
  }
  loops_.pop_back();
}

bool Body::RunLanes(const Stmt& stmt) {
  const For& loop = *As<For>(stmt);
  const int lanes = LanesFor(loop.extent);
  // A part's elements are known when all of its indices are, lane by lane.
  if (lanes == 0 || around_.lane || around_.notes || lower::HasThreads(loop.body)) return false;
  around_.lane = loop.var, around_.lanes = lanes;
  const bool fits = FitsLanes(loop.body, loops_, around_);
  if (fits && loop.extent == lanes) {
    around_.vars[loop.var.get()] = {"0"};
    Run(loop.body);
  } else if (fits) {
    const std::string var = out_.NewName(loop.var->name);
    around_.vars[loop.var.get()] = {var};
    out_.Nest(
        StrCat("for (int ", var, " = 0; ", var, " < ", loop.extent, "; ", var, " += ", lanes, ")"),
        [&] { Run(loop.body); });
  }
  around_.lane = nullptr, around_.lanes = 0;
  return fits;
}

std::string Body::Named(std::string_view like, std::string_view type, const std::string& value) {
  std::string name = out_.NewName(like);
  out_.Line(StrCat("const ", type, " ", name, " = ", value, ";"));
  return name;
}

void Body::RunStores(lower::BlockFacts& facts, const std::vector<lower::Assignment>& stores) {
  Values::Context& context = facts.everywhere();
  Values values(out_, around_, facts);
  std::vector<std::string> lines;
  for (const lower::Assignment& one : stores) {
    const loop::Buffer& buffer = one.store.buffer;
    std::string value;
    if (one.contract) {
      value = values.MulAdd(one, context).text;
    } else {
      value = Splat(buffer->dtype, values.Emit(one.store.value, "", context), around_.lanes).text;
    }
    Text at = values.Index(buffer, one.flat, "", context);
    if (stores.size() > 1) {
      value = Named(
          "value",
          StrCat(MemoryType(buffer->dtype), around_.lanes ? std::to_string(around_.lanes) : ""),
          value);
      at.text = Named("at", at.wide ? "long" : "int", at.text);
    }
    const std::string& name = around_.buffers.at(buffer.get());
    lines.push_back(around_.lane ? StrCat("vstore", around_.lanes, "(", value, ", 0, ", name, " + ",
                                          at.Operand(), ");")
                                 : StrCat(name, "[", at.text, "] = ", value, ";"));
  }
  for (const std::string& line : lines) out_.Line(line);
}

void Body::RunBlock(const Stmt& stmt) {
  const loop::Block& block = *As<loop::Block>(stmt);
  if (As<loop::Call>(block.body)) return Run(tensorize::ExpandCalls(block));
  lower::PreparedBlock p = lower::Prepare(block, loops_);
  // A guard is seen as where it is tested: the ones before it hold.
  Values values(out_, around_, p.facts);
  std::vector<Text> guards;
  for (const loop::Expr& guard : p.facts.guards())
    guards.push_back(values.Emit(guard, "", p.facts.outside()));
  out_.Nest(Condition(guards), [&] {
    if (!p.init.empty()) {
      std::vector<Text> first;
      for (const loop::Affine& reduce : p.reduce)
        if (const Text at = values.Sum(reduce, "", p.facts.everywhere()); at.text != "0")
          first.push_back({StrCat(at.Operand(), " == 0"), false});
      out_.Nest(Condition(first), [&] { RunStores(p.facts, p.init); });
    }
    RunStores(p.facts, p.body);
  });
}

}  // namespace vta::compiler::opencl
