// The host's functions of the package guard:facts@0.2.0 in a component.

import * as gitModule from "guard:facts/git@0.2.0";
import * as projectModule from "guard:facts/project@0.2.0";
import * as earlierModule from "guard:facts/earlier@0.2.0";

export const [git, project, earlier] = [gitModule, projectModule, earlierModule];
