// The workspace of the agent, in which its tools run unless they say otherwise.
function folder(api, ctx) {
  try {
    const { agent, config } = api.runtime
    return agent.resolveAgentWorkspaceDir(config.current(), ctx.agentId)
  } catch {
    return ""
  }
}

// The question that people who may approve are shown. OpenClaw refuses a description of more than 512 characters.
function question(call, reason) {
  const told = { "allow-once": "ran", deny: "refused" }
  return {
    title: "guard-host asks",
    description: reason.length > 512 ? `${reason.slice(0, 511)}…` : reason,
    severity: "warning",
    allowedDecisions: ["allow-once", "deny"],
    onResolution: (decision) => {
      if (told[decision]) tell(call, told[decision])
    },
  }
}

export default {
  id: "guard-host",
  name: "guard-host",
  description: "Judges each tool call before it runs.",
  register(api) {
    const judge = (event, ctx) => {
      const call = {
        hook_event_name: EVENT,
        session_id: ctx.sessionId ?? ctx.sessionKey ?? "",
        tool_use_id: event.toolCallId,
        cwd: folder(api, ctx),
        // Code that calls tools has the name of the tool that runs commands. Each of its calls comes here, too.
        tool_name: event.toolKind ?? event.toolName,
        tool_input: event.params,
      }
      const reply = ask(call)
      if (reply.decision === "allow") return
      const reason = reply.reason || "guard-host refused this call"
      if (reply.decision === "ask") return { requireApproval: question(call, reason) }
      return { block: true, blockReason: reason }
    }
    api.on("before_tool_call", judge, { priority: 1000, timeoutMs: TIMEOUT + 5000 })
    api.on("session_end", (event) => tell({ session_id: event.sessionId }, "session_end"))
  },
}
