#===- child.py - runs oracle calls that may abort in a child --------------===//
#
# Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===------------------------------------------------------------------------===//
"""jaxlib aborts the process on some inputs. A `Child` is a forked process that answers until that
happens, and is then replaced by another one. Fork before threads start."""

import os
import pickle
import resource
import select
import signal
import struct


class Many(list):
    """Several questions in one."""


class Child:
    """ask(x) returns ("ok", function(x)), ("refused", the exception's text) or ("aborted", "")."""

    def __init__(self, function, limit=60):
        self.function, self.limit, self.pid, self.aborts = function, limit, None, 0

    def _start(self):
        down, up = os.pipe(), os.pipe()
        self.pid = os.fork()
        if self.pid == 0:
            os.close(down[1])
            os.close(up[0])
            os.dup2(os.open(os.devnull, os.O_WRONLY), 2)
            resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
            try:
                self._serve(os.fdopen(down[0], "rb"), os.fdopen(up[1], "wb"))
            finally:
                os._exit(0)
        os.close(down[0])
        os.close(up[1])
        self.to, self.out = os.fdopen(down[1], "wb"), os.fdopen(up[0], "rb")

    def _serve(self, requests, answers):
        while (question := read(requests)) is not None:
            write(answers, self._answer(question))

    def ask(self, question):
        # Bad input may leave a child in a state in which the next question kills it.
        answer = self._ask(question)
        return answer if answer[0] != "aborted" else self._ask(question)

    def ask_all(self, questions):
        """Returns the answers, in few messages: on a busy machine each message costs a time slice."""
        answers = []
        for at in range(0, len(questions), 100):
            answers += self._ask_some(questions[at : at + 100])
        return answers

    def _ask_some(self, questions):
        if len(questions) < 2:
            return [self.ask(question) for question in questions]
        kind, answers = self._ask(Many(questions))
        if kind == "ok":
            return answers
        half = len(questions) // 2
        return self._ask_some(questions[:half]) + self._ask_some(questions[half:])

    def _answer(self, question):
        if isinstance(question, Many):
            return ("ok", [self._answer(each) for each in question])
        try:
            return ("ok", self.function(question))
        except Exception as error:
            return ("refused", str(error))

    def _ask(self, question):
        if self.pid is None:
            self._start()
        try:
            write(self.to, question)
            ready = select.select([self.out], [], [], self.limit)[0]
            if not ready:
                os.kill(self.pid, signal.SIGKILL)  # the child may be in a very long loop
            answer = read(self.out)
        except BrokenPipeError:
            answer = None
        if answer is None:
            self.close()
            self.aborts += 1
            return ("aborted", "")
        return answer

    def close(self):
        if self.pid is None:
            return
        for file in (self.to, self.out):
            try:
                file.close()
            except BrokenPipeError:
                pass
        os.waitpid(self.pid, 0)
        self.pid = None


def write(file, value):
    data = pickle.dumps(value)
    file.write(struct.pack("<q", len(data)) + data)
    file.flush()


def read(file):
    size = file.read(8)
    return pickle.loads(file.read(struct.unpack("<q", size)[0])) if len(size) == 8 else None
