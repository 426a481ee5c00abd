/** `npm run site:status -- <folder>`: tells how a site is. Exits with 1 when something is wrong. */
import { siteFolder } from "./site/folder.ts";
import { readStatus } from "./site/status.ts";

const { facts, faults } = readStatus(siteFolder("site:status"), Date.now());
const width = Math.max(...facts.map(([name]) => name.length)) + 2;
for (const [name, value] of facts) console.log(`${name.padEnd(width)}${value}`);
for (const fault of faults) console.error(`Wrong  ${fault}`);
process.exitCode = faults.length > 0 ? 1 : 0;
