/**
 * Operators' acts. The command line and the operators' pages call these operations. The published
 * reference leaves them out: to all other callers each of them answers like an unknown address. Source:
 * docs/decisions/0024.
 */

export * from "./operator/accounts.ts";
export * from "./operator/mails.ts";
export * from "./operator/money.ts";
export * from "./operator/news.ts";
export * from "./operator/reports.ts";
export * from "./operator/site.ts";
