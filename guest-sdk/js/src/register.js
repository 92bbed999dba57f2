// Lets Node.js load policies that import from `guard:policy/...` themselves: `node --import guard-host-policy/register`.

import * as module from "node:module";
import { load, resolve } from "./hooks.js";

if (module.registerHooks === undefined) module.register("./hooks.js", import.meta.url);
else module.registerHooks({ load, resolve });
