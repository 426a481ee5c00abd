/** `npm run operator -- <subject> ...`: the operators' command. Each subject is a file of scripts/operator/. */
import { actsSubject } from "./operator/acts.ts";
import { campaignSubject } from "./operator/campaign.ts";
import { ledgerSubject } from "./operator/ledger.ts";
import { mailSubject } from "./operator/mail.ts";
import { maintenanceSubject } from "./operator/maintenance.ts";
import { moneySubject } from "./operator/money.ts";
import { outboxSubject } from "./operator/outbox.ts";
import { reportsSubject } from "./operator/reports.ts";
import { searchSubject } from "./operator/search.ts";
import { openRemoteSite, openSite, type Site } from "./operator/site.ts";
import { statsSubject } from "./operator/stats.ts";
import type { Subject } from "./operator/subject.ts";
import { userSubject } from "./operator/user.ts";
import { Refusal } from "./refusal.ts";
import { readSettings } from "./settings.ts";

const subjects: Record<string, Subject> = {
  acts: actsSubject,
  campaign: campaignSubject,
  ledger: ledgerSubject,
  mail: mailSubject,
  maintenance: maintenanceSubject,
  money: moneySubject,
  outbox: outboxSubject,
  reports: reportsSubject,
  search: searchSubject,
  stats: statsSubject,
  user: userSubject,
};

const usage = `operator [--remote] <subject> ...
  --remote   the site in production, with its OPERATOR_KEY; otherwise that of SITE_FOLDER or DATA_DIR, served just now or not

${Object.values(subjects)
  .map((subject) => subject.usage)
  .join("\n")}`;

interface Command {
  is_remote: boolean;
  act(site: Pick<Site, "call">): Promise<string>;
}

/** Reads a whole command. Throws a Refusal for invalid arguments: a mistyped command must not open a site. */
export function readCommand(given: readonly string[]): Command {
  const [name = "", ...args] = given.filter((arg) => arg !== "--remote");
  const subject = Object.hasOwn(subjects, name) ? subjects[name] : undefined;
  if (!subject) throw new Refusal(usage);
  return { is_remote: given.includes("--remote"), act: subject.read(args, Date.now()) };
}

if (import.meta.main) {
  try {
    const { is_remote, act } = readCommand(process.argv.slice(2));
    const site = is_remote ? openRemoteSite() : await openSite(readSettings().data_dir);
    try {
      console.log(await act(site));
    } finally {
      await site.close();
    }
  } catch (error) {
    console.error(error instanceof Refusal ? error.message : error);
    process.exitCode = 1;
  }
}
