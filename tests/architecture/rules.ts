import type { Import } from "./imports.ts";

/**
 * The rules for imports. Source: docs/architecture.md. Each rule returns a sentence for every import that breaks it.
 */

/** The folders that every worker of the contract uses. */
const shared = ["workers/kernel/", "workers/contract/", "workers/verifier/", "workers/http/", "workers/storage/"];

/** Folders, and our folders that each may import from, itself included. */
const mayKnow: Record<string, readonly string[]> = {
  "workers/kernel/": ["workers/kernel/"],
  "workers/contract/": ["workers/contract/"],
  "workers/verifier/": ["workers/verifier/"],
  "workers/http/": ["workers/http/", "workers/kernel/", "workers/contract/"],
  "workers/storage/": ["workers/storage/", "workers/kernel/", "workers/contract/"],
  "workers/live/": ["workers/live/"],
  "workers/identity/": ["workers/identity/", ...shared, "workers/live/"],
  "workers/mails/": ["workers/mails/", ...shared],
  "workers/radio/": ["workers/radio/", "workers/kernel/", "workers/contract/", "workers/http/"],
  "workers/gateway/": ["workers/gateway/", "workers/kernel/", "workers/verifier/", "workers/http/", "workers/storage/"],
  "workers/api/notifications/": ["workers/api/", ...shared, "workers/live/"],
  "workers/api/radio-chat/": ["workers/api/", ...shared, "workers/live/"],
  "workers/api/streaming/": ["workers/api/", ...shared, "workers/live/"],
  "workers/api/": ["workers/api/", ...shared],
  "workers/pictures/": ["workers/pictures/", "workers/contract/", "workers/kernel/heavy-work.ts"],
  "workers/share-images/": ["workers/share-images/", "workers/contract/", "workers/kernel/heavy-work.ts"],
  "workers/web/": ["workers/web/", "app/", "workers/kernel/", "workers/contract/", "workers/verifier/"],
  "app/": [
    "app/",
    "workers/contract/",
    "workers/verifier/",
    "workers/kernel/log.ts",
    "workers/kernel/turn.ts",
    "workers/kernel/heavy-work.ts",
  ],
};

/** Packages a folder may use, if it is restricted. */
const mayUse: Record<string, readonly string[]> = {
  "workers/kernel/": [],
  "workers/contract/": ["zod"],
  "workers/verifier/": ["jose"],
  "workers/http/": ["hono", "zod"],
  "workers/storage/": ["kysely", "kysely-d1"],
  "workers/live/": ["cloudflare:workers"],
  "workers/radio/": ["cloudflare:workers", "jose"],
};

/** Groups of domains, from left to right: a domain may import its own group and those to its left. */
export const domainGroups = [
  ["users", "relationships", "blocks", "reactions", "uploads", "references", "news", "banks", "ledger", "maintenance"],
  ["memberships"],
  ["categories"],
  ["events", "drafts", "newsletters", "radios"],
  ["comments", "ofuses", "radio-chat", "radio-captions"],
  ["payments", "refunds"],
  ["likes", "reports", "checkouts", "payouts", "subscriptions", "intents", "activities"],
];
/** These react to others' announcements or are independent. No domain imports them. */
const imported_by_nobody = ["notifications", "search", "stats", "streaming", "edge", "imports", "leaving", "operator"];
const foundations = ["storage", "http", "gateway", "mails", "push", "zip"];

/**
 * Groups of the app's folders, from left to right: a folder may import its own group and those to its left. app/*.ts
 * and app/routes may import all of them.
 */
const appRooms = [
  ["browser", "styles", "text"],
  ["overlay", "radio", "ui", "v4", "visitor"],
  ["likes", "people", "request", "uploads"],
  ["session"],
  ["forms", "site"],
  ["post", "sign-in"],
  ["crawlers", "shell"],
  ["middleware"],
];
/** The contract's files without a domain, which ui may use: characters, numbers, and names of themes. */
const contractOfUi: ReadonlySet<string> = new Set([
  "workers/contract/graphemes.ts",
  "workers/contract/group-digits.ts",
  "workers/contract/interface.ts",
]);

/** Files of the contract and of texts that browser code may import: small, and without packages. */
const smallOnes: ReadonlySet<string> = new Set([
  "app/text/xml.ts",
  "workers/contract/group-digits.ts",
  "workers/contract/maintenance-status.ts",
  "workers/contract/overlay-names.ts",
  "workers/contract/sound-chunks.ts",
]);
/** Browser code that uses a package. */
const browserPackages: Record<string, readonly string[]> = {
  "app/browser/use-stored.ts": ["react"],
  "app/browser/rum.client.ts": ["web-vitals"],
  "app/radio/worker-encoder.ts": ["virtual:aac-module"],
  "app/visitor/recaptcha.ts": ["firebase/app", "firebase/auth"],
};

const isOurs = (path: string) => /^(app|workers|scripts)\//.test(path) || path.startsWith("../");
const folderOf = (path: string) => Object.keys(mayKnow).find((folder) => path.startsWith(folder));
const appRoomOf = (path: string) => /^app\/([^/]+)\//.exec(path)?.[1];
const appRank = (room: string) => appRooms.findIndex((group) => group.includes(room));
const domainOf = (path: string) => /^workers\/api\/([^/]+)\//.exec(path)?.[1];
const rankOf = (domain: string) => domainGroups.findIndex((group) => group.includes(domain));

type Rule = (edge: Import) => string | null;

const rules: Rule[] = [
  function folders({ from, to }) {
    const folder = folderOf(from);
    if (!folder || !isOurs(to) || to.includes("/+types/")) return null;
    return mayKnow[folder]?.some((known) => to.startsWith(known)) ? null : `${folder} must not know ${to}`;
  },
  function packages({ from, to }) {
    const allowed = Object.entries(mayUse).find(([folder]) => from.startsWith(folder))?.[1];
    if (!allowed || isOurs(to)) return null;
    return allowed.includes(to) ? null : `it must not use the package ${to}`;
  },
  function domains({ from, to }) {
    const [own, other] = [domainOf(from), domainOf(to)];
    if (!own || !other || own === other || foundations.includes(other)) return null;
    if (foundations.includes(own)) return "storage, http, gateway, mails, push and zip are below the domains";
    if (imported_by_nobody.includes(other)) return `nobody imports ${other}`;
    if (rankOf(other) < 0) return `${other} has no place among the domains yet`;
    if (imported_by_nobody.includes(own)) return null;
    return rankOf(other) <= rankOf(own) ? null : `${own} may only look left, and ${other} is not`;
  },
  function rooms({ from, to }) {
    const [own, other] = [domainOf(from), domainOf(to)];
    if (!own || !other || own === other || foundations.includes(other)) return null;
    return /\/(commands|queries|rules)\.ts$/.test(to)
      ? null
      : "another domain is reached through its commands or queries";
  },
  function pureRules({ from, to, is_type }) {
    if (!/^workers\/(api|identity)\/[^/]+\/rules\.ts$/.test(from) || is_type || !isOurs(to)) return null;
    return /^workers\/(kernel|contract)\/|\/refusal\.ts$/.test(to) ? null : "rules are pure: kernel and contract only";
  },
  function sqlRooms({ from, to, is_type }) {
    if (to !== "kysely" || is_type || !from.startsWith("workers/")) return null;
    return /\/storage\/|\/(commands|queries|reactions|personal-data|broadcast|playback|podcasts|reminders|money|uploaded-recording)\.ts$/.test(
      from,
    ) || /^workers\/(identity|gateway|mails)\//.test(from)
      ? null
      : "SQL belongs in commands, queries, reactions and personal-data";
  },
  function browserCode({ from, to, is_type }) {
    if (!/^app\/(browser|overlay|radio|visitor)\//.test(from) || is_type) return null;
    if (/^app\/(browser|overlay|radio|visitor)\//.test(to) || smallOnes.has(to)) return null;
    return browserPackages[from]?.includes(to) ? null : "what runs in every browser is small: no framework, no zod";
  },
  function roomsOfApp({ from, to }) {
    const [own, other] = [appRoomOf(from), appRoomOf(to)];
    if (!own || own === "routes" || !to.startsWith("app/") || own === other) return null;
    if (appRank(own) < 0) return `app/${own} has no place among the rooms of the app yet`;
    const is_left = other !== undefined && appRank(other) >= 0 && appRank(other) <= appRank(own);
    return is_left ? null : `app/${own} may only look left, and ${other ? `app/${other}` : to} is not`;
  },
  function uiWithoutDomain({ from, to }) {
    if (!from.startsWith("app/ui/") || !to.startsWith("workers/")) return null;
    return contractOfUi.has(to) ? null : "ui knows no domain";
  },
  function callersOfV4({ from, to, is_type }) {
    if (to !== "app/v4/call.ts" || is_type) return null;
    return from.startsWith("app/v4/") || from === "app/session/global-sign-out.ts"
      ? null
      : "app/v4 is the only caller of the API";
  },
];

/** Returns every broken rule, as `file -> import: reason`. */
export function breachesOf(imports: readonly Import[]): string[] {
  return imports.flatMap((edge) =>
    rules.flatMap((rule) => {
      const reason = rule(edge);
      return reason ? [`${edge.from} -> ${edge.to}: ${reason}`] : [];
    }),
  );
}

/** Returns every circle of imports, including type imports, as its path. Ignores generated route types. */
export function circlesOf(imports: readonly Import[]): string[] {
  const next = Map.groupBy(
    imports.filter(({ to }) => isOurs(to) && !to.includes("/+types/")),
    ({ from }) => from,
  );
  const circles: string[] = [];
  const finished = new Set<string>();
  const walkImports = (file: string, trail: string[]): void => {
    const seen_at = trail.indexOf(file);
    if (seen_at >= 0) circles.push([...trail.slice(seen_at), file].join(" -> "));
    if (seen_at >= 0 || finished.has(file)) return;
    for (const { to } of next.get(file) ?? []) walkImports(to, [...trail, file]);
    finished.add(file);
  };
  for (const file of next.keys()) walkImports(file, []);
  return circles;
}
