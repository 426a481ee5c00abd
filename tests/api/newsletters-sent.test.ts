import { env } from "cloudflare:workers";
import { beforeEach, describe, expect, test } from "vitest";
import { noMails } from "../../scripts/no-mails.ts";
import { domains } from "../../workers/api/domains.ts";
import { openGateway } from "../../workers/api/gateway/client.ts";
import { unsubscribe } from "../../workers/api/leaving/commands.ts";
import { exportPage } from "../../workers/api/leaving/queries.ts";
import type { Mails } from "../../workers/api/mails/client.ts";
import {
  createNewsletter,
  publishDue,
  readStops,
  recordDeliveries,
  testNewsletter,
  updateNewsletter,
  updateStops,
} from "../../workers/api/newsletters/commands.ts";
import {
  findNewsletter,
  listOwnNewsletters,
  listReceivedNewsletters,
  previewNewsletter,
} from "../../workers/api/newsletters/queries.ts";
import { openDatabase } from "../../workers/api/storage/database.ts";
import { dispatchOutbox, dispatchUntried } from "../../workers/api/storage/outbox.ts";
import { LEFT_NAME } from "../../workers/contract/bounds.ts";
import type { NewsletterMail } from "../../workers/contract/mails.ts";
import { createNewsletter as creation } from "../../workers/contract/newsletters.ts";
import { newId } from "../../workers/kernel/ids.ts";
import { Problem } from "../../workers/kernel/problem.ts";
import { addUser, contextOf, d1, dispatcherOf, NOW_MS, servicesOf } from "./support/context.ts";

/** Writing, scheduling, publishing and mailing newsletters. */

const database = openDatabase(d1);
const gateway = openGateway({ SITE_ORIGIN: "https://ofuse.example" });
const page = { page_number: 1, page_size: 20 };
const HOUR_MS = 60 * 60 * 1000;
const DAY_MS = 24 * HOUR_MS;
const toIso = (ms: number) => new Date(ms).toISOString();
const inJapan = (time: string) => Date.parse(`${time}+09:00`);

/** How many writes race for the newsletters of one creator. `NEWSLETTER_RACERS` asks for several such races. */
const RACERS = 60;

let people = 0;
let creator: string;
beforeEach(async () => {
  people++;
  await d1.prepare("UPDATE outbox SET processed_at = '' WHERE processed_at IS NULL").run();
  creator = await addUser(`writer_${people}`, { is_creator: 1 });
});

const letterOf = (given: object = {}) =>
  creation.body.parse({
    title: "窓辺だより",
    document: [{ type: "paragraph", content: [{ type: "text", text: "こんにちは。" }] }],
    ...given,
  });
const create = (given: object = {}, now_ms = NOW_MS) =>
  createNewsletter(contextOf(creator, { now_ms }), letterOf(given));
const schedule = (publish_at_ms: number, now_ms = NOW_MS) =>
  create({ status: "scheduled", publish_at: toIso(publish_at_ms) }, now_ms);
const publishAt = (now_ms: number) => publishDue({ d1, database, now_ms });
const codeOf = (attempt: Promise<unknown>): Promise<string> =>
  attempt.then(
    () => "done",
    (error) => error.code,
  );
const remaining = async (now_ms: number) =>
  (await listOwnNewsletters(contextOf(creator, { now_ms }), creator, page)).remaining_count;

/** Adds people with addresses who follow the creator. Returns their ids, last to follow first. */
async function addFollowers(number: number): Promise<string[]> {
  const ids = Array.from({ length: number }, () => newId(NOW_MS));
  const json = JSON.stringify(ids);
  await d1.batch([
    d1
      .prepare(
        `INSERT INTO users (user_id, identity_id, link_id, name, email, created_at)
         SELECT value, value, 'n_' || substr(value, 1, 30), 'ファン', value || '@fan.example', ? FROM json_each(?)`,
      )
      .bind(toIso(NOW_MS), json),
    d1
      .prepare(
        `INSERT INTO relationships (follower_id, following_id, created_at)
         SELECT value, ?, strftime('%Y-%m-%dT%H:%M:%fZ', '2026-01-01', (key / 10) || ' hours') FROM json_each(?)`,
      )
      .bind(creator, json),
  ]);
  return ids;
}

/** Dispatches all outbox rows. Returns the hand-overs of newsletters. */
async function dispatchAll(parts: Partial<Mails> = {}): Promise<NewsletterMail[]> {
  const handed: NewsletterMail[] = [];
  const handOverNewsletter = async (given: NewsletterMail) => void handed.push(given);
  const dispatcher = dispatcherOf({ gateway, now_ms: NOW_MS, mails: { ...noMails, handOverNewsletter, ...parts } });
  await dispatchOutbox(dispatcher);
  while (await dispatchUntried(dispatcher));
  return handed;
}
const receiversOf = (handed: readonly NewsletterMail[]) =>
  handed.flatMap(({ receivers }) => receivers.map(({ recipient }) => recipient.split("@")[0] ?? ""));

describe("the limit of a month", () => {
  test("holds against many writes at once on both sides of the end of a Japanese month", async () => {
    const end = inJapan("2026-12-01T00:00:00.000");
    const races = Math.ceil(Number(env.NEWSLETTER_RACERS || RACERS) / RACERS);
    for (let race = 0; race < races; race++) {
      creator = await addUser(`racer_${race}`, { is_creator: 1 });
      await addFollowers(1);
      // Both months are written from both sides: sent now, scheduled for the month, scheduled for the next.
      const attempts = Array.from({ length: RACERS }, (_, n) => {
        // Each race begins at another side of the month's end.
        const now_ms = end - RACERS / 2 + ((n + race) % RACERS);
        if (n % 3 === 0) return create({ status: "published" }, now_ms);
        return schedule(n % 3 === 1 ? Math.max(now_ms, end - 1) : end + HOUR_MS + n, now_ms);
      });
      const outcomes = await Promise.all(attempts.map(codeOf));
      expect(outcomes.filter((code) => code === "done")).toHaveLength(8);
      expect(new Set(outcomes)).toEqual(new Set(["done", "newsletter_limit_reached"]));
      expect([await remaining(end - 1), await remaining(end)]).toEqual([0, 0]);
    }
  });

  test("is freed by cancelling, and a change of the time moves it to the other month", async () => {
    const [first, second] = [await schedule(NOW_MS + DAY_MS), await schedule(NOW_MS + DAY_MS)];
    expect(await remaining(NOW_MS)).toBe(2);
    const change = (id: string, given: object) => updateNewsletter(contextOf(creator), id, letterOf(given));
    await change(first.id, { status: "draft" });
    await change(second.id, { status: "scheduled", publish_at: toIso(NOW_MS + 20 * DAY_MS) });
    expect([await remaining(NOW_MS), await remaining(NOW_MS + 20 * DAY_MS)]).toEqual([4, 3]);
  });

  test("counts a newsletter that is scheduled again for the same month once", async () => {
    const all = [];
    for (let n = 0; n < 4; n++) all.push(await schedule(NOW_MS + DAY_MS));
    const again = letterOf({ status: "scheduled", publish_at: toIso(NOW_MS + 2 * DAY_MS) });
    expect(await codeOf(updateNewsletter(contextOf(creator), all[0]?.id ?? "", again))).toBe("done");
    expect(await codeOf(schedule(NOW_MS + DAY_MS))).toBe("newsletter_limit_reached");
  });
});

describe("who gets it", () => {
  const audiences = async () =>
    (await listOwnNewsletters(contextOf(creator), creator, { ...page, with_audiences: true })).audiences;

  test("is counted as the send chooses them", async () => {
    expect(await audiences()).toEqual([{ membership_id: null, receivers_count: 0, has_readers: false }]);
    const [silent = "", stopped = "", all_stopped = "", bounced = "", blocked = "", ...others] = await addFollowers(8);
    const plan = newId(NOW_MS);
    await d1.batch([
      d1.prepare("UPDATE relationships SET receives_notifications = 0 WHERE follower_id = ?").bind(silent),
      d1.prepare("INSERT INTO newsletter_stops VALUES (?, ?, '')").bind(stopped, creator),
      d1.prepare("INSERT INTO newsletter_refusals VALUES (?, '')").bind(all_stopped),
      d1.prepare("UPDATE users SET email_invalid = 1 WHERE user_id = ?").bind(bounced),
      d1.prepare("INSERT INTO blocks (blocker_id, blocking_id, created_at) VALUES (?, ?, '')").bind(creator, blocked),
      d1
        .prepare(
          `INSERT INTO memberships (membership_id, user_id, title, description, amount, active_state, created_at, published_at)
           VALUES (?, ?, 'プラン', '', 500, 'active', '2026-01-01', '2026-01-01')`,
        )
        .bind(plan, creator),
      ...[others[0], stopped].map((member) =>
        d1
          .prepare(
            `INSERT INTO subscriptions (subscription_id, user_id, membership_id, status, paid_until, created_at)
             VALUES (?, ?, ?, 'active', ?, '2026-01-01')`,
          )
          .bind(newId(NOW_MS), member, plan, toIso(NOW_MS + DAY_MS)),
      ),
    ]);
    expect(await audiences()).toEqual([
      { membership_id: null, receivers_count: 3, has_readers: true },
      { membership_id: plan, receivers_count: 1, has_readers: true },
    ]);
    await create({ status: "published" });
    expect(receiversOf(await dispatchAll()).toSorted()).toEqual(others.toSorted());
  });

  test("must be somebody when it is sent now; a draft and a schedule may wait for the first one", async () => {
    const draft = await create();
    const send = () => updateNewsletter(contextOf(creator), draft.id, letterOf({ status: "published" }));
    expect(await codeOf(send())).toBe("newsletter_without_receivers");
    expect(await codeOf(create({ status: "published" }))).toBe("newsletter_without_receivers");
    for (let n = 0; n < 4; n++) await schedule(NOW_MS + DAY_MS);
    // Missing receivers are reported before the monthly limit: the creator can change only the former this month.
    expect(await codeOf(send())).toBe("newsletter_without_receivers");
    await addFollowers(1);
    expect(await codeOf(send())).toBe("newsletter_limit_reached");
  });

  test("may be people who read it on the site alone", async () => {
    const plan = newId(NOW_MS);
    const [silent = "", blocked = "", disabled = ""] = await addFollowers(3);
    const isOpen = async () => (await audiences())?.map(({ has_readers }) => has_readers);
    await d1.batch([
      d1.prepare("UPDATE relationships SET receives_notifications = 0 WHERE follower_id = ?").bind(silent),
      d1.prepare("INSERT INTO newsletter_stops VALUES (?, ?, '')").bind(silent, creator),
      d1.prepare("INSERT INTO blocks (blocker_id, blocking_id, created_at) VALUES (?, ?, '')").bind(creator, blocked),
      d1.prepare("UPDATE users SET disabled_at = '2026-01-01' WHERE user_id = ?").bind(disabled),
      d1
        .prepare(
          `INSERT INTO memberships (membership_id, user_id, title, description, amount, active_state, created_at, published_at)
           VALUES (?, ?, 'プラン', '', 500, 'active', '2026-01-01', '2026-01-01')`,
        )
        .bind(plan, creator),
      ...[blocked, disabled].map((member) =>
        d1
          .prepare(
            `INSERT INTO subscriptions (subscription_id, user_id, membership_id, status, paid_until, created_at)
             VALUES (?, ?, ?, 'active', ?, '2026-01-01')`,
          )
          .bind(newId(NOW_MS), member, plan, toIso(NOW_MS + DAY_MS)),
      ),
    ]);
    expect(await isOpen()).toEqual([true, false]);
    const toPlan = { status: "published", fan_scope: "memberships", membership_id: plan };
    expect(await codeOf(create(toPlan))).toBe("newsletter_without_receivers");
    await d1.prepare("UPDATE subscriptions SET user_id = ? WHERE user_id = ?").bind(silent, blocked).run();
    expect(await isOpen()).toEqual([true, true]);
    expect(await codeOf(create(toPlan))).toBe("done");
    expect(await codeOf(create({ status: "published" }))).toBe("done");
    await d1.prepare("DELETE FROM relationships WHERE follower_id = ?").bind(silent).run();
    expect(await codeOf(create({ status: "published" }))).toBe("newsletter_without_receivers");
  });
});

describe("the clock", () => {
  test("publishes a due newsletter once, on its planned moment, in runs that overlap", async () => {
    const { id } = await schedule(NOW_MS + HOUR_MS);
    const late = await schedule(NOW_MS + 3 * HOUR_MS);
    await publishAt(NOW_MS + HOUR_MS - 1);
    expect(await findNewsletter(contextOf(creator), creator, id)).toMatchObject({ status: "scheduled" });
    await Promise.all([1, 2, 3].map(() => publishAt(NOW_MS + 2 * HOUR_MS)));
    expect(await findNewsletter(contextOf(creator), creator, id)).toMatchObject({
      status: "published",
      published_at: toIso(NOW_MS + HOUR_MS),
    });
    expect(await findNewsletter(contextOf(creator), creator, late.id)).toMatchObject({ status: "scheduled" });
    const { results } = await d1
      .prepare("SELECT kind FROM outbox WHERE payload ->> 'newsletter_id' = ?")
      .bind(id)
      .all();
    expect(results.map(({ kind }) => kind).sort()).toEqual(["newsletter_mailed", "newsletter_published"]);
  });

  test("lets the newsletters of a disabled account wait", async () => {
    const { id } = await schedule(NOW_MS + HOUR_MS);
    const setDisabled = (at: string | null) =>
      d1.prepare("UPDATE users SET disabled_at = ? WHERE user_id = ?").bind(at, creator).run();
    await setDisabled(toIso(NOW_MS));
    await publishAt(NOW_MS + 2 * HOUR_MS);
    await setDisabled(null);
    expect(await findNewsletter(contextOf(creator), creator, id)).toMatchObject({ status: "scheduled" });
  });
});

describe("a published newsletter", () => {
  test("cannot be changed, and a change that races the clock loses or wins whole", async () => {
    await addFollowers(1);
    const { id } = await create({ status: "published" });
    const change = updateNewsletter(contextOf(creator), id, letterOf({ status: "draft" }));
    expect(await codeOf(change)).toBe("newsletter_published");
    const { id: racing } = await schedule(NOW_MS + HOUR_MS);
    const [outcome] = await Promise.all([
      codeOf(updateNewsletter(contextOf(creator), racing, letterOf({ status: "draft" }))),
      publishAt(NOW_MS + 2 * HOUR_MS),
    ]);
    const after = await findNewsletter(contextOf(creator), creator, racing);
    expect([outcome, after?.status]).toEqual(
      outcome === "done" ? ["done", "draft"] : ["newsletter_published", "published"],
    );
  });

  test("reaches each follower once as notification and mail, in pages, whatever is dispatched twice", async () => {
    const fans = await addFollowers(1003);
    const { id } = await create({ status: "published" });
    // The mails worker fails at the second page, and its first page is handed over again after a lost answer.
    let calls = 0;
    const taken: NewsletterMail[] = [];
    const handOverNewsletter = async (given: NewsletterMail) => {
      taken.push(given);
      if (++calls < 3) throw new Error("lost");
    };
    for (let n = 0; n < 4; n++) await dispatchAll({ handOverNewsletter });
    expect(Math.max(...taken.map(({ receivers }) => receivers.length))).toBe(500);
    const ids = taken.flatMap(({ receivers }) => receivers.map(({ mail_id }) => mail_id));
    // The repeated hand-overs name the same mails, which the mails worker takes once.
    expect([...new Set(ids)].sort()).toEqual(fans.map((fan) => `newsletter:${id}:${fan}`).sort());
    const { results } = await d1
      .prepare("SELECT user_id FROM notifications WHERE type = 'news_letter_received' AND path = ?")
      .bind(`/my/news_letters/${id}`)
      .all<{ user_id: string }>();
    expect(results.map(({ user_id }) => user_id).sort()).toEqual([...fans].sort());
  });

  test("reaches no one who stopped, bounces, blocked, turned notifications off or is gone", async () => {
    const [stopped = "", refused = "", bouncing = "", blocked = "", quiet = "", disabled = "", fan] =
      await addFollowers(7);
    const now = toIso(NOW_MS);
    await d1.batch([
      d1.prepare("INSERT INTO newsletter_stops VALUES (?, ?, ?)").bind(stopped, creator, now),
      d1.prepare("INSERT INTO newsletter_refusals VALUES (?, ?)").bind(refused, now),
      d1.prepare("UPDATE users SET email_invalid = 1 WHERE user_id = ?").bind(bouncing),
      d1
        .prepare("INSERT INTO blocks (blocker_id, blocking_id, created_at) VALUES (?, ?, ?)")
        .bind(creator, blocked, now),
      d1.prepare("UPDATE relationships SET receives_notifications = 0 WHERE follower_id = ?").bind(quiet),
      d1.prepare("UPDATE users SET disabled_at = ? WHERE user_id = ?").bind(now, disabled),
    ]);
    await create({ status: "published" });
    expect(receiversOf(await dispatchAll())).toEqual([fan]);
  });

  test("for a plan reaches and is read by its members alone, and others see a title without its body", async () => {
    const [member = "", fan = "", blocked = "", blocking = ""] = await addFollowers(4);
    const membership_id = newId(NOW_MS);
    const block = d1.prepare("INSERT INTO blocks VALUES (?, ?, '2026-01-01')");
    await d1.batch([
      d1
        .prepare(
          `INSERT INTO memberships (membership_id, user_id, title, description, amount, active_state, published_at, created_at, position)
           VALUES (?1, ?2, '応援', '', 500, 'active', ?3, ?3, 0)`,
        )
        .bind(membership_id, creator, toIso(NOW_MS)),
      ...[member, blocked, blocking].map((user_id) =>
        d1
          .prepare(
            `INSERT INTO subscriptions (subscription_id, membership_id, user_id, status, paid_until, created_at)
             VALUES (?, ?, ?, 'active', ?, ?)`,
          )
          .bind(newId(NOW_MS), membership_id, user_id, toIso(NOW_MS + 30 * DAY_MS), toIso(NOW_MS)),
      ),
      block.bind(creator, blocked),
      block.bind(blocking, creator),
    ]);
    const { id } = await create({ status: "published", fan_scope: "memberships", membership_id });
    expect(receiversOf(await dispatchAll())).toEqual([member]);
    const seenBy = (viewer: string, now_ms = NOW_MS) => findNewsletter(contextOf(viewer, { now_ms }), viewer, id);
    const listedFor = async (viewer: string) =>
      (await listReceivedNewsletters(contextOf(viewer), viewer, page)).news_letters.map((each) => each.id);
    expect(await seenBy(member)).toMatchObject({ is_locked: false, body: "こんにちは。" });
    const locked = await seenBy(fan);
    expect(locked).toMatchObject({ is_locked: true, title: "窓辺だより", body: null, document: null });
    expect(JSON.stringify(locked)).not.toContain("こんにちは");
    expect(await seenBy(member, NOW_MS + 31 * DAY_MS)).toMatchObject({ is_locked: true });
    expect([await listedFor(member), await listedFor(fan)]).toEqual([[id], []]);
  });
});

describe("the mails of a newsletter are canceled", () => {
  const setDisabled = async (is_disabled: boolean) => {
    const at = is_disabled ? toIso(NOW_MS) : null;
    await d1.prepare("UPDATE users SET disabled_at = ? WHERE user_id = ?").bind(at, creator).run();
  };
  async function canceledBy(act: () => Promise<unknown>): Promise<string[]> {
    const canceled: string[] = [];
    await act();
    const outage = async () => {
      throw new Problem("unavailable");
    };
    await dispatchAll({ cancelNewsletters: outage });
    await dispatchAll({ cancelNewsletters: async (ids) => void canceled.push(...ids) });
    return canceled;
  }

  test.each([
    ["disabled", () => setDisabled(true)],
    ["gone", () => unsubscribe(contextOf(creator), domains)],
  ])("when its writer is %s, once the mails worker answers", async (_, act) => {
    await addFollowers(1);
    const { id } = await create({ status: "published" });
    await schedule(NOW_MS + DAY_MS);
    await dispatchAll();
    expect(await canceledBy(act)).toEqual([id]);
  });

  test("neither for a writer who has sent none, nor when an account is enabled", async () => {
    expect(await canceledBy(() => setDisabled(true))).toEqual([]);
    await setDisabled(false);
    await addFollowers(1);
    await create({ status: "published" });
    expect(await canceledBy(() => setDisabled(false))).toEqual([]);
  });
});

test("drafts and scheduled newsletters do not exist for others, and tests go to their writer alone", async () => {
  const [fan = ""] = await addFollowers(1);
  await d1.prepare("UPDATE users SET email = 'writer@example.jp' WHERE user_id = ?").bind(creator).run();
  const { id } = await create();
  expect(await findNewsletter(contextOf(fan), fan, id)).toBeNull();
  expect(await codeOf(testNewsletter(contextOf(fan), id))).toBe("not_found");
  await testNewsletter(contextOf(creator), id);
  const [test] = await dispatchAll();
  expect(test).toMatchObject({ title: "［テスト］窓辺だより", receivers: [{ recipient: "writer@example.jp" }] });
  // The numbers of a test are not those of the newsletter.
  expect(test?.content_id).not.toBe(id);
});

describe("the pictures of a newsletter", () => {
  async function addImage({ owner = creator, access = "public", processing_status = "completed" } = {}) {
    const image_id = newId(NOW_MS);
    await d1
      .prepare(
        `INSERT INTO images (image_id, owner_user_id, access, alt, content_type, width, height, widths, created_at, processing_status)
         VALUES (?, ?, ?, '', 'image/webp', 1280, 720, '[{"width":1280,"types":["webp"]}]', ?, ?)`,
      )
      .bind(image_id, owner, access, toIso(NOW_MS), processing_status)
      .run();
    return image_id;
  }
  const imageOf = (image_id: string) => ({ type: "image", image_id });
  /** Returns a newsletter that shows one picture and lists another one before it. */
  const picturedOf = (shown: string, waiting: string) => ({
    document: [imageOf(shown)],
    images: [
      { image_id: waiting, alt: "" },
      { image_id: shown, alt: "夜明けの海" },
    ],
  });

  test("are public uploads of its writer, also at the moment of the write", async () => {
    const stranger = await addUser(`stranger_${people}`, { is_creator: 1 });
    const own = await addImage();
    const unusable = [
      await addImage({ owner: stranger }),
      await addImage({ access: "event" }),
      await addImage({ processing_status: "processing" }),
      await addImage({ processing_status: "failed" }),
      newId(NOW_MS),
    ];
    for (const image_id of unusable) {
      await expect(create({ images: [{ image_id: own }, { image_id }] })).rejects.toMatchObject({
        code: "image_not_usable",
        fields: { images: [expect.any(String)] },
      });
    }
    const { id } = await create({ images: [{ image_id: own }, { image_id: own }] });
    expect(await findNewsletter(contextOf(creator), creator, id)).toMatchObject({ images: [{ image_id: own }] });
    // The picture goes between the command's read and its write.
    const batch: D1Database["batch"] = async (statements) => {
      const answers = await d1.batch(statements);
      await d1.prepare("DELETE FROM images WHERE image_id = ?").bind(own).run();
      return answers as never;
    };
    const racing = new Proxy(d1, {
      get: (target, name) => (name === "batch" ? batch : Reflect.get(target, name).bind(target)),
    });
    const late = createNewsletter(contextOf(creator, { d1: racing }), letterOf({ images: [{ image_id: own }] }));
    expect(await codeOf(late)).toBe("image_not_usable");
  });

  test("are all for the writer, those it shows for its readers, and none for others", async () => {
    const [fan = ""] = await addFollowers(1);
    const stranger = await addUser(`stranger_${people}`);
    const [shown, waiting] = [await addImage(), await addImage()];
    const { id } = await create();
    const given = letterOf({ ...picturedOf(shown, waiting), status: "published" });
    const written = await updateNewsletter(contextOf(creator), id, given);
    const seenBy = (viewer: string) => findNewsletter(contextOf(viewer), viewer, id);
    const sea = {
      image_id: shown,
      alt: "夜明けの海",
      width: 1280,
      height: 720,
      medium_url: `/media/${shown}/medium`,
      srcset: null,
      placeholder: null,
    };
    expect(written.images).toEqual([expect.objectContaining({ image_id: waiting, alt: "" }), sea]);
    expect(await seenBy(creator)).toEqual(written);
    expect((await seenBy(fan))?.images).toEqual([sea]);
    const locked = await seenBy(stranger);
    expect(locked).toMatchObject({ is_locked: true, images: [] });
    expect(JSON.stringify(locked)).not.toContain(shown);
    const { items } = await exportPage(contextOf(creator), domains, "newsletters", undefined);
    expect(items).toMatchObject([{ newsletter_id: id, images: given.images }]);
    await d1.prepare("DELETE FROM images WHERE image_id = ?").bind(shown).run();
    expect([(await seenBy(creator))?.images.length, (await seenBy(fan))?.images]).toEqual([1, []]);
  });

  test("are in its mails with the site's addresses, and alone are content enough", async () => {
    await addFollowers(1);
    await d1.prepare("UPDATE users SET email = 'writer@example.jp' WHERE user_id = ?").bind(creator).run();
    const [shown, waiting] = [await addImage(), await addImage()];
    const { id } = await create(picturedOf(shown, waiting));
    await testNewsletter(contextOf(creator), id);
    const handed = await dispatchAll();
    const preview = {
      ...contextOf(creator, { gateway }),
      mails: { ...noMails, previewNewsletter: async (given: NewsletterMail) => void handed.push(given) as never },
    };
    await previewNewsletter(preview, creator, id);
    await create({ ...picturedOf(shown, waiting), status: "published" });
    handed.push(...(await dispatchAll()));
    const url = `https://ofuse.example/media/${shown}/medium`;
    const picture = { image_id: shown, url, alt: "夜明けの海", width: 1280, height: 720 };
    expect(handed.map(({ pictures }) => pictures)).toEqual([[picture], [picture], [picture]]);
  });
});

describe("the link of a mail", () => {
  async function receive() {
    const [fan = ""] = await addFollowers(1);
    const { id } = await create({ status: "published" });
    const [mail] = await dispatchAll();
    const link = mail?.receivers[0]?.stop_link ?? "";
    expect(link).toMatch(/^https:\/\/ofuse\.example\/unsubscribe\//);
    return { fan, id, token: link.slice("https://ofuse.example/unsubscribe/".length) };
  }
  const countOf = async (id: string) =>
    (await listOwnNewsletters(contextOf(creator), creator, page)).news_letters.find((each) => each.id === id)
      ?.unsubscribed_count;
  const visitor = contextOf(null);

  test("stops this creator's newsletters without a log-in, once, and nobody else's", async () => {
    const { fan, id, token } = await receive();
    const other = creator;
    for (const _ of [1, 2]) await updateStops(visitor, { token, is_stopped: true });
    expect(await readStops(visitor, token)).toEqual({
      creator_name: `writer_${people}`,
      is_stopped: true,
      is_all_stopped: false,
      has_creator_left: false,
    });
    expect(await countOf(id)).toBe(1);
    await create({ status: "published" });
    expect(receiversOf(await dispatchAll())).toEqual([]);
    creator = await addUser(`second_writer_${people}`, { is_creator: 1 });
    await d1
      .prepare("INSERT INTO relationships (follower_id, following_id, created_at) VALUES (?, ?, ?)")
      .bind(fan, creator, toIso(NOW_MS))
      .run();
    await create({ status: "published" });
    expect(receiversOf(await dispatchAll())).toEqual([fan]);
    creator = other;
    await updateStops(visitor, { token, is_stopped: false });
    await create({ status: "published" });
    expect(receiversOf(await dispatchAll())).toEqual([fan]);
  });

  test("counts a stop after a resumption, and none of the writer's own", async () => {
    await d1.prepare("UPDATE users SET email = 'writer@example.jp' WHERE user_id = ?").bind(creator).run();
    const { id, token } = await receive();
    for (const is_stopped of [true, false, true]) await updateStops(visitor, { token, is_stopped });
    expect(await countOf(id)).toBe(2);
    const draft = await create();
    await testNewsletter(contextOf(creator), draft.id);
    const [mail] = await dispatchAll();
    const own = mail?.receivers[0]?.stop_link.split("/unsubscribe/")[1] ?? "";
    await updateStops(visitor, { token: own, is_stopped: true });
    expect(await readStops(visitor, own)).toMatchObject({ is_stopped: true });
    expect(await countOf(draft.id)).toBe(0);
  });

  test("stops all newsletters if asked", async () => {
    const { token } = await receive();
    await updateStops(visitor, { token, is_all_stopped: true });
    expect(await readStops(visitor, token)).toMatchObject({ is_stopped: false, is_all_stopped: true });
    await create({ status: "published" });
    expect(receiversOf(await dispatchAll())).toEqual([]);
  });

  test("stops all newsletters also after its creator has left, until the receiver leaves", async () => {
    const { fan, token } = await receive();
    await unsubscribe(contextOf(creator), domains);
    const gone = { creator_name: LEFT_NAME, is_stopped: true, has_creator_left: true };
    expect(await readStops(visitor, token)).toEqual({ ...gone, is_all_stopped: false });
    for (const is_stopped of [true, false]) {
      expect(await updateStops(visitor, { token, is_stopped })).toEqual({ ...gone, is_all_stopped: false });
    }
    await updateStops(visitor, { token, is_all_stopped: true });
    expect(await readStops(visitor, token)).toEqual({ ...gone, is_all_stopped: true });
    await unsubscribe(contextOf(fan), domains);
    expect(await codeOf(readStops(visitor, token))).toBe("not_found");
    expect(await codeOf(updateStops(visitor, { token, is_stopped: true }))).toBe("not_found");
  });

  test("works only as it was signed", async () => {
    const { fan, id, token } = await receive();
    const [, , signature] = token.split(".");
    const other = await addUser(`another_${people}`);
    for (const forged of [`${id}.${other}.${signature}`, `${id}.${fan}.x`, `${id}.${fan}`, `${token}.x`, ""]) {
      expect(await codeOf(updateStops(visitor, { token: forged, is_stopped: true }))).toBe("not_found");
    }
  });
});

test("what the mails worker reports is recorded, and acknowledged", async () => {
  await addFollowers(1);
  const { id } = await create({ status: "published" });
  const deliveries = [{ content_id: id, handed_count: 12, sent_count: 9, bounced_count: 2 }];
  const acknowledged: unknown[] = [];
  const mails: Mails = {
    ...noMails,
    readDeliveries: async () => deliveries,
    forgetDeliveries: async (given) => void acknowledged.push(...given),
  };
  await recordDeliveries(servicesOf({ mails }));
  const [own] = (await listOwnNewsletters(contextOf(creator), creator, page)).news_letters;
  expect(own).toMatchObject({ receivers_count: 12, sent_count: 9, bounced_count: 2 });
  expect(acknowledged).toEqual(deliveries);
});
