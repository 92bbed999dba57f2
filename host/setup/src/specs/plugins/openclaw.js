// The workspace of the agent, in which its tools run unless they say otherwise.
function folder(api, ctx) {
  try {
    const { agent, config } = api.runtime
    return agent.resolveAgentWorkspaceDir(config.current(), ctx.agentId)
  } catch {
    return ""
  }
}

// A call as the program is told it. A tool that changes plugins is told as the command that does the same.
function asTool({ toolKind, toolName, params }) {
  if (toolName !== "plugins") return { tool_name: toolKind ?? toolName, tool_input: params }
  const command = `openclaw plugins ${params.action} ${params.pluginId ?? ""}`
  return { tool_name: "exec", tool_input: { command } }
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

// `openclaw agent` without the Gateway has nobody to ask.
const IS_AGENT_COMMAND = process.argv.slice(2).find((word) => !word.startsWith("-")) === "agent"

export default {
  id: "guard-host",
  name: "guard-host",
  description: "Judges each tool call before it runs.",
  register(api) {
    const judge = (event, ctx) => {
      const call = {
        hook_event_name: IS_AGENT_COMMAND ? `${EVENT} exec` : EVENT,
        session_id: ctx.sessionId ?? ctx.sessionKey ?? "",
        tool_use_id: event.toolCallId,
        cwd: folder(api, ctx),
        // Code that calls tools has the name of the tool that runs commands. Each of its calls comes here, too.
        ...asTool(event),
      }
      const reply = ask(call)
      if (reply.decision === "allow") return
      const reason = reply.reason || "guard-host refused this call"
      if (reply.decision === "ask") return { requireApproval: question(call, reason) }
      return { block: true, blockReason: reason }
    }
    // `openclaw agent exec` calls no `before_tool_call` hooks, but it honors policies.
    api.registerTrustedToolPolicy({ id: "guard-host", description: "Judges each tool call.", evaluate: judge })
    api.on("session_end", (event) => tell({ session_id: event.sessionId }, "session_end"))
  },
}
