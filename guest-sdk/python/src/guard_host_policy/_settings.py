"""Settings: a data class whose fields say the names, the types and the defaults."""

import dataclasses
import typing
from typing import Annotated, Any, Literal, TypeVar

from ._call import read_object
from ._globs import parsed
from .errors import PolicyError

S = TypeVar("S")

Globs = Annotated[tuple[str, ...], "globs"]
"""A setting that is a list of patterns for `glob`. A text that is no pattern is refused."""

_PLAIN: dict[Any, tuple[Any, str]] = {
    bool: (bool, "true or false"),
    int: (int, "a whole number"),
    float: ((int, float), "a number"),
    str: (str, "a string"),
}
_LISTS = (list[str], tuple[str, ...])


def check_class(settings: type[Any]) -> None:
    """Raises if a field has a type that cannot be read, or a default that would be refused."""
    if not dataclasses.is_dataclass(settings):
        raise TypeError(f"`{settings.__name__}` is not a data class")
    for name, wanted in _hints(settings).items():
        if dataclasses.is_dataclass(wanted):
            check_class(typing.cast(type[Any], wanted))
        elif wanted not in _PLAIN and wanted not in (*_LISTS, Globs) and typing.get_origin(wanted) is not Literal:
            raise TypeError(f"a setting cannot have the type of `{name}`")
    for field in dataclasses.fields(settings):
        wanted = _hints(settings)[field.name]
        default = field.default if field.default_factory is dataclasses.MISSING else field.default_factory()
        if default is not dataclasses.MISSING and not dataclasses.is_dataclass(wanted):
            _value(wanted, list(default) if isinstance(default, tuple) else default, field.name)


def _hints(settings: type[Any]) -> dict[str, Any]:
    return typing.get_type_hints(settings, include_extras=True)


def read(settings: type[S], text: str) -> S:
    """The settings that a JSON text gives. An error is a text for the person who wrote them."""
    return typing.cast(S, _table(settings, read_object(text), ""))


def _table(settings: type[Any], given: dict[str, Any], start: str) -> Any:
    hints = {name.replace("_", "-"): (name, wanted) for name, wanted in _hints(settings).items()}
    unknown = next((key for key in given if key not in hints), None)
    if unknown is not None:
        names = ", ".join(f"`{start}{key}`" for key in hints)
        raise PolicyError(f"unknown setting `{start}{unknown}`; there are {names or 'none'}")
    values = {hints[key][0]: _value(hints[key][1], value, f"{start}{key}") for key, value in given.items()}
    for field in dataclasses.fields(settings):
        has_default = field.default is not dataclasses.MISSING or field.default_factory is not dataclasses.MISSING
        if field.name not in values and not has_default:
            raise PolicyError(f"the setting `{start}{field.name.replace('_', '-')}` is missing")
    return settings(**values)


def _value(wanted: Any, given: Any, name: str) -> Any:
    if dataclasses.is_dataclass(wanted):
        if not isinstance(given, dict):
            raise PolicyError(f"`{name}` is not a table")
        return _table(typing.cast(type[Any], wanted), given, f"{name}.")
    if typing.get_origin(wanted) is Literal:
        if not any(type(given) is type(one) and given == one for one in typing.get_args(wanted)):
            choices = ", ".join(f"`{one}`" for one in typing.get_args(wanted))
            raise PolicyError(f"`{name}` is not one of {choices}")
        return given
    if wanted in _PLAIN:
        accepted, words = _PLAIN[wanted]
        # In Python a truth value is a number.
        if not isinstance(given, accepted) or isinstance(given, bool) and wanted is not bool:
            raise PolicyError(f"`{name}` is not {words}")
        return given
    if not isinstance(given, list) or not all(isinstance(one, str) for one in given):
        raise PolicyError(f"`{name}` is not a list of strings")
    if wanted == Globs:
        for one in given:
            try:
                parsed(one)
            except ValueError as error:
                raise PolicyError(f"`{name}` has {error}") from None
    return given if wanted == list[str] else tuple(given)
