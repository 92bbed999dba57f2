import { current } from "guard:policy/analysis@0.1.0";
import { get as context } from "guard:policy/context@0.1.0";
import { get as env } from "guard:policy/env@0.1.0";

function token() {
  try {
    return env("TOKEN");
  } catch (error) {
    return error.payload;
  }
}

export const policy = {
  describe: () => ({}),
  configure: () => {},
  decide: () => {
    const message = `${current().effects[0].operation} ${env("CI")} ${token()} ${context().cwd}`;
    return { outcome: "ask", findings: [{ rule: "publish", outcome: "ask", message, remedy: "", tags: [] }] };
  },
};
