/** `npm run db:new <worker> <name>`, `npm run db:reset`, `npm run db:seed`: look after the local databases. */
import { mkdirSync, writeFileSync } from "node:fs";
import { join, relative } from "node:path";
import { claimData } from "./data-claim.ts";
import { listMigrations, type MigratedDatabase, migratedDatabases, migrationsFolder } from "./migrations.ts";
import { Refusal } from "./refusal.ts";
import { readSettings } from "./settings.ts";
import { deleteData, prepareData } from "./storage.ts";

const usage = `db:new <${migratedDatabases.join("|")}> <name>   the next migration file
db:reset                       delete the data of the data folder
db:seed                        migrate, and move the demo world in if the folder is new`;

function isMigrated(database: string | undefined): database is MigratedDatabase {
  return migratedDatabases.some((known) => known === database);
}

/** Writes an empty migration, numbered after the newest one. */
function createMigration([database, ...words]: string[]): void {
  const name = words
    .join("_")
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, "_");
  if (!isMigrated(database) || !name) throw new Refusal(usage);
  const newest = Number(listMigrations(database).at(-1)?.slice(0, 4) ?? 0);
  const file = join(migrationsFolder(database), `${String(newest + 1).padStart(4, "0")}_${name}.sql`);
  mkdirSync(migrationsFolder(database), { recursive: true });
  writeFileSync(file, "-- Once applied it is never edited or renamed.\n", { flag: "wx" });
  console.log(relative(process.cwd(), file));
}

async function onData(
  work: (
    settings: ReturnType<typeof readSettings>,
    claim: Awaited<ReturnType<typeof claimData>>,
  ) => Promise<void> | void,
) {
  const settings = readSettings();
  const claim = await claimData(settings.data_dir);
  try {
    await work(settings, claim);
  } finally {
    claim.release();
  }
}

const commands: Record<string, (args: string[]) => Promise<void> | void> = {
  new: createMigration,
  reset: () => onData(({ data_dir }) => deleteData(data_dir)),
  seed: () => onData(async ({ data_dir }, claim) => void (await prepareData(data_dir, claim, "demo"))),
};

try {
  const [command = "", ...args] = process.argv.slice(2);
  if (!Object.hasOwn(commands, command)) throw new Refusal(usage);
  await commands[command]?.(args);
} catch (error) {
  console.error(error instanceof Refusal ? error.message : error);
  process.exitCode = 1;
}
