/** Parts of the operators' command that need no site. What the commands do to one: operator.test.ts, operator-user.test.ts. */
import { describe, expect, test, vi } from "vitest";
import { actsSubject } from "../../scripts/operator/acts.ts";
import { mailSubject } from "../../scripts/operator/mail.ts";
import { moneySubject } from "../../scripts/operator/money.ts";
import { CallRefused } from "../../scripts/operator/site.ts";
import { userSubject } from "../../scripts/operator/user.ts";
import type { ProblemJson } from "../../workers/contract/problem.ts";

const NOW = Date.parse("2026-11-20T03:00:00.000Z");
const ID = "01kaf2m8q3v7x1n5r9t4w6y8ze";

/** A site that gives each operation its answer, and refuses the others as unknown. */
function siteAnswering(answers: Record<string, object>) {
  const call = vi.fn(async ({ id }: { id: string }, _input: { query?: object }) => {
    const answer = answers[id];
    if (answer) return answer;
    throw new CallRefused({ code: "not_found", detail: "", request_id: "", type: "", title: "", status: 404 });
  });
  return { call, site: { call } as never };
}

describe("user claims", () => {
  test.each([
    '{"operator":"公式"}',
    '{"operator":1}',
    '{"operator":""}',
    '{"operator":null}',
    '{"operator":"two words"}',
  ])("refuses a name that makes no operator: %s", (json) => {
    expect(() => userSubject.read(["claims", "hana@example.jp", json], NOW)).toThrow(/^operator is a name of up to 64/);
  });

  test("warns that an operator without a second factor is none yet", async () => {
    const answerWith = (factors: string[]) => {
      const account = { email: "hana@example.jp", is_email_verified: true, factors, providers: [], claims: null };
      const answer = { uid: "u", is_kept_by_us: true, account, profile: null };
      return siteAnswering({ findAccount: answer, setAccountClaims: answer }).site;
    };
    const setClaims = (json: string, factors: string[]) =>
      userSubject.read(["claims", "hana@example.jp", json], NOW)(answerWith(factors));
    expect(await setClaims('{"operator":"hana"}', [])).toMatch(/no second factor, and is no operator/);
    expect(await setClaims('{"operator":"hana"}', ["totp"])).not.toContain("Warning");
    expect(await setClaims('{"staff":true}', [])).not.toContain("Warning");
  });
});

test("mail suppress refuses an address that no mail reaches, which mail release takes: older rows may have one", () => {
  for (const address of ["bad@", "@example.jp", "a b@example.jp", "hana@example..jp", "hana"]) {
    expect(() => mailSubject.read(["suppress", address], NOW), address).toThrow(`"${address}" is no address.`);
    expect(mailSubject.read(["release", address], NOW), address).toBeTypeOf("function");
  }
  expect(mailSubject.read(["suppress", "hana@example.jp"], NOW)).toBeTypeOf("function");
});

describe("acts", () => {
  test("asks for those of an operator and on a subject", async () => {
    const { call, site } = siteAnswering({ listOperatorActs: { acts: [] } });
    expect(await actsSubject.read(["--by", "mina", "--on", "@hana"], NOW)(site)).toBe("Nothing was done.");
    expect(call.mock.calls[0]?.[1]).toEqual({ query: { operator: "mina", subject: "@hana" } });
  });

  test.each([[["mina"]], [["--for", "mina"]]])("%j is refused with the usage", (args) => {
    expect(() => actsSubject.read(args, NOW)).toThrow(/acts \[--by <operator>\]/);
  });
});

describe("money unknown", () => {
  const unknown = {
    ...{ kind: "payout", gateway_id: "tr_1", created_at: "2026-11-20T03:00:00.000Z", amount: 9308 },
    ...{ person_link_id: "natsume", reference: "acct_1" },
  };
  const SINCE = ["unknown", "--since", "2026/11/20 12:00"];
  const LINE = "payout  tr_1  2026-11-20T03:00:00.000Z  9,308 yen  @natsume  acct_1";

  /** A site whose second page of payouts has something, and that settles it or says why not. */
  function siteWith(refusal: ProblemJson["code"] | null) {
    const call = vi.fn(async ({ id }: { id: string }, { query }: { query?: { kind: string; after?: string } }) => {
      if (id === "listUnknownMoney") {
        if (query?.kind !== "payout") return { unknown: [], next: null };
        return query.after === undefined ? { unknown: [], next: "tr_0" } : { unknown: [unknown], next: null };
      }
      if (refusal === null) return null;
      throw new CallRefused({ code: refusal, detail: "", request_id: "", type: "", title: "", status: 409 });
    });
    return { call, site: { call } as never };
  }
  const settled = (call: ReturnType<typeof siteWith>["call"]) =>
    call.mock.calls.filter(([{ id }]) => id === "settleUnknownMoney").map(([, input]) => input);

  test("names what the database does not know, of every page, and changes nothing", async () => {
    const { call, site } = siteWith(null);
    expect(await moneySubject.read(SINCE, NOW)(site)).toBe(LINE);
    expect(settled(call)).toEqual([]);
    expect(call.mock.calls[0]?.[1]).toEqual({ query: { kind: "payout", since: "2026-11-20T03:00:00.000Z" } });
  });

  test("settles each with --settle, and fails when one is refused", async () => {
    const { call, site } = siteWith(null);
    expect(await moneySubject.read([...SINCE, "--settle"], NOW)(site)).toBe(`settled  ${LINE}`);
    expect(settled(call)).toEqual([{ params: { gateway_id: "tr_1" }, body: { kind: "payout" } }]);
    const refused = moneySubject.read([...SINCE, "--settle"], NOW)(siteWith("balance_insufficient").site);
    await expect(refused).rejects.toThrow(`balance_insufficient  ${LINE}`);
  });

  test.each([[["unknown"]], [["unknown", "--since", "soon"]], [["unknown", "--until", "now"]], [["pause"]]])(
    "money %j is refused before anything is opened",
    (args) => expect(() => moneySubject.read(args, NOW)).toThrow(/money unknown|is no moment/),
  );

  test("pause and resume say why", async () => {
    const call = vi.fn(async (_operation: { id: string }, _input: object) => ({ features: [] }));
    await moneySubject.read(["pause", "復元のため"], NOW)({ call: call as never });
    await moneySubject.read(["resume", "確認が終わったため"], NOW)({ call: call as never });
    expect(call.mock.calls.map(([, input]) => input)).toEqual([
      { params: { feature: "payouts" }, body: { is_paused: true, reason: "復元のため" } },
      { params: { feature: "payouts" }, body: { is_paused: false, reason: "確認が終わったため" } },
    ]);
  });
});

describe("money", () => {
  const checkout = {
    session_id: ID,
    kind: "ofuse",
    status: "processing",
    amount: 550,
    payer_link_id: null,
    payer_email: "guest@example.jp",
    creator_link_id: "natsume",
    gateway_session_id: "cs_1",
    payment_id: null,
    created_at: "2026-11-20T03:00:00.000Z",
    expires_at: "2026-11-23T03:00:00.000Z",
    returned_at: null,
  };
  const LINE = `${ID}  2026-11-20T03:00:00.000Z  ofuse  550 yen  guest@example.jp to natsume  processing  until 2026-11-23T03:00:00.000Z  cs_1`;

  test.each([ID, "cs_1", "guest@example.jp"])(
    "payment %s shows the attempt to pay that is not in the books",
    async (id) => {
      const { site } = siteAnswering({ listCheckouts: { checkouts: [checkout] } });
      expect(await moneySubject.read(["payment", id], NOW)(site)).toBe(LINE);
    },
  );

  test("payment says that there is neither a payment nor an attempt", async () => {
    const { site } = siteAnswering({ listCheckouts: { checkouts: [] } });
    await expect(moneySubject.read(["payment", ID], NOW)(site)).rejects.toThrow(`There is no payment ${ID}`);
  });

  test("person shows what somebody paid, began and joined, and their payouts", async () => {
    const { site } = siteAnswering({
      findAccount: { profile: { user_id: ID } },
      getPersonMoney: {
        payments: [
          {
            payment_id: "p",
            kind: "ofuse_v3",
            creator_link_id: "natsume",
            amount: 1100,
            paid_at: "2026-11-01",
            withdrawn_at: null,
          },
        ],
        checkouts: [checkout],
        subscriptions: [
          {
            subscription_id: "s",
            title: "応援プラン",
            creator_link_id: "natsume",
            status: "active",
            is_ending: true,
            paid_until: "2026-12-01",
          },
        ],
        payouts: [
          {
            payout_id: "o",
            created_at: "2026-11-02",
            creator_link_id: "hana",
            amount: 4000,
            bank_fee: 250,
            status: "paid",
            is_held: false,
          },
        ],
      },
    });
    expect((await moneySubject.read(["person", "@hana"], NOW)(site)).split("\n")).toEqual([
      "payment  p  2026-11-01  ofuse_v3  1,100 yen  to natsume",
      `checkout  ${LINE}`,
      "plan  s  応援プラン  of natsume  active, ending  2026-12-01",
      "payout  o  2026-11-02  hana  4,000 yen  bank fee 250 yen  paid",
    ]);
    await expect(moneySubject.read(["person", "@nobody"], NOW)(siteAnswering({}).site)).rejects.toThrow(
      "There is no account @nobody.",
    );
  });
});
