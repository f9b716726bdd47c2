#!/bin/sh
# An interestingness test: contains.sh SHARDWRIGHT_OPT PATTERN FILE exits with 1 (interesting)
# if FILE verifies and PATTERN occurs in the output of shardwright-opt.
"$1" "$3" 2>/dev/null | grep -q "$2" && exit 1
exit 0
