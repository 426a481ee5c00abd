import { env } from "cloudflare:workers";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { noMails } from "../../scripts/no-mails.ts";
import { resealAccounts, updateBankAccount } from "../../workers/api/banks/commands.ts";
import { exports } from "../../workers/api/banks/personal-data.ts";
import { findBankAccount, listBanks, listBranches, toMaskedAccount } from "../../workers/api/banks/queries.ts";
import { reactions } from "../../workers/api/banks/reactions.ts";
import { unsealAccount } from "../../workers/api/banks/sealing.ts";
import { openGateway } from "../../workers/api/gateway/client.ts";
import type { RequestContext } from "../../workers/api/http/request-context.ts";
import { dispatchOutbox } from "../../workers/api/storage/outbox.ts";
import { bankAccountInput } from "../../workers/contract/banks.ts";
import type { HandedMail } from "../../workers/contract/mails.ts";
import { addUser, contextOf, d1, dispatcherOf, NOW_MS, servicesOf } from "./support/context.ts";

const account = bankAccountInput.parse({
  bank_code: "0001",
  branch_code: "004",
  account_type: "futsu",
  account_number: "7654321",
  account_holder_kana: "ナツメ ハナコ",
});
const other = { ...account, account_number: "0000042", account_holder_kana: "オオサワ タロウ", branch_code: "005" };

async function addCreator(is_creator = 1): Promise<RequestContext & { user_id: string }> {
  const user_id = await addUser(`bank_${crypto.randomUUID().slice(0, 8)}`, { is_creator });
  return { ...contextOf(user_id), user_id };
}

const rowOf = (user_id: string) =>
  d1.prepare("SELECT * FROM bank_accounts WHERE user_id = ?").bind(user_id).first<Record<string, string>>();
const changesOf = async (user_id: string) => {
  const changes = d1.prepare("SELECT * FROM bank_account_changes WHERE user_id = ? ORDER BY change_id").bind(user_id);
  return (await changes.all<Record<string, string>>()).results;
};
const codeOf = (promise: Promise<unknown>) =>
  promise.then(
    () => null,
    ({ code, fields }) => (fields ? [code, Object.keys(fields)] : code),
  );

/** Captures what the workers log during the test. */
function captureLog(): string[] {
  const lines: string[] = [];
  const spy = vi.spyOn(console, "error").mockImplementation((line) => void lines.push(String(line)));
  onTestFinished(() => spy.mockRestore());
  return lines;
}

describe("a registered account", () => {
  test("is returned to its owner, with three digits of its number", async () => {
    const creator = await addCreator();
    expect(await findBankAccount(creator, creator.user_id)).toBeNull();
    await updateBankAccount(creator, account);
    const found = await findBankAccount(creator, creator.user_id);
    expect(found).toMatchObject({ account_number: "7654321", account_holder_kana: "ナツメ ハナコ" });
    expect(found && toMaskedAccount(found)).toEqual({
      bank_code: "0001",
      bank_name: "みずほ銀行",
      branch_code: "004",
      branch_name: "丸の内中央",
      account_type: "futsu",
      account_number_last3: "321",
      account_holder_kana: "ナツメ ハナコ",
      updated_at: new Date(NOW_MS).toISOString(),
    });
  });

  test("is replaced by the next one, and leaves a row of the audit trail each time", async () => {
    const creator = await addCreator();
    await updateBankAccount(creator, account);
    await updateBankAccount(creator, other);
    expect(await findBankAccount(creator, creator.user_id)).toMatchObject({ account_number: "0000042" });
    const trail = await changesOf(creator.user_id);
    expect(trail.map(({ branch_code }) => branch_code).sort()).toEqual(["004", "005"]);
    expect(JSON.stringify(trail)).not.toMatch(/7654321|0000042|ナツメ|オオサワ/);
    await expect(d1.prepare("UPDATE bank_account_changes SET branch_code = '001'").run()).rejects.toThrow(
      "append-only",
    );
  });

  test("is mailed to its owner each time, with three digits of its number and without its holder", async () => {
    const creator = await addCreator();
    await d1.prepare("UPDATE users SET email = 'payee@example.jp' WHERE user_id = ?").bind(creator.user_id).run();
    await updateBankAccount(creator, account);
    await updateBankAccount(creator, other);
    // A refused registration mails nothing.
    await codeOf(updateBankAccount(creator, { ...other, branch_code: "999" }));
    const mailed: HandedMail[] = [];
    const mails = { ...noMails, handOver: async (given: readonly HandedMail[]) => void mailed.push(...given) };
    const gateway = openGateway({ SITE_ORIGIN: "https://ofuse.example" });
    const dispatcher = dispatcherOf({ mails, gateway, reactions: [reactions] });
    await dispatchOutbox(dispatcher);
    await dispatchOutbox(dispatcher);
    const told = (branch: string, number_end: string) => ({
      mail_id: expect.stringMatching(/^bank:[0-9a-z]{26}$/),
      kind: "bank_account_changed",
      recipient: "payee@example.jp",
      language: "ja",
      gaps: { bank: "みずほ銀行", branch, number_end, link: "https://ofuse.example/my/settings/bank" },
    });
    expect(mailed).toHaveLength(2);
    expect(mailed).toEqual(expect.arrayContaining([told("丸の内中央", "321"), told("丸之内", "042")]));
    expect(new Set(mailed.map(({ mail_id }) => mail_id)).size).toBe(2);
  });

  test("is notified on the site each time, where an owner finds it who got no mail", async () => {
    const creator = await addCreator();
    await updateBankAccount(creator, account);
    await updateBankAccount(creator, other);
    await dispatchOutbox(
      dispatcherOf({ mails: noMails, gateway: openGateway({ SITE_ORIGIN: "https://ofuse.example" }) }),
    );
    const { results } = await d1
      .prepare("SELECT message, path FROM notifications WHERE user_id = ? ORDER BY message")
      .bind(creator.user_id)
      .all();
    expect(results).toEqual(
      ["丸の内中央の口座（末尾321）", "丸之内の口座（末尾042）"].map((words) => ({
        message: expect.stringContaining(words),
        path: "/my/settings/bank",
      })),
    );
  });

  test("is nowhere readable in the database", async () => {
    const creator = await addCreator();
    const idempotency = { scope: "bank", key: "bank-0001", body_hash: "h", status: 204 };
    await updateBankAccount({ ...creator, idempotency }, account);
    const { results } = await d1
      .prepare("SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT GLOB '_cf_*'")
      .all<{ name: string }>();
    const dumps = await d1.batch(results.map(({ name }) => d1.prepare(`SELECT * FROM "${name}"`)));
    const text = JSON.stringify(dumps.map((dump) => dump.results));
    expect(text).toContain(creator.user_id);
    expect(text).not.toMatch(/7654321|654321|ナツメ ハナコ|ハナコ/);
    // Equal accounts look different.
    const before = await rowOf(creator.user_id);
    await updateBankAccount(creator, account);
    expect((await rowOf(creator.user_id))?.sealed).not.toBe(before?.sealed);
  });

  test.each([
    ["a bank that does not exist", { bank_code: "9998" }, ["bank_not_found", ["bank_code"]]],
    ["a branch of another bank", { branch_code: "999" }, ["branch_not_found", ["branch_code"]]],
  ])("is refused with %s", async (_, change, code) => {
    const creator = await addCreator();
    expect(await codeOf(updateBankAccount(creator, { ...account, ...change }))).toEqual(code);
    expect(await rowOf(creator.user_id)).toBeNull();
  });

  test("is refused to a member who is not a creator, and after too many changes in a day", async () => {
    const fan = await addCreator(0);
    expect(await codeOf(updateBankAccount(fan, account))).toBe("creator_required");
    expect([await rowOf(fan.user_id), await changesOf(fan.user_id)]).toEqual([null, []]);
    const creator = await addCreator();
    for (let each = 0; each < 20; each += 1) await updateBankAccount(creator, account);
    expect(await codeOf(updateBankAccount(creator, other))).toBe("too_many_requests");
    expect(await findBankAccount(creator, creator.user_id)).toMatchObject({ account_number: "7654321" });
  });
});

describe("a row that somebody changed in the database", () => {
  const swap = (column: string, from: string, to: string) =>
    d1
      .prepare(
        `UPDATE bank_accounts SET ${column} = (SELECT ${column} FROM bank_accounts WHERE user_id = ?) WHERE user_id = ?`,
      )
      .bind(from, to)
      .run();

  test.each(["sealed", "bank_code", "branch_code", "account_type", "key_id"])(
    "is refused when its %s is another row's, and the log names no secret",
    async (column) => {
      const [thief, victim] = [await addCreator(), await addCreator()];
      const keys = "k9:a-second-key-of-this-one-test-00000000,k1:bank-key-of-the-tests-00000000000001";
      const different = { ...other, bank_code: "0005", branch_code: "001", account_type: "toza" as const };
      await updateBankAccount({ ...thief, bank_keys: keys }, different);
      await updateBankAccount(victim, account);
      await swap(column, thief.user_id, victim.user_id);
      const log = captureLog();
      const read = findBankAccount({ ...victim, bank_keys: keys }, victim.user_id);
      expect(await codeOf(read)).toBe("bank_account_unreadable");
      expect(log.join()).toContain(victim.user_id);
      expect(log.join()).not.toMatch(/7654321|0000042|ナツメ|オオサワ|second-key/);
    },
  );

  test.each(["", "not base64!", "AAAA", btoa("x".repeat(40))])("is refused when it is '%s'", async (sealed) => {
    const row = { user_id: "u", bank_code: "0001", branch_code: "001", account_type: "futsu", key_id: "k1", sealed };
    expect(await unsealAccount(env.BANK_KEYS, row)).toBeNull();
  });

  test("can be registered again", async () => {
    const creator = await addCreator();
    await updateBankAccount(creator, account);
    await d1.prepare("UPDATE bank_accounts SET sealed = 'AAAA' WHERE user_id = ?").bind(creator.user_id).run();
    captureLog();
    expect(await codeOf(findBankAccount(creator, creator.user_id))).toBe("bank_account_unreadable");
    await updateBankAccount(creator, other);
    expect(await findBankAccount(creator, creator.user_id)).toMatchObject({ account_number: "0000042" });
  });
});

test("an account whose key this version lacks is unavailable, and the log says which key", async () => {
  const creator = await addCreator();
  await updateBankAccount(creator, account);
  const lacking = { ...creator, bank_keys: "k2:only-the-next-key-is-left-000000000000" };
  const log = captureLog();
  expect(await codeOf(findBankAccount(lacking, creator.user_id))).toBe("unavailable");
  expect(log.join()).toContain(`BANK_KEYS has no key k1, which the bank account of ${creator.user_id} needs`);
  await updateBankAccount(lacking, other);
  expect(await findBankAccount(lacking, creator.user_id)).toMatchObject({ account_number: "0000042" });
});

test("the clock encrypts the accounts of an older key again, and leaves the unreadable ones", async () => {
  const [creator, broken] = [await addCreator(), await addCreator()];
  await updateBankAccount(creator, account);
  await updateBankAccount(broken, account);
  await d1.prepare("UPDATE bank_accounts SET sealed = 'AAAA' WHERE user_id = ?").bind(broken.user_id).run();
  const bank_keys = `k2:the-next-key-of-the-tests-00000000000,${env.BANK_KEYS}`;
  const services = servicesOf({ bank_keys });
  await resealAccounts(servicesOf());
  expect(await rowOf(creator.user_id)).toMatchObject({ key_id: "k1" });
  await resealAccounts(services);
  expect(await rowOf(creator.user_id)).toMatchObject({ key_id: "k2" });
  expect(await rowOf(broken.user_id)).toMatchObject({ key_id: "k1", sealed: "AAAA" });
  const after = { ...creator, bank_keys: bank_keys.split(",")[0] ?? "" };
  expect(await findBankAccount(after, creator.user_id)).toMatchObject({ account_number: "7654321" });
  // The tests share their database.
  await d1.prepare("DELETE FROM bank_accounts").run();
});

test("an export has the account masked", async () => {
  const creator = await addCreator();
  await updateBankAccount(creator, account);
  const item = await exports?.bank_account?.complete?.(creator, { user_id: creator.user_id });
  expect(item).toMatchObject({ bank_name: "みずほ銀行", account_number_last3: "321" });
  expect(JSON.stringify(item)).not.toContain("7654321");
});

describe("the list of banks", () => {
  const namesOf = async (q?: string) => (await listBanks(q)).banks.map(({ name }) => name);

  test("begins with the usual banks", async () => {
    expect(await namesOf()).toEqual([
      ...["ゆうちょ", "三菱UFJ", "三井住友", "みずほ", "りそな", "楽天", "PayPay"].map((name) => `${name}銀行`),
      ...(await namesOf("0038")),
      ...["イオン銀行", "セブン銀行"],
    ]);
  });

  test.each([
    ["みずほ銀行", "みずほ銀行"],
    ["ミズホ", "みずほ銀行"],
    ["0001", "みずほ銀行"],
    ["０００１", "みずほ銀行"],
    ["三菱ＵＦＪ", "三菱UFJ銀行"],
    ["みつびしゆーえふじぇい", "三菱UFJ銀行"],
    ["ゆうちょ", "ゆうちょ銀行"],
    ["ゆうちよ", "ゆうちょ銀行"],
    ["paypay", "PayPay銀行"],
    ["きょうとちゅうおう", "京都中央信金"],
    ["京都中央信用金庫", "京都中央信金"],
    ["銀行", "みずほ銀行"],
    ["ワイズ", "ワイズ・ペイメンツ・ジャパン"],
    ["シティバンク", "シティバンク、エヌ・エイ"],
  ])("finds %s first", async (q, name) => {
    expect((await namesOf(q))[0]).toBe(name);
  });

  test("finds nothing for nonsense, and at most 30", async () => {
    expect(await listBanks("存在しない銀行名")).toEqual({ banks: [], has_more: false });
    const many = await listBanks("信金");
    expect([many.banks.length, many.has_more]).toEqual([30, true]);
  });

  test("has the branches of each bank", async () => {
    const found = await listBranches("0001", "しぶや支店");
    expect(found.bank.name).toBe("みずほ銀行");
    expect(found.branches[0]).toEqual({ branch_code: "210", name: "渋谷" });
    expect((await listBranches("9900", "018")).branches).toEqual([{ branch_code: "018", name: "〇一八" }]);
    const all = await listBranches("0001");
    expect([all.branches.length, all.has_more]).toEqual([30, true]);
    expect(await codeOf(listBranches("9998"))).toBe("not_found");
  });
});
