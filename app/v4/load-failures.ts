/** Loads the script about failed requests. The browser has it already, because the shell's script imports it. */
export const loadFailures = () => import("./failed-requests.ts").catch(() => null);
