export const GuardHost = async ({ directory }) => ({
  "tool.execute.before": async (input, output) => {
    const reply = ask({
      hook_event_name: EVENT,
      session_id: input.sessionID,
      tool_use_id: input.callID,
      cwd: directory,
      tool_name: input.tool,
      tool_input: output.args,
    })
    if (reply.decision !== "allow") throw new Error(reply.reason || "guard-host refused this call")
  },
})
