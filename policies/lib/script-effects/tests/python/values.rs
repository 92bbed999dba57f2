//! What changes values: under other names, in objects, in functions and on ways that end early.

use super::all;

#[test]
fn rows_and_tables_are_what_was_made_of_them() {
    all(&[
        ("import os\nfiles = ['a', 'b']\nos.remove(files.pop())", &["delete b"]),
        ("import os\nd = {'k': 'a'}\nos.remove(d.popitem()[1])", &["delete a"]),
        ("import os\nd = {'k': 'a'}\nd.update({'k': 'b'})\nos.remove(d['k'])", &["delete b"]),
        (
            "import os\nd = {}\nd |= {'k': 'b'}\nd.setdefault('j', 'c')\nos.remove(d['k']); os.remove(d['j'])",
            &["delete b", "delete c"],
        ),
    ]);
}

#[test]
fn what_is_changed_under_another_name_is_changed() {
    all(&[
        ("import subprocess\na = ['ls']; b = a; b.insert(0, 'rm')\nsubprocess.run(a)", &["run rm ls"]),
        ("import subprocess\ndef f(l): l.append('rm')\nc = []\nf(c)\nsubprocess.run(c)", &["run rm"]),
        (
            "import subprocess\nclass A:\n    def __init__(self): self.cmd = ['rm']\n    def add(self): self.cmd.append('x')\n    def go(self): subprocess.run(self.cmd)\na = A(); a.add(); a.go()",
            &["run rm x"],
        ),
        ("import subprocess\nd = {'k': ['rm']}\nd['k'].append('x')\nsubprocess.run(d['k'])", &["run rm x"]),
    ]);
}

#[test]
fn objects_hold_what_they_were_given() {
    all(&[
        (
            "import os\nfrom dataclasses import dataclass\n@dataclass\nclass C:\n    path: str = 'safe'\n    def go(self): os.remove(self.path)\nC('/etc').go()\nC(path='/usr').go()",
            &["delete /etc", "delete /usr"],
        ),
        ("import os\nclass O: pass\no = O()\nsetattr(o, 'x', '/etc')\nos.remove(o.x)", &["delete /etc"]),
        ("import os, types\nn = types.SimpleNamespace(x='/etc')\nos.remove(n.x)", &["delete /etc"]),
        (
            "import os, argparse\np = argparse.ArgumentParser()\na = p.parse_args()\nclass Q:\n    path = 'safe'\nos.remove(a.path)",
            &["unknown deletes"],
        ),
        (
            "import os\nfrom typing import NamedTuple\nclass N(NamedTuple):\n    path: str\n    n: int = 0\nn = N('/etc')\nos.remove(n.path)",
            &["delete /etc"],
        ),
    ]);
}

#[test]
fn what_ends_early_may_not_have_been_done() {
    all(&[
        (
            "import os\np = '/etc'\ntry:\n    foo()\n    p = 'safe'\nexcept Exception:\n    pass\nos.remove(p)",
            &["maybe delete safe", "maybe delete /etc"],
        ),
        (
            "import os\nfor p in ['/etc', 'safe']:\n    if x: break\nos.remove(p)",
            &["maybe delete /etc", "maybe delete safe"],
        ),
    ]);
}

#[test]
fn functions_see_the_names_around_them() {
    all(&[
        (
            "import os\np = 'safe'\ndef f():\n    os.remove(p)\ndef g():\n    p = 'other'\n    f()\np = '/etc'\ng()",
            &["delete /etc"],
        ),
        (
            "import os\ndef f():\n    global x\n    if c: x = '/etc'\n    else: x = '/usr'\nx = 'safe'\nf()\nos.remove(x)",
            &["maybe delete /etc", "maybe delete /usr"],
        ),
    ]);
}

#[test]
fn calls_take_defaults_decorators_and_values_in_between() {
    all(&[
        ("import os\nt = '/etc'\ndef f(p=t): os.remove(p)\nt = 'safe'\nf()", &["delete /etc"]),
        ("import os\ndef f(*, p='a'): os.remove(p)\nf(p='/etc')", &["delete /etc"]),
        ("import os\ndef deco(f):\n    os.remove('/etc')\n    return f\n@deco\ndef g(): pass", &["delete /etc"]),
        (
            "import os\ndef deco(f):\n    def w(*a):\n        return f('/etc')\n    return w\n@deco\ndef g(p): os.remove(p)\ng('safe')",
            &["delete /etc"],
        ),
        (
            "import os\ndef gen():\n    yield '/etc'\n    yield '/usr'\nfor x in gen(): os.remove(x)",
            &["maybe delete /etc", "maybe delete /usr"],
        ),
        (
            "import os\nfrom contextlib import contextmanager\n@contextmanager\ndef cm():\n    yield '/etc'\nwith cm() as p: os.remove(p)",
            &["delete /etc"],
        ),
    ]);
}

#[test]
fn names_are_set_in_many_ways() {
    all(&[
        (
            "import os\np = 'safe'\nmatch x:\n    case [p, *r]: pass\n    case {'k': q}: os.remove(q)\nos.remove(p)",
            &["maybe delete safe", "unknown deletes"],
        ),
        ("import os\n[y := z for z in ['/etc']]\nos.remove(y)", &["delete /etc"]),
        ("import os\nglobals()['x'] = '/etc'\nos.remove(x)", &["delete /etc"]),
        ("import os\ndef f(p): os.remove(p)\nf('safe')\neval(\"f('/etc')\")", &["delete safe", "delete /etc"]),
    ]);
}

#[test]
fn the_folder_is_known_after_a_change() {
    all(&[
        ("import os\nos.chdir('/tmp')\nos.chdir('sub')\nos.remove('a')", &["delete /tmp/sub/a"]),
        ("import os, shutil\nd = os.getcwd()\nos.chdir('/tmp')\nshutil.rmtree(d)", &["tree $PWD"]),
        ("import os, shutil\nshutil.rmtree(os.path.dirname(os.getcwd()))", &["tree .."]),
        (
            "from pathlib import Path\nimport shutil\nshutil.rmtree(Path.cwd().parent)\nshutil.rmtree(Path('a/b/c/d').parents[3])",
            &["tree ..", "tree ."],
        ),
    ]);
}

#[test]
fn all_expressions_are_followed() {
    all(&[
        ("import os\ndef f(x: os.remove('/etc')) -> os.remove('/usr'): pass", &["delete /etc", "delete /usr"]),
        (
            "import os\nclass A(os.remove('/etc') or object, metaclass=os.remove('b')): pass",
            &["delete /etc", "delete b"],
        ),
        ("import os\nmatch 1:\n    case n if os.remove('/etc'): pass", &["maybe delete /etc"]),
        ("import os\nraise ValueError from os.remove('/etc')", &["delete /etc"]),
        ("import os\nf\"{1:{os.remove('/etc')}}\"", &["delete /etc"]),
    ]);
}

#[test]
fn callables_are_found_wherever_they_are_held() {
    all(&[
        ("import os\nclass A:\n    def __init__(self): self.f = os.remove\na = A()\na.f('/etc')", &["delete /etc"]),
        ("import os\ndef mk(p):\n    def go(): os.remove(p)\n    return go\nmk('/etc')()", &["delete /etc"]),
        ("import os\nd = {k: v for k, v in [('x', os.remove)]}\nd['x']('/etc')", &["delete /etc"]),
        ("import os\nl = [os.remove]\nl[0]('/etc')\nfor f in l: f('/usr')", &["delete /etc", "delete /usr"]),
        (
            "import os\nvars(os).get('remove')('/etc')\nos.__getattribute__('remove')('/usr')",
            &["delete /etc", "delete /usr"],
        ),
        (
            "from pathlib import Path\nPath.unlink(Path('/etc'))\nPath.write_text(Path('/usr'), 'x')",
            &["delete /etc", "write /usr"],
        ),
        (
            "import os, functools, subprocess\nfunctools.partial(os.remove, path='/etc')()\nfunctools.partial(subprocess.run, shell=True)('rm x')",
            &["delete /etc", "shell rm x"],
        ),
    ]);
}

#[test]
fn other_spellings() {
    all(&[
        (
            "import os\nos.remove(b'2f657463'.decode('hex'))\nos.remove('/rgp'.encode().decode('rot13'))",
            &["delete /etc"],
        ),
        (
            "import os, operator\nprint(sorted(os.scandir('.'), key=operator.attrgetter('name')))\nprint(list(map(operator.methodcaller('strip'), x)))",
            &["read ."],
        ),
    ]);
}

#[test]
fn honest() {
    all(&[
        ("getattr(obj, name)()", &[]),
        (
            "import os\nfor e in os.scandir('a'):\n    print(e.path)\n    os.remove(e.path)",
            &["read a", "maybe delete a/<*>"],
        ),
        ("import subprocess, shutil\nsubprocess.run([shutil.which('x') or 'x', 'y'])", &["run x y"]),
        ("import os\nwhile c:\n    if i: f('/etc')\n    f = os.remove", &["maybe delete /etc"]),
        (
            "import os\nx = y = z = 'safe'\nwhile c:\n    z = y; y = x; x = '/etc'\nos.remove(z)",
            &["maybe delete /etc", "maybe delete safe", "unknown deletes"],
        ),
        ("import os\nl = []\nfor i in foo: l.append('a')\nfor i in l: os.remove(i)", &["maybe delete a"]),
        ("import subprocess\ncmd = ['git', 'rm', 'x']\ndel cmd[0]\nsubprocess.run(cmd)", &["run rm x"]),
        (
            "import os\nfor r, d, f in os.walk('a'):\n    d[:] = [x for x in d if x != '.git']\n    d.remove('.git')\n    for n in f: print(os.path.join(r, n))",
            &["read a"],
        ),
        (
            "import os\ndef f():\n    global p\n    if c:\n        p = '/etc'\n        return\n    p = 'safe'\nf()\nos.remove(p)",
            &["maybe delete /etc", "maybe delete safe"],
        ),
        (
            "import os\nclass A:\n    def __enter__(self): return '/etc'\n    def __exit__(self, *a): pass\nwith A() as p: os.remove(p)",
            &["delete /etc"],
        ),
        (
            "import os\nclass B:\n    def __init__(self, p): self.p = p\nclass A(B):\n    def __init__(self, p):\n        super().__init__(p + 'c')\n        self.q = 1\n    def rm(self): os.remove(self.p)\nA('/et').rm()",
            &["delete /etc"],
        ),
    ]);
}
