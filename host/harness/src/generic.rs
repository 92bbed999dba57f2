//! The plain protocol: Claude Code's payload on stdin, `{"decision":"allow"}` or `{"decision":"block","reason":...}` on
//! stdout, exit code 0.
//!
//! For programs that know two answers. Nobody can be asked, so an ask blocks and says how a person can let the call
//! pass. A payload never tells this protocol: it has to be named. Whose payload it is handed, the payload may tell.

use serde::Serialize;
use serde_json::{Map, Value};

use super::claude::Claude;
use super::facets::{Facets, GENERIC, Surface};
use super::nested::line;
use super::said::Said;
use super::{Harness, Likeness, Payload, Unreadable};

pub(super) struct Generic;

#[derive(Serialize)]
#[serde(tag = "decision", rename_all = "lowercase")]
enum Wire<'a> {
    Allow,
    Block { reason: &'a str },
}

impl Harness for Generic {
    fn facets(&self) -> &'static Facets {
        &GENERIC
    }

    fn likeness(&self, payload: &Map<String, Value>) -> Likeness {
        Claude.likeness(payload)
    }

    fn decode(&self, payload: &Map<String, Value>) -> Result<Payload, Unreadable> {
        super::detect(payload, &Claude).decode(payload)
    }

    fn yields(&self) -> bool {
        false
    }

    fn write(&self, said: &Said, _: &'static Surface) -> String {
        line(&match said {
            Said::Nothing | Said::Note(_) | Said::Grant(_) => Wire::Allow,
            Said::Ask(reason) | Said::Deny(reason) => Wire::Block { reason },
        })
    }
}
