// Only a plain yes of a person is one.
async function confirmed(ctx, reason) {
  try {
    return (await ctx.ui.confirm("guard-host asks", reason)) === true
  } catch {
    return false
  }
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
    if (reply.decision === "ask" && (await confirmed(ctx, reply.reason))) return tell(call)
    return { block: true, reason: reply.reason || "guard-host refused this call" }
  })
}
