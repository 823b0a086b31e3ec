"""Runs a program that has given up rights and whose system calls a filter bounds.

python3 filtered.py [--no-connect] PROGRAM..."""

import ctypes
import os
import platform
import struct
import sys

PR_SET_NO_NEW_PRIVS, PR_SET_SECCOMP, SECCOMP_MODE_FILTER = 38, 22, 2


class Program(ctypes.Structure):
    _fields_ = [("length", ctypes.c_ushort), ("filter", ctypes.c_void_p)]


# One instruction: return "allowed". That there is a filter is what counts.
instructions = [(6, 0, 0, 0x7FFF0000)]
arguments = sys.argv[1:]
if arguments[0] == "--no-connect":
    arguments.pop(0)
    connect = {"x86_64": 42, "aarch64": 203}[platform.machine()]
    # Load the number of the call; if it is this one, return the error EPERM.
    instructions = [(0x20, 0, 0, 0), (0x15, 0, 1, connect), (6, 0, 0, 0x00050001)] + instructions
code = ctypes.create_string_buffer(b"".join(struct.pack("HBBI", *one) for one in instructions))
program = Program(len(instructions), ctypes.addressof(code))
libc = ctypes.CDLL(None)
assert libc.prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0
assert libc.prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, ctypes.byref(program), 0, 0) == 0
os.execv(arguments[0], arguments)
