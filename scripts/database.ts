/** `npm run db:new <worker> <name>`, `npm run db:reset`, `npm run db:seed`: look after the local databases. */
import { mkdirSync, writeFileSync } from "node:fs";
import { join, relative, resolve } from "node:path";
import { claimData } from "./data-claim.ts";
import { isSiteFolder, refuseSiteFolder, settleWorld } from "./data-folder.ts";
import { listMigrations, type MigratedDatabase, migratedDatabases, migrationsFolder } from "./migrations.ts";
import { Refusal } from "./refusal.ts";
import { readSettings } from "./settings.ts";
import { quoteForShell } from "./shell.ts";
import { deleteData, listData, prepareData } from "./storage.ts";

const usage = `db:new <${migratedDatabases.join("|")}> <name>   the next migration file
db:reset [folder]              delete the data of the data folder; a site's folder must be named
db:seed                        migrate, and move the demo world in if the folder is new`;

function isMigrated(database: string | undefined): database is MigratedDatabase {
  return migratedDatabases.some((known) => known === database);
}

const isOption = (word = "") => word.startsWith("-");

/** Writes an empty migration, numbered after the newest one. */
function createMigration([database, ...words]: string[]): void {
  const name = words
    .join("_")
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, "_");
  if (!isMigrated(database) || !name || words.some(isOption)) throw new Refusal(usage);
  const newest = Number(listMigrations(database).at(-1)?.slice(0, 4) ?? 0);
  const file = join(migrationsFolder(database), `${String(newest + 1).padStart(4, "0")}_${name}.sql`);
  mkdirSync(migrationsFolder(database), { recursive: true });
  writeFileSync(file, "-- Once applied it is never edited or renamed.\n", { flag: "wx" });
  console.log(relative(process.cwd(), file));
}

/** Deletes the data of the named folder. Without a name deletes those of a demo: real people's data have no second copy. */
async function reset([named, ...more]: string[]): Promise<void> {
  if (more.length > 0 || named === "" || isOption(named)) throw new Refusal(usage);
  const data_dir = named === undefined ? readSettings().data_dir : resolve(named);
  if (named === undefined && (isSiteFolder(data_dir) || settleWorld(data_dir, undefined).world === "site")) {
    throw new Refusal(
      `${data_dir} holds a site. To delete the data of its people for good: npm run db:reset -- ${quoteForShell(data_dir)}`,
    );
  }
  const deleted = listData(data_dir);
  if (deleted.length === 0) {
    console.log(`${data_dir} has no data.`);
    return;
  }
  const claim = await claimData(data_dir);
  try {
    deleteData(data_dir);
  } finally {
    claim.release();
  }
  console.log(`Deleted ${deleted.join(" and ")} in ${data_dir}. Backups, secrets and settings are kept.`);
}

async function seed(args: string[]): Promise<void> {
  if (args.length > 0) throw new Refusal(usage);
  const { data_dir } = readSettings();
  refuseSiteFolder(data_dir);
  const claim = await claimData(data_dir);
  try {
    await prepareData(data_dir, claim, "demo");
  } finally {
    claim.release();
  }
}

const commands: Record<string, (args: string[]) => Promise<void> | void> = { new: createMigration, reset, seed };

try {
  const [command = "", ...args] = process.argv.slice(2);
  if (!Object.hasOwn(commands, command)) throw new Refusal(usage);
  await commands[command]?.(args);
} catch (error) {
  console.error(error instanceof Refusal ? error.message : error);
  process.exitCode = 1;
}
