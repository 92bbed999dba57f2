//! A failing receiver, a dying client, and two concurrent clients.

use std::fs;
use std::net::TcpListener;
use std::process::{Child, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

use super::receiver::{Mode, Receiver};
use super::{LOG, ROTATED, ids, line, lines, sent, ship, ship_all};
use crate::support::texts::{Transcript, normalized_output};
use crate::support::world::{PATIENCE, World, append, ended};
use crate::texts::assert_text;

fn spawn(world: &World, receiver: &Receiver, options: &[&str]) -> Child {
    let mut command = world.command(&[&["audit", "ship", "--to", &receiver.url], options].concat());
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap()
}

#[track_caller]
fn wait_until(mut is_so: impl FnMut() -> bool) {
    let until = Instant::now() + PATIENCE;
    while !is_so() {
        assert!(Instant::now() < until, "it never comes");
        sleep(Duration::from_millis(10));
    }
}

#[test]
fn a_receiver_that_is_busy_is_asked_again_when_it_says() {
    let world = World::new();
    let receiver = Receiver::start();
    world.write(LOG, lines(0..3));
    receiver.then([
        Mode::Answer(503, "retry-after: 2\r\n", "try later".to_owned()),
        Mode::Answer(429, "retry-after: 1\r\n", String::new()),
    ]);
    let started = Instant::now();
    let ended = ship(&world, &receiver, &[]);
    assert!(started.elapsed() >= Duration::from_secs(3), "{:?}", started.elapsed());
    assert_eq!((ended.exit, sent(&ended)), (0, 3));
    assert_text!("ship_busy", normalized_output(&world, &ended));
    assert_eq!((receiver.requests().len(), receiver.ids(), receiver.twice()), (3, ids(0..3), 0));
}

#[test]
fn a_receiver_that_is_not_there_keeps_no_line() {
    let world = World::new();
    world.write(LOG, lines(0..3));
    // A port that was free a moment ago.
    let free = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    let ended = world.run(&["audit", "ship", "--to", &format!("http://{free}")], "");
    assert_eq!(sent(&ended), 0, "{ended:?}");
    assert_text!("ship_not_there", &world, 69, ended);
}

#[test]
fn an_answer_that_breaks_off_is_none() {
    let world = World::new();
    let receiver = Receiver::start();
    world.write(LOG, lines(0..3));
    receiver.then([Mode::Close, Mode::Half, Mode::Close]);
    let ended = ship(&world, &receiver, &[]);
    assert_eq!((ended.exit, sent(&ended)), (0, 3), "{ended:?}");
    // The half answer was to an accepted batch.
    assert_eq!((receiver.ids(), receiver.twice(), receiver.differing()), (ids(0..3), 3, 0));
}

#[test]
fn a_receiver_that_is_silent_is_waited_for_as_long_as_it_is_said() {
    let world = World::new();
    let receiver = Receiver::start();
    world.write(LOG, lines(0..3));
    receiver.then([Mode::Silent]);
    let ended = ship(&world, &receiver, &["--timeout", "1"]);
    assert_text!("ship_silent", &world, 0, ended);
}

#[test]
fn what_is_refused_is_told_and_not_passed_over() {
    let world = World::new();
    let receiver = Receiver::start();
    world.write(LOG, lines(0..600));
    let mut transcript = Transcript::default();
    for status in [400, 401, 404, 500, 301] {
        receiver.then([Mode::Answer(status, "", "no \u{1b}[31m\u{202e}way".to_owned())]);
        let ended = ship(&world, &receiver, &[]);
        assert_eq!(sent(&ended), 0, "{ended:?}");
        transcript.add(&world, 69, &ended);
    }
    assert_text!("ship_refused", transcript.0);
    // The batches before it are done.
    receiver.then([Mode::Answer(200, "", String::new()), Mode::Answer(400, "", String::new())]);
    let ended = ship(&world, &receiver, &[]);
    assert_eq!((ended.exit, sent(&ended)), (69, 512), "{ended:?}");
    assert_eq!(ship_all(&world, &receiver), 88);
    assert_eq!((receiver.ids(), receiver.twice()), (ids(0..600), 0));
}

#[test]
fn a_page_for_people_is_no_receiver() {
    let world = World::new();
    let receiver = Receiver::start();
    world.write(LOG, lines(0..3));
    for (header, body) in [
        ("content-type: text/html\r\n", "<p>Sign in</p>"),
        ("", "<html>Sign in</html>"),
        ("content-type: text/plain\r\n", "\n<!DOCTYPE html>"),
    ] {
        receiver.then([Mode::Answer(200, header, body.to_owned())]);
        let ended = ship(&world, &receiver, &[]);
        assert_text!("ship_page", &world, 69, ended);
    }
    assert_eq!(ship_all(&world, &receiver), 3);
}

#[test]
fn doctor_reports_a_receiver_that_refuses_until_it_takes_lines() {
    let world = World::new();
    let receiver = Receiver::start();
    world.write(LOG, lines(0..3));
    let reported = || world.run(&["doctor"], "").stdout.contains("`guard-host audit ship` failed at");
    assert!(!reported());
    receiver.then([Mode::Answer(401, "", String::new())]);
    assert_eq!(ship(&world, &receiver, &[]).exit, 69);
    assert!(reported());
    assert_eq!(ship_all(&world, &receiver), 3);
    assert!(!reported());
}

#[test]
fn without_a_log_nothing_is_sent() {
    let world = World::new();
    let receiver = Receiver::start();
    assert_text!("ship_no_log", &world, 66, ship(&world, &receiver, &[]));
    assert!(!world.path(".local/state/guard-host/ship").exists());
}

#[test]
fn doctor_reports_a_run_without_its_files_and_rejected_lines_until_all_are_sent() {
    let world = World::new();
    let receiver = Receiver::start();
    world.write(LOG, lines(0..3));
    let reported = || {
        let told = world.run(&["doctor"], "").stdout;
        told.lines().find(|line| line.contains("`guard-host audit ship` failed at")).map(str::to_owned)
    };
    for option in ["--ca", "--header-file"] {
        assert_eq!(ship(&world, &receiver, &[option, "/nowhere/file"]).exit, 78);
        assert!(reported().is_some_and(|line| line.contains("/nowhere/file")), "{option}");
        assert_eq!(world.run(&["config", "check"], "").exit, 78);
        let _ = ship_all(&world, &receiver);
        assert_eq!(reported(), None, "{option}");
    }
    world.write(LOG, lines(0..6));
    let text = "{\"partialSuccess\":{\"rejectedLogRecords\":\"2\",\"errorMessage\":\"too old\"}}";
    receiver.then([Mode::Answer(200, "", text.to_owned())]);
    assert_eq!(ship(&world, &receiver, &[]).exit, 1);
    assert!(reported().is_some_and(|line| line.contains("didn't deliver 2 lines")));
    assert_eq!(ship_all(&world, &receiver), 0);
    assert_eq!(reported(), None);
}

#[test]
fn doctor_reports_a_receiver_that_a_followed_log_cannot_reach() {
    let world = World::new();
    let receiver = Receiver::start();
    world.write(LOG, lines(0..3));
    let reported = || world.run(&["doctor"], "").stdout.contains("`guard-host audit ship` failed at");
    // Longer than the test waits.
    receiver.then([Mode::Answer(503, "retry-after: 5\r\n", String::new())]);
    let mut client = spawn(&world, &receiver, &["--follow"]);
    wait_until(reported);
    wait_until(|| receiver.ids() == ids(0..3));
    wait_until(|| !reported());
    client.kill().unwrap();
    client.wait().unwrap();
}

#[test]
fn a_batch_that_is_too_large_is_sent_in_parts() {
    let world = World::new();
    let receiver = Receiver::start();
    world.write(LOG, lines(0..100));
    receiver.then([413, 413].map(|status| Mode::Answer(status, "", String::new())));
    assert_eq!(ship_all(&world, &receiver), 100);
    assert_eq!(receiver.batches(), [25, 75]);
    // A single line that is too large is reported.
    world.write(LOG, lines(0..101));
    receiver.then([Mode::Answer(413, "", String::new())]);
    assert_text!("ship_too_large", normalized_output(&world, &ship(&world, &receiver, &[])));
}

#[test]
fn a_client_that_dies_before_it_hears_the_answer_sends_again() {
    let world = World::new();
    let receiver = Receiver::start();
    world.write(ROTATED, lines(0..700));
    world.write(LOG, lines(700..1100));
    for _ in 0..3 {
        receiver.then([Mode::Kill]);
        let client = spawn(&world, &receiver, &[]);
        receiver.set_client(client.id());
        assert_eq!(ended(client).exit, -1, "killed");
    }
    assert_eq!(ship_all(&world, &receiver), 1100);
    assert_eq!((receiver.ids(), receiver.twice(), receiver.differing()), (ids(0..1100), 3 * 512, 0));
    // With the cursor, only the unconfirmed batch is sent again.
    world.write(LOG, lines(700..1800));
    receiver.then([Mode::Answer(200, "", String::new()), Mode::Kill]);
    let (before, client) = (receiver.records().len(), spawn(&world, &receiver, &[]));
    receiver.set_client(client.id());
    assert_eq!(ended(client).exit, -1);
    assert_eq!(ship_all(&world, &receiver), 188);
    assert_eq!(receiver.records().len() - before, 700 + 188);
    assert_eq!((receiver.ids(), receiver.differing()), (ids(0..1800), 0));
}

#[test]
fn a_client_that_dies_at_any_time_loses_nothing() {
    let world = World::new();
    let receiver = Receiver::start();
    world.write(ROTATED, lines(0..3000));
    world.write(LOG, lines(3000..6000));
    let mut killed = 0;
    for time in 0..40 {
        let mut client = spawn(&world, &receiver, &[]);
        sleep(Duration::from_millis(10 + 3 * time));
        let _ = client.kill();
        killed += usize::from(ended(client).exit == -1);
    }
    ship_all(&world, &receiver);
    assert!(killed > 0);
    assert_eq!((receiver.ids(), receiver.differing()), (ids(0..6000), 0));
}

#[test]
fn the_second_of_two_clients_says_that_there_is_another() {
    let world = World::new();
    let receiver = Receiver::start();
    world.write(LOG, lines(0..3));
    receiver.then([Mode::Silent]);
    let mut first = spawn(&world, &receiver, &[]);
    wait_until(|| !receiver.requests().is_empty());
    let second = ship(&world, &receiver, &[]);
    assert_text!("ship_twice", &world, 69, second);
    first.kill().unwrap();
    first.wait().unwrap();
    assert_eq!(ship_all(&world, &receiver), 3);
}

#[test]
fn a_followed_log_is_sent_as_it_grows() {
    let world = World::new();
    let receiver = Receiver::start();
    world.write(LOG, lines(0..3));
    let mut client = spawn(&world, &receiver, &["--follow"]);
    wait_until(|| receiver.ids() == ids(0..3));
    // It continues through an unavailable receiver, and through a rotation. There are eight failures in a row: without
    // `--follow` it gives up after six. A 503 sets a wait of 0, so the test is short.
    let busy = || Mode::Answer(503, "retry-after: 0\r\n", String::new());
    receiver.then((0..8).map(|number| if number < 3 { Mode::Close } else { busy() }));
    let path = world.path(LOG);
    append(&path, &line(3));
    fs::rename(&path, world.path(ROTATED)).unwrap();
    fs::write(&path, line(4)).unwrap();
    wait_until(|| receiver.ids() == ids(0..5));
    client.kill().unwrap();
    client.wait().unwrap();
    assert_eq!(receiver.differing(), 0);
}
