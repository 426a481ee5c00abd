/** `npm run operator -- <subject> ...`: what an operator does to a site. Each subject is a file of scripts/operator/. */
import { maintenanceSubject } from "./operator/maintenance.ts";
import { openProduct } from "./operator/product.ts";
import { reportsSubject } from "./operator/reports.ts";
import { searchSubject } from "./operator/search.ts";
import type { Subject } from "./operator/subject.ts";
import { userSubject } from "./operator/user.ts";
import { Refusal } from "./refusal.ts";
import { readSettings } from "./settings.ts";

const subjects: Record<string, Subject> = {
  maintenance: maintenanceSubject,
  reports: reportsSubject,
  search: searchSubject,
  user: userSubject,
};

const usage = `operator [--remote] <subject> ...
  --remote   the site in production, by wrangler; otherwise that of DATA_DIR, served just now or not

${Object.values(subjects)
  .map((subject) => subject.usage)
  .join("\n")}`;

try {
  const given = process.argv.slice(2);
  const args = given.filter((arg) => arg !== "--remote");
  const subject = Object.hasOwn(subjects, args[0] ?? "") ? subjects[args[0] ?? ""] : undefined;
  if (!subject) throw new Refusal(usage);
  // Read before anything is opened: what is said wrongly touches nothing.
  const act = subject.read(args.slice(1), Date.now());
  const product = await openProduct(given.length > args.length ? "remote" : readSettings().data_dir);
  try {
    console.log(await act(product));
  } finally {
    await product.close();
  }
} catch (error) {
  console.error(error instanceof Refusal ? error.message : error);
  process.exitCode = 1;
}
