//! `guard-host audit ship`: sends the lines of the audit log to a receiver of OpenTelemetry logs or OCSF events.
//!
//! The log and its rotated file are the queue, and a cursor in the state folder has the position up to which they were
//! sent. Each line arrives at least once, with an id by which the receiver can detect duplicates.

mod ocsf;
mod otlp;
mod queue;
mod receiver;

use std::cell::Cell;
use std::fs;
use std::path::Path;
use std::time::{Duration, Instant};

use sha2::{Digest, Sha256};

use super::args::{ShipArgs, ShipFormat};
use super::subject::{Refused, exit_error};
use super::{log, print};
use guard_contract::exit::Exit;
use guard_setup::surroundings::{FailedShip, SHIP_FAILED};
use guard_state::session::stamp;
use guard_state::{AppDirs, FileLock, hex, make_private, write_new};
use jiff::Timestamp;
use queue::{Batch, BatchLimits, Loss, Queue};
use receiver::{Receiver, SendOutcome};

/// The interval at which a followed log is read.
const PAUSE: Duration = Duration::from_millis(500);

/// The maximum size of a request.
const MOST: BatchLimits = BatchLimits { lines: 512, bytes: 1 << 20 };

/// The totals of sent and lost lines.
#[derive(Debug, Default)]
struct ShipTotals {
    sent: u64,
    /// Lines that no receiver has: discarded, damaged or rejected.
    lost: u64,
}

pub(super) fn run(args: &ShipArgs, log: &Path, dirs: &AppDirs) -> anyhow::Result<Exit> {
    // Without `--follow`, no line can come.
    if !args.follow {
        log::require(log)?;
    }
    let folder = dirs.state.join("ship");
    make_private(&dirs.state)?;
    make_private(&folder)?;
    let receiver = Receiver::from_args(args).inspect_err(|error| {
        // An invalid address never becomes valid.
        if error.downcast_ref::<Refused>().is_none_or(|refused| refused.exit != Exit::Usage) {
            let failed = folder.join(format!("{}.{SHIP_FAILED}", address_digest(&args.to)));
            remember(&failed, &args.to, Some(error.to_string()));
        }
    })?;
    // Each address has a cursor, so that another receiver gets all lines. An address with both formats gets them twice.
    let known = match args.format {
        ShipFormat::Otlp => receiver.url.clone(),
        ShipFormat::Ocsf => format!("ocsf {}", receiver.url),
    };
    let name = address_digest(&known);
    let lock = folder.join(format!("{name}.lock"));
    let _lock = FileLock::acquire(&lock, Instant::now()).map_err(|error| match error.kind() {
        std::io::ErrorKind::TimedOut => {
            let text = format!("another `audit ship` sends to `{}`", receiver.url);
            exit_error(Exit::Unavailable, text, "let it go on, or end it first")
        }
        _ => exit_error(Exit::Unavailable, format!("cannot use the lock `{}`: {error}", lock.display()), ""),
    })?;
    let place = folder.join(format!("{name}.json"));
    let (mut queue, complaint) = Queue::open(log, &place);
    if let Some(why) = complaint {
        print::note(&format!(
            "warning: ignoring the cursor `{}`: {why}; the log is sent from its first line",
            place.display()
        ));
    }
    let failed = folder.join(format!("{name}.{SHIP_FAILED}"));
    let record = |failure: Option<String>| remember(&failed, &receiver.url, failure);
    let shipped = ship(&mut queue, &receiver, (log, &place), args.follow, &record);
    // Without lost lines, an earlier failure is over.
    if !matches!(shipped, Ok(Exit::Failures)) {
        record(shipped.as_ref().err().map(ToString::to_string));
        remember(&folder.join(format!("{}.{SHIP_FAILED}", address_digest(&args.to))), &args.to, None);
    }
    shipped
}

/// Returns the name of the files for an address.
fn address_digest(address: &str) -> String {
    hex(Sha256::digest(address.as_bytes()).get(..8).unwrap_or_default())
}

/// Sends the remaining lines. With `follow`, continues until the receiver rejects them. `record` saves a failure while
/// it is retried, and removes it once lines are accepted.
fn ship(
    queue: &mut Queue,
    receiver: &Receiver,
    (log, place): (&Path, &Path),
    follow: bool,
    record: &dyn Fn(Option<String>),
) -> anyhow::Result<Exit> {
    let mut sums = ShipTotals::default();
    let mut most = MOST;
    // An earlier process may have left a failure.
    let has_failed = Cell::new(true);
    let retried = |why: &str| {
        has_failed.set(true);
        record(Some(format!("{why}; it is asked again")));
    };
    loop {
        let batch = next(queue, log, most)?;
        let lines = batch.lines.len();
        let is_end = lines == 0;
        let mut rejected = 0;
        if !is_end {
            match receiver.send_all(&batch.lines, follow, &retried) {
                Ok(SendOutcome::All) => {}
                Ok(SendOutcome::Rejected(count)) => rejected = count.min(lines as u64),
                Ok(SendOutcome::TooLarge) => {
                    most.lines = lines / 2;
                    continue;
                }
                Err(error) => {
                    print_totals(&sums, receiver);
                    return Err(error);
                }
            }
            most = MOST;
            if has_failed.replace(false) {
                record(None);
            }
        }
        let lost = report_lost(&batch, log) + rejected;
        if lost > 0 {
            sums.lost += lost;
            let lines = print::count(sums.lost, "line");
            record(Some(format!("it didn't deliver {lines}, which were rejected, damaged or discarded")));
        }
        sums.sent += lines as u64 - rejected;
        queue.advance(batch).map_err(|error| {
            let text = format!("the cursor `{}` cannot be written: {error}", place.display());
            exit_error(Exit::Software, text, "the lines that were sent since then are sent again")
        })?;
        if is_end && !follow {
            break;
        }
        if is_end {
            std::thread::sleep(PAUSE);
        }
    }
    print_totals(&sums, receiver);
    Ok(if sums.lost == 0 { Exit::Success } else { Exit::Failures })
}

/// Saves a failure for `doctor`, because no one reads the errors of a service.
fn remember(file: &Path, url: &str, failure: Option<String>) {
    let Some(text) = failure else {
        let _ = fs::remove_file(file);
        return;
    };
    let failed = FailedShip { time: stamp(Timestamp::now()), url: url.to_owned(), text };
    // The command reports the failure itself. Without the file, only `doctor` can't show it.
    let _ = serde_json::to_vec(&failed).map(|text| write_new(file, &text, 0o600));
}

fn next(queue: &Queue, log: &Path, most: BatchLimits) -> anyhow::Result<Batch> {
    queue.next(most).map_err(|error| {
        let text = format!("the audit log `{}` cannot be read: {error}", log.display());
        exit_error(Exit::NoInput, text, "see `guard-host config show` for its place")
    })
}

fn print_totals(sums: &ShipTotals, receiver: &Receiver) {
    // Standard output may be closed.
    let _ = print::line(&format!("sent {} to {}", print::count(sums.sent, "line"), receiver.url));
}

/// Prints which lines of a batch are lost, and returns their number.
fn report_lost(batch: &Batch, log: &Path) -> u64 {
    let log = log.display();
    let mut lost = batch.damaged;
    match batch.loss {
        Some(Loss::Lines(lines)) => {
            lost += lines;
            let lines = print::count(lines, "line");
            print::note(&format!("warning: the rotation of {log} discarded {lines} before they were sent"));
        }
        Some(Loss::Unknown) => {
            lost += 1;
            print::note(&format!(
                "warning: {log} does not hold the line that was sent last: others may be lost; it is sent from its first \
                 line on"
            ));
        }
        None => {}
    }
    if batch.damaged > 0 {
        let lines = print::count(batch.damaged, "damaged line");
        print::note(&format!("warning: {lines} in {log} cannot be sent"));
    }
    lost
}
