"""The four wire protocols of models: how a request is read, and how a turn is written.

A wire reads a request into a `Turn` and writes the calls of the next turn, as one JSON object or as a stream.
"""

import json
from dataclasses import dataclass


@dataclass
class Told:
    """What the model was told of one call."""

    text: str
    error: bool = False


@dataclass
class Turn:
    opening: str  # the first words of the person, which tell whose conversation it is
    told: list  # of every call so far
    tools: list  # names of the tools that are offered


def text_of(value):
    if isinstance(value, str):
        return value
    if isinstance(value, list):
        return "\n".join(text_of(part) for part in value)
    if isinstance(value, dict):
        for key in ("text", "content", "output", "parts", "input_text"):
            if key in value:
                return text_of(value[key])
        return json.dumps(value)
    return "" if value is None else str(value)


def events(pairs):
    return "".join(f"event: {kind}\ndata: {json.dumps({'type': kind, **data})}\n\n" for kind, data in pairs)


class Anthropic:
    """Anthropic Messages."""

    @staticmethod
    def read(body):
        messages = body.get("messages") or [{}]
        parts = [part for m in messages if isinstance(m.get("content"), list) for part in m["content"]]
        # Old versions of Claude Code send a result twice.
        results = {part.get("tool_use_id"): part for part in parts if part.get("type") == "tool_result"}
        told = [Told(text_of(part.get("content")), bool(part.get("is_error"))) for part in results.values()]
        tools = [tool.get("name") for tool in body.get("tools") or []]
        spoken = [m.get("content") for m in messages if m.get("role") == "user"][:3]
        return Turn(json.dumps(spoken), told, tools)

    @staticmethod
    def write(body, calls, first):
        content = [
            {"type": "tool_use", "id": f"toolu_{first + n:02}", "name": name, "input": value}
            for n, (name, value) in enumerate(calls)
        ]
        return {
            "id": f"msg_{first:02}",
            "type": "message",
            "role": "assistant",
            "model": body.get("model", "lab"),
            "content": content or [{"type": "text", "text": "done"}],
            "stop_reason": "tool_use" if calls else "end_turn",
            "stop_sequence": None,
            "usage": {"input_tokens": 10, "output_tokens": 5},
        }

    @staticmethod
    def stream(reply):
        pairs = [("message_start", {"message": {**reply, "content": [], "stop_reason": None}})]
        for index, part in enumerate(reply["content"]):
            if part["type"] == "text":
                empty, delta = {"type": "text", "text": ""}, {"type": "text_delta", "text": part["text"]}
            else:
                empty = {**part, "input": {}}
                delta = {"type": "input_json_delta", "partial_json": json.dumps(part["input"])}
            pairs.append(("content_block_start", {"index": index, "content_block": empty}))
            pairs.append(("content_block_delta", {"index": index, "delta": delta}))
            pairs.append(("content_block_stop", {"index": index}))
        stop = {"stop_reason": reply["stop_reason"], "stop_sequence": None}
        pairs.append(("message_delta", {"delta": stop, "usage": {"output_tokens": 5}}))
        pairs.append(("message_stop", {}))
        return events(pairs)


class Responses:
    """OpenAI Responses. A tool `custom:NAME` takes text, and `SPACE::NAME` has a namespace."""

    RESULTS = ("function_call_output", "custom_tool_call_output", "local_shell_call_output")

    @classmethod
    def read(cls, body):
        items = body.get("input") or []
        if isinstance(items, str):
            items = [{"role": "user", "content": items}]
        told = [Told(text_of(item.get("output"))) for item in items if item.get("type") in cls.RESULTS]
        spoken = [item for item in items if item.get("role") == "user" or item.get("type") == "agent_message"]
        tools = []
        for tool in body.get("tools") or []:
            name = tool.get("name") or tool.get("type")
            inner = tool.get("tools") if tool.get("type") == "namespace" else None
            tools += [f"{name}::{part.get('name')}" for part in inner] if inner else [name]
        return Turn(json.dumps(spoken), told, tools)

    @staticmethod
    def item(name, value, number):
        ids = {"id": f"item_{number:02}", "call_id": f"call_{number:02}", "status": "completed"}
        if name.startswith("custom:"):
            return {"type": "custom_tool_call", **ids, "name": name[7:], "input": value}
        space, _, name = name.rpartition("::")
        call = {"type": "function_call", **ids, "name": name, "arguments": json.dumps(value)}
        return {**call, "namespace": space} if space else call

    @classmethod
    def write(cls, body, calls, first):
        output = [cls.item(name, value, first + n) for n, (name, value) in enumerate(calls)]
        words = [{"type": "output_text", "text": "done", "annotations": []}]
        message = {"type": "message", "id": "msg", "role": "assistant", "status": "completed", "content": words}
        usage = {"input_tokens": 10, "output_tokens": 5, "total_tokens": 15}
        usage["input_tokens_details"] = {"cached_tokens": 0}
        usage["output_tokens_details"] = {"reasoning_tokens": 0}
        return {
            "id": f"resp_{first:02}",
            "object": "response",
            "created_at": 0,
            "model": body.get("model", "lab"),
            "status": "completed",
            "output": output or [message],
            "usage": usage,
        }

    @staticmethod
    def stream(reply):
        pairs = [("response.created", {"response": {**reply, "status": "in_progress", "output": []}})]
        for index, item in enumerate(reply["output"]):
            at = {"output_index": index, "item_id": item["id"]}
            blank = {"arguments": ""} if "arguments" in item else {}
            added = {**item, "status": "in_progress", **blank}
            pairs.append(("response.output_item.added", {"output_index": index, "item": added}))
            if item["type"] == "message":
                part, at = item["content"][0], {**at, "content_index": 0}
                pairs.append(("response.content_part.added", {**at, "part": {**part, "text": ""}}))
                pairs.append(("response.output_text.delta", {**at, "delta": part["text"]}))
                pairs.append(("response.output_text.done", {**at, "text": part["text"]}))
            elif item["type"] == "function_call":
                pairs.append(("response.function_call_arguments.delta", {**at, "delta": item["arguments"]}))
                pairs.append(("response.function_call_arguments.done", {**at, "arguments": item["arguments"]}))
            pairs.append(("response.output_item.done", {"output_index": index, "item": item}))
        pairs.append(("response.completed", {"response": reply}))
        return events((kind, {"sequence_number": n, **data}) for n, (kind, data) in enumerate(pairs))


class Chat:
    """OpenAI Chat Completions."""

    @staticmethod
    def read(body):
        messages = body.get("messages") or []
        told = []
        for message in messages:
            text = text_of(message.get("content"))
            if message.get("role") == "tool":
                told.append(Told(text))
            # Cline says in a message of its own what a hook adds to a result.
            elif told and message.get("role") == "user" and text.startswith("<hook_context"):
                told[-1] = Told(f"{told[-1].text}\n{text}", told[-1].error)
        spoken = [m for m in messages if m.get("role") == "user"][:3]
        tools = [tool.get("function", {}).get("name") for tool in body.get("tools") or []]
        return Turn(json.dumps(spoken), told, tools)

    @staticmethod
    def write(body, calls, first):
        message = {"role": "assistant", "content": None if calls else "done"}
        if calls:
            message["tool_calls"] = [
                {
                    "id": f"call_{first + n:02}",
                    "type": "function",
                    "function": {"name": name, "arguments": json.dumps(value)},
                }
                for n, (name, value) in enumerate(calls)
            ]
        choice = {"index": 0, "message": message, "finish_reason": "tool_calls" if calls else "stop"}
        usage = {"prompt_tokens": 10, "completion_tokens": 5, "total_tokens": 15}
        start = {"id": f"chat_{first:02}", "object": "chat.completion", "created": 1, "model": body.get("model", "lab")}
        return {**start, "choices": [choice], "usage": usage}

    @staticmethod
    def stream(reply):
        choice = reply["choices"][0]
        message = choice["message"]
        start = {key: reply[key] for key in ("id", "created", "model")} | {"object": "chat.completion.chunk"}
        deltas = [{"role": "assistant", "content": message["content"] or ""}]
        deltas += [{"tool_calls": [{"index": n, **call}]} for n, call in enumerate(message.get("tool_calls", []))]
        chunks = [[{"index": 0, "delta": delta, "finish_reason": None}] for delta in deltas]
        chunks.append([{"index": 0, "delta": {}, "finish_reason": choice["finish_reason"]}])
        lines = [{**start, "choices": chunk} for chunk in chunks] + [{**start, "choices": [], "usage": reply["usage"]}]
        return "".join(f"data: {json.dumps(line)}\n\n" for line in lines) + "data: [DONE]\n\n"


class Gemini:
    """Gemini generateContent."""

    # Gemini CLI asks side questions, such as which model fits, and wants JSON for an answer.
    SIDE = {"next_speaker": "user", "reasoning": "x", "model_choice": "flash", "complexity_score": 10}

    @staticmethod
    def read(body):
        contents = body.get("contents") or []
        parts = [part for content in contents for part in content.get("parts", [])]
        results = [part["functionResponse"] for part in parts if "functionResponse" in part]
        told = [Told(text_of(result.get("response")), "error" in (result.get("response") or {})) for result in results]
        spoken = [content for content in contents if content.get("role") == "user"][:3]
        groups = [tool.get("functionDeclarations") or [] for tool in body.get("tools") or []]
        return Turn(json.dumps(spoken), told, [tool.get("name") for group in groups for tool in group])

    @classmethod
    def write(cls, body, calls, first):
        parts = [
            {"functionCall": {"name": name, "args": value, "id": f"call_{first + n:02}"}, "thoughtSignature": "bGFi"}
            for n, (name, value) in enumerate(calls)
        ]
        config = body.get("generationConfig") or {}
        wants_json = config.get("responseMimeType") == "application/json"
        parts = parts or [{"text": json.dumps(cls.SIDE) if wants_json else "done"}]
        candidate = {"content": {"role": "model", "parts": parts}, "finishReason": "STOP", "index": 0}
        usage = {"promptTokenCount": 10, "candidatesTokenCount": 5, "totalTokenCount": 15}
        return {"candidates": [candidate], "usageMetadata": usage, "modelVersion": "lab"}

    @staticmethod
    def stream(reply):
        return f"data: {json.dumps(reply)}\r\n\r\n"


def wire_of(path):
    """The wire that a request's path belongs to."""
    if path.endswith("/messages"):
        return Anthropic
    if path.endswith("/responses"):
        return Responses
    if path.endswith("/chat/completions"):
        return Chat
    return Gemini if "enerateContent" in path else None
