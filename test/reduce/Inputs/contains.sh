#!/bin/sh
# An interestingness test: contains.sh SHARDWRIGHT_OPT PATTERN FILE exits with 1 (interesting)
# when FILE verifies and PATTERN is in it as shardwright-opt prints it.
"$1" "$3" 2>/dev/null | grep -q "$2" && exit 1
exit 0
