//! Effects of Python, by examples.

#[path = "support/lines.rs"]
mod lines;
#[path = "python/values.rs"]
mod values;
#[path = "python/ways.rs"]
mod ways;

use guard_script_effects::{Summary, read};

fn python(code: &str) -> Summary {
    read("python", code).unwrap_or_default()
}

fn all(cases: &[(&str, &[&str])]) {
    lines::check("python", cases);
}

#[test]
fn imports_and_aliases_lead_to_the_same_call() {
    all(&[
        ("import os\nos.remove('a')", &["delete a"]),
        ("import os as o\no.unlink('a')", &["delete a"]),
        ("from os import remove as r\nr('a')", &["delete a"]),
        ("from os import *\nunlink('a')", &["delete a"]),
        ("import os, sys; f = os.remove; f('a')", &["delete a"]),
        ("__import__('os').remove('a')", &["delete a"]),
        ("import importlib\nimportlib.import_module('shutil').rmtree('a')", &["tree a"]),
        ("import os\ngetattr(os, 'rem' + 'ove')('a')", &["delete a"]),
        ("import os\ngetattr(os, x)('a')", &["unknown executes"]),
        ("import posix\nposix.system('ls')", &["shell ls"]),
        ("import sys\nsys.modules['os'].system('ls')", &["shell ls"]),
        ("import os\nos.__dict__['system']('ls')", &["shell ls"]),
        ("import os\nvars(os)['system']('ls')", &["shell ls"]),
        ("import os\nglobals()['os'].system('ls')", &["shell ls"]),
        ("__import__(name).system('ls')", &["unknown executes"]),
        ("().__class__.__base__.__subclasses__()[132].__init__.__globals__['system']('ls')", &["unknown executes"]),
        ("from shutil import rmtree\nrmtree('a')", &["tree a"]),
        ("import os\nos.system.__call__('ls')", &["shell ls"]),
        ("import ctypes\nctypes.CDLL(None).system(b'ls')", &["unknown executes"]),
        ("__builtins__.exec('import os; os.remove(\"a\")')", &["delete a"]),
    ]);
}

#[test]
fn no_element_of_a_long_row_is_passed_over() {
    let row = format!("import os\nx = [{}os.system('ls')]", "1, ".repeat(600));
    all(&[(&row, &["shell ls"])]);
}

#[test]
fn texts_are_folded() {
    all(&[
        ("import os\nos.remove('a' 'b' + \"c\")", &["delete abc"]),
        ("import os\nos.remove('%s/%d.txt' % ('a', 3))", &["delete a/3.txt"]),
        ("import os\nos.remove('{}/{x}'.format('a', x='b'))", &["delete a/b"]),
        ("import os\nd = 'a'\nos.remove(f'{d}/b')", &["delete a/b"]),
        ("import os\nos.remove(f'{d}/b')", &["delete ?/b", "unknown deletes"]),
        ("import os\nos.remove(f'tmp_{d}')", &["delete tmp_?"]),
        ("import os\nos.remove('/'.join(['a', 'b']))", &["delete a/b"]),
        ("import os\nos.system('tsil'[::-1][1:])", &["shell ist"]),
        ("import os, base64\nos.system(base64.b64decode('bHMgLWxh').decode())", &["shell ls -la"]),
        ("import os\nos.system(bytes.fromhex('6c73').decode())", &["shell ls"]),
        ("import os, codecs\nos.system(codecs.decode('yf', 'rot13'))", &["shell ls"]),
        ("import os\nos.system(''.join(chr(c) for c in [108, 115]))", &["shell ls"]),
        ("import os\nos.system(''.join(map(chr, (108, 115))))", &["shell ls"]),
        ("import os\nos.system('rX'.replace('X', 'm') + ' a')", &["shell rm a"]),
        ("import os\nos.system('LS'.lower())", &["shell ls"]),
        ("import os\nx = 'l'\nx += 's'\nos.system(x)", &["shell ls"]),
        ("import os\nos.remove((lambda a: a + 'c')('b'))", &["delete bc"]),
        ("import os\nos.system('echo ' + name)", &["shell echo ?"]),
        ("import os\nos.system(command)", &["unknown executes"]),
        ("import os\na, b = 'x', 'y'\nos.rename(a, b)", &["move x", "put x at y"]),
        ("import os\nif (p := 'a'):\n    os.remove(p)", &["maybe delete a"]),
    ]);
}

#[test]
fn paths_are_joined() {
    all(&[
        ("import os\nos.remove(os.path.join('a', 'b'))", &["delete a/b"]),
        ("import os\nos.remove(os.path.join('a', '/b'))", &["delete /b"]),
        ("import os\nos.remove(os.path.expanduser('~/a'))", &["delete ~/a"]),
        ("import os\nos.remove(os.environ['HOME'] + '/a')", &["delete ~/a"]),
        ("import os\nos.remove(os.getenv('DIR'))", &["delete $DIR"]),
        ("from pathlib import Path\n(Path.home() / 'a' / 'b.txt').unlink()", &["delete ~/a/b.txt"]),
        ("from pathlib import Path as P\nP('a', 'b').joinpath('c').unlink(missing_ok=True)", &["delete a/b/c"]),
        ("import pathlib\np = pathlib.Path('a/b')\np.parent.rmdir()", &["delete a"]),
        ("import pathlib\npathlib.Path('~/x').expanduser().write_text('y')", &["write ~/x"]),
        ("from pathlib import Path\nPath('a.txt').with_suffix('.bak').unlink()", &["delete a.bak"]),
        (
            "from pathlib import Path\nfor p in Path('a').glob('*.tmp'):\n    p.unlink()",
            &["read a", "maybe delete a/<*.tmp>"],
        ),
        ("import shutil, sys\nshutil.rmtree(sys.argv[1])", &["tree @1"]),
        ("import shutil\nshutil.rmtree(f'build/{x}')", &["tree build/?", "unknown deletes"]),
        ("import os\nos.chdir('/etc')\nos.remove('a')", &["delete /etc/a"]),
        ("import os\nos.chdir(x)\nos.remove('a')", &["delete ?/a", "unknown deletes"]),
        ("import os, glob\nfor f in glob.glob('a/*.log'): os.remove(f)", &["maybe delete <a/*.log>"]),
        (
            "import os\nfor r, d, f in os.walk('a'):\n  for n in f: os.remove(os.path.join(r, n))",
            &["read a", "maybe delete a/<*>", "maybe delete a/<**>/<*>"],
        ),
        ("import os\nfor n in os.listdir('/a'): os.unlink('/a/' + n)", &["read /a", "maybe delete /a/<*>"]),
    ]);
}

#[test]
fn files_are_opened_as_the_mode_says() {
    all(&[
        ("open('a').read()", &["read a"]),
        ("open('a', 'w').write('x')", &["write a"]),
        ("with open('a', mode='ab') as f:\n    f.write(b'')", &["append a"]),
        ("open('a', 'w').close()", &["write a", "empty a"]),
        ("import pathlib\npathlib.Path('a').write_text('')", &["empty a"]),
        ("import os\nos.truncate('a', 0)", &["empty a"]),
        ("import os\nos.truncate('a', 9)", &["write a"]),
        ("open('a', m)", &["write a"]),
        ("open(p, 'w')", &["unknown writes"]),
        ("open(p)", &[]),
        ("import os\nos.open('a', os.O_WRONLY | os.O_CREAT)", &["write a"]),
        ("import os\nos.open('a', os.O_RDONLY)", &["read a"]),
        ("from pathlib import Path\nPath('a').open('rb')", &["read a"]),
        ("import shutil\nshutil.copy('a', 'b')", &["read a", "put a at b"]),
        ("import shutil\nshutil.copytree('a', 'b')", &["read a", "put a at b", "fill b"]),
        ("import shutil\nshutil.unpack_archive('a.zip', 'b')", &["read a.zip", "fill b"]),
        ("import tarfile\ntarfile.open('a.tar').extractall('b')", &["read a.tar", "fill b"]),
        ("import zipfile\nzipfile.ZipFile('a.zip').extractall()", &["read a.zip", "fill ."]),
        ("import os\nos.chmod('a', 0o777)", &["change a"]),
        ("import os\nos.symlink('/etc', 'a')", &["link a to /etc"]),
        ("import shutil\nshutil.make_archive('out/a', 'gztar', 'src')", &["write out/a.tar.gz"]),
        ("import io\nio.open('a', 'w')", &["write a"]),
        ("df.to_csv('out.csv')", &["write out.csv"]),
        ("plt.savefig(name)", &[]),
        ("import urllib.request\nurllib.request.urlretrieve('http://h/x', 'a')", &["ask http://h/x", "write a"]),
    ]);
}

#[test]
fn programs_go_back_as_words_or_as_shell() {
    all(&[
        ("import subprocess\nsubprocess.run(['git', 'status'], check=True)", &["run git status"]),
        ("import subprocess as s\ns.run('ls | wc', shell=True)", &["shell ls | wc"]),
        (
            "import subprocess\ncmd = ['a', '-b']\ncmd += ['c']\ncmd.append('d')\nsubprocess.Popen(cmd)",
            &["run a -b c d"],
        ),
        ("import subprocess\nsubprocess.run(cmd)", &["unknown executes"]),
        ("import subprocess\nsubprocess.run([tool, 'x'])", &["run ? x", "unknown executes"]),
        ("import subprocess, sys\nsubprocess.run([sys.executable, '-m', 'pytest'])", &["run python3 -m pytest"]),
        ("import subprocess\nsubprocess.run(['sh'], input='ls -l', text=True)", &["run sh fed ls -l"]),
        ("import subprocess\nsubprocess.run(['ls'], cwd='/etc')", &["run ls in /etc"]),
        ("import subprocess\nsubprocess.run(['ls', f], shell=flag)", &["maybe run ls ?"]),
        ("import subprocess, shlex\nsubprocess.run(shlex.split('rm \"a b\" c'))", &["run rm a b c"]),
        ("import os\nos.execvp('ls', ['ls', '-l'])", &["run ls -l"]),
        ("import os\nos.execl('/bin/ls', 'ls', '-l')", &["run /bin/ls -l"]),
        ("import os\nos.spawnlp(os.P_WAIT, 'ls', 'ls', '-l')", &["run ls -l"]),
        (
            "import asyncio\nasync def f():\n  await asyncio.create_subprocess_exec('ls', '-l')\nasyncio.run(f())",
            &["run ls -l"],
        ),
        ("from subprocess import check_output as c\nc(*[['ls']])", &["run ls"]),
        ("import pty\npty.spawn('/bin/sh')", &["run /bin/sh"]),
        ("import subprocess\nprint(subprocess.PIPE)", &[]),
        ("import shutil, subprocess\nf = shutil.which('ffmpeg')\nsubprocess.run([f, '-i', 'a'])", &["run ffmpeg -i a"]),
        ("import subprocess\nsubprocess.run('ls -l')", &["run ls -l"]),
        ("import subprocess, tempfile\np = tempfile.mktemp()\nsubprocess.run([p])", &["run OWN", "unknown executes"]),
        (
            "import subprocess, tempfile\np = tempfile.mktemp()\nsubprocess.run(['/bin/sh', p])",
            &["run /bin/sh OWN", "unknown executes"],
        ),
        ("import subprocess, tempfile\np = tempfile.mktemp()\nsubprocess.run(['wc', p])", &["run wc OWN"]),
        ("exec(open('a').read())", &["read a", "unknown deletes", "unknown writes", "unknown executes"]),
        ("import os\nos.system(input())", &["unknown executes"]),
        ("import subprocess\nsubprocess.run(['bash', '-c', x])", &["run bash -c ?"]),
    ]);
}

#[test]
fn flow_is_followed_as_far_as_it_is_constant() {
    all(&[
        ("import os\nfor f in ['a', 'b']:\n    os.remove(f)", &["delete a", "delete b"]),
        ("import os\nfor i, f in enumerate(('a', 'b')): os.remove(f + str(i))", &["delete a0", "delete b1"]),
        ("import os\n[os.remove(f) for f in ('a', 'b')]", &["delete a", "delete b"]),
        ("import os\nlist(map(os.remove, ['a', 'b']))", &["delete a", "delete b"]),
        ("import os\nfor f in files: os.remove(f)", &["unknown deletes"]),
        ("import os\np = 'a'\nif x:\n    p = 'b'\nos.remove(p)", &["maybe delete b", "maybe delete a"]),
        (
            "import os\np = 'a'\nwhile x:\n    p = p + 'b'\nos.remove(p)",
            &["maybe delete abb", "maybe delete ab", "maybe delete ?b", "maybe delete a", "unknown deletes"],
        ),
        ("import os\ndef f(p):\n    os.remove(p + '.bak')\nf('a')\nf('b')", &["delete a.bak", "delete b.bak"]),
        ("import os\ndef f(p):\n    os.remove(p)\nrun(f)", &["unknown deletes"]),
        ("import os\ndef f(p):\n    os.remove(p)\ndef g():\n    os.remove('a')", &["maybe delete a"]),
        ("import os\ndef f(p='a'):\n    return p + 'x'\nos.remove(f())", &["delete ax"]),
        ("import os\ndef g():\n    global p\n    p = 'b'\np = 'a'\ng()\nos.remove(p)", &["delete b"]),
        (
            "import os\nclass A:\n  def __init__(self):\n    self.p = 'a'\n  def go(self):\n    os.remove(self.p)\nA().go()",
            &["delete a"],
        ),
        (
            "import os\ntry:\n    os.remove('a')\nexcept OSError:\n    os.remove('b')\nfinally:\n    os.remove('c')",
            &["delete a", "maybe delete b", "delete c"],
        ),
        ("import os\nif __name__ == '__main__':\n    os.remove('a')", &["delete a"]),
        ("import os, threading\nthreading.Thread(target=os.remove, args=('a',)).start()", &["maybe delete a"]),
        ("import os\nfrom functools import partial\npartial(os.remove, 'a')()", &["delete a"]),
        ("import os\nex.submit(os.remove, 'a')", &["maybe delete a"]),
        ("import os\nhandlers = {'x': os.remove}\nhandlers['x']('a')", &["delete a"]),
        ("import os\nx = {'k': 'a', 'l': 'b'}\nfor k, v in x.items(): os.remove(v)", &["delete a", "delete b"]),
        ("import os\ndef f(n):\n    os.remove(n)\n    f(n + 'x')\nf('a')", &["delete a", "unknown deletes"]),
        ("import os\nmatch x:\n    case 1: os.remove('a')", &["maybe delete a"]),
        (
            "import os\nmatch ['a', 'b', 'c']:\n    case [p, *_, q]:\n        os.remove(p)\n        os.remove(q)",
            &["maybe delete a", "maybe delete c"],
        ),
        ("import os\nd = {}\nd['a'] = 'b'\nos.remove(d['a'])", &["delete b"]),
    ]);
}

#[test]
fn code_in_texts_is_read_too() {
    all(&[
        ("exec('import os\\nos.remove(\"a\")')", &["delete a"]),
        ("eval('__import__(\"os\").system(\"ls\")')", &["shell ls"]),
        ("import os\nexec(compile('os.remove(\"a\")', 'x', 'exec'))", &["delete a"]),
        ("exec(text)", &["unknown deletes", "unknown writes", "unknown executes"]),
        ("model.eval()", &[]),
        ("exec('x = \"a\"')\nimport os\nos.remove(x)", &["delete a"]),
    ]);
}

#[test]
fn what_the_code_made_for_a_while_may_go() {
    all(&[
        ("import tempfile, shutil\nd = tempfile.mkdtemp()\nshutil.rmtree(d)", &[]),
        ("import tempfile, os\nfd, p = tempfile.mkstemp()\nos.unlink(p)", &[]),
        (
            "import tempfile, os\nwith tempfile.NamedTemporaryFile('w', delete=False) as f:\n    f.write('x')\n    n = f.name\nos.unlink(n)",
            &[],
        ),
        ("import tempfile, os\nwith tempfile.TemporaryDirectory() as d:\n    open(os.path.join(d, 'x'), 'w')", &[]),
        ("import tempfile, shutil, os\nd = tempfile.mkdtemp()\nshutil.rmtree(os.path.dirname(d))", &["tree OWN/.."]),
        ("import tempfile, shutil\nd = tempfile.mkdtemp()\nd = x\nshutil.rmtree(d)", &["unknown deletes"]),
    ]);
}

#[test]
fn servers_and_databases_are_seen() {
    all(&[
        ("import requests\nrequests.get('https://h/x')", &["ask https://h/x"]),
        ("import requests\nrequests.post('https://h/x', data=open('a').read())", &["read a", "send https://h/x"]),
        ("import requests\ns = requests.Session()\ns.post(u)", &["send ?"]),
        ("import requests\nrequests.delete('https://h/x')", &["delete by request https://h/x"]),
        ("import httpx\nhttpx.request('DELETE', 'https://h/x')", &["delete by request https://h/x"]),
        ("import requests\ns = requests.Session()\ns.request('GET', 'https://h/x')", &["send https://h/x"]),
        (
            "import requests, json\nrequests.post('https://h', data=json.dumps({'query': 'mutation { appDelete }'}))",
            &["delete by request https://h"],
        ),
        ("import requests\nrequests.post('https://h', json={'query': '{ deleted }'})", &["send https://h"]),
        ("import socket\ns = socket.socket()\ns.connect(('h', 80))", &["ask h"]),
        ("import sqlite3\nc = sqlite3.connect('a.db')\nc.execute('DROP TABLE t')", &["sql DROP TABLE t"]),
        ("cur.execute(f'delete from {t}')", &["sql delete from ?"]),
        ("cur.execute(statement)", &[]),
    ]);
}

#[test]
fn reading_and_plotting_is_no_reason_to_ask() {
    for code in [
        "import json, pathlib\nfor p in sys.argv[1:]:\n    print(json.load(pathlib.Path(p).open()))",
        "import pandas as pd\ndf = pd.read_csv(path)\nprint(df.groupby('a').agg({'b': 'sum'}).rename(columns={'b': 'c'}))",
        "import matplotlib.pyplot as plt\nplt.plot(x, y)\nplt.savefig(out)\nplt.show()",
        "import re\ntext = re.sub('a', 'b', open(name).read())\nprint(sorted(text.split(), key=lambda w: len(w)))",
        "items.remove(x)\nqueue.pop()\ndel d['a']",
        "with open('a') as f:\n    for line in f:\n        s = line.strip().replace('os.remove(x)', '')\n        print(s)",
        "import torch\nmodel.load_state_dict(torch.load(p))\nmodel.eval()\nprint(model(x))",
    ] {
        let summary = python(code);
        assert!(summary.unknown.is_none(), "{code}: {:?}", summary.reasons);
    }
}

#[test]
fn what_does_not_parse_is_a_reason() {
    let summary = python("import os\nos.remove('a'\nprint 'x'");
    assert!(!summary.reasons.is_empty() && summary.unknown.deletes);
    let summary = python("print 'x'");
    assert!(!summary.reasons.is_empty() && summary.unknown.is_none());
}

/// Runs with a guest's stack size.
fn within_stack(code: String) {
    let run = move || python(&code);
    let thread = std::thread::Builder::new().stack_size(if cfg!(debug_assertions) { 4 << 20 } else { 512 << 10 });
    let summary = thread.spawn(run).ok().and_then(|thread| thread.join().ok());
    assert_eq!(summary.map(|summary| summary.actions.len()), Some(0));
}

#[test]
fn deep_and_long_code_is_bounded() {
    for (open, inside, close) in [
        ("(", "1", ")"),
        ("[", "1", "]"),
        ("{1:", "1", "}"),
        ("-", "1", ""),
        ("not ", "1", ""),
        ("lambda: ", "1", ""),
        ("lambda a, b: ", "1", ""),
        ("await ", "1", ""),
        ("1 if x else ", "1", ""),
        ("2 ** ", "1", ""),
        ("f(", "1", ")"),
        ("", "x", ".a"),
        ("", "x", "()"),
        ("", "x", "[0]"),
        ("1 + ", "1", ""),
        ("'a' + ", "'b'", ""),
        ("f'{", "1", "}'"),
        ("[x for x in ", "y", "]"),
        ("*", "a", ""),
        ("(yield ", "1", ")"),
        ("a = ", "1", ""),
        ("a and ", "b", ""),
        ("a < ", "b", ""),
    ] {
        for times in [20, 150, 1000, 8000] {
            within_stack(format!("{}{inside}{}", open.repeat(times), close.repeat(times)));
        }
    }
    let blocks = |times: usize| (0..times).map(|depth| format!("{}if x:\n", " ".repeat(depth))).collect::<String>();
    within_stack(blocks(300));
    within_stack("x = [x]\n".repeat(4000));
    within_stack("def f(): f()\n".repeat(2000));
    within_stack(format!("x = 'a'\n{}", "x = x + x\n".repeat(200)));
    within_stack(format!("{}pass", "for a in range(60):\n".replace('\n', "")));
}

#[test]
fn work_is_bounded() {
    // A row that is nested too deeply isn't known, but has no other effect.
    assert!(python("a = [[[[[[[[[[1]]]]]]]]]]\nfor b in a: print(b[0])").unknown.is_none());
    let nested: String = (0..12).map(|depth| format!("{}for a{depth} in range(60):\n", " ".repeat(depth))).collect();
    let code = format!("{nested}{}print(getattr(a1, 'x'))", " ".repeat(12));
    let summary = python(&code);
    assert!(summary.unknown.executes, "what was left out may be anything");
    let doubling: String = (1..40).map(|n| format!("def f{n}():\n f{0}()\n f{0}()\n", n - 1)).collect();
    let _ = python(&format!("def f0(): pass\n{doubling}f39()"));
}
