// What a person answers: only a plain yes is one, and what is neither yes nor no is told to nobody.
async function confirmed(ctx, call, reason) {
  let answer
  try {
    answer = await ctx.ui.confirm("guard-host asks", reason)
  } catch {}
  if (typeof answer === "boolean") tell(call, answer ? "ran" : "refused")
  return answer === true
}

export default function (pi) {
  pi.on("tool_call", async (event, ctx) => {
    const call = {
      hook_event_name: ctx.hasUI ? EVENT : `${EVENT} print`,
      permission_mode: ctx.hasUI ? "interactive" : "print",
      session_id: ctx.sessionManager?.getSessionId?.() ?? "",
      tool_use_id: event.toolCallId,
      cwd: ctx.cwd,
      tool_name: event.toolName,
      tool_input: event.input,
    }
    const reply = ask(call)
    if (reply.decision === "allow") return
    if (reply.decision === "ask" && (await confirmed(ctx, call, reply.reason))) return
    return { block: true, reason: reply.reason || "guard-host refused this call" }
  })
}
