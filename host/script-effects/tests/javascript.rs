//! Effects of JavaScript and TypeScript, by examples.

#[path = "support/lines.rs"]
mod lines;

fn all(cases: &[(&str, &[&str])]) {
    lines::check("javascript", cases);
}

#[test]
fn calls_of_modules_are_found_however_they_are_imported() {
    all(&[
        ("require('fs').rmSync('/a', {recursive: true, force: true})", &["tree /a"]),
        ("const fs = require('node:fs'); fs.rmSync('a')", &["delete a"]),
        ("import fs from 'fs'; fs.unlinkSync('a')", &["delete a"]),
        ("import * as f from 'fs/promises'; await f.rm('a', {recursive: true})", &["tree a"]),
        ("import { rmSync as r } from 'node:fs'; r('a', { recursive: true })", &["tree a"]),
        ("const { promises: { unlink } } = require('fs'); unlink('a').then(() => {})", &["delete a"]),
        ("const {execSync: run} = require('child_process'); run('git status')", &["shell git status"]),
        ("(await import('node:fs')).default.unlinkSync('a')", &["delete a"]),
        ("process.mainModule.require('child_process').execSync('rm -rf a')", &["shell rm -rf a"]),
        ("globalThis.process.getBuiltinModule('fs').unlinkSync('a')", &["delete a"]),
        ("child_process.execSync('ls')", &["shell ls"]),
        ("import fs = require('fs'); fs.unlinkSync('a' as string)", &["delete a"]),
    ]);
}

#[test]
fn names_are_found_that_are_put_together() {
    all(&[
        ("const cp = require('child' + '_process'); cp['ex' + 'ecSync']('rm -rf a')", &["shell rm -rf a"]),
        ("require(`child_process`).exec(`rm -rf ${'a'}`)", &["shell rm -rf a"]),
        ("const k = ['rm', 'Sync'].join(''); require('fs')[k]('a', {recursive: true})", &["tree a"]),
        ("require(Buffer.from('ZnM=', 'base64').toString()).unlinkSync('a')", &["delete a"]),
        ("eval(atob('cmVxdWlyZSgnZnMnKS51bmxpbmtTeW5jKCdhJyk='))", &["delete a"]),
        ("new Function('return 1; ' + \"require('fs').unlinkSync('a')\")()", &["delete a"]),
        ("require('fs').unlinkSync.call(null, 'a')", &["delete a"]),
        ("const f = require('fs').unlinkSync.bind(null); f('a')", &["delete a"]),
        ("Reflect.get(require('fs'), 'unlinkSync')('a')", &["delete a"]),
        ("require('fs')[process.env.X]('a')", &["unknown executes"]),
    ]);
}

#[test]
fn paths_are_followed() {
    all(&[
        (
            "const p = require('path'); require('fs').rmSync(p.join(require('os').homedir(), 'x'), {recursive: true})",
            &["tree ~/x"],
        ),
        ("require('fs').writeFileSync(`${process.env.HOME}/.bashrc`, 'x')", &["write ~/.bashrc"]),
        ("for (const f of ['a', 'b']) require('fs').unlinkSync(f)", &["delete a", "delete b"]),
        ("['a', 'b'].forEach(f => fs.unlinkSync(f))", &["delete a", "delete b"]),
        (
            "['a', 'b'].map((f) => `${f}.txt`).forEach(function (f) { fs.unlinkSync(f) })",
            &["delete a.txt", "delete b.txt"],
        ),
        ("const d = { out: 'dist' }; fs.rmSync(d.out, { recursive: true })", &["tree dist"]),
        ("let d; d = 'a'; function go() { fs.rmSync(d, { recursive: true }) } go()", &["tree a"]),
        ("let d = 'a'; const set = () => { d = 'b' }; set(); fs.unlinkSync(d)", &["delete b"]),
        ("const clean = (dir = 'x') => fs.rmSync(dir, {recursive: true}); clean()", &["tree x"]),
        ("fs.rmSync(process.argv[1], {recursive: true})", &["tree @1"]),
        ("fs.rmSync(something, {recursive: true})", &["unknown deletes"]),
        ("if (fs.existsSync('a')) fs.unlinkSync('a'); else fs.mkdirSync('a')", &["maybe delete a", "maybe folder a"]),
        ("process.chdir('/etc'); fs.writeFileSync('hosts', '')", &["empty /etc/hosts"]),
        ("const [first, ...rest] = ['a', 'b']; fs.unlinkSync(first)", &["delete a"]),
    ]);
}

#[test]
fn programs_are_started() {
    all(&[
        ("require('child_process').spawnSync('rm', ['-rf', 'a'])", &["run rm -rf a"]),
        ("require('child_process').spawn('rm -rf a', {shell: true})", &["shell rm -rf a"]),
        ("require('child_process').spawn('rm', ['-rf', 'a'], {shell: true})", &["shell rm -rf a"]),
        ("require('child_process').execSync('rm -rf x', {cwd: '/a'})", &["shell rm -rf x in /a"]),
        ("import { $ } from 'zx'; await $`rm -rf ${'a'}`", &["shell rm -rf a"]),
        ("import { execa } from 'execa'; await execa('git', ['push'])", &["run git push"]),
        ("Bun.spawn(['rm', '-rf', 'a'])", &["run rm -rf a"]),
        ("await new Deno.Command('rm', { args: ['-rf', 'a'] }).output()", &["run rm -rf a"]),
        ("require('shelljs').rm('-rf', 'a', 'b')", &["run rm -rf a b"]),
        ("const sh = require('util').promisify(require('child_process').exec); sh('rm -rf a')", &["shell rm -rf a"]),
        ("require('child_process').exec(cmd)", &["unknown executes"]),
        ("require('child_process').fork('x.js')", &["run node x.js"]),
    ]);
}

#[test]
fn other_runtimes_have_files_too() {
    all(&[
        ("Deno.removeSync('a', { recursive: true })", &["tree a"]),
        ("await Deno.writeTextFile('a', 'x')", &["write a"]),
        ("await Bun.write('a', 'x')", &["write a"]),
        ("await Bun.file('a').text()", &["read a"]),
        ("require('rimraf').sync('a')", &["tree a"]),
        ("import { rimraf } from 'rimraf'; rimraf('a')", &["tree a"]),
        ("fs.appendFileSync('a', 'x')", &["append a"]),
        ("fs.createWriteStream('a', { flags: 'a' })", &["append a"]),
        ("fs.cpSync('a', 'b', {recursive: true})", &["read a", "put a at b", "fill b"]),
        ("fs.renameSync('a', 'b')", &["move a", "put a at b"]),
    ]);
}

#[test]
fn values_are_followed_through_objects_and_functions() {
    all(&[
        ("import('fs').then(({rmSync}) => rmSync('a'))", &["delete a"]),
        ("import('child_process').then(m => m.execSync('ls'))", &["shell ls"]),
        ("Promise.resolve(require('child_process')).then(c => c.execSync('ls'))", &["shell ls"]),
        ("eval(\"require('child_process')\").execSync('ls')", &["shell ls"]),
        ("Function('return process')().mainModule.require('child_process').execSync('ls')", &["shell ls"]),
        ("(() => {}).constructor('return process')().mainModule.require('fs').unlinkSync('a')", &["delete a"]),
        (
            "const make = () => { const cp = require('child_process'); return c => cp.execSync(c) }; make()('ls')",
            &["shell ls"],
        ),
        ("const args = []; args.push('-rf', 'a'); require('child_process').spawnSync('rm', args)", &["run rm -rf a"]),
        ("const a = ['rm']; a.push('-rf', 'a'); require('child_process').execSync(a.join(' '))", &["shell rm -rf a"]),
        ("const c = {dir: 'dist'}; c.dir = '/etc'; fs.rmSync(c.dir, {recursive: true})", &["tree /etc"]),
        ("const o = {force: true}; if (x) o.recursive = true; fs.rmSync('a', o)", &["tree a"]),
        ("const m = {}; m.cp = require('child_process'); m.cp.execSync('ls')", &["shell ls"]),
        ("x.rmSync('a', {recursive: true})", &["tree a"]),
        (
            "class C { constructor(f) { this.f = f } go() { this.f.rmSync('a', {recursive: true}) } } new C(require('fs')).go()",
            &["tree a"],
        ),
        ("const o = {fs: require('fs'), go() { this.fs.rmSync('a', {recursive: true}) }}; o.go()", &["tree a"]),
        (
            "const f = true; const a = ['push']; if (f) a.push('--force'); require('child_process').spawn('git', a)",
            &["maybe run git push --force", "maybe run git push"],
        ),
        (
            "require('child_process').execFile('git', c ? ['push'] : ['push', '--force'])",
            &["maybe run git push", "maybe run git push --force"],
        ),
        ("require('child_process').spawn('sh').stdin.end('rm -rf a')", &["run sh", "unknown executes"]),
        ("with (require('child_process')) execSync('ls')", &["unknown executes"]),
        ("require('module')._load('fs').unlinkSync('a')", &["delete a"]),
        ("require('cross-spawn').sync('rm', ['a'])", &["run rm a"]),
        ("import fs from 'npm:fs-extra@11'; fs.removeSync('a')", &["tree a"]),
        ("[require('fs')].forEach(f => f.unlinkSync('a'))", &["delete a"]),
        ("const lazy = {get cp() { return require('child_process') }}; lazy.cp.execSync('ls')", &["shell ls"]),
    ]);
}

#[test]
fn names_of_data_are_no_calls() {
    all(&[
        ("const d = require('./data.json'); Object.keys(d).forEach(k => console.log(k, d[k]))", &[]),
        ("const path = require('path'); console.log(path[x ? 'win32' : 'posix'].join('a', 'b'))", &[]),
        ("const p = require(`./rules/${f}`); p.check('x')", &[]),
        (&format!("// {}\nconsole.log('{}')", "-".repeat(150), "=(".repeat(90)), &[]),
        (&"const v = w + x * 2\n".repeat(60), &[]),
        (&format!("const html = `{}`\n", "<tr><td>-</td></tr>\n".repeat(50)), &[]),
    ]);
}

#[test]
fn everyday_scripts_do_what_they_say() {
    all(&[
        ("console.log(require('./package.json').version)", &[]),
        (
            "const p = JSON.parse(require('fs').readFileSync('package.json', 'utf8')); console.log(p.name)",
            &["read package.json"],
        ),
        ("process.stdin.on('data', d => console.log(JSON.parse(d).x))", &[]),
        ("const x = [1,2,3].map(n => n * 2).filter(Boolean).reduce((a, b) => a + b, 0); console.log(x)", &[]),
        ("class A { #x = 1; get x() { return this.#x } static of() { return new A() } } console.log(A.of().x)", &[]),
        ("const http = require('http'); http.createServer((q, r) => r.end('ok')).listen(3000)", &[]),
        ("for (let i = 0; i < 3; i++) { console.log(i) }", &[]),
        ("const re = /a(b)?/g; console.log('ab'.replace(re, ''), `${1 + 1}`, typeof re, x?.y ?? 2)", &[]),
        (
            "async function main() { try { await f() } catch (e) { console.error(e); process.exit(1) } finally { g() } } main()",
            &[],
        ),
        ("switch (process.platform) { case 'linux': console.log(1); break; default: console.log(2) }", &[]),
        ("const s = new Set(); s.add(1); s.delete(1); const m = new Map([['a', 1]]); m.delete('a')", &[]),
    ]);
}

#[test]
fn deep_and_broken_code_is_bounded() {
    for code in [
        "(".repeat(5000),
        "[".repeat(5000),
        "!".repeat(100_000),
        "a=>".repeat(5000),
        "if(a)".repeat(5000),
        "a?".repeat(5000),
        "`${".repeat(3000),
        "a.b".repeat(30_000),
        "x+".repeat(40_000) + "1",
        "{a:".repeat(3000),
        "new ".repeat(5000),
        "function f(){".repeat(2000),
        "class A{static{".repeat(2000),
        "a**".repeat(5000),
        "<a>".repeat(5000),
        "import('a').".repeat(5000),
        "let {".repeat(3000),
        "else ".repeat(5000),
        "\u{2028}/*".to_owned(),
        "fs.rmSync(a);".repeat(5000),
        "do{".repeat(39) + "a" + &"}while(b())".repeat(39),
        "while((()=>{".repeat(19) + "a" + &"})()){}".repeat(19),
        "import {a as b} from 'c';".repeat(4000),
        format!("import {{{}}} from '{}'", "a as b,".repeat(8000), "c".repeat(60_000)),
        format!("switch('{}'){{{}}}", "c".repeat(60_000), "case 1:".repeat(8000)),
        "({a:[".repeat(19) + "b" + &"]})".repeat(19),
        "((a.b+=1).c+=".repeat(19) + "1" + &")".repeat(19),
    ] {
        let summary = guard_script_effects::read("javascript", &code).unwrap();
        assert!(summary.actions.len() <= 1024);
    }
}

#[test]
fn what_a_block_declares_is_its_own() {
    all(&[
        ("let c = 'rm a'; { let c = 'ls' } child_process.execSync(c)", &["shell rm a"]),
        (
            "let c = 'ls'; { let c = 'rm a'; child_process.execSync(c) } child_process.execSync(c)",
            &["shell rm a", "shell ls"],
        ),
        ("const d = 'a'; for (const d of ['b']) console.log(d); fs.unlinkSync(d)", &["delete a"]),
        ("const d = 'a'; for (let d = 0; d < 2; d++) console.log(d); fs.unlinkSync(d)", &["delete a"]),
        ("const e = 'a'; try { x() } catch (e) { log(e) } fs.unlinkSync(e)", &["delete a"]),
        ("const f = 'a'; switch (x) { case 1: const f = 'b'; log(f) } fs.unlinkSync(f)", &["delete a"]),
        ("let c = 'a'; { const block_1_c = 1; let c = 'b' } fs.unlinkSync(c)", &["delete a"]),
        // `var` and functions belong to the whole script.
        ("var c = 'a'; { var c = 'b' } fs.unlinkSync(c)", &["delete b"]),
        ("{ function go() { fs.unlinkSync('a') } } go()", &["delete a"]),
        ("let c = 'a'; { c = 'b' } fs.unlinkSync(c)", &["delete b"]),
        ("{ let c = 'a'; function go() { fs.unlinkSync(c) } } go()", &["delete a"]),
        ("function go() { let c = 'a'; if (x) { let c = 'b' } fs.unlinkSync(c) } go()", &["delete a"]),
    ]);
}

#[test]
fn counts_copies_and_workers_do_what_they_do_in_node() {
    all(&[
        ("let i = 0; fs.unlinkSync(['a', 'b'][i++])", &["delete a"]),
        ("let i = 0; fs.unlinkSync(['a', 'b'][++i])", &["delete b"]),
        ("const m = {...require('fs')}; m.unlinkSync('a')", &["delete a"]),
        (
            "const {Worker} = require('worker_threads'); new Worker(\"require('fs').unlinkSync('a')\", {eval: true})",
            &["delete a"],
        ),
        ("const {Worker} = require('worker_threads'); new Worker('./w.js')", &[]),
        (
            "let p, i = 0; const d = ['a', 'b']; while (p = d[i++]) fs.unlinkSync(p)",
            &["maybe delete a", "maybe delete b", "unknown deletes"],
        ),
        ("let p = 'a'; { let p = 'b'; eval('fs.unlinkSync(p)') }", &["delete a", "unknown executes"]),
        ("const {Worker} = require('worker_threads'); new Worker(\"require('fs').unlinkSync('a')\", o)", &["delete a"]),
        ("module._compile(\"require('fs').unlinkSync('a')\", 'x.js')", &["delete a"]),
    ]);
}

#[test]
fn no_name_of_a_script_is_taken_for_another_one() {
    all(&[
        // Words of Python.
        ("const o = {from: 'a', in: 'b'}; fs.unlinkSync(o.from); fs.unlinkSync(o.in)", &["delete a", "delete b"]),
        ("const {import: i} = {import: 'a'}; fs.unlinkSync(i)", &["delete a"]),
        ("const o = {$x: 'a'}; fs.unlinkSync(o.$x)", &["delete a"]),
        ("let None = 'a', True = 'b'; fs.unlinkSync(None); fs.unlinkSync(True)", &["delete a", "delete b"]),
        // The lowered forms of templates, loops and imports.
        ("const text = 'a'; fs.unlinkSync(`${text}/b`)", &["delete a/b"]),
        ("const text = () => 'a'; child_process.execSync(`rm -rf ${'/'}x`); text()", &["shell rm -rf /x"]),
        ("const Object = 1; for (const k in {a: 1}) fs.unlinkSync(k)", &["delete a"]),
        ("const require = 1; import('fs').then(f => f.unlinkSync('a'))", &["delete a"]),
        ("hidden()", &[]),
        // Environment variables, class members, and the script itself.
        ("const $HOME = 'a'; fs.unlinkSync(process.env.HOME)", &["delete ~"]),
        ("class A { fs = 'x'; static { fs.unlinkSync('a') } }", &["delete a"]),
        ("if (__name__ == x) fs.unlinkSync('a')", &["maybe delete a"]),
    ]);
}

#[test]
fn escapes_hide_no_word() {
    all(&[
        ("let d = '/x'; process['\\x63hdir']('/etc'); fs.writeFileSync('a', 'b')", &["write /etc/a"]),
        ("vm.runInThisContext(x + '\\x75nlink')", &["unknown deletes", "unknown executes"]),
    ]);
}
