"""Effects on files in a folder that is none.

Of `cp a b` the analysis has a write to `b` and, with the tag `into`, one to `b/a`, which holds only where `b` is a folder.
"""

from .contract import Analysis, Effect


def keep_possible(analysis: Analysis) -> Analysis:
    """Takes effects in what is no folder out, on the machine or by what the text did before."""
    # What earlier commands wrote: any of it may be a folder by now.
    written: list[str] = []
    own: list[str] = []
    command_id, last = 0, ("", True)
    kept = []
    for effect in analysis.effects:
        if effect.command_id != command_id:
            written += own
            own, command_id = [], effect.command_id
        into = next((value for name, value in effect.tags if name == "into"), None)
        if into is not None:
            if last[0] != into or last[1]:
                kept.append(effect)
            continue
        if effect.kind == "write":
            last = (effect.target, _may_be_folder(effect, written))
            own.append(effect.path.lexical)
        kept.append(effect)
    analysis.effects = kept
    return analysis


def _may_be_folder(effect: Effect, written: list[str]) -> bool:
    path = effect.path.lexical
    is_none = effect.path.kind in ("file", "none", "other")
    return not is_none or any(one == path or one.startswith(f"{path}/") for one in written)
