import json
import unittest
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Any, Literal

from guard_host_policy import (
    Call,
    Example,
    Finding,
    Globs,
    Manifest,
    Outcome,
    PolicyError,
    Rule,
    define_policy,
)
from guard_host_policy.testing import World

SOFT = Rule("soft", "a small thing", Outcome.WARN, ceiling=Outcome.ASK)
HARD = Rule("hard", "a large thing", Outcome.DENY)
MANIFEST = Manifest("made", "", ["*"], [SOFT, HARD])

Decide = Callable[[Call], Any]


def outcome_of(decide: Decide) -> Outcome:
    return World().decide(define_policy(MANIFEST, decide), "Bash", {}).outcome


class Decisions(unittest.TestCase):
    def test_the_outcome_is_the_most_severe_one_of_the_findings(self) -> None:
        def generator(call: Call) -> Iterable[Finding]:
            yield SOFT.finding("a", outcome=Outcome.ASK)

        self.assertEqual(outcome_of(lambda call: []), Outcome.ABSTAIN)
        self.assertEqual(outcome_of(lambda call: [SOFT.finding("a")]), Outcome.WARN)
        both = [HARD.finding("a"), SOFT.finding("b", outcome=Outcome.ASK)]
        self.assertEqual(outcome_of(lambda call: both), Outcome.DENY)
        self.assertEqual(outcome_of(generator), Outcome.ASK)

    def test_a_finding_is_as_the_contract_has_it(self) -> None:
        finding = SOFT.finding("a", remedy="b", tags={"subject": "c"})
        self.assertEqual(finding, Finding("soft", Outcome.WARN, "a", "b", [("subject", "c")]))

    def test_what_breaks_the_contract_is_an_error_before_it_leaves_the_policy(self) -> None:
        beyond = Finding("soft", Outcome.DENY, "a", "", [])
        wrong: list[tuple[Decide, str]] = [
            (lambda call: [SOFT.finding("a", outcome=Outcome.DENY)], "the rule `soft` gives deny, and its ceiling is ask"),
            (lambda call: [SOFT.finding("a", outcome="deny")], "`deny` is no outcome"),  # type: ignore[arg-type]
            (lambda call: [beyond], "the rule `soft` gives deny"),
            (lambda call: [Rule("other", "", Outcome.ASK).finding("a")], "the manifest has no rule `other`"),
            (lambda call: None, "`decide` gives no list of findings"),
            (lambda call: "abc", "`a` is no finding"),
        ]
        for decide, text in wrong:
            with self.assertRaisesRegex(PolicyError, text):
                outcome_of(decide)
        with self.assertRaisesRegex(ValueError, "ceiling"):
            Rule("a", "", Outcome.DENY, ceiling=Outcome.ASK)

    def test_a_manifest_that_the_host_would_refuse_is_an_error_at_once(self) -> None:
        wrong: list[Callable[[], Manifest]] = [
            lambda: Manifest("My", "", [], []),
            lambda: Manifest("my", "", [], [SOFT, SOFT]),
            lambda: Manifest("my", "", [], [Rule("A", "", Outcome.ASK)]),
            lambda: Manifest("my", "", [], [], examples=[Example({}, Outcome.ASK, "none")]),
        ]
        for make in wrong:
            self.assertRaises(ValueError, make)

    def test_the_manifest_is_described_as_the_contract_has_it(self) -> None:
        from wit_world.imports import types

        examples = [Example({"command": "ls"}, Outcome.ABSTAIN)]
        manifest = Manifest("made", "s", ["Bash"], [SOFT], examples=examples)
        described = define_policy(manifest, lambda call: [])().describe()
        rules = [types.Rule("soft", "a small thing", Outcome.WARN, Outcome.ASK)]
        shown = [types.Example("Bash", '{"command": "ls"}', Outcome.ABSTAIN, "")]
        self.assertEqual(described, types.Manifest("made", "0.1.0", "s", ["Bash"], rules, [], shown))

    def test_whatever_is_raised_becomes_a_text(self) -> None:
        def fails(call: Call) -> Iterable[Finding]:
            raise self.raised

        for self.raised, text in [
            (PolicyError("a text"), "^a text$"),
            (KeyError("b"), "^KeyError at test_policy.py:[0-9]+: 'b'$"),
            (RecursionError(), "^RecursionError at "),
        ]:
            with self.assertRaisesRegex(PolicyError, text):
                outcome_of(fails)

    def test_a_policy_is_configured_before_it_decides(self) -> None:
        from componentize_py_types import Err

        with self.assertRaises(Err) as caught:
            define_policy(MANIFEST, lambda call: [])().decide("Bash", "{}")
        self.assertEqual(caught.exception.value, "decide was called before configure")


@dataclass
class Report:
    stream: str = "calls"


@dataclass
class Settings:
    branches: list[str] = field(default_factory=lambda: ["main"])
    allowed_hosts: tuple[str, ...] = ("localhost",)
    registry: str = ""
    forbidden: bool = False
    most: int = 3
    share: float = 0.5
    mode: Literal["ask", "deny"] = "ask"
    paths: Globs = ("src/**",)
    report: Report = field(default_factory=Report)


class SettingsTest(unittest.TestCase):
    def with_settings(self, given: Any) -> Settings:
        seen: list[Settings] = []

        def decide(call: Call, settings: Settings) -> list[Finding]:
            seen.append(settings)
            return []

        World().decide(define_policy(MANIFEST, decide, Settings), "Bash", {}, given)
        return seen[0]

    def test_settings_are_the_defaults_and_what_is_given(self) -> None:
        self.assertEqual(self.with_settings({}), Settings())
        given = {"branches": [], "allowed-hosts": ["a"], "share": 1, "mode": "deny", "report": {"stream": "x"}}
        expected = Settings(branches=[], allowed_hosts=("a",), share=1, mode="deny", report=Report("x"))
        self.assertEqual(self.with_settings(given), expected)

    def test_a_typing_error_in_the_settings_is_told(self) -> None:
        for given, text in [
            ({"regstry": "x"}, "unknown setting `regstry`; there are `branches`, `allowed-hosts`, `registry`"),
            ({"allowed_hosts": []}, "unknown setting `allowed_hosts`"),
            ({"report": {"x": 1}}, "unknown setting `report.x`; there are `report.stream`"),
            ({"branches": "main"}, "`branches` is not a list of strings"),
            ({"allowed-hosts": ["a", 5]}, "`allowed-hosts` is not a list of strings"),
            ({"registry": ["x"]}, "`registry` is not a string"),
            ({"forbidden": 1}, "`forbidden` is not true or false"),
            ({"most": True}, "`most` is not a whole number"),
            ({"most": 0.5}, "`most` is not a whole number"),
            ({"share": None}, "`share` is not a number"),
            ({"mode": "warn"}, "`mode` is not one of `ask`, `deny`"),
            ({"paths": ["[a"]}, r"`paths` has the pattern `\[a`: a `\[` is not closed"),
            ({"report": []}, "`report` is not a table"),
        ]:
            with self.assertRaisesRegex(PolicyError, text):
                self.with_settings(given)
        with self.assertRaisesRegex(PolicyError, "there are none"):
            World().decide(define_policy(MANIFEST, lambda call: []), "Bash", {}, {"a": 1})

    def test_a_setting_without_a_default_is_required(self) -> None:
        @dataclass
        class Required:
            only_host: str

        policy = define_policy(MANIFEST, lambda call, settings: [], Required)
        with self.assertRaisesRegex(PolicyError, "the setting `only-host` is missing"):
            World().decide(policy, "Bash", {})

    def test_what_cannot_be_read_is_an_error_at_once(self) -> None:
        @dataclass
        class Odd:
            a: set[str]

        @dataclass
        class NoPattern:
            a: Globs = ("{a",)

        @dataclass
        class NoChoice:
            a: Literal["x", "y"] = "z"  # type: ignore[assignment]

        @dataclass
        class NoList:
            a: list[str] = field(default_factory=lambda: [1])  # type: ignore[list-item]

        wrong = [(Odd, TypeError), (NoPattern, PolicyError), (NoChoice, PolicyError), (NoList, PolicyError)]
        for settings, error in [*wrong, (str, TypeError)]:
            with self.assertRaises(error):
                define_policy(MANIFEST, lambda call, settings: [], settings)

    def test_the_policy_looks_at_its_settings_once_more(self) -> None:
        def configure(settings: Settings) -> None:
            if settings.most < 1:
                raise PolicyError("`most` is less than 1")

        policy = define_policy(MANIFEST, lambda call, settings: [], Settings, configure)
        World().decide(policy, "Bash", {})
        with self.assertRaisesRegex(PolicyError, "^`most` is less than 1$"):
            World().decide(policy, "Bash", {}, {"most": 0})

    def test_no_fact_can_be_asked_for_outside_of_a_call(self) -> None:
        calls: list[Call] = []

        def decide(call: Call) -> list[Finding]:
            calls.append(call)
            return []

        World().decide(define_policy(MANIFEST, decide), "Bash", {})
        with self.assertRaisesRegex(RuntimeError, "there is no host"):
            calls[0].resolve("a")


class ByHand(unittest.TestCase):
    def test_a_policy_that_imports_the_contract_itself_runs_in_a_world(self) -> None:
        from wit_world import exports
        from wit_world.imports import context, types

        class Policy(exports.Policy):  # type: ignore[misc]
            def describe(self) -> Any: ...

            def configure(self, settings: str) -> None:
                json.loads(settings)

            def decide(self, tool: str, input: str) -> Any:
                finding = types.Finding("a", types.Outcome.ASK, context.get().cwd, "", [])
                return types.Decision(types.Outcome.ASK, [finding])

        decision = World().decide(Policy, "Bash", {})
        self.assertEqual((decision.outcome, decision.findings[0].message), (Outcome.ASK, "/repo"))
