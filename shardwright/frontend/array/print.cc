//===- print.cc - arrays as numpy prints them -----------------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/frontend/array/value.h"
#include "shardwright/support/narrow_float.h"

#include <algorithm>
#include <charconv>
#include <cmath>

namespace shardwright::frontend {
namespace {

/// Shortest digits of a positive finite number, and the decimal exponent of
/// the first of them.
struct Digits {
  std::string digits;
  int exponent = 0;
};
template <typename T> Digits digitsOf(T value) {
  char buffer[64];
  auto end = std::to_chars(buffer, buffer + sizeof(buffer), value,
                           std::chars_format::scientific)
                 .ptr;
  std::string text(buffer, end);
  size_t e = text.find('e');
  Digits out;
  for (char c : text.substr(0, e))
    if (c != '.')
      out.digits += c;
  out.exponent = std::stoi(text.substr(e + 1));
  while (out.digits.size() > 1 && out.digits.back() == '0')
    out.digits.pop_back();
  return out;
}

/// The shortest digits that read back as this half.
Digits digitsOfHalf(double value) {
  uint16_t bits = floatToF16(static_cast<float>(value));
  for (int fraction = 0; fraction < 8; ++fraction) {
    char buffer[64];
    auto end = std::to_chars(buffer, buffer + sizeof(buffer), value,
                             std::chars_format::scientific, fraction)
                   .ptr;
    double back = 0;
    std::from_chars(buffer, end, back);
    if (floatToF16(static_cast<float>(back)) == bits)
      return digitsOf(back);
  }
  return digitsOf(value);
}

Digits digitsAs(double value, DType type) {
  if (value == 0)
    return {"0", 0};
  if (type == DType::F16)
    return digitsOfHalf(std::fabs(value));
  if (type == DType::F64 || type == DType::C128)
    return digitsOf(std::fabs(value));
  return digitsOf(static_cast<float>(std::fabs(value)));
}

std::string exponentText(int exponent) {
  std::string digits = std::to_string(std::abs(exponent));
  return cat("e", exponent < 0 ? "-" : "+", digits.size() < 2 ? "0" : "",
             digits);
}

std::string special(double value) {
  return std::isnan(value) ? "nan" : value < 0 ? "-inf" : "inf";
}

/// Left and right of the decimal point.
struct Fixed {
  std::string left, right;
};
Fixed fixedOf(const Digits &d) {
  Fixed out;
  if (d.exponent < 0) {
    out.left = "0";
    out.right = std::string(-d.exponent - 1, '0') + d.digits;
  } else {
    std::string padded = d.digits;
    if (static_cast<int>(padded.size()) <= d.exponent)
      padded.append(d.exponent + 1 - padded.size(), '0');
    out.left = padded.substr(0, d.exponent + 1);
    out.right = padded.substr(d.exponent + 1);
  }
  if (out.right == "0")
    out.right.clear();
  return out;
}

/// Rounds to at most `precision` digits after the point (numpy: 8).
Digits rounded(double value, DType type, int fraction) {
  Digits d = digitsAs(value, type);
  int keep = d.exponent + 1 + fraction;
  if (static_cast<int>(d.digits.size()) <= std::max(keep, 0))
    return d;
  char buffer[512];
  auto end = std::to_chars(buffer, buffer + sizeof(buffer), std::fabs(value),
                           std::chars_format::fixed, fraction)
                 .ptr;
  double back = 0;
  std::from_chars(buffer, end, back);
  return back == 0 ? Digits{"0", 0} : digitsOf(back);
}

/// Texts of numbers of one array, aligned as numpy's FloatingFormat aligns
/// them. `plus`: positive numbers have a sign.
class FloatFormat {
public:
  FloatFormat(const std::vector<double> &values, DType type, bool plus = false)
      : type(type), plus(plus) {
    double largest = 0, smallest = INFINITY;
    for (double v : values)
      if (v != 0 && std::isfinite(v)) {
        largest = std::max(largest, std::fabs(v));
        smallest = std::min(smallest, std::fabs(v));
      }
    scientific = largest > 0 && (largest >= 1e8 || smallest < 1e-4 ||
                                 largest / smallest > 1000.0);
    size_t exponent = 2;
    for (double v : values) {
      if (!std::isfinite(v))
        continue;
      Fixed f = parts(v);
      left = std::max(left, sign(v).size() + f.left.size());
      right = std::max(right, f.right.size());
      if (scientific)
        exponent =
            std::max(exponent, exponentText(digits(v).exponent).size() - 2);
    }
    exponentDigits = exponent;
    // What follows the digits left of the point.
    size_t rest = right + 1 + (scientific ? 2 + exponentDigits : 0);
    for (double v : values) {
      if (std::isfinite(v))
        continue;
      size_t size = special(v).size() + (plus && !(v < 0));
      left = std::max(left, size > rest ? size - rest : 0);
    }
    width = left + rest;
  }
  std::string text(double v) const {
    if (!std::isfinite(v))
      return padLeft((plus && !(v < 0) ? "+" : "") + special(v), width);
    if (scientific)
      return padLeft(sign(v) + scientificText(v), width);
    Fixed f = parts(v);
    std::string out = padLeft(sign(v) + f.left, left) + "." + f.right;
    out.append(width - out.size(), ' ');
    return out;
  }

private:
  static std::string padLeft(const std::string &s, size_t width) {
    return std::string(s.size() < width ? width - s.size() : 0, ' ') + s;
  }
  std::string sign(double v) const {
    return std::signbit(v) ? "-" : plus ? "+" : "";
  }
  /// All numbers have as many digits after the point: those beyond the shortest
  /// ones are the digits of the number, not zeros.
  std::string scientificText(double v) const {
    Fixed f = parts(v);
    int exponent = digits(v).exponent;
    if (f.right.size() < right && v != 0) {
      char buffer[64];
      auto end =
          std::to_chars(buffer, buffer + sizeof(buffer), std::fabs(v),
                        std::chars_format::scientific, static_cast<int>(right))
              .ptr;
      std::string exact(buffer, end);
      f.left = exact.substr(0, 1);
      f.right = right ? exact.substr(2, right) : "";
      exponent = std::stoi(exact.substr(exact.find('e') + 1));
    }
    f.right.append(right - f.right.size(), '0');
    std::string power = exponentText(exponent);
    if (power.size() < exponentDigits + 2)
      power.insert(2, exponentDigits + 2 - power.size(), '0');
    return cat(f.left, ".", f.right, power);
  }
  Digits digits(double v) const {
    if (!scientific)
      return rounded(v, type, 8);
    Digits d = digitsAs(v, type);
    if (d.digits.size() <= 9)
      return d;
    char buffer[64];
    auto end = std::to_chars(buffer, buffer + sizeof(buffer), std::fabs(v),
                             std::chars_format::scientific, 8)
                   .ptr;
    double back = 0;
    std::from_chars(buffer, end, back);
    return digitsOf(back);
  }
  Fixed parts(double v) const {
    Digits d = digits(v);
    if (!scientific)
      return fixedOf(d);
    return {d.digits.substr(0, 1), d.digits.substr(1)};
  }
  DType type;
  bool plus;
  bool scientific = false;
  size_t left = 0, right = 0, exponentDigits = 2, width = 0;
};

/// Types that numpy does not know, whose elements it prints one by one.
bool isForeign(DType type) {
  return (isFloat(type) && byteWidth(type) <= 2 && type != DType::F16) ||
         (isInteger(type) && bitWidth(type) < 8);
}

/// Text of an element of a foreign type.
std::string foreignText(const void *data, DType type, int64_t i) {
  if (isInteger(type))
    return std::to_string(readInt(data, type, i));
  double v = readDouble(data, type, i);
  if (!std::isfinite(v))
    return special(v);
  char buffer[64];
  auto end = std::to_chars(buffer, buffer + sizeof(buffer), v,
                           std::chars_format::general, 6)
                 .ptr;
  return std::string(buffer, end);
}

/// Texts of complex elements: both parts are aligned.
std::vector<std::string> complexTexts(const void *data, DType type,
                                      const std::vector<int64_t> &shown) {
  std::vector<double> re, im;
  for (int64_t i : shown) {
    re.push_back(readDouble(data, type, i));
    im.push_back(readImag(data, type, i));
  }
  FloatFormat real(re, type), imaginary(im, type, /*plus=*/true);
  std::vector<std::string> out;
  for (size_t k = 0; k < re.size(); ++k) {
    std::string second = imaginary.text(im[k]);
    second.insert(second.find_last_not_of(' ') + 1, "j");
    out.push_back(real.text(re[k]) + second);
  }
  return out;
}

/// Texts of all elements.
std::vector<std::string> elementTexts(const void *data, const Aval &aval,
                                      const std::vector<int64_t> &shown) {
  std::vector<std::string> out;
  DType type = aval.dtype;
  if (isComplex(type))
    return complexTexts(data, type, shown);
  if (isForeign(type)) {
    for (int64_t i : shown)
      out.push_back(foreignText(data, type, i));
    return out;
  }
  if (isFloat(type)) {
    std::vector<double> values;
    for (int64_t i : shown)
      values.push_back(readDouble(data, type, i));
    FloatFormat format(values, type);
    for (double v : values)
      out.push_back(format.text(v));
    return out;
  }
  bool isBool = type == DType::Bool || isWithoutElements(type);
  size_t width = isBool && !aval.shape.empty() ? 5 : 0;
  for (int64_t i : shown) {
    out.push_back(elementText(data, type, i));
    width = std::max(width, out.back().size());
  }
  for (std::string &s : out)
    s.insert(0, width - s.size(), ' ');
  return out;
}

/// Prints nested brackets with numpy's line breaks and summaries.
class ArrayPrinter {
public:
  ArrayPrinter(const void *data, const Aval &aval, std::string separator)
      : shape(aval.shape), separator(std::move(separator)),
        summarize(shape.elements() > 1000) {
    collect(0, 0);
    std::vector<std::string> list = elementTexts(data, aval, order);
    for (size_t i = 0; i < order.size(); ++i)
      texts.push_back(std::move(list[i]));
  }
  std::string print(int64_t indent) {
    next = 0;
    return level(0, std::string(indent, ' '));
  }

private:
  std::vector<int64_t> shownIn(int64_t dim) const {
    std::vector<int64_t> out;
    int64_t n = shape[dim];
    for (int64_t i = 0; i < n; ++i)
      if (!summarize || n <= 6 || i < 3 || i >= n - 3)
        out.push_back(i);
    return out;
  }
  void collect(int64_t dim, int64_t offset) {
    if (dim == shape.rank())
      return order.push_back(offset);
    for (int64_t i : shownIn(dim))
      collect(dim + 1, offset * shape[dim] + i);
  }
  std::string level(int64_t dim, const std::string &indent) {
    if (dim == shape.rank())
      return texts[next++];
    std::vector<int64_t> shown = shownIn(dim);
    bool cut = static_cast<int64_t>(shown.size()) < shape[dim];
    std::string out = "[";
    if (dim + 1 < shape.rank()) {
      std::string gap = separator + std::string(shape.rank() - dim - 1, '\n');
      for (size_t k = 0; k < shown.size(); ++k) {
        if (k)
          out += gap + indent;
        if (cut && k == 3)
          out += "..." + gap + indent;
        out += level(dim + 1, indent + " ");
      }
      return out + "]";
    }
    // A line holds 75 characters, and in a repr a comma after the last
    // bracket; each dimension has a closing bracket.
    size_t limit = (separator.empty() ? 75 : 74) - shape.rank();
    std::string line = indent;
    auto add = [&](const std::string &word) {
      if (line.size() + word.size() > limit && line.size() > indent.size()) {
        line.erase(line.find_last_not_of(' ') + 1);
        out += line + "\n";
        line = indent;
      }
      line += word;
    };
    std::string between = separator + " ";
    for (size_t k = 0; k < shown.size(); ++k) {
      if (cut && k == 3) {
        add("...");
        line += between;
      }
      add(texts[next++]);
      if (k + 1 < shown.size())
        line += between;
    }
    out += line + "]";
    // The first line begins with a bracket.
    return "[" + out.substr(1 + indent.size());
  }
  Shape shape;
  std::string separator;
  bool summarize;
  std::vector<int64_t> order;
  std::vector<std::string> texts;
  size_t next = 0;
};

} // namespace

std::string floatText(double value) {
  if (!std::isfinite(value))
    return special(value);
  std::string sign = std::signbit(value) ? "-" : "";
  if (value == 0)
    return sign + "0.0";
  Digits d = digitsOf(std::fabs(value));
  if (d.exponent < -4 || d.exponent >= 16) {
    std::string rest = d.digits.substr(1);
    return cat(sign, d.digits[0], rest.empty() ? "" : ".", rest,
               exponentText(d.exponent));
  }
  Fixed f = fixedOf(d);
  return cat(sign, f.left, ".", f.right.empty() ? "0" : f.right);
}

std::string floatTextOf(double value, DType) { return floatText(value); }

std::string elementText(const void *data, DType type, int64_t i) {
  // Elements of float0 have no bytes; all are False.
  if (type == DType::Bool || isWithoutElements(type))
    return readInt(data, type, i) ? "True" : "False";
  if (type == DType::U64)
    return std::to_string(static_cast<uint64_t>(readInt(data, type, i)));
  if (!isInexact(type))
    return std::to_string(readInt(data, type, i));
  if (!isComplex(type))
    return floatText(readDouble(data, type, i));
  std::string im = floatText(readImag(data, type, i));
  std::string re = floatText(readDouble(data, type, i));
  auto brief = [](std::string s) {
    return s.ends_with(".0") ? s.substr(0, s.size() - 2) : s;
  };
  if (re == "0.0")
    return brief(im) + "j";
  return cat("(", brief(re), im[0] == '-' ? "" : "+", brief(im), "j)");
}

/// `%g` of the shortest digits, as Python prints a numpy scalar. `part`:
/// without
/// `.0`, as within a complex number.
static std::string scalarText(double v, DType type, bool part = false) {
  std::string sign = std::signbit(v) ? "-" : "";
  if (!std::isfinite(v))
    return special(v);
  if (v == 0)
    return sign + (part ? "0" : "0.0");
  Digits d = digitsAs(v, type);
  if (d.exponent < -4 || d.exponent >= 16) {
    std::string rest = d.digits.substr(1);
    return cat(sign, d.digits[0], rest.empty() ? "" : ".", rest,
               exponentText(d.exponent));
  }
  Fixed f = fixedOf(d);
  std::string right = f.right.empty() && !part ? "0" : f.right;
  return cat(sign, f.left, right.empty() ? "" : ".", right);
}

static std::string complexText(double re, double im, DType type) {
  std::string second = scalarText(im, type, true) + "j";
  if (re == 0 && !std::signbit(re))
    return second;
  return cat("(", scalarText(re, type, true), second.front() == '-' ? "" : "+",
             second, ")");
}

std::string numpyText(const void *data, const Aval &aval,
                      const std::string &separator, int64_t indent) {
  DType type = aval.dtype;
  if (aval.shape.empty() && (!separator.empty() || isForeign(type)))
    return elementTexts(data, aval, {0})[0];
  if (aval.shape.empty() && isComplex(type))
    return complexText(readDouble(data, type, 0), readImag(data, type, 0),
                       type);
  if (aval.shape.empty())
    return isFloat(type) ? scalarText(readDouble(data, type, 0), type)
                         : elementText(data, type, 0);
  if (aval.shape.elements() == 0)
    return cat("[]",
               separator.empty() ? "" : cat(", shape=", tupleText(aval.shape)));
  return ArrayPrinter(data, aval, separator).print(indent);
}

} // namespace shardwright::frontend
