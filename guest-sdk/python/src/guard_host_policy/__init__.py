"""What the author of a guard-host policy in Python uses.

A policy is `Policy = define_policy(manifest, decide)` at the top of a module: `decide` answers a `Call` with findings, each
made by a `Rule` of the manifest.
"""

from ._call import Call, host_of, is_below, program_of, tags_of, text_of
from ._globs import glob
from ._policy import Example, Manifest, Rule, define_policy
from ._settings import Globs
from .contract import (
    Analysis,
    Command,
    Coverage,
    Decision,
    Effect,
    Facts,
    Fault,
    Finding,
    Level,
    Outcome,
    Presence,
    ResolvedPath,
    Script,
    Severity,
    Via,
    Word,
)
from .errors import PolicyError

__all__ = [
    "Analysis",
    "Call",
    "Command",
    "Coverage",
    "Decision",
    "Effect",
    "Example",
    "Facts",
    "Fault",
    "Finding",
    "Globs",
    "Level",
    "Manifest",
    "Outcome",
    "PolicyError",
    "Presence",
    "ResolvedPath",
    "Rule",
    "Script",
    "Severity",
    "Via",
    "Word",
    "define_policy",
    "glob",
    "host_of",
    "is_below",
    "program_of",
    "tags_of",
    "text_of",
]
