#===- case_server.py - frontend_server as a process -----------------------===//
#
# Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===------------------------------------------------------------------------===//
"""Asks frontend_server for the results of programs."""

import json
import os
import subprocess

import frontend_mesh as fm

# Answers of the server, by the names of this table.
FIELDS = {"jaxpr": "jaxpr:", "eager": "eager:", "values": "values:", "vmap": "values:vmap", "vjp": "values:vjp",
          "jvp": "values:jvp", "jvp_of_vjp": "values:jvp.vjp", "vjp_of_jvp": "values:vjp.jvp",
          "vmap_of_vjp": "values:vmap.vjp"}


class CaseServer:
    """A frontend_server, started again when it ends."""

    def __init__(self):
        self.start()

    def start(self):
        self.process = subprocess.Popen([os.path.join(fm.BUILD, "bin", "frontend_server")], stdin=subprocess.PIPE,
                                        stdout=subprocess.PIPE, text=True)

    def ask(self, text):
        """The answer, or None if the server ended."""
        self.process.stdin.write(text + "\n")
        self.process.stdin.flush()
        line = self.process.stdout.readline()
        if line:
            return json.loads(line)
        self.process.wait()
        self.start()
        return None

    def table(self, lines, names):
        """The answers to these columns for a program, or None if the server ended."""
        answer = self.ask("\n".join(lines + ["ask " + " ".join(FIELDS[n] for n in names)]))
        return answer and {n: answer[FIELDS[n]] for n in names}

    def close(self):
        self.process.stdin.close()
        self.process.wait()
