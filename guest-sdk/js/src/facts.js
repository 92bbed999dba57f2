export { earlier, git, project } from "#facts";
export { history } from "#history";
