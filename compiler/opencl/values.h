// Expressions of the loop IR as those of OpenCL C.
#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "compiler/lower/block_facts.h"
#include "compiler/opencl/part.h"
#include "compiler/opencl/writer.h"

namespace vta::compiler::opencl {

/// An expression. Of an int64 the type is int where its value is known to fit, else long; of a bool
/// and of narrower integers it is int.
struct Text {
  std::string text;
  bool atom = true;  // needs no parentheses beside an operator
  bool wide = false;
  int lanes = 0;  // of a vector

  /// As an operand of one.
  std::string Operand() const { return atom ? text : "(" + text + ")"; }
};

/// What stands around the place where code is written.
struct Surroundings {
  std::map<const loop::VarNode*, Text> vars;
  std::map<const loop::BufferNode*, std::string> buffers;  // names of pointers and arrays
  std::set<const loop::VarNode*> threads;                  // among the vars
  std::map<const loop::BufferNode*, Part> parts;           // what a thread has of a buffer
  bool notes = false;                                      // parts are yet to be known
  loop::Var lane;  // of a loop that is written as vectors, whose first lane is in vars; or empty
  int lanes = 0;

  /// Of an index in a buffer, in elements: the same in what the buffer's name stands for.
  loop::Affine InPart(const loop::Buffer& buffer, const loop::Affine& index) const;
  /// Whether the lanes of an index lie one after the other.
  bool IsDense(const loop::Buffer& buffer, const loop::Affine& index) const;
};

/// The type of an element in memory: bool is uchar.
std::string_view MemoryType(loop::DType dtype);
/// That of a value.
std::string_view ValueType(loop::DType dtype);
Text Integer(int64_t value);
/// A vector of that many lanes; of a scalar each is it. None: the value itself.
Text Splat(loop::DType dtype, const Text& value, int lanes);

class Values {
 public:
  using Context = lower::BlockFacts::Context;
  Values(Writer& writer, Surroundings& around, lower::BlockFacts& facts)
      : out_(writer), around_(around), facts_(facts) {}

  /// `mask`: the name of what says whether the value is wanted, or "" where it is; where it is not
  /// no memory is touched that is not there. Lines that the expression needs are written before it.
  Text Emit(const loop::Expr& e, const std::string& mask, Context& context);
  /// sum + left * right of an assignment that contracts.
  Text MulAdd(const lower::Assignment& one, Context& context);
  Text Sum(const loop::Affine& affine, const std::string& mask, Context& context);
  /// Where an element lies in what the buffer's name stands for, which is `flat` elements from its
  /// first.
  Text Index(const loop::Buffer& buffer, const loop::Affine& flat, const std::string& mask,
             Context& context);

 private:
  Text Load(const loop::Expr& e, const std::string& mask, Context& context);
  Text Select(const loop::Expr& e, const std::string& mask, Context& context);
  Text Apply(const loop::Expr& e, const std::vector<Text>& args, Context& context);
  Text Divide(const loop::Expr& e, const std::vector<Text>& args, Context& context);
  Text Call(const char* helper, const loop::Expr& e, std::vector<Text> args);

  Writer& out_;
  Surroundings& around_;
  lower::BlockFacts& facts_;
};

}  // namespace vta::compiler::opencl
