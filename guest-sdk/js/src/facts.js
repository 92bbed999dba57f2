export { earlier, git, project } from "#facts";
