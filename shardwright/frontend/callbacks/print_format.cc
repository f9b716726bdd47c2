//===- print_format.cc - format strings of debugPrint ---------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/frontend/callbacks/print_format.h"

#include <algorithm>
#include <cstdio>

namespace shardwright::frontend {
namespace {

bool isNumber(const std::string &text) {
  return !text.empty() && std::all_of(text.begin(), text.end(), [](char c) {
    return c >= '0' && c <= '9';
  });
}

/// A format of one number: [[fill]align][sign][0][width][,][.precision][type].
struct NumberFormat {
  char fill = ' ', align = 0, sign = '-', type = 0;
  int64_t width = 0, precision = -1;
  bool groups = false;

  static std::optional<NumberFormat> parse(const std::string &text) {
    NumberFormat f;
    size_t i = 0;
    auto isAlign = [](char c) { return c == '<' || c == '>' || c == '^'; };
    if (text.size() > 1 && isAlign(text[1])) {
      f.fill = text[0];
      f.align = text[1];
      i = 2;
    } else if (!text.empty() && isAlign(text[0])) {
      f.align = text[0];
      i = 1;
    }
    if (i < text.size() && (text[i] == '+' || text[i] == '-' || text[i] == ' '))
      f.sign = text[i++];
    if (i < text.size() && text[i] == '0') {
      if (!f.align) {
        f.fill = '0';
        f.align = '=';
      }
      ++i;
    }
    auto digits = [&](int64_t &value) {
      bool any = false;
      for (value = 0; i < text.size() && text[i] >= '0' && text[i] <= '9';
           ++i, any = true)
        value = std::min<int64_t>(value * 10 + (text[i] - '0'), 4096);
      return any;
    };
    digits(f.width);
    if (i < text.size() && text[i] == ',') {
      f.groups = true;
      ++i;
    }
    if (i < text.size() && text[i] == '.') {
      ++i;
      if (!digits(f.precision))
        return {};
    }
    if (i < text.size())
      f.type = text[i++];
    if (i != text.size() ||
        (f.type &&
         std::string("dxXobeEfFgG%").find(f.type) == std::string::npos))
      return {};
    return f;
  }

  std::string pad(std::string text) const {
    auto missing = width - static_cast<int64_t>(text.size());
    if (missing <= 0)
      return text;
    if (align == '=') {
      bool hasSign = text[0] == '-' || text[0] == '+' || text[0] == ' ';
      return text.insert(hasSign, std::string(missing, fill));
    }
    int64_t left = align == '<' ? 0 : align == '^' ? missing / 2 : missing;
    return std::string(left, fill) + text + std::string(missing - left, fill);
  }

  std::string finish(std::string digits, bool isNegative) const {
    if (groups) {
      size_t end = std::min(digits.find_first_of(".e"), digits.size());
      for (auto at = static_cast<int64_t>(end) - 3; at > 0; at -= 3)
        digits.insert(at, ",");
    }
    if (isNegative)
      digits.insert(0, "-");
    else if (sign != '-')
      digits.insert(0, 1, sign);
    return pad(digits);
  }

  std::optional<std::string> integer(int64_t value) const {
    uint64_t size = value < 0 ? -static_cast<uint64_t>(value)
                              : static_cast<uint64_t>(value);
    if (precision >= 0)
      return {};
    std::string digits;
    unsigned base = type == 'x' || type == 'X' ? 16
                    : type == 'o'              ? 8
                    : type == 'b'              ? 2
                                               : 10;
    const char *letters = type == 'X' ? "0123456789ABCDEF" : "0123456789abcdef";
    do
      digits.insert(digits.begin(), letters[size % base]);
    while (size /= base);
    return finish(digits, value < 0);
  }

  std::optional<std::string> real(double value,
                                  const std::string &plain) const {
    bool isNegative = value < 0 || (value == 0 && plain[0] == '-');
    if (!type && precision < 0)
      return finish(plain.substr(isNegative), isNegative);
    if (type == 'd' || type == 'x' || type == 'X' || type == 'o' || type == 'b')
      return {};
    double size = isNegative ? -value : value;
    char how = type == '%' ? 'f' : type ? type : 'g';
    std::string form = cat("%.", precision < 0 ? 6 : precision, how);
    char text[4600];
    std::snprintf(text, sizeof(text), form.c_str(),
                  type == '%' ? 100 * size : size);
    return finish(text + std::string(type == '%' ? "%" : ""), isNegative);
  }
};

Expected<std::string> formatted(const Tensor &value, const std::string &spec) {
  if (value.rank())
    return typeError("unsupported format string passed to "
                     "numpy.ndarray.__format__: '",
                     spec, "' for an array of shape ",
                     tupleText(value.shape()));
  Error bad = valueError("Invalid format specifier '", spec,
                         "' for object of type '", name(value.dtype()), "'");
  std::optional<NumberFormat> format = NumberFormat::parse(spec);
  if (!format || isComplex(value.dtype()))
    return bad;
  std::optional<std::string> text;
  Expected<double> number = value.item();
  if (!number)
    return number.error();
  bool isReal = isFloat(value.dtype()) ||
                (format->type && std::string("eEfFgG%").find(format->type) !=
                                     std::string::npos);
  if (isReal)
    text = format->real(*number, value.str());
  else
    text = format->integer(static_cast<int64_t>(*number));
  if (!text)
    return bad;
  return *text;
}

} // namespace

Expected<PrintFormat> PrintFormat::parse(const std::string &text,
                                         const std::vector<std::string> &names,
                                         const Tensors &args) {
  PrintFormat out;
  std::vector<bool> used(names.size());
  int64_t next = 0;
  auto literal = [&](char c) {
    if (out.pieces.empty() || out.pieces.back().argument >= 0)
      out.pieces.emplace_back();
    out.pieces.back().literal += c;
  };
  for (size_t i = 0; i < text.size(); ++i) {
    char c = text[i];
    if (c != '{' && c != '}') {
      literal(c);
      continue;
    }
    if (i + 1 < text.size() && text[i + 1] == c) {
      literal(c);
      ++i;
      continue;
    }
    if (c == '}')
      return valueError("Single '}' encountered in format string");
    size_t end = text.find('}', i);
    if (end == std::string::npos)
      return valueError("Single '{' encountered in format string");
    std::string field = text.substr(i + 1, end - i - 1);
    i = end;
    Piece piece;
    if (size_t colon = field.find(':'); colon != std::string::npos) {
      piece.spec = field.substr(colon + 1);
      field.resize(colon);
    }
    if (size_t mark = field.find('!'); mark != std::string::npos) {
      if (mark + 2 != field.size() ||
          (field[mark + 1] != 'r' && field[mark + 1] != 's'))
        return valueError("Unknown conversion specifier '",
                          field.substr(mark + 1), "'");
      piece.conversion = field[mark + 1];
      field.resize(mark);
    }
    auto positional = std::count(names.begin(), names.end(), "");
    if (field.empty() || isNumber(field)) {
      int64_t wanted = field.empty()      ? next++
                       : field.size() > 9 ? positional
                                          : std::stoll(field);
      if (wanted >= positional)
        return valueError("Replacement index ", wanted,
                          " out of range for positional args tuple");
      piece.argument = wanted;
    } else {
      auto found = std::find(names.begin(), names.end(), field);
      if (found == names.end())
        return makeError(ErrorKind::Key, "'", field, "'");
      piece.argument = found - names.begin();
    }
    used[piece.argument] = true;
    out.pieces.push_back(std::move(piece));
  }
  std::string unused, unusedNames;
  for (size_t i = 0; i < names.size(); ++i)
    if (!used[i] && names[i].empty())
      unused += cat(unused.empty() ? "" : ", ",
                    args[i].isTraced() ? args[i].aval().str() : args[i].repr());
    else if (!used[i])
      unusedNames += cat(unusedNames.empty() ? "'" : ", '", names[i], "'");
  if (!unused.empty())
    return valueError("Unused positional arguments to `jax.debug.print`: [",
                      unused, "]");
  if (!unusedNames.empty())
    return valueError("Unused keyword arguments to `jax.debug.print`: [",
                      unusedNames, "].");
  return out;
}

Expected<std::string> PrintFormat::render(const Tensors &values) const {
  std::string out;
  for (const Piece &piece : pieces) {
    if (piece.argument < 0) {
      out += piece.literal;
      continue;
    }
    const Tensor &value = values[piece.argument];
    if (piece.conversion == 'r') {
      out += value.repr();
    } else if (piece.spec.empty() || piece.conversion == 's') {
      out += value.str();
    } else {
      Expected<std::string> text = formatted(value, piece.spec);
      if (!text)
        return text;
      out += *text;
    }
  }
  return out;
}

} // namespace shardwright::frontend
