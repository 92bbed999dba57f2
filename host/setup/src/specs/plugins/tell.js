// Tells the program that a person lets the call run. Nobody waits for it.
function tell(call) {
  const run = spawn(COMMAND[0], COMMAND.slice(1), { stdio: ["pipe", "ignore", "ignore"] })
  run.on("error", () => {})
  run.stdin.on("error", () => {})
  run.stdin.end(JSON.stringify({ ...call, hook_event_name: `${EVENT} ran` }))
  run.unref()
}

