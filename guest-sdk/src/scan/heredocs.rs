//! Here-documents: their delimiters and bodies.

use super::{HEREDOCS, Scanner, byte, find, separates};

#[derive(Debug)]
pub(super) struct Heredoc {
    delimiter: Vec<u8>,
    quoted: bool,
    tabs: bool,
}

impl Scanner<'_> {
    pub(super) fn heredoc(&mut self) {
        self.at += 2;
        let tabs = self.peek(0) == b'-';
        self.at += usize::from(tabs);
        while matches!(self.peek(0), b' ' | b'\t') {
            self.at += 1;
        }
        let (mut delimiter, mut quoted) = (Vec::new(), false);
        loop {
            let byte = self.peek(0);
            if self.at >= self.bytes.len() || separates(byte) {
                break;
            }
            match byte {
                b'\\' if self.peek(1) == b'\n' => {
                    self.counts.continuations.push(self.at);
                    self.at += 2;
                }
                b'\\' => {
                    quoted = true;
                    delimiter.push(self.peek(1));
                    self.at += 2;
                }
                b'\'' | b'"' => {
                    quoted = true;
                    let end = find(self.bytes, self.at + 1, byte);
                    delimiter.extend_from_slice(self.bytes.get(self.at + 1..end).unwrap_or_default());
                    self.at = end + 1;
                }
                b'$' if matches!(self.peek(1), b'\'' | b'"') => self.at += 1,
                _ => {
                    delimiter.push(byte);
                    self.at += 1;
                }
            }
        }
        self.word_start = true;
        self.counts.heredocs += 1;
        if self.counts.heredocs <= HEREDOCS {
            self.heredocs.push(Heredoc { delimiter, quoted, tabs });
        }
    }

    pub(super) fn heredoc_bodies(&mut self) {
        for heredoc in std::mem::take(&mut self.heredocs) {
            while self.at < self.bytes.len() {
                let start = self.at;
                let mut end = find(self.bytes, start, b'\n');
                if !heredoc.quoted {
                    while end > start
                        && byte(self.bytes, end - 1) == b'\\'
                        && end < self.bytes.len()
                        && odd(self.bytes, start, end)
                    {
                        self.counts.continuations.push(end - 1);
                        end = find(self.bytes, end + 1, b'\n');
                    }
                }
                let line = self.bytes.get(start..end).unwrap_or_default();
                let line = if heredoc.tabs { strip_tabs(line) } else { line };
                self.at = end + 1;
                if line == heredoc.delimiter.as_slice() {
                    break;
                }
            }
        }
        self.at = self.at.min(self.bytes.len());
    }
}

/// Returns whether an odd number of backslashes precedes `end`.
fn odd(bytes: &[u8], start: usize, end: usize) -> bool {
    let line = bytes.get(start..end).unwrap_or_default();
    line.iter().rev().take_while(|&&byte| byte == b'\\').count() % 2 == 1
}

fn strip_tabs(line: &[u8]) -> &[u8] {
    let tabs = line.iter().take_while(|&&byte| byte == b'\t').count();
    line.get(tabs..).unwrap_or_default()
}
