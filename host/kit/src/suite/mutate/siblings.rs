//! Siblings: another program or wrapper with the same effect.

use super::doors::{self, string};
use super::shape::{Shape, Word};
use super::{Preserved, Rewrite, Rewriter};
use guard_contract::shell_word::quoted;

type Example = (&'static str, &'static str);

const fn sibling(
    id: &'static str,
    about: &'static str,
    example: Example,
    how: fn(&Shape<'_>) -> Option<String>,
) -> Rewrite {
    Rewrite { id, about, keeps: Preserved::Deed, example, how: Rewriter::Command(how) }
}

/// Every sibling: other programs with the same effect first, then wrappers.
#[rustfmt::skip]
pub const SIBLINGS: &[Rewrite] = &[
    sibling("other-program", "by a program with the same syntax", ("docker volume rm data", "podman volume rm data"), other_program),
    sibling("tree-find", "a folder deleted by `find`", ("rm -rf build", "find build -delete"), tree_find),
    sibling("tree-python", "a folder deleted by Python", ("rm -rf build", "python3 -c 'import shutil; shutil.rmtree('\\''build'\\'')'"), tree_python),
    sibling("tree-node", "a folder deleted by Node.js", ("rm -rf build", "node -e 'require('\\''fs'\\'').rmSync('\\''build'\\'', { recursive: true })'"), tree_node),
    sibling("tree-ruby", "a folder deleted by Ruby", ("rm -rf build", "ruby -rfileutils -e 'FileUtils.rm_rf('\\''build'\\'')'"), tree_ruby),
    sibling("tree-rimraf", "a folder deleted by a package", ("rm -rf build", "npx rimraf build"), tree_rimraf),
    sibling("tree-emptied", "a folder synchronized with an empty one", ("rm -rf build", "rsync -a --delete /var/empty/ build/"), tree_emptied),
    sibling("file-unlink", "a file deleted by `unlink`", ("rm notes.txt", "unlink notes.txt"), file_unlink),
    sibling("file-shred", "a file overwritten and deleted", ("rm notes.txt", "shred -u notes.txt"), file_shred),
    sibling("file-python", "a file deleted by Python", ("rm notes.txt", "python3 -c 'import os; os.remove('\\''notes.txt'\\'')'"), file_python),
    sibling("file-perl", "a file deleted by Perl", ("rm notes.txt", "perl -e 'unlink '\\''notes.txt'\\'''"), file_perl),
    sibling("shown-head", "a file shown by `head`", ("cat .env", "head -n 99 .env"), |shape| print_with(shape, "head -n 99")),
    sibling("shown-tail", "a file shown by `tail`", ("cat .env", "tail -n +1 .env"), |shape| print_with(shape, "tail -n +1")),
    sibling("shown-sed", "a file shown by `sed`", ("cat .env", "sed -n p .env"), |shape| print_with(shape, "sed -n p")),
    sibling("shown-awk", "a file shown by `awk`", ("cat .env", "awk 1 .env"), |shape| print_with(shape, "awk 1")),
    sibling("shown-grep", "a file shown by `grep`", ("cat .env", "grep = .env"), |shape| print_with(shape, "grep =")),
    sibling("shown-base64", "a file shown in another encoding", ("cat .env", "base64 .env"), |shape| print_with(shape, "base64")),
    sibling("shown-sorted", "a file shown in another order", ("cat .env", "sort .env"), |shape| print_with(shape, "sort")),
    sibling("shown-input", "a file shown from standard input", ("cat .env", "cat < .env"), print_input),
    sibling("shown-dd", "a file shown by `dd`", ("cat .env", "dd if=.env"), print_with_dd),
    sibling("shown-loop", "a file shown line by line", ("cat .env", "while read -r line; do echo \"$line\"; done < .env"), print_in_loop),
    sibling("shown-python", "a file shown by Python", ("cat .env", "python3 -c 'print(open('\\''.env'\\'').read())'"), print_with_python),
    sibling("shown-node", "a file shown by Node.js", ("cat .env", "node -p 'require('\\''fs'\\'').readFileSync('\\''.env'\\'', '\\''utf8'\\'')'"), print_with_node),
    sibling("copied-install", "a file copied by `install`", ("cp a.txt b.txt", "install a.txt b.txt"), |shape| copy_with(shape, "install {from} {to}")),
    sibling("copied-rsync", "a file copied by `rsync`", ("cp a.txt b.txt", "rsync a.txt b.txt"), |shape| copy_with(shape, "rsync {from} {to}")),
    sibling("copied-cat", "a file copied by a redirection", ("cp a.txt b.txt", "cat a.txt > b.txt"), |shape| copy_with(shape, "cat {from} > {to}")),
    sibling("copied-tee", "a file copied by `tee`", ("cp a.txt b.txt", "tee b.txt < a.txt"), |shape| copy_with(shape, "tee {to} < {from}")),
    sibling("copied-dd", "a file copied by `dd`", ("cp a.txt b.txt", "dd if=a.txt of=b.txt"), |shape| copy_with(shape, "dd if={from} of={to}")),
    sibling("each-find", "a mode or an owner changed by `find`", ("chmod -R 777 src", "find src -exec chmod 777 {} +"), each_find),
    sibling("push-plus", "a push forced by a plus sign", ("git push --force origin main", "git push origin +main"), push_plus),
    sibling("branch-ref", "a branch deleted as a ref", ("git branch -D topic", "git update-ref -d refs/heads/topic"), branch_ref),
    sibling("restore", "changes discarded by `git restore`", ("git checkout -- src", "git restore src"), restore),
    sibling("reset-restore", "all changes discarded by `git restore`", ("git reset --hard", "git restore --staged --worktree :/"), reset_restore),
    sibling("killed-found", "processes found and ended", ("killall node", "kill $(pgrep node)"), kill_found),
    sibling("door-python", "run by Python", ("rm -rf build", "python3 -c 'import os; os.system('\\''rm -rf build'\\'')'"), doors::python),
    sibling("door-subprocess", "run by Python as a subprocess", ("rm -rf build", "python3 -c 'import subprocess; subprocess.run('\\''rm -rf build'\\'', shell=True)'"), doors::python_subprocess),
    sibling("door-node", "run by Node.js", ("rm -rf build", "node -e 'require('\\''child_process'\\'').execSync('\\''rm -rf build'\\'')'"), doors::node),
    sibling("door-ruby", "run by Ruby", ("rm -rf build", "ruby -e 'system('\\''rm -rf build'\\'')'"), doors::ruby),
    sibling("door-perl", "run by Perl", ("rm -rf build", "perl -e 'system('\\''rm -rf build'\\'')'"), doors::perl),
    sibling("door-php", "run by PHP", ("rm -rf build", "php -r 'shell_exec('\\''rm -rf build'\\'');'"), doors::php),
    sibling("door-awk", "run by `awk`", ("rm -rf build", "awk 'BEGIN { system(\"rm -rf build\") }'"), doors::awk),
    sibling("door-script", "written to a script that runs", ("rm -rf build", "printf '%s\\n' 'rm -rf build' > /tmp/sibling.sh && sh /tmp/sibling.sh"), doors::script),
    sibling("door-su", "run by `su`", ("rm -rf build", "su -c 'rm -rf build'"), doors::su),
    sibling("door-tmux", "run in another terminal", ("rm -rf build", "tmux new-session -d 'rm -rf build'"), doors::terminal),
    sibling("door-recorded", "run by `script`", ("rm -rf build", "script -qc 'rm -rf build' /dev/null"), doors::typescript),
    sibling("door-flock", "run by `flock`", ("rm -rf build", "flock /tmp/sibling.lock -c 'rm -rf build'"), doors::lock),
    sibling("door-watch", "run by `watch`", ("rm -rf build", "watch -n 60 'rm -rf build'"), doors::watch),
    sibling("door-parallel", "run by `parallel`", ("rm -rf build", "parallel ::: 'rm -rf build'"), doors::parallel),
    sibling("door-npx", "run by `npx`", ("rm -rf build", "npx -c 'rm -rf build'"), doors::npx),
    sibling("door-git", "run as an alias of git", ("rm -rf build", "git -c 'alias.sibling=!rm -rf build' sibling"), doors::git_alias),
    sibling("door-busybox", "run by `busybox`", ("rm -rf build", "busybox rm -rf build"), doors::busybox),
];

/// Programs with the same arguments. The second one may be two words.
const SAME: [(&str, &str); 12] = [
    ("apt", "apt-get"),
    ("apt-get", "apt"),
    ("docker", "podman"),
    ("docker-compose", "podman-compose"),
    ("kubectl", "oc"),
    ("mysql", "mariadb"),
    ("npm", "pnpm"),
    ("pip", "uv pip"),
    ("pip3", "pip"),
    ("podman", "docker"),
    ("terraform", "tofu"),
    ("tofu", "terraform"),
];

fn other_program(shape: &Shape<'_>) -> Option<String> {
    let program = shape.program().filter(|word| word.is_bare())?;
    let (_, other) = SAME.iter().find(|(name, _)| *name == program.text)?;
    shape.replace_word(program, other)
}

/// Returns the options and operands of a text that is one plain command of this program.
fn parts<'s>(shape: &'s Shape<'_>, name: &str) -> Option<(Vec<&'s str>, Vec<&'s Word<'s>>)> {
    let program = shape.words.first()?;
    if shape.program != 0 || !program.is_bare() || program.text != name {
        return None;
    }
    let (options, operands): (Vec<_>, Vec<_>) = shape.arguments().partition(|word| word.text.starts_with('-'));
    Some((options.into_iter().map(|word| word.raw).collect(), operands)).filter(|(_, operands)| !operands.is_empty())
}

fn raw(words: &[&Word<'_>]) -> String {
    words.iter().map(|word| word.raw).collect::<Vec<_>>().join(" ")
}

/// Returns the operands of `rm`, with or without `-r`.
fn removed_operands<'s>(shape: &'s Shape<'_>, tree: bool) -> Option<Vec<&'s Word<'s>>> {
    let (options, operands) = parts(shape, "rm")?;
    let is_known = |option: &&str| {
        matches!(*option, "--recursive" | "--force")
            || option.strip_prefix('-').is_some_and(|letters| letters.chars().all(|letter| "rRfv".contains(letter)))
    };
    let recurses = |option: &&str| *option == "--recursive" || !option.starts_with("--") && option.contains(['r', 'R']);
    (options.iter().all(is_known) && options.iter().any(recurses) == tree).then_some(operands)
}

/// Returns the only operand, as a string in a programming language.
fn only_operand(operands: &[&Word<'_>]) -> Option<String> {
    let [word] = operands else { return None };
    // A shell would expand it to a home directory.
    string(&word.text).filter(|_| word.literal && !word.text.starts_with('~'))
}

fn tree_find(shape: &Shape<'_>) -> Option<String> {
    Some(format!("find {} -delete", raw(&removed_operands(shape, true)?)))
}

fn tree_python(shape: &Shape<'_>) -> Option<String> {
    let path = only_operand(&removed_operands(shape, true)?)?;
    Some(format!("python3 -c {}", quoted(&format!("import shutil; shutil.rmtree({path})"))))
}

fn tree_node(shape: &Shape<'_>) -> Option<String> {
    let path = only_operand(&removed_operands(shape, true)?)?;
    Some(format!("node -e {}", quoted(&format!("require('fs').rmSync({path}, {{ recursive: true }})"))))
}

fn tree_ruby(shape: &Shape<'_>) -> Option<String> {
    let path = only_operand(&removed_operands(shape, true)?)?;
    Some(format!("ruby -rfileutils -e {}", quoted(&format!("FileUtils.rm_rf({path})"))))
}

fn tree_rimraf(shape: &Shape<'_>) -> Option<String> {
    Some(format!("npx rimraf {}", raw(&removed_operands(shape, true)?)))
}

fn tree_emptied(shape: &Shape<'_>) -> Option<String> {
    let operands = removed_operands(shape, true)?;
    let [folder] = operands.as_slice() else { return None };
    folder.is_bare().then(|| format!("rsync -a --delete /var/empty/ {}/", folder.raw.trim_end_matches('/')))
}

fn file_unlink(shape: &Shape<'_>) -> Option<String> {
    let operands = removed_operands(shape, false)?;
    (operands.len() == 1).then(|| format!("unlink {}", raw(&operands)))
}

fn file_shred(shape: &Shape<'_>) -> Option<String> {
    Some(format!("shred -u {}", raw(&removed_operands(shape, false)?)))
}

fn file_python(shape: &Shape<'_>) -> Option<String> {
    let path = only_operand(&removed_operands(shape, false)?)?;
    Some(format!("python3 -c {}", quoted(&format!("import os; os.remove({path})"))))
}

fn file_perl(shape: &Shape<'_>) -> Option<String> {
    let path = only_operand(&removed_operands(shape, false)?)?;
    Some(format!("perl -e {}", quoted(&format!("unlink {path}"))))
}

/// Returns the files of a `cat` without options.
fn cat<'s>(shape: &'s Shape<'_>) -> Option<Vec<&'s Word<'s>>> {
    parts(shape, "cat").filter(|(options, _)| options.is_empty()).map(|(_, operands)| operands)
}

fn print_with(shape: &Shape<'_>, program: &str) -> Option<String> {
    Some(format!("{program} {}", raw(&cat(shape)?)))
}

fn print_by(shape: &Shape<'_>, by: impl Fn(&str) -> String) -> Option<String> {
    let operands = cat(shape)?;
    let [file] = operands.as_slice() else { return None };
    Some(by(file.raw))
}

fn print_input(shape: &Shape<'_>) -> Option<String> {
    print_by(shape, |file| format!("cat < {file}"))
}

fn print_with_dd(shape: &Shape<'_>) -> Option<String> {
    print_by(shape, |file| format!("dd if={file}")).filter(|text| !text.contains(['~', '{', '*']))
}

fn print_in_loop(shape: &Shape<'_>) -> Option<String> {
    print_by(shape, |file| format!("while read -r line; do echo \"$line\"; done < {file}"))
}

fn print_with_python(shape: &Shape<'_>) -> Option<String> {
    let path = only_operand(&cat(shape)?)?;
    Some(format!("python3 -c {}", quoted(&format!("print(open({path}).read())"))))
}

fn print_with_node(shape: &Shape<'_>) -> Option<String> {
    let path = only_operand(&cat(shape)?)?;
    Some(format!("node -p {}", quoted(&format!("require('fs').readFileSync({path}, 'utf8')"))))
}

/// Returns a copy of one file in another form, with `{from}` and `{to}` filled in.
fn copy_with(shape: &Shape<'_>, form: &str) -> Option<String> {
    let (options, operands) = parts(shape, "cp")?;
    let [from, to] = operands.as_slice() else { return None };
    let plain = |word: &Word<'_>| word.is_bare() && !word.text.ends_with('/') && !word.text.starts_with('~');
    let names_file = to.text.rsplit('/').next().is_some_and(|name| name.contains('.') && name != "." && name != "..");
    let fits = options.is_empty() && plain(from) && plain(to) && names_file;
    fits.then(|| form.replace("{from}", from.raw).replace("{to}", to.raw))
}

fn each_find(shape: &Shape<'_>) -> Option<String> {
    let program = shape.words.first().map(|word| word.raw).filter(|name| matches!(*name, "chmod" | "chown"))?;
    let (options, operands) = parts(shape, program)?;
    let (value, paths) = operands.split_first()?;
    let recurses = matches!(options.as_slice(), ["-R" | "--recursive"]);
    (recurses && !paths.is_empty()).then(|| format!("find {} -exec {program} {} {{}} +", raw(paths), value.raw))
}

/// Returns the options and operands of a git command.
fn git<'s>(shape: &'s Shape<'_>, verb: &str) -> Option<(Vec<&'s str>, Vec<&'s Word<'s>>)> {
    let (options, operands) = parts(shape, "git")?;
    let (first, rest) = operands.split_first()?;
    let is_second = shape.words.get(1).is_some_and(|word| word.text == verb);
    (is_second && first.text == verb).then(|| (options, rest.to_vec()))
}

fn push_plus(shape: &Shape<'_>) -> Option<String> {
    let (options, operands) = git(shape, "push")?;
    let [remote, branch] = operands.as_slice() else { return None };
    let fits =
        matches!(options.as_slice(), ["--force" | "-f"]) && branch.is_bare() && !branch.text.starts_with([':', '+']);
    fits.then(|| format!("git push {} +{}", remote.raw, branch.raw))
}

fn branch_ref(shape: &Shape<'_>) -> Option<String> {
    let (options, operands) = git(shape, "branch")?;
    let [branch] = operands.as_slice() else { return None };
    (options.as_slice() == ["-D"] && branch.is_bare()).then(|| format!("git update-ref -d refs/heads/{}", branch.raw))
}

fn restore(shape: &Shape<'_>) -> Option<String> {
    let (options, operands) = git(shape, "checkout")?;
    let fits = options.as_slice() == ["--"] && shape.words.get(2).is_some_and(|word| word.text == "--");
    (fits && !operands.is_empty()).then(|| format!("git restore {}", raw(&operands)))
}

fn reset_restore(shape: &Shape<'_>) -> Option<String> {
    let (options, operands) = git(shape, "reset")?;
    let is_head = operands.is_empty() || raw(&operands) == "HEAD";
    (options.as_slice() == ["--hard"] && is_head).then(|| "git restore --staged --worktree :/".to_owned())
}

fn kill_found(shape: &Shape<'_>) -> Option<String> {
    let (options, operands) = parts(shape, "killall").or_else(|| parts(shape, "pkill"))?;
    (options.is_empty() && operands.len() == 1).then(|| format!("kill $(pgrep {})", raw(&operands)))
}
