import { domain as activities } from "./activities/domain.ts";
import { domain as banks } from "./banks/domain.ts";
import { domain as blocks } from "./blocks/domain.ts";
import { domain as categories } from "./categories/domain.ts";
import { domain as checkouts } from "./checkouts/domain.ts";
import { domain as comments } from "./comments/domain.ts";
import type { CronSteps, Domain } from "./domain.ts";
import { domain as drafts } from "./drafts/domain.ts";
import { domain as edge } from "./edge/domain.ts";
import { domain as events } from "./events/domain.ts";
import { domain as gateway } from "./gateway/domain.ts";
import { domain as imports } from "./imports/domain.ts";
import { domain as intents } from "./intents/domain.ts";
import { domain as leaving } from "./leaving/domain.ts";
import { domain as ledger } from "./ledger/domain.ts";
import { domain as likes } from "./likes/domain.ts";
import { domain as mails } from "./mails/domain.ts";
import { domain as maintenance } from "./maintenance/domain.ts";
import { domain as memberships } from "./memberships/domain.ts";
import { domain as news } from "./news/domain.ts";
import { domain as newsletters } from "./newsletters/domain.ts";
import { domain as notifications } from "./notifications/domain.ts";
import { domain as ofuses } from "./ofuses/domain.ts";
import { domain as operator } from "./operator/domain.ts";
import { domain as payments } from "./payments/domain.ts";
import { domain as payouts } from "./payouts/domain.ts";
import { domain as radioCaptions } from "./radio-captions/domain.ts";
import { domain as radioChat } from "./radio-chat/domain.ts";
import { domain as radios } from "./radios/domain.ts";
import { domain as reactions } from "./reactions/domain.ts";
import { domain as references } from "./references/domain.ts";
import { domain as refunds } from "./refunds/domain.ts";
import { domain as relationships } from "./relationships/domain.ts";
import { domain as reports } from "./reports/domain.ts";
import { domain as search } from "./search/domain.ts";
import { domain as stats } from "./stats/domain.ts";
import { domain as storage } from "./storage/domain.ts";
import { expiriesOf } from "./storage/retention.ts";
import { domain as streaming } from "./streaming/domain.ts";
import { domain as subscriptions } from "./subscriptions/domain.ts";
import { domain as uploads } from "./uploads/domain.ts";
import { domain as users } from "./users/domain.ts";

/**
 * Domains that need no other domain's declarations, leftmost first (docs/architecture.md). A domain's rows depend only
 * on rows of domains listed before it.
 */
const independentDomains: readonly Domain[] = [
  storage,
  users,
  relationships,
  blocks,
  reactions,
  uploads,
  references,
  news,
  banks,
  ledger,
  gateway,
  mails,
  memberships,
  categories,
  events,
  drafts,
  radios,
  comments,
  ofuses,
  radioChat,
  radioCaptions,
  payments,
  refunds,
  checkouts,
  subscriptions,
  payouts,
  likes,
  reports,
  intents,
  activities,
  streaming,
  newsletters,
  imports,
  search,
  stats,
  maintenance,
  edge,
  operator,
];

const domainsBeforeLeaving = [...independentDomains, notifications(independentDomains)];

export const domains: readonly Domain[] = [...domainsBeforeLeaving, leaving(domainsBeforeLeaving)];

/** The declarations of all domains, combined. */
export const registry = {
  endpoints: domains.flatMap((domain) => domain.endpoints ?? []),
  reactions: domains.flatMap((domain) => domain.reactions ?? []),
  kinds_of_triggers: domains.flatMap((domain) => domain.kinds_of_triggers ?? []),
  kinds_at_once: domains.flatMap((domain) => domain.kinds_at_once ?? []),
  kinds_of_long_work: domains.flatMap((domain) => domain.kinds_of_long_work ?? []),
  expiries: domains.flatMap((domain) => expiriesOf(domain.tables ?? {})),
  waits: domains.flatMap((domain) => domain.waits ?? []),
  due: Object.assign({}, ...domains.map(({ due }) => due)) as CronSteps,
  upkeep: Object.assign({}, ...domains.map(({ upkeep }) => upkeep)) as CronSteps,
};
