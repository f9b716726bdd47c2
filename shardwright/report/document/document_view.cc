//===- document_view.cc - reads a report document -------------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/report/document/document_view.h"

#include "shardwright/report/document/document.h"

#include "llvm/ADT/Twine.h"

namespace shardwright {

using llvm::StringRef;
using llvm::json::Array;
using llvm::json::Object;

/// Reads the tables. The first mistake is kept; afterwards columns read as
/// empty.
class DocumentReader {
public:
  DocumentReader(const Object &document, DocumentView &view)
      : document(document), view(view) {}

  bool read();
  std::string problem;

private:
  /// A column of a table: all columns have the length of the first one.
  struct Column {
    const Array *array = nullptr;
    size_t size() const { return array ? array->size() : 0; }
  };
  bool fail(const llvm::Twine &text) {
    if (problem.empty())
      problem = text.str();
    return false;
  }
  const Object *object(StringRef key);
  const Array *list(StringRef key);
  Column column(StringRef table, StringRef key);
  /// An integer from -1 up to (excluding) `end`.
  int64_t index(const Column &column, size_t i, size_t end);
  int64_t number(const Column &column, size_t i);
  StringRef text(const Column &column, size_t i) {
    int64_t at = index(column, i, strings ? strings->size() : 0);
    return at < 0 ? "" : stringAt(at);
  }
  StringRef stringAt(int64_t at) {
    auto text = (*strings)[size_t(at)].getAsString();
    return text ? *text : StringRef();
  }
  /// A cell that is a list of integers from -1 up to (excluding) `end`.
  std::vector<int64_t> indices(const Column &column, size_t i, size_t end);
  int64_t indexIn(const Object &row, StringRef key, size_t end);

  void readOps();
  void readValues();
  void readArrivals();
  void readAnnotations();
  void readStops();
  void readCollectives();
  std::string whereOf(int64_t stack);

  const Object &document;
  DocumentView &view;
  const Array *strings = nullptr;
  const Object *table = nullptr;
  size_t rows = 0;
};

const Object *DocumentReader::object(StringRef key) {
  const Object *found = document.getObject(key);
  if (!found)
    fail("'" + key + "' is not an object");
  return found;
}

const Array *DocumentReader::list(StringRef key) {
  const Array *found = document.getArray(key);
  if (!found)
    fail("'" + key + "' is not a list");
  return found;
}

DocumentReader::Column DocumentReader::column(StringRef name, StringRef key) {
  const Object *from = document.getObject(name);
  const Array *array = from ? from->getArray(key) : nullptr;
  if (!array) {
    fail("'" + name + "' has no column '" + key + "'");
    return {};
  }
  if (from != table) {
    table = from;
    rows = array->size();
  }
  if (array->size() != rows)
    fail("the columns of '" + name + "' differ in length");
  return {array};
}

int64_t DocumentReader::number(const Column &column, size_t i) {
  if (i >= column.size())
    return 0;
  auto value = (*column.array)[i].getAsInteger();
  if (!value)
    fail("expected integers in a column");
  return value.value_or(0);
}

int64_t DocumentReader::index(const Column &column, size_t i, size_t end) {
  if (i >= column.size())
    return -1;
  int64_t at = number(column, i);
  if (at < -1 || at >= int64_t(end)) {
    fail("row " + llvm::Twine(at) + " does not exist in its table");
    return -1;
  }
  return at;
}

std::vector<int64_t> DocumentReader::indices(const Column &column, size_t i,
                                             size_t end) {
  std::vector<int64_t> list;
  const Array *cell =
      i < column.size() ? (*column.array)[i].getAsArray() : nullptr;
  if (!cell) {
    fail("expected lists in a column");
    return list;
  }
  for (const llvm::json::Value &item : *cell) {
    int64_t at = item.getAsInteger().value_or(-2);
    if (at < -1 || at >= int64_t(end)) {
      fail("row " + llvm::Twine(at) + " does not exist in its table");
      return list;
    }
    list.push_back(at);
  }
  return list;
}

int64_t DocumentReader::indexIn(const Object &row, StringRef key, size_t end) {
  int64_t at = row.getInteger(key).value_or(-1);
  if (at < -1 || at >= int64_t(end)) {
    fail("row " + llvm::Twine(at) + " does not exist in its table");
    return -1;
  }
  return at;
}

std::string DocumentReader::whereOf(int64_t stack) {
  const Array *stacks = document.getArray("stacks"),
              *frames = document.getArray("frames"),
              *shown = document.getArray("user_frame");
  if (!stacks || !frames || !shown || stack < 0 ||
      stack >= int64_t(stacks->size()) || stack >= int64_t(shown->size()))
    return "";
  const Array *list = (*stacks)[size_t(stack)].getAsArray();
  int64_t at = (*shown)[size_t(stack)].getAsInteger().value_or(-1);
  if (!list || list->empty())
    return "";
  if (at < 0 || at >= int64_t(list->size()))
    at = 0;
  auto frame = (*list)[size_t(at)].getAsInteger();
  if (!frame || *frame < 0 || *frame >= int64_t(frames->size()))
    return "";
  const Array *parts = (*frames)[size_t(*frame)].getAsArray();
  if (!parts || parts->size() < 2)
    return "";
  int64_t file = (*parts)[0].getAsInteger().value_or(-1),
          line = (*parts)[1].getAsInteger().value_or(0);
  if (file < 0 || file >= int64_t(strings->size()))
    return "";
  return (stringAt(file) + ":" + llvm::Twine(line)).str();
}

void DocumentReader::readOps() {
  Column op = column("ops", "op"), name = column("ops", "name"),
         function = column("ops", "function"), stack = column("ops", "stack"),
         operands = column("ops", "operands"),
         results = column("ops", "results"), parent = column("ops", "parent");
  const Array *stacks = document.getArray("stacks");
  const Object *values = document.getObject("values");
  const Array *names = values ? values->getArray("name") : nullptr;
  size_t numValues = names ? names->size() : 0;
  for (size_t i = 0; i < op.size(); ++i)
    view.ops.push_back(
        {.op = text(op, i),
         .name = text(name, i),
         .function = text(function, i),
         .where = whereOf(index(stack, i, stacks ? stacks->size() : 0)),
         .operands = indices(operands, i, numValues),
         .results = indices(results, i, numValues),
         .parent = index(parent, i, op.size())});
}

void DocumentReader::readValues() {
  Column name = column("values", "name"), source = column("values", "source"),
         type = column("values", "type"),
         sharding = column("values", "sharding"), op = column("values", "op"),
         argument = column("values", "argument"),
         copy = column("values", "copy"), flags = column("values", "flags"),
         local = column("values", "local_bytes"),
         localType = column("values", "local"),
         resultOf = column("values", "result");
  for (size_t i = 0; i < name.size(); ++i)
    view.values.push_back({.name = text(name, i),
                           .source = text(source, i),
                           .type = text(type, i),
                           .sharding = text(sharding, i),
                           .local = text(localType, i),
                           .op = index(op, i, view.ops.size()),
                           .argument = number(argument, i),
                           .copy = number(copy, i),
                           .flags = number(flags, i),
                           .localBytes = number(local, i),
                           .resultOf = indices(resultOf, i, name.size())});
}

void DocumentReader::readArrivals() {
  Column value = column("arrivals", "value"), dim = column("arrivals", "dim"),
         axis = column("arrivals", "axis"), from = column("arrivals", "from"),
         fromDim = column("arrivals", "from_dim"),
         name = column("arrivals", "value_name"), op = column("arrivals", "op"),
         where = column("arrivals", "where");
  for (size_t i = 0; i < value.size(); ++i)
    view.arrivals.push_back({.value = index(value, i, view.values.size()),
                             .dim = number(dim, i),
                             .from = index(from, i, view.values.size()),
                             .fromDim = number(fromDim, i),
                             .axis = text(axis, i),
                             .valueName = text(name, i),
                             .op = text(op, i),
                             .where = text(where, i)});
}

void DocumentReader::readAnnotations() {
  Column value = column("annotations", "value"),
         sharding = column("annotations", "sharding"),
         kind = column("annotations", "kind"),
         where = column("annotations", "where");
  for (size_t i = 0; i < value.size(); ++i)
    view.annotations.push_back({index(value, i, view.values.size()),
                                text(sharding, i), text(kind, i),
                                text(where, i)});
}

void DocumentReader::readStops() {
  const Array *stops = list("stops");
  if (!stops)
    return;
  for (const llvm::json::Value &item : *stops) {
    const Object *row = item.getAsObject();
    if (!row) {
      fail("a stop is not an object");
      return;
    }
    view.stops.push_back({indexIn(*row, "value", view.values.size()),
                          row->getInteger("dim").value_or(0),
                          row->getString("axis").value_or(""),
                          row->getString("why").value_or(""),
                          row->getString("through").value_or(""),
                          row->getString("where").value_or("")});
  }
}

void DocumentReader::readCollectives() {
  const Array *collectives = list("collectives"), *needs = list("needs");
  if (!collectives || !needs)
    return;
  for (const llvm::json::Value &item : *collectives) {
    const Object *row = item.getAsObject();
    if (!row) {
      fail("a collective is not an object");
      return;
    }
    DocumentView::Collective &one = view.collectives.emplace_back();
    one.kind = row->getString("kind").value_or("");
    one.axes = row->getString("axes").value_or("");
    one.op = indexIn(*row, "op", view.ops.size());
    if (int64_t name = indexIn(*row, "name", strings->size()); name >= 0)
      one.name = stringAt(name);
    one.bytes = row->getNumber("bytes_sent_per_device").value_or(0);
    one.executions = row->getNumber("executions").value_or(0);
    one.seconds = row->getNumber("predicted_seconds").value_or(0);
    const Array *itsNeeds = row->getArray("needs");
    auto first = itsNeeds && !itsNeeds->empty()
                     ? itsNeeds->front().getAsInteger()
                     : std::nullopt;
    if (!first || *first < 0 || *first >= int64_t(needs->size()))
      continue;
    const Object *need = (*needs)[size_t(*first)].getAsObject();
    if (!need)
      continue;
    if (int64_t why = indexIn(*need, "why", strings->size()); why >= 0)
      one.why = stringAt(why);
    const Array *ways = need->getArray("ways");
    const Array *way =
        ways && !ways->empty() ? ways->front().getAsArray() : nullptr;
    auto how = way && !way->empty() ? way->front().getAsInteger()
                                    : std::optional<int64_t>();
    if (how && *how >= 0 && *how < int64_t(strings->size()))
      one.way = stringAt(*how);
  }
}

bool DocumentReader::read() {
  strings = list("strings");
  view.statistics = object("statistics");
  view.mesh = object("mesh");
  view.options = object("options");
  view.machine = object("machine");
  view.title = document.getString("title").value_or("");
  view.entry = document.getString("entry").value_or("");
  if (!problem.empty())
    return false;
  readOps();
  readValues();
  readArrivals();
  readAnnotations();
  readStops();
  readCollectives();
  return problem.empty();
}

llvm::Expected<DocumentView>
DocumentView::create(const llvm::json::Value &document, StringRef name) {
  auto fail = [&](const llvm::Twine &text) {
    return llvm::createStringError(name + ": " + text);
  };
  const Object *object = document.getAsObject();
  if (!object || object->getString("format") != StringRef(kDocumentFormat))
    return fail("expected a report document, which shardwright report writes "
                "as .json");
  if (int64_t version = object->getInteger("version").value_or(0);
      version != kDocumentVersion)
    return fail("the report document has version " + llvm::Twine(version) +
                ", expected " + llvm::Twine(kDocumentVersion));
  DocumentView view;
  DocumentReader reader(*object, view);
  if (!reader.read())
    return fail("not a valid report document: " + reader.problem);
  return view;
}

static StringRef withoutDialect(StringRef op) {
  for (StringRef dialect : {"stablehlo.", "chlo.", "sdy.", "func."})
    op.consume_front(dialect);
  return op;
}

std::string DocumentView::describeOp(int64_t op) const {
  if (op < 0)
    return "";
  const Op &row = ops[size_t(op)];
  std::string text = withoutDialect(row.op).str();
  if (!row.name.empty())
    text += " " + row.name.str();
  return text + (row.where.empty() ? "" : " (" + row.where + ")");
}

std::string DocumentView::describe(int64_t value) const {
  if (value < 0)
    return "?";
  const Value &row = values[size_t(value)];
  if (row.argument >= 0)
    return "argument " + (row.source.empty() ? row.name : row.source).str();
  std::string text = (row.source.empty() ? row.name : row.source).str();
  if (row.op >= 0)
    text += " = " + describeOp(row.op);
  return text;
}

} // namespace shardwright
