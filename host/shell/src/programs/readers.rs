//! Programs that do nothing but read the files they are given.

use super::Program;
use super::options::{Options, Parsed};
use crate::effects::run::Run;

pub(super) const TABLE: &[Program] = &[
    Program::new(&["cat", "gcat", "bat", "batcat", "tac", "nl", "rev", "expand", "unexpand"], Options::NONE, reads),
    Program::new(&["head", "tail", "ghead", "gtail"], Options::new("ncs", &["lines", "bytes", "pid"]), reads),
    Program::new(&["less", "more", "most", "view"], Options::new("oOpPtTx", &[]), reads),
    Program::new(&["wc", "cksum", "sum", "b2sum", "md5", "md5sum"], Options::NONE, reads),
    Program::new(&["sha1sum", "sha224sum", "sha256sum", "sha384sum", "sha512sum"], Options::NONE, reads),
    Program::new(&["shasum"], Options::new("a", &["algorithm"]), reads),
    Program::new(&["cut"], Options::new("bcdf", &["bytes", "characters", "delimiter", "fields"]), reads),
    Program::new(&["paste"], Options::new("d", &["delimiters"]), reads),
    Program::new(&["join"], Options::new("aeijotv12", &[]), reads),
    Program::new(&["comm", "cmp", "sdiff"], Options::new("in", &["ignore-initial", "bytes"]), reads),
    Program::new(
        &["diff", "colordiff", "diff3"],
        Options::new("CUFILWxX", &["label", "exclude", "exclude-from", "width"]),
        reads,
    ),
    Program::new(&["fold", "fmt", "pr", "column", "csvlook"], Options::new("wsco", &["width"]), reads),
    Program::new(&["od", "god", "hexdump", "hd"], Options::new("AjNtwSneEvs", &["skip-bytes", "read-bytes"]), reads),
    Program::new(&["strings"], Options::new("ntTe", &["bytes", "radix", "encoding"]), reads),
    Program::new(&["zcat", "gzcat", "bzcat", "xzcat", "zstdcat", "zless", "zmore"], Options::NONE, reads),
    Program::new(&["base32", "basenc"], Options::new("w", &["wrap"]), reads),
    Program::new(&["source", "."], Options::NONE, sources),
    Program::new(&["pbcopy", "xclip", "xsel"], Options::new("", &[]), reads),
    Program::new(&["glow", "mdcat", "highlight", "pygmentize"], Options::new("lfoO", &[]), reads),
    Program::new(&["readelf", "objdump", "nm"], Options::new("jMx", &[]), reads),
];

/// Reads every operand.
pub(super) fn reads<'a>(run: &mut Run<'a>, parsed: &Parsed<'a>) {
    parsed.operands.iter().for_each(|operand| run.read(operand));
}

/// Reads the first operand; the others are arguments of the script.
fn sources<'a>(run: &mut Run<'a>, parsed: &Parsed<'a>) {
    parsed.operands.iter().take(1).for_each(|operand| run.read(operand));
}
