# Makes a C++ source of text files, joined in their order:
#   cmake -DOUT=page.cc -DNAME=kStyle "-DFILES=a.css|b.css" -P EmbedFiles.cmake
# It defines the characters shardwright::page::NAME and their number NAMESize. References to source maps are left out:
# browsers would look for those files.
set(text "")
string(REPLACE "|" ";" files "${FILES}")
foreach(file IN LISTS files)
  file(READ "${file}" part)
  string(REGEX REPLACE "\n//# sourceMappingURL=[^\n]*" "" part "${part}")
  string(APPEND text "${part}\n")
endforeach()
# Bytes: a raw string literal would need a delimiter that no file contains.
string(HEX "${text}" hex)
string(REGEX REPLACE "(..)" "'\\\\x\\1'," bytes "${hex}")
file(WRITE "${OUT}" "namespace shardwright::page {
extern const unsigned long ${NAME}Size;
extern const char ${NAME}[];
const char ${NAME}[] = {${bytes}'\\0'};
const unsigned long ${NAME}Size = sizeof(${NAME}) - 1;
} // namespace shardwright::page
")
