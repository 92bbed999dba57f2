"""Rules, the manifest, and `define_policy`, which makes what a component exports of them."""

import functools
import json
import os.path
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ParamSpec, Protocol, TypeVar, overload

from ._call import Call
from ._host import Err, types
from ._settings import check_class, read
from .contract import Decision, Finding, Outcome
from .errors import PolicyError

S = TypeVar("S")
T = TypeVar("T")
Given = ParamSpec("Given")


@dataclass(frozen=True)
class Rule:
    """One danger that the policy may report."""

    id: str
    """`[a-z][a-z0-9_-]*`; names the danger."""
    summary: str
    """One line for people."""
    outcome: Outcome
    """What a finding gives when nothing else is said."""
    ceiling: Outcome = None  # type: ignore[assignment]
    """The most severe outcome that the rule may give. Without it, that is `outcome`."""

    def __post_init__(self) -> None:
        if self.ceiling is None:
            object.__setattr__(self, "ceiling", self.outcome)
        self.check(self.outcome)

    def check(self, outcome: Outcome) -> None:
        """Raises if an outcome is above the ceiling."""
        if not isinstance(outcome, Outcome):
            raise ValueError(f"`{outcome}` is no outcome")
        if outcome.value > self.ceiling.value:
            given, most = outcome.name.lower(), self.ceiling.name.lower()
            raise ValueError(f"the rule `{self.id}` gives {given}, and its ceiling is {most}")

    def finding(
        self,
        message: str,
        *,
        outcome: Outcome | None = None,
        remedy: str = "",
        tags: Mapping[str, str] | None = None,
    ) -> Finding:
        """A finding of this rule, at the rule's outcome unless another one is given."""
        given = self.outcome if outcome is None else outcome
        self.check(given)
        return Finding(self.id, given, message, remedy, list((tags or {}).items()))


@dataclass(frozen=True)
class Example:
    """A call, with the outcome that the policy must give under its default settings. The host checks it."""

    input: Mapping[str, Any]
    outcome: Outcome
    rule: str = ""
    tool: str = "Bash"


@dataclass(frozen=True)
class Manifest:
    """What a policy says of itself. Raises if the host would refuse it."""

    id: str
    """`[a-z][a-z0-9-]*`, at most 64 bytes."""
    summary: str
    """One line for people."""
    tools: Sequence[str]
    """Globs over the names of the tools that the policy is asked about; `*` is every tool."""
    rules: Sequence[Rule]
    """Every rule that `decide` may report."""
    version: str = "0.1.0"
    grants: Sequence[str] = ()
    """What the policy requests: `read:./PATH`, `read:~/PATH`, `read:/PATH`, `env:NAME` or `journal:STREAM`."""
    examples: Sequence[Example] = ()

    def __post_init__(self) -> None:
        if not re.fullmatch("[a-z][a-z0-9-]{0,63}", self.id):
            raise ValueError(f"`{self.id}` is no name of a policy")
        ids = [rule.id for rule in self.rules]
        for id in ids:
            if not re.fullmatch("[a-z][a-z0-9_-]{0,63}", id) or ids.count(id) > 1:
                raise ValueError(f"`{id}` is no name of a rule, or stands twice")
        for example in self.examples:
            if example.rule and example.rule not in ids:
                raise ValueError(f"an example has the rule `{example.rule}`, which the manifest lacks")

    def described(self) -> Any:
        """As the host is given it."""
        return types.Manifest(
            id=self.id,
            version=self.version,
            summary=self.summary,
            tools=list(self.tools),
            rules=[types.Rule(rule.id, rule.summary, rule.outcome, rule.ceiling) for rule in self.rules],
            grants=list(self.grants),
            examples=[
                types.Example(one.tool, json.dumps(dict(one.input)), one.outcome, one.rule) for one in self.examples
            ],
        )


@dataclass(frozen=True)
class _NoSettings:
    pass


class Exported(Protocol):
    """What a component exports as `Policy`."""

    def describe(self) -> Any: ...

    def configure(self, settings: str) -> None: ...

    def decide(self, tool: str, input: str) -> Decision: ...


@overload
def define_policy(manifest: Manifest, decide: Callable[[Call], Iterable[Finding]]) -> type[Exported]: ...


@overload
def define_policy(
    manifest: Manifest,
    decide: Callable[[Call, S], Iterable[Finding]],
    settings: type[S],
    configure: Callable[[S], None] | None = None,
) -> type[Exported]: ...


def define_policy(
    manifest: Manifest,
    decide: Callable[..., Iterable[Finding]],
    settings: type[Any] | None = None,
    configure: Callable[[Any], None] | None = None,
) -> type[Exported]:
    """What a component exports: `Policy = define_policy(manifest, decide)`.

    `decide` answers a call with findings, in order; with none the policy abstains. A generator serves. The outcome of the
    decision is the most severe one of its findings.

    `settings` is a data class: its fields say the names (`protected_branches` is the setting `protected-branches`), the
    types and the defaults. `decide` is then given one of it as well. Any other key, and a value of another type, is
    refused; so is what `configure` raises for.
    """
    wanted = _NoSettings if settings is None else settings
    check_class(wanted)
    rules = {rule.id: rule for rule in manifest.rules}

    class Policy:
        """What the component exports."""

        _settings: Any = None

        def describe(self) -> Any:
            return manifest.described()

        @_telling
        def configure(self, settings: str) -> None:
            given = read(wanted, settings)
            if configure is not None:
                configure(given)
            Policy._settings = given

        @_telling
        def decide(self, tool: str, input: str) -> Decision:
            if Policy._settings is None:
                raise PolicyError("decide was called before configure")
            call = Call(tool, input)
            found = decide(call) if settings is None else decide(call, Policy._settings)
            if not isinstance(found, Iterable):
                raise PolicyError("`decide` gives no list of findings")
            findings = [_checked(finding, rules) for finding in found]
            outcome = max((one.outcome for one in findings), key=lambda one: one.value, default=Outcome.ABSTAIN)
            return Decision(outcome, findings)

    return Policy


def _checked(finding: Finding, rules: Mapping[str, Rule]) -> Finding:
    if not isinstance(finding, Finding):
        raise PolicyError(f"`{finding}` is no finding")
    if finding.rule not in rules:
        raise PolicyError(f"the manifest has no rule `{finding.rule}`")
    rules[finding.rule].check(finding.outcome)
    return finding


def _telling(function: Callable[Given, T]) -> Callable[Given, T]:
    """Makes an `Err` of whatever is raised: anything else would end the policy without a word."""

    @functools.wraps(function)
    def call(*given: Given.args, **named: Given.kwargs) -> T:
        try:
            return function(*given, **named)
        except Err:
            raise
        except PolicyError as error:
            raise Err(str(error)) from None
        except Exception as error:
            # Without the module `traceback`, which reads source files.
            place = error.__traceback__
            while place is not None and place.tb_next is not None:
                place = place.tb_next
            where = "?" if place is None else f"{os.path.basename(place.tb_frame.f_code.co_filename)}:{place.tb_lineno}"
            raise Err(f"{type(error).__name__} at {where}: {error}") from None

    return call
