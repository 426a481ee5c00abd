/** The folder of the site that a command is about. */
import { resolve } from "node:path";

/**
 * Returns the folder: the only argument of the command, or SITE_FOLDER. Ends the process with the usage when there is
 * neither.
 */
export function siteFolder(command: string): string {
  const [given = process.env.SITE_FOLDER, ...more] = process.argv.slice(2);
  if (given && more.length === 0 && !given.startsWith("-")) return resolve(given);
  console.error(`npm run ${command} -- <folder>   or SITE_FOLDER=<folder> npm run ${command}`);
  process.exit(1);
}
