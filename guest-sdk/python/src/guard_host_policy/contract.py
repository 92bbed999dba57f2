"""The types of the contract: those of the component's bindings, and outside of a component the same by hand."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ._shapes import (
        Analysis,
        Assignment,
        Command,
        Coverage,
        Decision,
        Effect,
        Facts,
        Fault,
        Finding,
        Level,
        Outcome,
        Part,
        Position,
        Presence,
        Redirection,
        ResolvedPath,
        Script,
        Severity,
        Span,
        Via,
        Word,
    )
else:
    from ._host import context, syntax, types

    Facts = context.Facts
    Analysis, Assignment, Command, Coverage = syntax.Analysis, syntax.Assignment, syntax.Command, syntax.Coverage
    Effect, Part, Position, Redirection = syntax.Effect, syntax.Part, syntax.Position, syntax.Redirection
    Script, Severity, Span, Via, Word = syntax.Script, syntax.Severity, syntax.Span, syntax.Via, syntax.Word
    Decision, Fault, Finding, Level = types.Decision, types.Fault, types.Finding, types.Level
    Outcome, Presence, ResolvedPath = types.Outcome, types.Presence, types.ResolvedPath

__all__ = [
    "Analysis",
    "Assignment",
    "Command",
    "Coverage",
    "Decision",
    "Effect",
    "Facts",
    "Fault",
    "Finding",
    "Level",
    "Outcome",
    "Part",
    "Position",
    "Presence",
    "Redirection",
    "ResolvedPath",
    "Script",
    "Severity",
    "Span",
    "Via",
    "Word",
]
