// Printer and parser of the task IR. One task a line:
//   load2d inp[0] <- x[56] 8x10 stride 56 pad 1 0 1 1 value ; pop_next push_next
//   gemm k0 8x8 dst 8 1 src 10 1 wgt 0 0 reset @0
#include <array>
#include <charconv>

#include "compiler/targets/vta/tasks/task.h"
#include "isa/support/error.h"

namespace vta::compiler::targets {
namespace {

struct TokenName {
  std::string_view name;
  bool Tokens::*member;
};
constexpr TokenName kTokenNames[] = {{"pop_prev", &Tokens::pop_prev},
                                     {"pop_next", &Tokens::pop_next},
                                     {"push_prev", &Tokens::push_prev},
                                     {"push_next", &Tokens::push_next}};

std::string_view ElementName(isa::MemoryType type) {
  for (const isa::MemorySpec& row : isa::kMemories)
    if (row.code == type) return row.name;
  VTA_CHECK(false, static_cast<int>(type));
}

std::string Print(const TaskProgram& program, const Dma& dma) {
  const DramTensor& tensor = program.tensors[dma.tensor];
  std::string out = StrCat(dma.store ? "store2d " : "load2d ", ElementName(tensor.element), "[",
                           dma.sram, "] ", dma.store ? "-> " : "<- ", tensor.name, "[", dma.dram,
                           "] ", dma.y_size, "x", dma.x_size, " stride ", dma.x_stride);
  if (dma.y_pad_top || dma.y_pad_bottom || dma.x_pad_left || dma.x_pad_right)
    out += StrCat(" pad ", dma.y_pad_top, " ", dma.y_pad_bottom, " ", dma.x_pad_left, " ",
                  dma.x_pad_right);
  return out + (dma.pad_value ? " value" : "");
}

std::string Print(const LoopNest& nest, bool wgt) {
  std::string out = StrCat("k", nest.kernel, " ", nest.iter_out, "x", nest.iter_in, " dst ",
                           nest.dst_out, " ", nest.dst_in, " src ", nest.src_out, " ", nest.src_in);
  if (wgt) out += StrCat(" wgt ", nest.wgt_out, " ", nest.wgt_in);
  return out;
}

std::string Place(const LoopNest& nest) {
  return nest.uop_begin < 0 ? "" : StrCat(" @", nest.uop_begin);
}

struct OpPrinter {
  const TaskProgram& program;
  std::string operator()(const Dma& dma) const { return Print(program, dma); }
  std::string operator()(const Gemm& gemm) const {
    constexpr std::string_view kWrites[] = {"", " overwrite", " reset"};
    return StrCat("gemm ", Print(gemm.nest, true), kWrites[static_cast<int>(gemm.writes)],
                  Place(gemm.nest));
  }
  std::string operator()(const Alu& alu) const {
    const std::string_view name = isa::kAluOps[static_cast<int>(alu.op)].name;
    return StrCat("alu ", name, " ", Print(alu.nest, false),
                  alu.use_imm ? StrCat(" imm ", alu.imm) : "", Place(alu.nest));
  }
  std::string operator()(const SetMode& set) const {
    return StrCat("set ", isa::kModeTable[static_cast<int>(set.mode)].name, " ", set.value);
  }
  std::string operator()(const Nop&) const { return "nop"; }
  std::string operator()(const Finish&) const { return "finish"; }
};

/// The words of one line, taken one after the other.
class Line {
 public:
  Line(std::string_view text, std::string where) : where_(std::move(where)) {
    constexpr std::string_view kAlone = "[](),@;:";
    std::string word;
    auto flush = [&] {
      if (!word.empty()) words_.push_back(std::move(word));
      word.clear();
    };
    for (const char c : text) {
      const bool alone = kAlone.find(c) != std::string_view::npos;
      if (alone || c == ' ' || c == '\t' || c == '\r') flush();
      if (alone) words_.push_back(std::string(1, c));
      if (!alone && c != ' ' && c != '\t' && c != '\r') word += c;
    }
    flush();
  }

  bool empty() const { return next_ == words_.size(); }
  const std::string& Peek() const {
    static const std::string kEnd = "end of line";
    return empty() ? kEnd : words_[next_];
  }
  bool Accept(std::string_view word) {
    if (empty() || words_[next_] != word) return false;
    ++next_;
    return true;
  }
  void Expect(std::string_view word) {
    if (!Accept(word)) Fail(StrCat("must be '", word, "'"));
  }
  std::string Word() {
    if (empty()) Fail("a word must follow");
    return words_[next_++];
  }
  int64_t Int() { return Number(Peek()); }
  /// A number behind a letter ("k3"), or two numbers around an x ("8x10").
  int64_t Index(char letter) {
    const std::string& word = Peek();
    if (word.empty() || word[0] != letter) Fail(StrCat("must be ", letter, " and a number"));
    return Number(std::string_view(word).substr(1));
  }
  std::array<int64_t, 2> Size() {
    const std::string word = Peek();
    const size_t x = word.find('x');
    if (x == std::string::npos) Fail("must be two numbers around an x");
    const int64_t first = Number(std::string_view(word).substr(0, x));
    --next_;
    return {first, Number(std::string_view(word).substr(x + 1))};
  }
  [[noreturn]] void Fail(const std::string& rule) const {
    throw Error(where_, "word", Peek(), rule);
  }

 private:
  int64_t Number(std::string_view text) {
    int64_t value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc() || end != text.data() + text.size() || text.empty())
      Fail("must be an integer");
    ++next_;
    return value;
  }

  std::string where_;
  std::vector<std::string> words_;
  size_t next_ = 0;
};

isa::MemoryType ParseElement(Line& line) {
  for (const isa::MemorySpec& row : isa::kMemories)
    if (line.Accept(row.name)) return row.code;
  line.Fail("must be a memory type");
}

DramTensor ParseTensor(Line& line) {
  DramTensor tensor;
  tensor.name = line.Word();
  line.Expect(":");
  tensor.element = ParseElement(line);
  line.Expect("[");
  tensor.elems = line.Int();
  line.Expect("]");
  line.Expect("@");
  tensor.offset_bytes = line.Int();
  return tensor;
}

UopKernel ParseKernel(Line& line, size_t expected) {
  if (line.Index('k') != static_cast<int64_t>(expected)) line.Fail("kernels are numbered in order");
  UopKernel kernel;
  while (line.Accept("(")) {
    isa::Uop uop;
    uop.dst = line.Int();
    line.Expect(",");
    uop.src = line.Int();
    line.Expect(",");
    uop.wgt = line.Int();
    line.Expect(")");
    kernel.push_back(uop);
  }
  return kernel;
}

Dma ParseDma(Line& line, const TaskProgram& program, bool store) {
  Dma dma;
  dma.store = store;
  const isa::MemoryType element = ParseElement(line);
  line.Expect("[");
  dma.sram = line.Int();
  line.Expect("]");
  line.Expect(store ? "->" : "<-");
  for (dma.tensor = 0; dma.tensor < static_cast<int64_t>(program.tensors.size()); ++dma.tensor)
    if (program.tensors[dma.tensor].name == line.Peek()) break;
  if (dma.tensor == static_cast<int64_t>(program.tensors.size()) ||
      program.tensors[dma.tensor].element != element)
    line.Fail("must be a declared tensor of these elements");
  line.Word();
  line.Expect("[");
  dma.dram = line.Int();
  line.Expect("]");
  const auto size = line.Size();
  dma.y_size = size[0], dma.x_size = size[1];
  line.Expect("stride");
  dma.x_stride = line.Int();
  if (line.Accept("pad"))
    for (int64_t Dma::*pad :
         {&Dma::y_pad_top, &Dma::y_pad_bottom, &Dma::x_pad_left, &Dma::x_pad_right})
      dma.*pad = line.Int();
  dma.pad_value = line.Accept("value");
  return dma;
}

LoopNest ParseNest(Line& line, const TaskProgram& program, bool wgt) {
  LoopNest nest;
  nest.kernel = line.Index('k');
  if (nest.kernel < 0 || nest.kernel >= static_cast<int64_t>(program.kernels.size()))
    line.Fail("the kernel must be declared above");
  const auto trips = line.Size();
  nest.iter_out = trips[0], nest.iter_in = trips[1];
  line.Expect("dst");
  nest.dst_out = line.Int(), nest.dst_in = line.Int();
  line.Expect("src");
  nest.src_out = line.Int(), nest.src_in = line.Int();
  if (wgt) {
    line.Expect("wgt");
    nest.wgt_out = line.Int(), nest.wgt_in = line.Int();
  }
  return nest;
}

void ParsePlace(Line& line, LoopNest& nest) {
  if (!line.Accept("@")) return;
  nest.uop_begin = line.Int();
  if (nest.uop_begin < 0) line.Fail("the place of a micro-op must not be negative");
}

Alu ParseAlu(Line& line, const TaskProgram& program) {
  Alu alu;
  const isa::AluOpSpec* op = nullptr;
  for (const isa::AluOpSpec& row : isa::kAluOps)
    if (!op && line.Accept(row.name)) op = &row;
  if (!op) line.Fail("must be an ALU operation");
  alu.op = op->code;
  alu.nest = ParseNest(line, program, false);
  alu.use_imm = line.Accept("imm");
  if (alu.use_imm) alu.imm = line.Int();
  ParsePlace(line, alu.nest);
  return alu;
}

SetMode ParseSet(Line& line) {
  for (const isa::ModeSpec& row : isa::kModeTable)
    if (line.Accept(row.name)) return {row.code, line.Int()};
  line.Fail("must be a mode");
}

Task ParseTask(Line& line, const TaskProgram& program) {
  Task task;
  if (line.Accept("load2d")) {
    task.op = ParseDma(line, program, false);
  } else if (line.Accept("store2d")) {
    task.op = ParseDma(line, program, true);
  } else if (line.Accept("gemm")) {
    Gemm gemm;
    gemm.nest = ParseNest(line, program, true);
    gemm.writes = line.Accept("reset")       ? GemmWrites::kZero
                  : line.Accept("overwrite") ? GemmWrites::kProduct
                                             : GemmWrites::kSum;
    ParsePlace(line, gemm.nest);
    task.op = gemm;
  } else if (line.Accept("alu")) {
    task.op = ParseAlu(line, program);
  } else if (line.Accept("set")) {
    task.op = ParseSet(line);
  } else if (line.Accept("nop")) {
    task.op = Nop{};
  } else if (line.Accept("finish")) {
    task.op = Finish{};
  } else {
    line.Fail("must be tensor, kernel, load2d, store2d, gemm, alu, set, nop or finish");
  }
  if (line.Accept(";"))
    while (!line.empty()) {
      bool found = false;
      for (const TokenName& token : kTokenNames)
        if (line.Accept(token.name)) found = task.tokens.*token.member = true;
      if (!found) line.Fail("must be a token bit");
    }
  return task;
}

}  // namespace

std::string PrintTask(const TaskProgram& program, const Task& task) {
  std::string out = std::visit(OpPrinter{program}, task.op);
  bool first = true;
  for (const TokenName& token : kTokenNames) {
    if (!(task.tokens.*token.member)) continue;
    out += StrCat(first ? " ; " : " ", token.name);
    first = false;
  }
  return out;
}

std::string PrintTasks(const TaskProgram& program) {
  std::string out = StrCat("program ", program.name, "\n");
  for (const DramTensor& tensor : program.tensors)
    out += StrCat("tensor ", tensor.name, " : ", ElementName(tensor.element), "[", tensor.elems,
                  "] @", tensor.offset_bytes, "\n");
  for (size_t i = 0; i < program.kernels.size(); ++i) {
    out += StrCat("kernel k", i);
    for (const isa::Uop& uop : program.kernels[i])
      out += StrCat(" (", uop.dst, ",", uop.src, ",", uop.wgt, ")");
    out += "\n";
  }
  for (const Task& task : program.tasks) out += PrintTask(program, task) + "\n";
  return out;
}

TaskProgram ParseTasks(std::string_view text, const std::string& file) {
  TaskProgram program;
  for (int64_t number = 1; !text.empty(); ++number) {
    const size_t end = std::min(text.find('\n'), text.size());
    Line line(text.substr(0, end), StrCat(file, ":", number));
    text.remove_prefix(std::min(end + 1, text.size()));
    if (line.empty()) continue;
    if (line.Accept("program")) {
      program.name = line.Word();
    } else if (line.Accept("tensor")) {
      program.tensors.push_back(ParseTensor(line));
    } else if (line.Accept("kernel")) {
      program.kernels.push_back(ParseKernel(line, program.kernels.size()));
    } else {
      program.tasks.push_back(ParseTask(line, program));
    }
    if (!line.empty()) line.Fail("nothing may follow");
  }
  return program;
}

}  // namespace vta::compiler::targets
