/**
 * Measures a paid letter end to end, as a visitor without script sends it: the form, the confirmation, the gateway's
 * page and the receipt.
 */
import { load } from "cheerio";
import { timeAtShare } from "./figures.ts";

/** As many people pay at once as connections load a page. Source: ./load.ts. */
const PAYERS = 16;
/** Together fewer than the payments that one address may begin. */
const LETTERS_EACH = 3;
const CARD = { method: "card", number: "4242424242424242", expiry: "12/60", cvc: "123" };
const PAYER = { email: "fan@bench.example", name: "FAN" };

export interface PaidLetters {
  letters: number;
  requests_per_s: number;
  letters_per_s: number;
  /** From the form to the receipt. */
  p50_ms: number;
  p99_ms: number;
}

interface Answer {
  status: number;
  location: string;
  text: string;
}

/** One visitor's requests, with the cookie of a guest. Counts them. */
class Visitor {
  requests = 0;
  readonly #origin: string;
  #cookie = "";

  constructor(origin: string) {
    this.#origin = origin;
  }

  get(path: string): Promise<Answer> {
    return this.#send(path, {});
  }

  post(path: string, fields: Record<string, string>): Promise<Answer> {
    return this.#send(path, { method: "POST", body: new URLSearchParams(fields) });
  }

  async #send(path: string, init: RequestInit): Promise<Answer> {
    this.requests += 1;
    const headers = { origin: this.#origin, "sec-fetch-site": "same-origin", cookie: this.#cookie };
    const response = await fetch(new URL(path, this.#origin), { ...init, headers, redirect: "manual" });
    const [cookie = ""] = response.headers.getSetCookie();
    if (cookie) this.#cookie = cookie.split(";", 1)[0] ?? "";
    return {
      status: response.status,
      location: response.headers.get("location") ?? "",
      text: await response.text(),
    };
  }
}

/** Returns what the page's form sends if nothing is changed. */
function fieldsOf(page: Answer, form: string): Record<string, string> {
  const fields = load(page.text)(form).serializeArray();
  return Object.fromEntries(fields.map(({ name, value }) => [name, value]));
}

function expectStatus({ status, text }: Answer, expected: number, step: string): void {
  if (status !== expected) throw new Error(`${step}: status ${status}\n${text.slice(0, 2_000)}`);
}

/** Pays for one letter, and reads the receipt. */
async function payForLetter(visitor: Visitor, form_path: string): Promise<void> {
  const form = await visitor.get(form_path);
  expectStatus(form, 200, "the form");
  const letter = { ...fieldsOf(form, "main form[method=post]"), message: "応援しています" };
  const ordered = await visitor.post(form_path, letter);
  expectStatus(ordered, 303, "the order");
  const confirmation = await visitor.get(ordered.location);
  expectStatus(confirmation, 200, "the confirmation");
  const gateway_path = load(confirmation.text)("a[href*='/payment-gateway/']").attr("href") ?? "";
  expectStatus(await visitor.get(gateway_path), 200, "the gateway's page");
  const paid = await visitor.post(gateway_path, { ...CARD, ...PAYER });
  expectStatus(paid, 303, "the payment");
  const receipt = await visitor.get(paid.location);
  if (!receipt.text.includes("お支払いが完了しました")) throw new Error(`the receipt: ${receipt.text.slice(0, 2_000)}`);
}

/** Lets visitors pay for letters side by side, some letters one after the other each. */
export async function measurePaidLetters(origin: string, link_id: string): Promise<PaidLetters> {
  const took_ms: number[] = [];
  let requests = 0;
  const begin_ms = performance.now();
  const pay = async () => {
    for (let sent = 0; sent < LETTERS_EACH; sent++) {
      const visitor = new Visitor(origin);
      const from_ms = performance.now();
      await payForLetter(visitor, `/${link_id}/ofuse/paid`);
      took_ms.push(performance.now() - from_ms);
      requests += visitor.requests;
    }
  };
  await Promise.all(Array.from({ length: PAYERS }, pay));
  const took_s = (performance.now() - begin_ms) / 1000;
  took_ms.sort((one, other) => one - other);
  return {
    letters: took_ms.length,
    requests_per_s: Math.round(requests / took_s),
    letters_per_s: Number((took_ms.length / took_s).toFixed(1)),
    p50_ms: timeAtShare(took_ms, 0.5),
    p99_ms: timeAtShare(took_ms, 0.99),
  };
}
