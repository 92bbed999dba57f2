// The folder of the workspace, which may come as a URL.
function folder(amp) {
  const root = String(amp.system?.workspaceRoot ?? "")
  if (root.startsWith("file:")) return decodeURIComponent(new URL(root).pathname)
  return root.startsWith("/") ? root : process.cwd()
}

// What a person answers: only a plain yes is one, and what is neither yes nor no is told to nobody.
async function confirmed(ctx, call, reason) {
  let answer
  try {
    answer = await ctx.ui.confirm(reason)
  } catch {}
  if (typeof answer === "boolean") tell(call, answer ? "ran" : "refused")
  return answer === true
}

export default function (amp) {
  amp.on("tool.call", async (event, ctx) => {
    const call = {
      hook_event_name: EVENT,
      session_id: event.thread?.id ?? "",
      cwd: folder(amp),
      tool_name: event.tool,
      tool_input: event.input,
    }
    const reply = ask(call)
    if (reply.decision === "allow") return { action: "allow" }
    if (reply.decision === "ask" && (await confirmed(ctx, call, reply.reason))) return { action: "allow" }
    return { action: "reject-and-continue", message: reply.reason || "guard-host refused this call" }
  })
}
