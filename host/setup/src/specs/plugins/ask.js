// The program's reply; without one that can be read, a refusal.
function ask(payload) {
  const run = spawnSync(COMMAND[0], COMMAND.slice(1), {
    input: JSON.stringify(payload),
    encoding: "utf8",
    timeout: TIMEOUT,
    killSignal: "SIGKILL",
    maxBuffer: 16 * 1024 * 1024,
  })
  try {
    const reply = run.status === 0 ? JSON.parse(run.stdout) : {}
    if (["allow", "ask", "deny"].includes(reply.decision)) return reply
  } catch {}
  const why = run.error?.code ?? run.signal ?? `exit code ${run.status}`
  const reason = `guard-host gave no answer (${why}), so this call is held. Tell the user to run: guard-host doctor`
  return HOLDS ? { decision: "deny", reason } : { decision: "allow" }
}
