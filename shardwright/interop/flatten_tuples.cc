//===- flatten_tuples.cc - remove tuples ----------------------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/interop/flatten_tuples.h"

#include "shardwright/dialect/stablehlo/stablehlo.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir;

namespace shardwright {
namespace {

constexpr llvm::StringLiteral shardingName("mhlo.sharding");
constexpr llvm::StringLiteral aliasName("tf.aliasing_output");

bool isTuple(Type type) { return isa<TupleType>(type); }
bool isToken(Type type) { return isa<stablehlo::TokenType>(type); }
bool anyTuple(TypeRange types) { return llvm::any_of(types, isTuple); }

/// True for @main, whose callers have no tokens to pass: tokens only order a
/// program's effects.
bool isEntry(func::FuncOp function) { return function.getSymName() == "main"; }

bool isFlat(func::FuncOp function) {
  auto strange = [&](Type type) {
    return isTuple(type) || (isEntry(function) && isToken(type));
  };
  return llvm::none_of(function.getArgumentTypes(), strange) &&
         llvm::none_of(function.getResultTypes(), strange);
}

void appendLeaves(Type type, SmallVectorImpl<Type> &leaves) {
  if (auto tuple = dyn_cast<TupleType>(type))
    for (Type element : tuple.getTypes())
      appendLeaves(element, leaves);
  else
    leaves.push_back(type);
}

SmallVector<Type> leavesOf(TypeRange types) {
  SmallVector<Type> leaves;
  for (Type type : types)
    appendLeaves(type, leaves);
  return leaves;
}

/// The leaves that occur in the function's signature.
SmallVector<Type> leavesOf(func::FuncOp function, TypeRange types) {
  SmallVector<Type> leaves = leavesOf(types);
  if (isEntry(function))
    llvm::erase_if(leaves, isToken);
  return leaves;
}

/// Extracts and appends the leaves of `value`.
void takeApart(OpBuilder &b, Value value, SmallVectorImpl<Value> &leaves) {
  auto tuple = dyn_cast<TupleType>(value.getType());
  if (!tuple) {
    leaves.push_back(value);
    return;
  }
  for (auto [i, type] : llvm::enumerate(tuple.getTypes()))
    takeApart(b,
              stablehlo::GetTupleElementOp::create(b, value.getLoc(), type,
                                                   value, int32_t(i)),
              leaves);
}

/// Builds a value of `type` from the next leaves.
Value putTogether(OpBuilder &b, Location loc, Type type,
                  ArrayRef<Value> &leaves) {
  auto tuple = dyn_cast<TupleType>(type);
  if (!tuple) {
    Value leaf = leaves.front();
    leaves = leaves.drop_front();
    return leaf;
  }
  SmallVector<Value> elements;
  for (Type element : tuple.getTypes())
    elements.push_back(putTogether(b, loc, element, leaves));
  return stablehlo::TupleOp::create(b, loc, type, elements);
}

/// Splits `{{a}, {b}}` into `{a}`, `{b}`; empty unless there are `count` parts.
SmallVector<StringRef> splitSharding(StringRef text, size_t count) {
  SmallVector<StringRef> parts;
  text = text.trim();
  if (!text.consume_front("{") || !text.consume_back("}"))
    return parts;
  int depth = 0;
  size_t begin = 0;
  for (size_t i = 0; i <= text.size(); ++i) {
    if (i == text.size() || (text[i] == ',' && depth == 0)) {
      parts.push_back(text.slice(begin, i).trim());
      begin = i + 1;
    } else if (text[i] == '{' || text[i] == '[') {
      ++depth;
    } else if (text[i] == '}' || text[i] == ']') {
      --depth;
    }
  }
  if (parts.size() != count)
    parts.clear();
  return parts;
}

class Flattening {
public:
  explicit Flattening(ModuleOp module) : module(module) {}
  LogicalResult run();

private:
  LogicalResult flattenSignature(func::FuncOp function);
  FailureOr<SmallVector<DictionaryAttr>> splitAttributes(func::FuncOp function,
                                                         bool arguments);
  void flattenCall(func::CallOp call);
  void flattenCustomCall(stablehlo::CustomCallOp call);
  void removeTuples();

  ModuleOp module;
};

} // namespace

FailureOr<SmallVector<DictionaryAttr>>
Flattening::splitAttributes(func::FuncOp function, bool arguments) {
  Builder b(function.getContext());
  TypeRange types = arguments ? TypeRange(function.getArgumentTypes())
                              : TypeRange(function.getResultTypes());
  // First leaf of each result, to renumber aliases.
  SmallVector<int64_t> firstLeaf;
  int64_t next = 0;
  for (Type type : function.getResultTypes()) {
    firstLeaf.push_back(next);
    next += leavesOf(function, type).size();
  }
  SmallVector<DictionaryAttr> all;
  for (auto [i, type] : llvm::enumerate(types)) {
    auto found =
        arguments ? function.getArgAttrDict(i) : function.getResultAttrDict(i);
    NamedAttrList attributes(found ? found : b.getDictionaryAttr({}));
    if (auto alias = dyn_cast_or_null<IntegerAttr>(attributes.get(aliasName));
        alias && alias.getInt() >= 0 &&
        alias.getInt() < int64_t(firstLeaf.size()))
      attributes.set(aliasName, IntegerAttr::get(alias.getType(),
                                                 firstLeaf[alias.getInt()]));
    if (isEntry(function) && isToken(type))
      continue;
    if (!isTuple(type)) {
      all.push_back(attributes.getDictionary(b.getContext()));
      continue;
    }
    SmallVector<Type> leaves = leavesOf(type);
    size_t count = leaves.size();
    SmallVector<StringRef> shardings;
    if (auto text =
            dyn_cast_or_null<StringAttr>(attributes.get(shardingName))) {
      shardings = splitSharding(text, count);
      if (shardings.empty() && count > 0)
        return function.emitError()
               << (arguments ? "argument #" : "result #") << i << " has "
               << count << " leaves, but its sharding is " << text;
    }
    attributes.erase(shardingName);
    attributes.erase(aliasName);
    for (size_t leaf = 0; leaf < count; ++leaf) {
      if (isEntry(function) && isToken(leaves[leaf]))
        continue;
      NamedAttrList own = attributes;
      if (!shardings.empty())
        own.set(shardingName, b.getStringAttr(shardings[leaf]));
      all.push_back(own.getDictionary(b.getContext()));
    }
  }
  return all;
}

/// Names the leaves of `x`: `x.1`, `x.2.0`.
static void appendLocations(Type type, Location loc,
                            SmallVectorImpl<Location> &locations) {
  auto tuple = dyn_cast<TupleType>(type);
  if (!tuple) {
    locations.push_back(loc);
    return;
  }
  auto name = dyn_cast<NameLoc>(loc);
  for (auto [i, element] : llvm::enumerate(tuple.getTypes())) {
    Location inner = loc;
    if (name)
      inner = NameLoc::get(
          StringAttr::get(loc.getContext(),
                          name.getName().strref() + "." + Twine(i)),
          name.getChildLoc());
    appendLocations(element, inner, locations);
  }
}

LogicalResult Flattening::flattenSignature(func::FuncOp function) {
  if (isFlat(function))
    return success();
  auto argumentAttributes = splitAttributes(function, true),
       resultAttributes = splitAttributes(function, false);
  if (failed(argumentAttributes) || failed(resultAttributes))
    return failure();
  SmallVector<Type> arguments = leavesOf(function, function.getArgumentTypes()),
                    results = leavesOf(function, function.getResultTypes());
  if (!function.isDeclaration()) {
    Block &block = function.getBody().front();
    SmallVector<BlockArgument> old(block.getArguments());
    SmallVector<Value> leaves;
    OpBuilder b = OpBuilder::atBlockBegin(&block);
    for (BlockArgument argument : old) {
      SmallVector<Location> locations;
      appendLocations(argument.getType(), argument.getLoc(), locations);
      for (auto [type, loc] :
           llvm::zip_equal(leavesOf(argument.getType()), locations))
        leaves.push_back(
            isEntry(function) && isToken(type)
                ? Value(stablehlo::CreateTokenOp::create(b, loc, type))
                : block.addArgument(type, loc));
    }
    ArrayRef<Value> rest = leaves;
    for (BlockArgument argument : old)
      argument.replaceAllUsesWith(
          putTogether(b, argument.getLoc(), argument.getType(), rest));
    block.eraseArguments(0, old.size());
    for (Block &inner : function.getBody())
      if (auto end = dyn_cast<func::ReturnOp>(inner.getTerminator())) {
        OpBuilder before(end);
        SmallVector<Value> operands;
        for (Value operand : end.getOperands())
          takeApart(before, operand, operands);
        if (isEntry(function))
          llvm::erase_if(operands,
                         [](Value v) { return isToken(v.getType()); });
        end->setOperands(operands);
      }
  }
  // Remove the attributes first: their number must equal that of the types.
  function.removeArgAttrsAttr();
  function.removeResAttrsAttr();
  function.setFunctionType(
      FunctionType::get(function.getContext(), arguments, results));
  function.setAllArgAttrs(*argumentAttributes);
  function.setAllResultAttrs(*resultAttributes);
  return success();
}

void Flattening::flattenCall(func::CallOp call) {
  if (!anyTuple(call.getOperandTypes()) && !anyTuple(call.getResultTypes()))
    return;
  OpBuilder b(call);
  SmallVector<Value> operands;
  for (Value operand : call.getOperands())
    takeApart(b, operand, operands);
  auto flat = func::CallOp::create(b, call.getLoc(), call.getCallee(),
                                   leavesOf(call.getResultTypes()), operands);
  flat->setDiscardableAttrs(call->getDiscardableAttrDictionary());
  SmallVector<Value> leaves(flat.getResults());
  ArrayRef<Value> rest = leaves;
  for (Value result : call.getResults())
    result.replaceAllUsesWith(
        putTogether(b, call.getLoc(), result.getType(), rest));
  call.erase();
}

/// Replaces a single tuple result of a call by its leaves.
void Flattening::flattenCustomCall(stablehlo::CustomCallOp call) {
  if (call->getNumResults() != 1 || !isTuple(call->getResult(0).getType()) ||
      anyTuple(cast<TupleType>(call->getResult(0).getType()).getTypes()))
    return;
  OpBuilder b(call);
  OperationState state(call.getLoc(), call->getName());
  state.addOperands(call->getOperands());
  state.addTypes(leavesOf(call->getResultTypes()));
  state.addAttributes(call->getAttrs());
  Operation *flat = b.create(state);
  if (auto text = flat->getAttrOfType<StringAttr>(shardingName))
    if (splitSharding(text, flat->getNumResults()).empty() &&
        flat->getNumResults() > 0)
      flat->removeAttr(shardingName);
  SmallVector<Value> leaves(flat->getResults());
  ArrayRef<Value> rest = leaves;
  Value whole = call->getResult(0);
  whole.replaceAllUsesWith(
      putTogether(b, call.getLoc(), whole.getType(), rest));
  call.erase();
}

void Flattening::removeTuples() {
  // Operands precede their uses, so inner tuples are resolved before outer
  // ones.
  module.walk([](stablehlo::GetTupleElementOp op) {
    auto tuple = op.getOperand().getDefiningOp<stablehlo::TupleOp>();
    if (!tuple || op.getIndex() < 0 ||
        op.getIndex() >= int64_t(tuple.getVal().size()))
      return;
    op.getResult().replaceAllUsesWith(tuple.getVal()[op.getIndex()]);
    op.erase();
  });
  SmallVector<stablehlo::TupleOp> tuples;
  module.walk([&](stablehlo::TupleOp op) { tuples.push_back(op); });
  for (stablehlo::TupleOp op : llvm::reverse(tuples))
    if (op->use_empty())
      op.erase();
}

LogicalResult Flattening::run() {
  bool found =
      module
          .walk([](Operation *op) {
            bool has = anyTuple(op->getResultTypes());
            if (auto function = dyn_cast<func::FuncOp>(op))
              has |= !isFlat(function);
            return has ? WalkResult::interrupt() : WalkResult::advance();
          })
          .wasInterrupted();
  if (!found)
    return success();
  for (auto function : module.getOps<func::FuncOp>())
    if (failed(flattenSignature(function)))
      return failure();
  SmallVector<func::CallOp> calls;
  module.walk([&](func::CallOp call) { calls.push_back(call); });
  for (func::CallOp call : calls)
    flattenCall(call);
  SmallVector<stablehlo::CustomCallOp> customCalls;
  module.walk(
      [&](stablehlo::CustomCallOp call) { customCalls.push_back(call); });
  for (stablehlo::CustomCallOp call : customCalls)
    flattenCustomCall(call);
  removeTuples();
  return success();
}

LogicalResult flattenTuples(ModuleOp module) {
  return Flattening(module).run();
}

namespace {
struct FlattenTuplesPass
    : PassWrapper<FlattenTuplesPass, OperationPass<ModuleOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(FlattenTuplesPass)

  StringRef getArgument() const final { return "sw-flatten-tuples"; }
  StringRef getDescription() const final {
    return "Replaces arguments and results of tuple type by their elements";
  }
  void getDependentDialects(DialectRegistry &registry) const final {
    registry.insert<stablehlo::StablehloDialect>();
  }
  void runOnOperation() final {
    if (failed(flattenTuples(getOperation())))
      signalPassFailure();
  }
};
} // namespace

void registerFlattenTuplesPass() { PassRegistration<FlattenTuplesPass>(); }

} // namespace shardwright
