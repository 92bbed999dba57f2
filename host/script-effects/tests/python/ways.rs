//! More ways in which values move through code.

use super::all;

#[test]
fn values_go_through_functions_and_rows() {
    all(&[
        (
            "import os\ndef f():\n    for p in ['/etc', '/usr']:\n        yield p\n        if x: return\nlist(map(os.remove, f()))",
            &["maybe delete /etc", "maybe delete /usr"],
        ),
        (
            "import os\nl = []\nwhile c:\n    r = ['safe']\n    l.append(r)\n    r[0] = '/etc'\nfor r in l: os.remove(r[0])",
            &["maybe delete /etc"],
        ),
        (
            "import os\nl = []\nfor i in foo:\n    r = ['/etc']\n    if l: l[-1][0] = 'safe'\n    l.append(r)\nos.remove(l[0][0])",
            &["maybe delete /etc", "maybe delete safe"],
        ),
        (
            "import os\ndef f(n, p='safe'):\n    if n: f(n - 1, '/etc')\n    else: os.remove(p)\nf(3)",
            &["maybe delete safe", "unknown deletes"],
        ),
        ("import os\nx = {'f': {'g': [os.remove]}}\nx['f']['g'][0]('/etc')", &["delete /etc"]),
        ("import os\ntry: pass\nexcept* ValueError: os.remove('/etc')", &["maybe delete /etc"]),
        ("import os\nfor i in []: os.remove('/etc')", &["maybe delete /etc"]),
        ("import os\nwhile False: os.remove('/etc')", &["maybe delete /etc"]),
        (
            "import os\nwith open('x') as f, open('y', 'w') as g:\n    g.write(os.remove('/etc') or '')",
            &["read x", "write y", "delete /etc"],
        ),
        ("import os\nlambda: os.remove('/etc')", &["maybe delete /etc"]),
        ("import os\nf = [os.remove, print][0]\nf('/etc')", &["delete /etc"]),
        ("import os\n(lambda f: f('/etc'))(os.remove)", &["delete /etc"]),
        ("import os, signal\ndef h(s, f): os.remove('/etc')\nsignal.signal(signal.SIGTERM, h)", &["maybe delete /etc"]),
        ("import os\ndef f(a, /, b, *, c): os.remove(a + b + c)\nf('x', c='z', b='y')", &["delete xyz"]),
        ("import os\ndel os\nimport shutil as os\nos.rmtree('x')", &["tree x"]),
        ("import os\nx = '/etc'\nx = x if x else 'b'\nos.remove(x)", &["maybe delete /etc", "maybe delete b"]),
        ("import os\ndef f(**kw): g(**kw)\ndef g(path=None, **kw): os.remove(path)\nf(path='/etc')", &["delete /etc"]),
        ("import os\nos.remove(*['/etc'])\nos.remove(**{'path': '/usr'})", &["delete /etc", "delete /usr"]),
        ("import os\na = b = []\na.append('/etc')\nos.remove(b[0])", &["delete /etc"]),
        ("import os\n(a := []).append('/etc')\nos.remove(a[0])", &["delete /etc"]),
        ("import os\nd = {'a': 1}\nd['p'], q = '/etc', 2\nos.remove(d['p'])", &["delete /etc"]),
        (
            "import os\ndef mk():\n    l = []\n    def add(x): l.append(x)\n    def go():\n        for i in l: os.remove(i)\n    return add, go\nadd, go = mk()\nadd('/etc'); go()",
            &["delete /etc"],
        ),
    ]);
}

#[test]
fn values_go_through_objects() {
    all(&[
        (
            "import os\nclass A:\n    def a(self, p): self.b(p)\n    def b(self, p): os.remove(p)\nA().a('/etc')",
            &["delete /etc"],
        ),
        ("import os\nfrom pathlib import Path\np = Path('/etc')\nf = p.unlink\nf()", &["delete /etc"]),
        (
            "import os\ndef deco(fn):\n    def inner(*a, **k):\n        os.remove('/etc')\n        return fn(*a, **k)\n    return inner\nclass A:\n    @deco\n    def go(self): os.remove('/usr')\nA().go()",
            &["delete /etc", "delete /usr"],
        ),
        (
            "import os\nclass Meta(type):\n    def __call__(cls, *a): os.remove('/etc')\nclass A(metaclass=Meta): pass\nA()",
            &["maybe delete /etc"],
        ),
        (
            "import os\nclass D:\n    def __get__(self, o, t): os.remove('/etc')\nclass A: d = D()\nA().d",
            &["maybe delete /etc"],
        ),
        (
            "import os\nclass It:\n    def __iter__(self): return self\n    def __next__(self): os.remove('/etc')\nfor x in It(): pass",
            &["maybe delete /etc"],
        ),
        (
            "import os\nclass A:\n    def rm(self, p): os.remove(p)\n    def __getitem__(self, k): return self.rm\nA()['x']('/etc')",
            &["delete /etc"],
        ),
        (
            "import os\ngetattr(A(), 'rm')('/etc')\nclass A:\n    def rm(self, p): os.remove(p)\nfoo.rm('/usr')",
            &["maybe delete /usr"],
        ),
        ("import os\nobj = make()\nobj.path = '/etc'\nos.remove(obj.path)", &["maybe delete /etc", "unknown deletes"]),
        (
            "import os\nclass A:\n    def __init__(self, **kw):\n        for k, v in kw.items(): setattr(self, k, v)\na = A(path='/etc')\nos.remove(a.path)",
            &["delete /etc"],
        ),
        (
            "import os\nclass A:\n    def __init__(self, **kw): self.__dict__.update(kw)\na = A(path='/etc')\nos.remove(a.path)",
            &["unknown deletes"],
        ),
        (
            "import os\nfrom collections import namedtuple\nP = namedtuple('P', 'a b')\np = P('/etc', 'x')\nos.remove(p.a); os.remove(p[0])\na, b = p\nos.remove(a)",
            &["delete /etc", "maybe delete x", "unknown deletes"],
        ),
        ("import os, enum\nclass E(enum.Enum):\n    A = '/etc'\nos.remove(E.A.value)", &["unknown deletes"]),
        ("import os\ntype('A', (), {'f': lambda self: os.remove('/etc')})().f()", &["maybe delete /etc"]),
        (
            "import os\nimport threading\nclass W(threading.Thread):\n    def __init__(self, p):\n        super().__init__(); self.p = p\n    def run(self): os.remove(self.p)\nW('/etc').start()",
            &["maybe delete /etc"],
        ),
        (
            "import os\np = 'safe'\ndef f():\n    p = '/etc'\n    class A:\n        p = 'cls'\n        def g(self): os.remove(p)\n    A().g()\nf()",
            &["delete /etc"],
        ),
        (
            "import os\nclass S:\n    _i = None\n    @classmethod\n    def get(cls):\n        if cls._i is None: cls._i = cls()\n        return cls._i\n    def rm(self, p): os.remove(p)\nS.get().rm('/etc')",
            &["maybe delete /etc"],
        ),
    ]);
}

#[test]
fn names_folders_and_early_ends() {
    all(&[
        ("import os\ndef f(p): os.remove(p)\nfor v in list(globals().values()): v('/etc')", &["maybe delete /etc"]),
        (
            "import os, sys, inspect\ndef f(p): os.remove(p)\nfor n, v in inspect.getmembers(sys.modules[__name__]): v('/etc')",
            &["maybe delete /etc"],
        ),
        ("import os\nfor k, v in vars(os).items():\n    if k == 'remove': v('/etc')", &["unknown executes"]),
        ("import os\nos.remove.__get__('/etc')()\nprint(os.remove.__name__)", &["unknown executes"]),
        (
            "import os\nclass A:\n    def rm(self, p): os.remove(p)\nA().__getattribute__('rm')('/etc')",
            &["delete /etc"],
        ),
        ("import os\nfor k, v in sorted(globals().items()): print(k, v)", &[]),
        ("import os\ndef f(p):\n    os.remove(p)", &[]),
        ("import os\ndef f(p):\n    os.remove(p)\ng = f\ng(x)", &["unknown deletes"]),
        (
            "import os\np = '/etc'\nwith foo.suppress(X):\n    bar()\n    p = 'safe'\nos.remove(p)",
            &["maybe delete safe", "maybe delete /etc"],
        ),
        (
            "import os\ndef f():\n    x = '/etc'\n    try:\n        x = 'safe'\n        return g()\n    finally:\n        os.remove(x)\nf()",
            &["maybe delete safe", "maybe delete /etc"],
        ),
        (
            "import os\nwhile True:\n    try:\n        p = '/etc'\n        if x: break\n        p = 'safe'\n    except E:\n        continue\nos.remove(p)",
            &["maybe delete safe", "maybe delete /etc"],
        ),
        ("from os import *\nfrom os import *\nremove('/etc')", &["delete /etc"]),
        ("import os\ndef remove(p): pass\nfrom os import *\nremove('/etc')", &["maybe delete /etc"]),
        ("import os\nos.remove(None)\nos.remove([])\nos.remove(print())", &["unknown deletes"]),
        (
            "import subprocess\nsubprocess.run(['rm', '-rf', str(p)] if x else ['ls'])",
            &["maybe run rm -rf ?", "maybe run ls"],
        ),
        ("import os\nos.fchdir(fd)\nos.remove('a')", &["delete ?/a", "unknown deletes"]),
        ("import os\nos.chdir('/etc')\nprint(os.getcwd())\nos.remove(os.path.abspath('a'))", &["delete /etc/a"]),
        (
            "import os\ngetattr(os, 'ch' + 'dir')('/etc')\nos.remove('a')",
            &["delete /etc/a", "unknown deletes", "unknown writes", "unknown executes"],
        ),
        (
            "import os, contextlib\nwith contextlib.chdir('/etc'):\n    os.remove('a')\nos.remove('b')",
            &["delete /etc/a", "delete b"],
        ),
        (
            "import shutil, pathlib\nshutil.rmtree(pathlib.Path(__file__).parent.parent)\nshutil.rmtree(pathlib.Path('.').resolve().parents[1])",
            &["tree @0/../..", "tree ../.."],
        ),
    ]);
}
