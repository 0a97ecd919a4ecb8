#include "tools/shared/document.h"

#include <limits>

#include "isa/support/error.h"

namespace vta::tools {

Json HeadOf(const DocumentKind& kind) {
  return Json().Set("schema", std::string(kind.schema)).Set("version", kind.version);
}

int64_t ReadHead(JsonReader& reader, const DocumentKind& kind) {
  if (!reader.Has("schema") && !reader.Has("version")) return 0;
  if (reader.String("schema") != kind.schema)
    throw reader.Fail("schema",
                      StrCat("must be ", kind.schema, ", which ", kind.writer, " writes"));
  const int64_t version = reader.Int("version", 1, std::numeric_limits<int64_t>::max());
  if (version > kind.version)
    throw reader.Fail("version", StrCat("this vta knows ", kind.schema, " up to version ",
                                        kind.version, "; a newer one reads it"));
  return version;
}

}  // namespace vta::tools
