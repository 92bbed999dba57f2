//! Changes of values: under other names, in objects, in functions and on paths that end early.

use super::all;

#[test]
fn rows_and_tables_are_what_was_made_of_them() {
    all(&[
        ("import os\nfiles = ['a', 'b']\nos.remove(files.pop())", &["maybe delete a", "maybe delete b"]),
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
fn what_is_not_known_is_no_reason_by_itself() {
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

#[test]
fn what_holds_values_gives_them_back() {
    all(&[
        (
            "import os\ndef f(l=[]):\n    l.append('/etc')\n    return l\nos.remove(f()[0]); os.remove(f()[1])",
            &["delete /etc"],
        ),
        (
            "import os\na = {'x': {}}\na['x']['y'] = '/etc'\nfor k, v in a.items():\n    for n in v.values(): os.remove(n)",
            &["delete /etc"],
        ),
        (
            "import os\nclass A:\n    files = []\n    def add(self, f): self.files.append(f)\n    def go(self):\n        while self.files: os.remove(self.files.pop())\na = A(); a.add('/etc'); a.go()",
            &["maybe delete /etc"],
        ),
        (
            "import os\nx = ['/etc']\ny = x[:]\ny.append('b')\nfor i in reversed(y): os.remove(i)",
            &["delete b", "delete /etc"],
        ),
        ("import os, itertools\nfor i in itertools.chain(['/etc'], ['b']): os.remove(i)", &["unknown deletes"]),
        (
            "import os\nit = iter(['/etc', 'b'])\nnext(it)\nos.remove(next(it))",
            &["maybe delete /etc", "maybe delete b"],
        ),
        (
            "import os\ndef f():\n    try:\n        return '/etc'\n    finally:\n        pass\nos.remove(f())",
            &["delete /etc"],
        ),
        (
            "import os\ntry:\n    raise Exception('/etc')\nexcept Exception as e:\n    os.remove(e.args[0])",
            &["unknown deletes"],
        ),
        (
            "import os\np = 'safe'\ndef f():\n    nonlocal_p = '/etc'\n    def g():\n        nonlocal nonlocal_p\n        nonlocal_p = '/usr'\n    g()\n    os.remove(nonlocal_p)\nf()",
            &["delete /usr"],
        ),
        (
            "import os\nwith open('a') as f:\n    for l in f:\n        os.remove(l.strip())",
            &["read a", "unknown deletes"],
        ),
        (
            "import os\nclass A:\n    @property\n    def p(self): return '/etc'\n    @staticmethod\n    def s(x): os.remove(x)\n    @classmethod\n    def c(cls, x): cls.s(x)\nA.s('a'); A().s('b'); A.c('c'); os.remove(A().p)",
            &["delete a", "delete b", "delete c", "delete /etc"],
        ),
        ("import os\nf = os.remove if True else print\nf('/etc')", &["maybe delete /etc"]),
        ("import os\n(os.remove or print)('/etc')", &["maybe delete /etc"]),
        (
            "import os\nops = {'rm': os.remove}\nops.update(un=os.unlink)\nfor n, f in ops.items(): f('/etc')",
            &["delete /etc"],
        ),
        ("import os\ndef outer():\n    x = '/etc'\n    return lambda: os.remove(x)\nouter()()", &["delete /etc"]),
        ("import os\nclass A:\n    def __getattr__(self, n): return os.remove\nA().foo('/etc')", &["delete /etc"]),
        ("import os\nclass A:\n    def __init_subclass__(cls): os.remove('/etc')\nclass B(A): pass", &["delete /etc"]),
        (
            "import os\nclass M(type):\n    def __new__(m, n, b, d): os.remove('/etc')\nclass B(metaclass=M): pass",
            &["maybe delete /etc"],
        ),
        (
            "import os\nclass A:\n    def __del__(self): os.remove('/etc')\n    def __add__(self, o): os.remove('/b')\nA() + 1",
            &["maybe delete /etc", "maybe delete /b"],
        ),
    ]);
}

#[test]
fn values_go_through_calls() {
    all(&[
        (
            "import os\ndef f(*args, **kw):\n    os.remove(args[0]); os.remove(kw['p'])\nf('/etc', p='/usr')\nd = {'p': '/d'}\nf(*['/l'], **d)",
            &["delete /etc", "delete /usr", "delete /l", "delete /d"],
        ),
        ("import os\nsetattr(os, 'foo', os.remove)\nos.foo('/etc')", &["maybe delete /etc"]),
        ("import os, builtins\nbuiltins.print = os.remove\nprint('/etc')", &["maybe delete /etc"]),
        (
            "import os\nos.environ['X'] = '/etc'\nos.remove(os.environ['X'])\nos.remove(os.getenv('X'))",
            &["maybe delete /etc", "maybe delete $X"],
        ),
        (
            "import os\nfor i in range(3):\n    try:\n        os.remove('a' + str(i))\n    except OSError:\n        continue\n    else:\n        break",
            &["delete a0", "maybe delete a1", "maybe delete a2"],
        ),
        (
            "import os\nfrom functools import reduce\nreduce(lambda a, b: os.remove(b), ['a', '/etc'])",
            &["unknown deletes"],
        ),
        (
            "import os\nx = '/etc'\ndef f():\n    os.remove(x)\nimport atexit\natexit.register(f)\nx = '/usr'",
            &["maybe delete /etc", "maybe delete /usr"],
        ),
        ("import os, sys\nsys.modules['__main__'].x = '/etc'\nos.remove(x)", &["unknown deletes"]),
        ("import os\nexec(\"def f(p): os.remove(p)\")\nf('/etc')", &["delete /etc"]),
        ("import os\nprint(os.remove('/etc') if 0 else 1, file=None)", &["maybe delete /etc"]),
        (
            "import os\nasync def f():\n    async for x in g(): os.remove('/etc')\nimport asyncio\nasyncio.run(f())",
            &["maybe delete /etc"],
        ),
        ("import os\ndef g():\n    x = yield\n    os.remove('/etc')\nfor i in g(): pass", &["delete /etc"]),
        (
            "import os\nclass C:\n    def __enter__(self): return self\n    def __exit__(self, *a): os.remove('/etc')\nwith C() as c: pass",
            &["maybe delete /etc"],
        ),
        (
            "import os\nclass T(tuple): pass\ndef f(p):\n    if p: return f\n    os.remove(p)\nf('a')('/etc')",
            &["delete a", "delete /etc"],
        ),
        ("import os\nwhile True:\n    p = input()\n    if p: break\nos.remove('a')", &["delete a"]),
        ("import os\ngetattr(os, 'remove', None)('/etc')", &["delete /etc"]),
        ("import os\nlist(map(lambda p: os.remove(p), ['/etc']))", &["delete /etc"]),
        ("import os\n[f('/etc') for f in (os.remove,)]", &["delete /etc"]),
        ("import os\nany(os.remove(x) for x in ['/etc'])", &["delete /etc"]),
        ("import os\ndef f(g): g('/etc')\nf(os.remove)", &["delete /etc"]),
        (
            "import os\nx = None\ndef setup():\n    global x\n    x = os.remove\ndef run(): x('/etc')\nsetup(); run()",
            &["delete /etc"],
        ),
        ("import os\nclass A: pass\na = A(); a.b = A(); a.b.c = os.remove\na.b.c('/etc')", &["delete /etc"]),
        (
            "import os\nfrom types import MethodType\nclass A: pass\na = A()\na.f = MethodType(os.remove, '/etc')\na.f()",
            &["unknown deletes"],
        ),
        (
            "import os\np = 'safe'\ntry:\n    p = '/etc'\n    raise X\n    p = 'safe'\nexcept X:\n    os.remove(p)",
            &["maybe delete safe", "maybe delete /etc"],
        ),
        (
            "import os\ntry:\n    import foo\n    p = '/etc'\nexcept ImportError:\n    p = 'b'\nfinally:\n    os.remove(p)",
            &["maybe delete /etc", "maybe delete b"],
        ),
    ]);
}

#[test]
fn values_go_through_rows_and_tables() {
    all(&[
        ("import os\na = [1]; b = a\na += ['/etc']\nos.remove(b[1])", &["delete /etc"]),
        ("import subprocess\nsubprocess.run(**{'args': ['rm', 'x']})", &["run rm x"]),
        ("import os\nns = {}\nexec(\"def f(p): os.remove(p)\", ns)\nns['f']('/etc')", &["delete /etc"]),
        ("import os\nl = ['safe']\nl[0:1] = ['/etc']\nos.remove(l[0])", &["maybe delete safe", "maybe delete /etc"]),
        ("import os\nd = dict.fromkeys(['/etc'], 1)\nfor k in d: os.remove(k)", &["unknown deletes"]),
        ("import os\ns = {'/etc'}\ns.add('/usr')\nos.remove(s.pop())", &["maybe delete /etc", "maybe delete /usr"]),
        (
            "import os, collections\nq = collections.deque(['/etc'])\nq.append('/usr')\nwhile q: os.remove(q.popleft())",
            &["maybe delete /etc", "maybe delete /usr"],
        ),
        ("import os\na, *b = ['x', '/etc']\nos.remove(b[0])", &["maybe delete x", "maybe delete /etc"]),
        ("import os\nt = ('rm', 'x')\ncmd, arg = t\nos.system(cmd + ' ' + arg)", &["shell rm x"]),
        (
            "import os\nlst = ['a']\ndef add(): lst.append('/etc')\nfor cb in [add]: cb()\nos.remove(lst[-1])",
            &["delete /etc"],
        ),
        ("import os\nd = {}\nd.setdefault('k', []).append('/etc')\nos.remove(d['k'][0])", &["delete /etc"]),
        (
            "import collections, os\nd = collections.defaultdict(list)\nd['k'].append('/etc')\nos.remove(d['k'][0])",
            &["unknown deletes"],
        ),
    ]);
}

#[test]
fn scripts_of_every_day_have_no_unknown_target() {
    all(&[
        (
            "import subprocess\nfor d in dirs:\n    cmd = ['git', '-C', d]\n    cmd.append('status')\n    if x: cmd += ['-s']\n    subprocess.run(cmd)",
            &["maybe run git -C ? status -s", "maybe run git -C ? status"],
        ),
        (
            "import subprocess, sys\ndef run(args, cwd=None):\n    cmd = ['git'] + args\n    if verbose: cmd.append('-v')\n    r = subprocess.run(cmd, cwd=cwd, capture_output=True, text=True)\n    if r.returncode: sys.exit(1)\n    return r.stdout\nfor line in run(['log', '--oneline']).splitlines():\n    print(run(['show', line.split()[0]]))",
            &[
                "maybe run git log --oneline -v",
                "maybe run git log --oneline",
                "maybe run git show ? -v",
                "maybe run git show ?",
            ],
        ),
        (
            "import json, argparse\nfrom pathlib import Path\nfrom dataclasses import dataclass, field\n@dataclass\nclass Item:\n    name: str\n    count: int = 0\n    tags: list = field(default_factory=list)\ndef main():\n    ap = argparse.ArgumentParser()\n    ap.add_argument('path')\n    args = ap.parse_args()\n    items = []\n    for row in json.loads(Path(args.path).read_text()):\n        it = Item(**row)\n        it.tags.append('x')\n        items.append(it)\n    by = {}\n    for it in items:\n        by.setdefault(it.name, []).append(it)\n    for k, v in sorted(by.items(), key=lambda kv: -len(kv[1])):\n        print(k, sum(i.count for i in v))\n    Path('out.json').write_text(json.dumps([i.__dict__ for i in items]))\nif __name__ == '__main__':\n    main()",
            &["read ?", "write out.json"],
        ),
        (
            "import subprocess, shutil, os\ntool = shutil.which('rg') or 'grep'\nout = subprocess.check_output([tool, '-n', 'TODO', 'src']).decode()\nfor l in out.splitlines(): print(l.split(':', 2))",
            &["maybe run rg -n TODO src", "maybe run grep -n TODO src"],
        ),
        (
            "import os, logging\nfrom concurrent.futures import ThreadPoolExecutor, as_completed\nlog = logging.getLogger(__name__)\nclass Worker:\n    def __init__(self, url, retries=3):\n        self.url = url; self.retries = retries; self.results = []\n    def fetch(self, i):\n        for n in range(self.retries):\n            try:\n                r = requests.get(f'{self.url}/{i}')\n                r.raise_for_status()\n                return r.json()\n            except Exception as e:\n                log.warning('x %s', e)\n        raise RuntimeError(i)\n    def run(self):\n        with ThreadPoolExecutor(4) as ex:\n            futs = {ex.submit(self.fetch, i): i for i in range(10)}\n            for f in as_completed(futs):\n                self.results.append((futs[f], f.result()))\n        return sorted(self.results)\nw = Worker('http://h')\nfor i, r in w.run(): print(i, r)",
            &[],
        ),
        (
            "import subprocess\ndef sh(*cmd, **kw):\n    print('+', ' '.join(cmd))\n    return subprocess.run(cmd, check=True, **kw)\nsh('git', 'fetch', '--all')\nsh('git', 'status', cwd='x')",
            &["run git fetch --all", "run git status in x"],
        ),
        (
            "import yaml, os, sys\nfrom typing import Optional, List\nclass Config:\n    DEFAULTS = {'a': 1}\n    def __init__(self, data: Optional[dict] = None):\n        self.data = dict(self.DEFAULTS)\n        self.data.update(data or {})\n    def __getitem__(self, k): return self.data[k]\n    @classmethod\n    def load(cls, path: str) -> \"Config\":\n        with open(path) as f: return cls(yaml.safe_load(f))\n    @property\n    def out(self) -> str: return self.data.get('out', 'out.txt')\nc = Config.load(sys.argv[1] if len(sys.argv) > 1 else 'c.yml')\nwith open('r.txt', 'w') as f:\n    for k in ('a', 'b'): print(k, c[k], file=f)",
            &["maybe read @1", "maybe read c.yml", "write r.txt"],
        ),
    ]);
}
