//! Walks over a text that is known to be JSON, and notes where its parts stand.

use super::{Kind, Member, Node};

/// The outermost value of a text that is known to be JSON.
pub(super) fn value(text: &str) -> Option<Node> {
    Scan { text, at: 0 }.value()
}

struct Scan<'a> {
    text: &'a str,
    at: usize,
}

impl Scan<'_> {
    fn peek(&self) -> Option<u8> {
        self.text.as_bytes().get(self.at).copied()
    }

    /// The next byte that is not white space.
    fn next(&mut self) -> Option<u8> {
        while matches!(self.peek()?, b' ' | b'\t' | b'\n' | b'\r') {
            self.at += 1;
        }
        self.peek()
    }

    fn value(&mut self) -> Option<Node> {
        let first = self.next()?;
        let start = self.at;
        let kind = match first {
            b'{' => Kind::Object(self.items(b'}', Self::named)?),
            b'[' => Kind::Array(self.items(b']', Self::value)?),
            b'"' => {
                self.string()?;
                Kind::Scalar
            }
            _ => {
                while self.peek().is_some_and(|byte| !matches!(byte, b',' | b']' | b'}' | b' ' | b'\t' | b'\n' | b'\r'))
                {
                    self.at += 1;
                }
                Kind::Scalar
            }
        };
        Some(Node { span: start..self.at, kind })
    }

    fn items<T>(&mut self, end: u8, item: impl Fn(&mut Self) -> Option<T>) -> Option<Vec<T>> {
        let mut items = Vec::new();
        self.at += 1;
        while self.next()? != end {
            items.push(item(self)?);
            if self.next()? == b',' {
                self.at += 1;
            }
        }
        self.at += 1;
        Some(items)
    }

    fn named(&mut self) -> Option<Member> {
        self.next()?;
        let start = self.at;
        self.string()?;
        let key = serde_json::from_str(self.text.get(start..self.at)?).ok()?;
        self.next()?;
        // The colon.
        self.at += 1;
        Some(Member { key, value: self.value()?, start })
    }

    fn string(&mut self) -> Option<()> {
        self.at += 1;
        loop {
            match self.peek()? {
                b'"' => break,
                b'\\' => self.at += 2,
                _ => self.at += 1,
            }
        }
        self.at += 1;
        Some(())
    }
}
