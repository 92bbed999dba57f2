//! The system call filters.

use std::collections::BTreeMap;
use std::env::consts::ARCH;

use libc::c_long;
use seccompiler::{
    BpfProgram, SeccompAction, SeccompCmpArgLen, SeccompCmpOp, SeccompCondition, SeccompFilter, SeccompRule,
    TargetArch, sock_filter,
};

use super::setup;
use crate::{ConfineError, Profile};

/// System calls with rules, at least one of which must match. An empty list matches always.
type Calls = BTreeMap<i64, Vec<SeccompRule>>;

/// A return value that seccompiler supports, in place of the one for user notifications, which it doesn't.
const PLACEHOLDER: u32 = 0x6b72;

/// `ioctl` requests that type into a terminal, and so into the shell that reads from it next.
const TYPING: [u64; 2] = [0x5412, 0x541c];

/// Namespaces in which a path may mean another file than in the broker's view.
const NAMESPACES: [libc::c_int; 2] = [libc::CLONE_NEWUSER, libc::CLONE_NEWNS];

/// `open_tree` with attributes, which the library doesn't define yet. The number is the same on all architectures.
const SYS_OPEN_TREE_ATTR: c_long = 467;

/// System calls that are always refused: they read other processes, reach files and sockets past the filters, or change
/// the system.
const REFUSED: &[c_long] = &[
    libc::SYS_ptrace,
    libc::SYS_process_vm_readv,
    libc::SYS_process_vm_writev,
    libc::SYS_pidfd_getfd,
    libc::SYS_kcmp,
    libc::SYS_io_uring_setup,
    libc::SYS_io_uring_enter,
    libc::SYS_io_uring_register,
    libc::SYS_bpf,
    libc::SYS_perf_event_open,
    libc::SYS_userfaultfd,
    libc::SYS_keyctl,
    libc::SYS_add_key,
    libc::SYS_request_key,
    libc::SYS_open_by_handle_at,
    libc::SYS_mount,
    libc::SYS_umount2,
    libc::SYS_pivot_root,
    libc::SYS_move_mount,
    libc::SYS_open_tree,
    SYS_OPEN_TREE_ATTR,
    libc::SYS_fsopen,
    libc::SYS_fsmount,
    libc::SYS_fsconfig,
    libc::SYS_fspick,
    libc::SYS_mount_setattr,
    libc::SYS_setns,
    libc::SYS_kexec_load,
    libc::SYS_init_module,
    libc::SYS_finit_module,
    libc::SYS_delete_module,
    libc::SYS_swapon,
    libc::SYS_swapoff,
    libc::SYS_reboot,
];

/// Returns the filter of calls that are always refused, and of the sockets that the profile doesn't allow.
pub(super) fn refusal_filter(profile: &Profile, learn: bool) -> Calls {
    let mut calls: Calls = REFUSED.iter().map(|call| (*call, Vec::new())).collect();
    calls.insert(
        libc::SYS_ioctl,
        TYPING.iter().filter_map(|request| rule(&[(1, SeccompCmpOp::Eq, *request)])).collect(),
    );
    calls.insert(libc::SYS_unshare, flags(0, &NAMESPACES));
    calls.insert(libc::SYS_clone, flags(0, &NAMESPACES));
    calls.insert(libc::SYS_prlimit64, limits_of_others());
    if !profile.unix_sockets {
        // Datagrams can be sent to any listening socket, but a stream pair has no other end.
        calls.insert(
            libc::SYS_socketpair,
            rule(&[(1, SeccompCmpOp::MaskedEq(0xf), number(libc::SOCK_DGRAM))]).into_iter().collect(),
        );
    }
    if !profile.net {
        // TCP Fast Open connects with the first packet. The broker lets sockets be created in order to report
        // connections.
        for (call, argument) in [(libc::SYS_sendto, 3), (libc::SYS_sendmsg, 2), (libc::SYS_sendmmsg, 3)] {
            calls.insert(call, flags(argument, &[libc::MSG_FASTOPEN]));
        }
        if !profile.unix_sockets {
            calls.insert(libc::SYS_listen, Vec::new());
        }
    }
    // The broker reports sockets, and refuses them itself.
    if !learn {
        calls.insert(libc::SYS_socket, sockets(profile));
    }
    calls
}

/// Returns rules for sockets of other families than the allowed ones. Programs use netlink to list the machine's
/// addresses.
pub(super) fn sockets(profile: &Profile) -> Vec<SeccompRule> {
    let mut allowed = vec![libc::AF_NETLINK];
    if profile.net {
        allowed.extend([libc::AF_INET, libc::AF_INET6]);
    }
    if profile.unix_sockets {
        allowed.push(libc::AF_UNIX);
    }
    let other: Vec<_> = allowed.iter().map(|family| (0, SeccompCmpOp::Ne, number(*family))).collect();
    let netlink = [(0, SeccompCmpOp::Eq, number(libc::AF_NETLINK)), (2, SeccompCmpOp::Ne, 0)];
    [rule(&other), rule(&netlink)].into_iter().flatten().collect()
}

fn number(value: libc::c_int) -> u64 {
    u64::try_from(value).unwrap_or_default()
}

/// Returns rules for any of these flags in an argument.
fn flags(argument: u8, flags: &[libc::c_int]) -> Vec<SeccompRule> {
    let flags = flags.iter().map(|flag| number(*flag));
    flags.filter_map(|flag| rule(&[(argument, SeccompCmpOp::MaskedEq(flag), flag)])).collect()
}

/// Returns the rule for setting limits of another process, because a limit of processor time can kill it.
fn limits_of_others() -> Vec<SeccompRule> {
    let other = SeccompCondition::new(0, SeccompCmpArgLen::Dword, SeccompCmpOp::Ne, 0);
    // The whole pointer is compared, because its lower half may be zero.
    let new = SeccompCondition::new(2, SeccompCmpArgLen::Qword, SeccompCmpOp::Ne, 0);
    let conditions: Option<Vec<_>> = [other, new].into_iter().map(Result::ok).collect();
    conditions.and_then(|conditions| SeccompRule::new(conditions).ok()).into_iter().collect()
}

/// Creates a rule with conditions on arguments. `None` if the library doesn't support a condition, which doesn't occur.
fn rule(conditions: &[(u8, SeccompCmpOp, u64)]) -> Option<SeccompRule> {
    let condition = |(argument, operator, value): &(u8, SeccompCmpOp, u64)| {
        SeccompCondition::new(*argument, SeccompCmpArgLen::Dword, operator.clone(), *value).ok()
    };
    SeccompRule::new(conditions.iter().map(condition).collect::<Option<Vec<_>>>()?).ok()
}

/// Refuses the system calls with `EPERM`, for this thread and its child processes.
pub(super) fn refuse(calls: &Calls) -> Result<(), ConfineError> {
    let mut program = compile(calls.clone(), SeccompAction::Errno(libc::EPERM as u32))?;
    refuse_x32(&mut program);
    disable_clone3(&mut program);
    seccompiler::apply_filter(&program).map_err(|error| setup("the filter", std::io::Error::other(error)))
}

/// Returns the filter of the calls that the broker answers.
pub(super) fn broker_filter(reads: bool, learn: bool) -> Result<BpfProgram, ConfineError> {
    let mut calls: Calls = super::calls::PATHS.iter().map(|call| (*call, Vec::new())).collect();
    for (call, flags) in super::calls::OPENS {
        let rules = if reads || learn { Vec::new() } else { writes(*flags) };
        calls.insert(*call, rules);
    }
    if learn {
        for call in super::calls::SOCKETS {
            calls.insert(*call, Vec::new());
        }
    }
    let mut program = compile(calls, SeccompAction::Trace(PLACEHOLDER))?;
    let placeholder = libc::SECCOMP_RET_TRACE | PLACEHOLDER;
    for instruction in program.iter_mut().filter(|instruction| instruction.k == placeholder) {
        instruction.k = libc::SECCOMP_RET_USER_NOTIF;
    }
    Ok(program)
}

/// Returns rules for opening a file for anything but reading.
fn writes(flags: u8) -> Vec<SeccompRule> {
    let bits = [libc::O_WRONLY, libc::O_RDWR, libc::O_CREAT, libc::O_TRUNC];
    let bits = bits.into_iter().filter_map(|bit| u64::try_from(bit).ok());
    bits.filter_map(|bit| rule(&[(flags, SeccompCmpOp::MaskedEq(bit), bit)])).collect()
}

fn compile(calls: Calls, action: SeccompAction) -> Result<BpfProgram, ConfineError> {
    let arch = TargetArch::try_from(ARCH)
        .map_err(|_| ConfineError::Unsupported(format!("there are no filters for the processor {ARCH}")))?;
    let filter = SeccompFilter::new(calls, SeccompAction::Allow, action, arch);
    filter.and_then(BpfProgram::try_from).map_err(|error| setup("the filter", std::io::Error::other(error)))
}

/// Makes `clone3` fail as unknown, because filters can't read its flags. The C library then calls `clone`.
fn disable_clone3(program: &mut BpfProgram) {
    const LOAD: u16 = 0x20;
    const EQUAL: u16 = 0x15;
    const RETURN: u16 = 0x06;
    let unknown = libc::SECCOMP_RET_ERRNO | libc::ENOSYS as u32;
    let Ok(clone3) = u32::try_from(libc::SYS_clone3) else { return };
    let check = [
        sock_filter { code: LOAD, jt: 0, jf: 0, k: 0 },
        sock_filter { code: EQUAL, jt: 0, jf: 1, k: clone3 },
        sock_filter { code: RETURN, jt: 0, jf: 0, k: unknown },
    ];
    program.splice(0..0, check);
}

/// Refuses x32 calls, a second set of system call numbers on x86-64 that the filter doesn't cover.
fn refuse_x32(program: &mut BpfProgram) {
    const LOAD: u16 = 0x20;
    const AT_LEAST: u16 = 0x35;
    const RETURN: u16 = 0x06;
    if ARCH != "x86_64" {
        return;
    }
    let refuse = libc::SECCOMP_RET_ERRNO | libc::ENOSYS as u32;
    let check = [
        sock_filter { code: LOAD, jt: 0, jf: 0, k: 0 },
        sock_filter { code: AT_LEAST, jt: 0, jf: 1, k: 0x4000_0000 },
        sock_filter { code: RETURN, jt: 0, jf: 0, k: refuse },
    ];
    program.splice(0..0, check);
}
