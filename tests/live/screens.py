"""The screen of an agent, in tmux: what a person is asked, and what Yes and No do.

A driver has `screen(program)`, the command that shows the screen, and, where it can ask, `YES` and `NO`, the keys. Some
have `before_screen(world)`, too, which answers what an agent asks at its first start, or `APPROVES`: the words with which
it asks a person about a new hook, and the keys that approve it.
"""

import re
import shutil
import subprocess
import time

PUSH = "git push origin topic"
RULE = "[command-guard:git-push]"
DRAWN = re.compile(r"[\s\u2500-\u259f]+")


class Pane:
    """A program in a terminal of its own."""

    def __init__(self, world, command, env):
        self.world, self.env = world, world.env(env)
        self.tmux("-f", "/dev/null", "new-session", "-d", "-s", "lab", "-x", "140", "-y", "50", *map(str, command))

    def tmux(self, *args):
        command = ["tmux", "-S", str(self.world.root / "tmux"), *args]
        done = subprocess.run(command, env=self.env, cwd=self.world.proj, capture_output=True, text=True)
        return done.stdout

    def text(self):
        lines = [line.rstrip() for line in self.tmux("capture-pane", "-p", "-t", "lab").splitlines()]
        return "\n".join(lines).strip("\n") + "\n"

    def press(self, *keys):
        for key in keys:
            self.tmux("send-keys", "-t", "lab", key)
            time.sleep(1)


def has_reason(text):
    """The guard's reason stands there. Lines may be broken anywhere, and frames drawn around them."""
    return RULE in DRAWN.sub("", text)


def wait(seconds, happened):
    end = time.monotonic() + seconds
    while time.monotonic() < end and not happened():
        time.sleep(0.5)


def question(lab, pane):
    """What becomes of a call that is asked about, and the screen then."""
    call, ran = ("main", 0), lambda: PUSH in lab.world.marked()
    told = lambda: call in lab.model.told  # noqa: E731
    wait(lab.driver.SECONDS, lambda: call in lab.model.handed)
    if call not in lab.model.handed:
        return "not reached", pane.text()
    wait(40, lambda: ran() or told() or has_reason(pane.text()))
    # Who refuses tells the model soon.
    wait(4, lambda: ran() or told())
    time.sleep(1)
    text = pane.text()
    if ran():
        return "runs unasked", text
    reason = "with the reason" if has_reason(text) else "without the reason"
    return f"{'refuses' if told() else 'asks'}, {reason}", text


def answered(lab, pane, yes):
    """What an answer does. After No a Yes must come too late."""
    ran = lambda: PUSH in lab.world.marked()  # noqa: E731
    if yes:
        pane.press(*lab.driver.YES)
        wait(30, ran)
    else:
        pane.press(*lab.driver.NO)
        wait(5, ran)
        pane.press(*lab.driver.YES)
        wait(5, ran)
    return "runs" if ran() else "does not run"


def check(lab):
    """The cells, and the screen of the question."""
    if not shutil.which("tmux"):
        return {"screen": "skipped, because tmux is not installed"}, ""
    driver, world, cells, shown = lab.driver, lab.world, {}, ""
    if hasattr(driver, "before_screen"):
        driver.before_screen(world)
    for answer in ("No", "Yes") if hasattr(driver, "YES") else ("",):
        marks = world.marks.read_text()
        lab.model.play({"main": [driver.CALLS["shell"](PUSH)]})
        world.put_working()
        pane = Pane(world, driver.screen(lab.program), driver.env(world, lab.model.url))
        try:
            if hasattr(driver, "APPROVES"):
                words, keys = driver.APPROVES
                wait(driver.SECONDS, lambda: words in pane.text())
                pane.press(*keys)
            seen, text = question(lab, pane)
            if cells.get("screen", seen) != seen:
                seen = f"{cells['screen']}; then {seen}"
            cells["screen"], shown = seen, text
            if answer and seen.startswith("asks"):
                cells[f"screen, {answer}"] = answered(lab, pane, answer == "Yes")
            elif answer:
                cells[f"screen, {answer}"] = "not asked"
        finally:
            world.end_leftovers()
            world.marks.write_text(marks)
    return cells, shown
