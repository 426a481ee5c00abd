import * as z from "zod";
import { DEPENDENCIES_PATH, FIGURES_PATH } from "../contract/health.ts";
import {
  BOUNCES_PATH,
  bouncesAnswer,
  DELIVERIES_PATH,
  deliveriesAnswer,
  handedMails,
  KEPT_MAILS_PATH,
  MAIL_STATES,
  MAIL_WEBHOOK_PATH,
  MAILS_PATH,
  NEWSLETTER_CANCELLATIONS_PATH,
  NEWSLETTER_PREVIEWS_PATH,
  NEWSLETTERS_PATH,
  newsletterCancellation,
  newsletterMail,
  RETRIES_PATH,
  SUPPRESSIONS_PATH,
} from "../contract/mails.ts";
import { answerDependencies } from "../http/dependencies.ts";
import { answerRequest } from "../http/door.ts";
import { logUnexpected, nameLogs } from "../kernel/log.ts";
import { Problem } from "../kernel/problem.ts";
import { nameRoute, request_meter } from "../kernel/request-log.ts";
import type { WorkerFigures } from "../kernel/request-meter.ts";
import { MEND_STEP, mendAfterJump } from "../storage/clock-jumps.ts";
import { runSteps } from "../storage/clock-runs.ts";
import { pingDatabase } from "../storage/ping.ts";
import { beginCount, countQueries } from "../storage/query-count.ts";
import { isLocal } from "../verifier/deployment.ts";
import {
  acceptMails,
  forgetBounces,
  forgetWords,
  hashAddress,
  mendWaits,
  releaseAddress,
  retryMail,
  suppressAddresses,
} from "./commands.ts";
import { deliverDue } from "./delivery.ts";
import { type MailSettings, readMailSettings } from "./deployment.ts";
import {
  acceptNewsletter,
  cancelNewsletters,
  forgetContents,
  forgetDeliveries,
  listDeliveries,
  previewNewsletter,
} from "./newsletters.ts";
import { listBounces, listKeptMails, listMails, listSuppressions, readGauges } from "./queries.ts";
import { openMailDatabase } from "./storage/database.ts";
import { receiveReport } from "./webhooks.ts";

// workerd takes a millisecond for a `setImmediate`, and nodemailer's composer calls a dozen for a mail.
globalThis.setImmediate = ((work: (...given: unknown[]) => void, ...given: unknown[]) =>
  queueMicrotask(() => work(...given))) as typeof setImmediate;

nameLogs("mails");

const listQuery = z.object({
  state: z.enum(MAIL_STATES).optional(),
  address: z.string().optional(),
  next_page_token: z.string().optional(),
  limit: z.coerce.number().int().min(1).max(100).default(100),
});
const suppressionQuery = listQuery.pick({ address: true });
const suppression = z.object({ address: z.string(), is_suppressed: z.boolean() });
const retry = z.object({ mail_id: z.string() });

/** How long one request, and one run of the clock, may send. The platform ends work after an answer in 30 seconds. */
const AFTER_ANSWER_MS = 20_000;
const RUN_MS = 50_000;

/**
 * Writes and sends mails. Only workers with a service binding can call it, so it authenticates nobody. The web worker
 * forwards one address, that of the provider's webhooks, which are signed.
 */
export default {
  fetch: (request, env, context) =>
    answerRequest(request, async (request_id) => {
      const settings = settingsOf(env);
      const stored = openStored(env);
      const { db } = stored;
      const { pathname, searchParams } = new URL(request.url);
      const mails = { ...stored, now_ms: Date.now() };
      const deliverAfterAnswer = () => {
        const delivering = deliverDue({ ...stored, settings, limit_ms: AFTER_ANSWER_MS });
        context.waitUntil(delivering.catch((error: unknown) => logUnexpected(error, request_id)));
      };
      nameRoute(request, pathname);
      switch (`${request.method} ${pathname}`) {
        case `GET ${DEPENDENCIES_PATH}`:
          return answerDependencies({ database: () => pingDatabase(env.DB) });
        case `GET ${FIGURES_PATH}`: {
          const gauges = await readGauges(db, mails.now_ms);
          return Response.json({ requests: request_meter.read(), gauges } satisfies WorkerFigures);
        }
        case `POST ${MAILS_PATH}`: {
          await acceptMails(mails, (await readBody(handedMails, request)).mails, settings.sender);
          deliverAfterAnswer();
          return new Response(null, { status: 204 });
        }
        case `POST ${NEWSLETTERS_PATH}`: {
          await acceptNewsletter(mails, await readBody(newsletterMail, request), settings.sender);
          deliverAfterAnswer();
          return new Response(null, { status: 204 });
        }
        case `POST ${NEWSLETTER_CANCELLATIONS_PATH}`: {
          await cancelNewsletters(mails, (await readBody(newsletterCancellation, request)).content_ids);
          return new Response(null, { status: 204 });
        }
        case `POST ${NEWSLETTER_PREVIEWS_PATH}`:
          return Response.json(previewNewsletter(await readBody(newsletterMail, request), settings.sender));
        case `GET ${DELIVERIES_PATH}`:
          return Response.json({ deliveries: await listDeliveries(mails) });
        case `DELETE ${DELIVERIES_PATH}`:
          await forgetDeliveries(mails, (await readBody(deliveriesAnswer, request)).deliveries);
          return new Response(null, { status: 204 });
        case `GET ${KEPT_MAILS_PATH}`:
          if (settings.end?.kind !== "kept") throw new Problem("not_found");
          return Response.json({ mails: await listKeptMails(db) });
        case `GET ${MAILS_PATH}`: {
          const { address, ...asked } = requireShape(listQuery, Object.fromEntries(searchParams));
          const recipient_hash = address === undefined ? undefined : await hashAddress(address);
          return Response.json(await listMails(db, { ...asked, recipient_hash }));
        }
        case `POST ${RETRIES_PATH}`: {
          const { mail_id } = await readBody(retry, request);
          return Response.json({ is_queued: await retryMail(mails, mail_id) });
        }
        case `GET ${SUPPRESSIONS_PATH}`: {
          const { address } = requireShape(suppressionQuery, Object.fromEntries(searchParams));
          return Response.json(
            await listSuppressions(db, address === undefined ? address : await hashAddress(address)),
          );
        }
        case `PUT ${SUPPRESSIONS_PATH}`: {
          const { address, is_suppressed } = await readBody(suppression, request);
          if (is_suppressed) await suppressAddresses(mails, [address], "operator");
          else await releaseAddress(mails, address);
          return new Response(null, { status: 204 });
        }
        case `GET ${BOUNCES_PATH}`:
          return Response.json({ addresses: await listBounces(db) });
        case `DELETE ${BOUNCES_PATH}`: {
          const { addresses } = await readBody(bouncesAnswer, request);
          await forgetBounces(mails, addresses);
          return new Response(null, { status: 204 });
        }
        case `POST ${MAIL_WEBHOOK_PATH}`:
          await receiveReport(mails, request, settings.webhook_secret);
          return new Response(null, { status: 204 });
        default:
          throw new Problem("not_found");
      }
    }),

  /** Runs every minute: sends what is due, and forgets the words of old mails. */
  async scheduled(_controller, env): Promise<void> {
    const settings = settingsOf(env);
    const stored = openStored(env);
    const mails = () => ({ ...stored, now_ms: Date.now() });
    const store = { d1: stored.d1, database: stored.db, now_ms: Date.now() };
    const steps = {
      [MEND_STEP]: () => mendAfterJump(store, () => mendWaits(mails())),
      deliverDue: () => deliverDue({ ...stored, settings, limit_ms: RUN_MS }),
      forgetWords: () => forgetWords(mails()),
      forgetContents: () => forgetContents(mails()),
    };
    await runSteps(steps, store);
  },
} satisfies ExportedHandler<MailsEnv>;

/** Opens the database for one invocation, whose queries it counts. */
function openStored(env: MailsEnv) {
  const count = beginCount(isLocal(env.ENVIRONMENT));
  const d1 = countQueries(env.DB, count);
  return { d1, db: openMailDatabase(d1), count };
}

/** Checks what a caller sent. Throws `bad_request`: the caller must not take it for an outage, and repeat it. */
function requireShape<S extends z.ZodType>(schema: S, sent: unknown): z.output<S> {
  const { success, data } = schema.safeParse(sent);
  if (!success) throw new Problem("bad_request");
  return data;
}

const readBody = async <S extends z.ZodType>(schema: S, request: Request): Promise<z.output<S>> =>
  requireShape(schema, await request.json().catch(() => null));

/** Throws when the deployment must not take mails. The reasons go to the log. */
function settingsOf(env: MailsEnv): MailSettings {
  const read = readMailSettings(env);
  if (!("settings" in read)) throw new Error(`deployment refused: ${read.breaches.join("; ")}`);
  return read.settings;
}
