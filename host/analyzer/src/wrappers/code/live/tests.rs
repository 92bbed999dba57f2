//! Comments, evaluated texts, and long code.

use super::*;

#[track_caller]
fn check(language: &str, code: &str, is_live: bool) {
    let left = live(language, code);
    assert_eq!(left.contains("lose("), is_live, "{code}\n---\n{left}");
}

#[test]
fn comments_are_left_out() {
    for (language, code) in [
        ("python", "# lose()\nprint(1)"),
        ("javascript", "let a = 1 // lose()"),
        ("javascript", "/* a\n lose() */ let a = 1"),
        ("php", "<?php # lose()\necho 1;"),
        ("ruby", "=begin\nlose()\n=end\nputs 1"),
    ] {
        check(language, code, false);
    }
}

#[test]
fn code_that_may_run_is_kept() {
    for (language, code) in [
        ("python", "s = '# '; lose()"),
        ("javascript", "const u = 'https://a'; lose()"),
        ("javascript", "const r = /\\/\\//; lose()"),
        ("python", "def f():\n    lose()\nf()"),
        ("python", "def f():\n    lose()\nrun('f')"),
        ("python", "class A:\n    lose()"),
        ("python", "def f(a=lose()):\n    pass"),
        ("javascript", "(async function main(){ lose() })()"),
        ("javascript", "class A { static { lose() } }"),
        ("python", "import moto\nwith mock_aws():\n    lose()"),
        ("python", "@app.command()\ndef f():\n    lose()\napp()"),
        ("python", "class A:\n    def f(self):\n        lose()\nA().f()"),
        ("python", "def f():\n    lose()\nglobals()['f']()"),
        ("python", "def f():\n    pass\nlose()"),
        ("python", "exec('lose()')"),
        ("python", "def test_a():\n    lose()"),
        ("python", "class TestA:\n    def test_a(self):\n        lose()"),
        ("python", "class Command(BaseCommand):\n    def handle(self):\n        lose()"),
        ("javascript", "const f = () => { lose() }; [1].map(f)"),
        ("javascript", "const a = list.map(x => x); lose()"),
        ("javascript", "function f() { }\nlose()"),
        ("ruby", "def f; 1; end; lose(); [1].each do |a| a; end"),
        ("ruby", "class A\n  def f\n    1\n  end\nend\nlose()"),
        ("ruby", "A.new.f { lose() }"),
        ("perl", "# lose()"),
    ] {
        check(language, code, true);
    }
}

#[test]
fn long_and_deep_code_is_read_in_time() {
    for part in [
        "def f():\n",
        " class A:\n",
        "with patch('a.b'):\n    b()\n",
        "@a\n",
        "function f(",
        "const f = (a) => {",
        "class A {",
        "# a\n",
        "/* ",
        "'",
        "exec('a')\n",
        "module.exports = {",
        "m.start()\n",
        "end\n",
        "\\",
        "=begin\n",
    ] {
        let code = format!("import moto\n{}", part.repeat(5_000));
        for language in ["python", "javascript", "ruby", "php"] {
            assert!(live(language, &code).len() <= code.len() + LONGEST);
        }
    }
}
