//! Root's capabilities: a confined command keeps those for files, and loses those for the system and other processes.

use rustix::thread::{CapabilitySet, CapabilitySets, capabilities, set_capabilities};

use super::setup;
use crate::ConfineError;

/// The capabilities that root needs for files, users and ports.
const KEPT: CapabilitySet = CapabilitySet::CHOWN
    .union(CapabilitySet::DAC_OVERRIDE)
    .union(CapabilitySet::DAC_READ_SEARCH)
    .union(CapabilitySet::FOWNER)
    .union(CapabilitySet::FSETID)
    .union(CapabilitySet::KILL)
    .union(CapabilitySet::SETGID)
    .union(CapabilitySet::SETUID)
    .union(CapabilitySet::NET_BIND_SERVICE);

/// Drops this thread's other capabilities. Because of `no_new_privs`, programs that it starts can't regain them.
pub(super) fn drop_others() -> Result<(), ConfineError> {
    let error = |error: rustix::io::Errno| setup("capabilities", error.into());
    let sets = capabilities(None).map_err(error)?;
    if KEPT.contains(sets.permitted) {
        return Ok(());
    }
    let kept = |set: CapabilitySet| set.intersection(KEPT);
    let sets = CapabilitySets {
        effective: kept(sets.effective),
        permitted: kept(sets.permitted),
        inheritable: kept(sets.inheritable),
    };
    set_capabilities(None, sets).map_err(error)
}
