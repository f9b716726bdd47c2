//===- print.cc - arrays as numpy prints them -----------------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/frontend/array/value.h"

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

Digits digitsAs(double value, DType type) {
  if (value == 0)
    return {"0", 0};
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

/// Texts of numbers of one array, aligned as numpy aligns them.
class FloatFormat {
public:
  FloatFormat(const std::vector<double> &values, DType type) : type(type) {
    double largest = 0, smallest = INFINITY;
    for (double v : values)
      if (v != 0 && std::isfinite(v)) {
        largest = std::max(largest, std::fabs(v));
        smallest = std::min(smallest, std::fabs(v));
      }
    scientific = largest > 0 && (largest >= 1e8 || smallest < 1e-4 ||
                                 largest / smallest > 1000.0);
    for (double v : values) {
      if (!std::isfinite(v)) {
        specials = std::max(specials, special(v).size());
        continue;
      }
      Fixed f = parts(v);
      left = std::max(left, f.left.size() + std::signbit(v));
      right = std::max(right, f.right.size());
    }
    width = std::max(left + 1 + right + exponentWidth(values), specials);
  }
  std::string text(double v) const {
    if (!std::isfinite(v))
      return padLeft(special(v), width);
    Fixed f = parts(v);
    if (scientific)
      f.right.append(right - f.right.size(), '0');
    std::string out = padLeft((std::signbit(v) ? "-" : "") + f.left, left);
    out += "." + f.right;
    if (scientific)
      out += exponentText(digits(v).exponent);
    out.append(out.size() < width ? width - out.size() : 0, ' ');
    return out;
  }

private:
  static std::string padLeft(const std::string &s, size_t width) {
    return std::string(s.size() < width ? width - s.size() : 0, ' ') + s;
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
  size_t exponentWidth(const std::vector<double> &values) const {
    return scientific ? 4 : 0;
  }
  DType type;
  bool scientific = false;
  size_t left = 1, right = 0, specials = 0, width = 0;
};

/// Texts of all elements.
std::vector<std::string> elementTexts(const void *data, const Aval &aval,
                                      const std::vector<int64_t> &shown) {
  std::vector<std::string> out;
  DType type = aval.dtype;
  if (isInexact(type)) {
    std::vector<double> re, im;
    for (int64_t i : shown) {
      re.push_back(readDouble(data, type, i));
      im.push_back(readImag(data, type, i));
    }
    FloatFormat real(re, type), imaginary(im, type);
    for (size_t k = 0; k < re.size(); ++k) {
      std::string text = real.text(re[k]);
      if (isComplex(type)) {
        std::string second = imaginary.text(im[k]);
        size_t start = second.find_first_not_of(' ');
        bool negative = second[start] == '-';
        second = second.substr(start + negative);
        size_t end = second.find_last_not_of(' ') + 1;
        std::string pad = second.substr(end);
        text += cat(negative ? "-" : "+", second.substr(0, end), "j", pad);
      }
      out.push_back(text);
    }
    return out;
  }
  size_t width = 0;
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
    // A line holds 75 characters.
    std::string line;
    size_t limit = 75 - std::max<size_t>(separator.size(), 1);
    auto add = [&](const std::string &word) {
      if (line.size() + word.size() + indent.size() > limit && !line.empty()) {
        while (!line.empty() && line.back() == ' ')
          line.pop_back();
        out += line + "\n" + indent;
        line.clear();
      }
      line += word;
    };
    for (size_t k = 0; k < shown.size(); ++k) {
      if (cut && k == 3)
        add("..." + separator + " ");
      bool last = k + 1 == shown.size();
      std::string word = texts[next++];
      add(word + (last ? "" : separator + " "));
    }
    return out + line + "]";
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
  if (type == DType::Bool)
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

std::string numpyText(const void *data, const Aval &aval,
                      const std::string &separator, int64_t indent) {
  if (aval.shape.empty()) {
    double v = readDouble(data, aval.dtype, 0);
    if (!isFloat(aval.dtype))
      return elementText(data, aval.dtype, 0);
    if (!std::isfinite(v) || aval.dtype == DType::F64)
      return floatText(v);
    if (v == 0)
      return std::signbit(v) ? "-0.0" : "0.0";
    Digits d = digitsAs(v, aval.dtype);
    std::string sign = v < 0 ? "-" : "";
    if (d.exponent < -4 || d.exponent >= 16) {
      std::string rest = d.digits.substr(1);
      return cat(sign, d.digits[0], rest.empty() ? "" : ".", rest,
                 exponentText(d.exponent));
    }
    Fixed f = fixedOf(d);
    std::string right = f.right.empty() && separator.empty() ? "0" : f.right;
    return cat(sign, f.left, ".", right);
  }
  if (aval.shape.elements() == 0)
    return cat("[]",
               separator.empty() ? "" : cat(", shape=", tupleText(aval.shape)));
  return ArrayPrinter(data, aval, separator).print(indent);
}

} // namespace shardwright::frontend
