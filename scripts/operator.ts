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
import { openRemoteSite, openSite } from "./operator/site.ts";
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
  --remote   the site in production, with its OPERATOR_KEY; otherwise that of DATA_DIR, served just now or not

${Object.values(subjects)
  .map((subject) => subject.usage)
  .join("\n")}`;

try {
  const given = process.argv.slice(2);
  const args = given.filter((arg) => arg !== "--remote");
  const subject = Object.hasOwn(subjects, args[0] ?? "") ? subjects[args[0] ?? ""] : undefined;
  if (!subject) throw new Refusal(usage);
  // Read the arguments first: a mistyped command must not open a site.
  const act = subject.read(args.slice(1), Date.now());
  const site = given.length > args.length ? openRemoteSite() : await openSite(readSettings().data_dir);
  try {
    console.log(await act(site));
  } finally {
    await site.close();
  }
} catch (error) {
  console.error(error instanceof Refusal ? error.message : error);
  process.exitCode = 1;
}
