//===- frontend_server.cc - programs of the front end, as text ------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Reads programs from standard input, and writes one line of JSON for each:
//
//   mesh 4,2 x,y Auto,Auto     the mesh in context
//   in f32 3,4 1.0 2.0 ...     an argument with its elements
//   batch f32 2,3,4 1.0 ...    the same argument for vmap, batched at 0
//   place x|-                  the spec of the last argument
//   tree 1                     the arguments and results are maps, not lists
//   lit f32 2.0                a scalar
//   shape f32 3,4              an argument without elements, to be traced
//   op NAME 0 1 key=1,2 ...    applied to earlier values, by number
//   begin NAME 0 1 key=1 ...   a function with bodies: blocks of steps, whose
//   block                      arguments have the next numbers, each ending
//   yield 3 4                  with the numbers of its results
//   end
//   out 2 3                    the results
//   ask KIND:TRANSFORMS ...    answers for the function, transformed
//   trace                      the jaxpr of the function, not jitted
//   primitives                 the names of all primitives
//   operations                 the names for `op`
//
// Kinds: jaxpr, types, values, module, shardings of the jitted function, eager
// (values) and placed (shardings) without jit. Transforms, the first
// is applied last: vjp, jvp, vmap, as `vmap.vjp`. An argument of vmap is its
// batch; `vmap_0n1` maps the first argument at dimension 0, the third at 1, and
// not the second. test/oracle/frontend_programs.py writes the same programs for
// JAX.
//
//===----------------------------------------------------------------------===//

#include "frontend/program.h"

#include <cstdio>
#include <cstdlib>
#include <iostream>
#include <sstream>

using namespace shardwright::frontend;

namespace {

struct Program {
  Mesh mesh;
  Tensors ins, batches;
  std::vector<std::optional<PartitionSpec>> places;
  BlockReader body;
  bool isMap = false;
};

std::string quoted(const std::string &text) {
  std::string out = "\"";
  for (char c : text)
    if (c == '\n')
      out += "\\n";
    else if (c == '"' || c == '\\')
      (out += '\\') += c;
    else
      out += c;
  return out + "\"";
}

/// The array as f32: words of keys, and the real and imaginary parts of
/// complex numbers one after another.
Tensor asFloats(const Tensor &x) {
  if (!x.ok() || x.dtype() == DType::F32)
    return x;
  if (x.dtype() == DType::Key)
    return astype(lax::random_unwrap(x), DType::F32);
  if (isComplex(x.dtype()))
    return stack({lax::real(x), lax::imag(x)}, x.rank());
  return astype(x, DType::F32);
}

std::string numbers(const Tensors &tensors) {
  std::string out = "[";
  for (size_t i = 0; i < tensors.size(); ++i) {
    auto values = asFloats(tensors[i]).toVector<float>();
    if (!values)
      return quoted(values.error().str());
    out += i ? ", [" : "[";
    for (size_t k = 0; k < values->size(); ++k) {
      char text[40];
      std::snprintf(text, sizeof(text), "%.9g", double((*values)[k]));
      std::string word = text;
      if (word.find("nan") != word.npos)
        word = "NaN";
      if (word.find("inf") != word.npos)
        word = word[0] == '-' ? "-Infinity" : "Infinity";
      out += (k ? ", " : "") + word;
    }
    out += "]";
  }
  return out + "]";
}

bool isFloating(const Tensor &x) { return isFloat(x.dtype()); }

/// A function, from its leaves to the cotangents of its floating arguments, for
/// cotangents sin(result).
FlatFunction pulledBack(const FlatFunction &f) {
  return [f](const Tensors &args) -> Tensors {
    auto parts = detail::vjp(f, args);
    if (!parts)
      return {Tensor(parts.error())};
    Tensors cts, out;
    for (const Tensor &y : parts->first)
      cts.push_back(isInexact(y.dtype()) ? lax::sin(y) : y);
    Tensors all = parts->second(cts);
    for (size_t i = 0; i < all.size(); ++i)
      if (!all[i].ok() || (i < args.size() && isFloating(args[i])))
        out.push_back(all[i]);
    return out;
  };
}
/// The tangents of the floating results, for tangents cos(argument).
FlatFunction pushedForward(const FlatFunction &f) {
  return [f](const Tensors &args) -> Tensors {
    Tensors tangents, out;
    for (const Tensor &x : args)
      tangents.push_back(isFloating(x) ? lax::cos(x) : x);
    auto parts = detail::jvp(f, args, tangents);
    if (!parts)
      return {Tensor(parts.error())};
    for (const Tensor &t : parts->second)
      if (isFloating(t))
        out.push_back(t);
    return out;
  };
}
/// The mapped dimension of each argument from `vmap_0n1`, -1 for `n`; 0 for all
/// of them from `vmap`.
Ints mappedDims(const std::string &transform, const Tensors &arguments) {
  Ints dims(arguments.size(), 0);
  if (transform == "vmap_last")
    for (size_t i = 0; i < dims.size(); ++i)
      dims[i] = arguments[i].rank() - 1;
  if (transform == "vmap_last")
    return dims;
  size_t start = transform.find('_');
  for (size_t i = 0; start != transform.npos && i < dims.size(); ++i) {
    size_t at = start + 1 + i;
    bool isMapped = at < transform.size() && transform[at] != 'n';
    dims[i] = isMapped ? transform[at] - '0' : -1;
  }
  return dims;
}
FlatFunction mapped(const FlatFunction &f, const std::string &transform) {
  return [=](const Tensors &batches) -> Tensors {
    auto outs = detail::vmap(f, batches, mappedDims(transform, batches), {0},
                             -1, "", {});
    return outs ? *outs : Tensors{Tensor(outs.error())};
  };
}
/// The arguments of a program with this vmap.
Tensors mappedArguments(const Tensors &ins, const Tensors &batches,
                        const std::string &transform) {
  Tensors out = batches;
  Ints dims = mappedDims(transform, batches);
  for (size_t i = 0; i < out.size(); ++i)
    out[i] = dims[i] < 0 ? ins[i] : moveaxis(batches[i], 0, dims[i]);
  return out;
}
/// `vmap.vjp`: the batched gradient.
FlatFunction transformed(FlatFunction f, const std::string &names) {
  AxisNames list = split(names, '.');
  for (size_t i = list.size(); i-- > 0;)
    f = list[i] == "vjp"   ? pulledBack(f)
        : list[i] == "jvp" ? pushedForward(f)
                           : mapped(f, list[i]);
  return f;
}

/// Calls `use` with a jitted function of a list or of a map, and its argument.
template <typename Use>
std::string withJitted(const FlatFunction &f, const Tensors &args, bool isMap,
                       const Use &use) {
  if (!isMap)
    return use(jit([f](const std::vector<Tensor> &a)
                       -> std::vector<Tensor> { return f(a); },
                   {.name = "f"}),
               args);
  using Map = std::map<std::string, Tensor>;
  auto toMap = [](const Tensors &list) {
    Map out;
    for (size_t i = 0; i < list.size(); ++i)
      out[std::string(1, static_cast<char>('a' + i))] = list[i];
    return out;
  };
  auto onMap = [f, toMap](const Map &a) { return toMap(f(treeLeaves(a))); };
  return use(jit(onMap, {.name = "f"}), toMap(args));
}

std::string typesOf(const std::vector<Aval> &types) {
  std::string out;
  for (const Aval &type : types)
    out += cat(out.empty() ? "" : " ", type.str(), type.weak ? "*" : "");
  return out;
}
std::string shardingsOf(const Tensors &outs) {
  std::string text;
  for (const Tensor &x : outs) {
    if (!x.ok())
      return x.error().str();
    const Sharding &s = x.sharding();
    text += cat(text.empty() ? "" : " ",
                s.kind() == Sharding::Kind::Named ? s.spec().str() : "-");
  }
  return text;
}

std::string field(const Program &p, const std::string &kind,
                  const std::string &names) {
  FlatFunction plain = [&p](const Tensors &args) {
    return evaluate(p.body.main, {}, args);
  };
  FlatFunction f = transformed(plain, names);
  size_t vmapAt = names.find("vmap");
  bool isBatched = vmapAt != names.npos;
  Tensors args = p.ins;
  if (isBatched)
    args =
        mappedArguments(p.ins, p.batches, split(names.substr(vmapAt), '.')[0]);
  else
    for (size_t i = 0; i < args.size(); ++i)
      if (i < p.places.size() && p.places[i])
        args[i] = devicePut(args[i], *p.places[i]);
  if (kind == "eager")
    return numbers(f(args));
  if (kind == "placed")
    return quoted(shardingsOf(f(args)));
  return withJitted(
      f, args, p.isMap && names.empty(), [&](auto jitted, auto tree) {
        auto text = [](const Expected<std::string> &t) {
          return quoted(t ? *t : t.error().str());
        };
        if (kind == "values" || kind == "shardings") {
          auto outs = jitted(tree);
          if (!outs)
            return quoted(outs.error().str());
          Tensors leaves = treeLeaves(*outs);
          return kind == "values" ? numbers(leaves)
                                  : quoted(shardingsOf(leaves));
        }
        if (kind == "module") {
          auto lowered = jitted.lower(tree);
          return text(lowered ? lowered->asText()
                              : Expected<std::string>(lowered.error()));
        }
        auto traced = jitted.trace(tree);
        if (!traced)
          return quoted(traced.error().str());
        return quoted(kind == "jaxpr" ? traced->str()
                                      : typesOf(traced->outTypes()));
      });
}

std::string answer(const Program &program, std::istringstream &fields) {
  std::optional<ScopedMesh> context;
  if (!program.mesh.names().empty())
    context.emplace(program.mesh);
  std::string out, one;
  while (fields >> one) {
    size_t colon = std::min(one.find(':'), one.size() - 1);
    out += cat(out.empty() ? "{" : ", ", quoted(one), ": ",
               field(program, one.substr(0, colon), one.substr(colon + 1)));
  }
  return out.empty() ? "{}" : out + "}";
}

std::string traceAnswer(const Program &program) {
  auto traced = jaxprText(
      [&](const std::vector<Tensor> &args) -> std::vector<Tensor> {
        return evaluate(program.body.main, {}, args);
      },
      program.ins);
  return cat("{\"jaxpr\": ", quoted(traced ? *traced : traced.error().str()),
             "}");
}

std::string primitiveList() {
  std::string out;
  for (const std::string &name : primitiveNames())
    out += cat(out.empty() ? "" : ", ", quoted(name));
  return cat("[", out, "]");
}
std::string operationList() {
  std::string out;
  for (const auto &[name, op] : allOps())
    out += cat(out.empty() ? "" : ", ", quoted(name));
  return cat("[", out, "]");
}

Tensor readArray(std::istringstream &in) {
  std::string type, shape;
  in >> type >> shape;
  Shape dims(shape == "-" ? Ints() : intsOf(shape));
  if (type == "c64") {
    // The real parts, then the imaginary ones.
    auto part = [&] {
      std::vector<float> values(dims.elements());
      for (float &v : values)
        in >> v;
      return arrayOf(values, dims);
    };
    Tensor re = part();
    return lax::complex(re, part());
  }
  std::vector<double> values(dims.elements());
  for (double &v : values)
    in >> v;
  if (type == "i32")
    return arrayOf(std::vector<int32_t>(values.begin(), values.end()), dims);
  if (type == "u32")
    return arrayOf(std::vector<uint32_t>(values.begin(), values.end()), dims);
  Tensor floats =
      arrayOf(std::vector<float>(values.begin(), values.end()), dims);
  if (type == "bool")
    return arrayOf(std::vector<bool>(values.begin(), values.end()), dims);
  return astype(floats, typeNamed(type));
}

Mesh readMesh(std::istringstream &in) {
  std::string sizes, names, kinds;
  in >> sizes >> names >> kinds;
  std::vector<AxisType> types;
  for (const std::string &kind : split(kinds, ','))
    types.push_back(kind == "Explicit" ? AxisType::Explicit : AxisType::Auto);
  auto mesh = Mesh::get(devices(), intsOf(sizes), split(names, ','), types);
  return mesh ? *mesh : Mesh();
}

} // namespace

int main() {
  if (!setDeviceCount(8).ok())
    return 1;
  // Nobody reads them.
  setWarningHandler([](const std::string &) {});
  Program program;
  std::string line;
  while (std::getline(std::cin, line)) {
    std::istringstream in(line);
    std::string word;
    in >> word;
    if (word == "mesh") {
      program.mesh = readMesh(in);
    } else if (word == "in") {
      program.ins.push_back(readArray(in));
    } else if (word == "shape") {
      std::string type, shape;
      in >> type >> shape;
      program.ins.push_back(shapeDtypeStruct(
          shape == "-" ? Shape() : Shape(intsOf(shape)), typeNamed(type)));
    } else if (word == "batch") {
      program.batches.push_back(readArray(in));
    } else if (word == "place") {
      in >> word;
      program.places.resize(program.ins.size());
      program.places.back() = specOf(word);
    } else if (word == "tree") {
      in >> program.isMap;
    } else if (word == "out") {
      size_t i = 0;
      while (in >> i)
        program.body.main.outs.push_back(i);
    } else if (word == "trace") {
      std::cout << traceAnswer(program) << std::endl;
      program = Program();
    } else if (word == "primitives") {
      std::cout << primitiveList() << std::endl;
    } else if (word == "operations") {
      std::cout << operationList() << std::endl;
    } else if (word == "ask") {
      std::cout << answer(program, in) << std::endl;
      program = Program();
    } else {
      program.body.read(line);
    }
  }
  return 0;
}
