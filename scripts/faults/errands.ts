/** The writes of a run of faults: each errand is tried until it is acknowledged, with the key of its first attempt. */
import { randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { type Fan, origin, sendCall } from "./site.ts";

export interface Errand {
  /** Tries once. Returns `done`, or the refusal. Throws when no answer came. */
  attempt(): Promise<string>;
  /** Returns null if what was acknowledged is there, whole; otherwise a sentence that says what is there instead. */
  findLoss(): Promise<string | null>;
}

const READ_TRIES = 5;

/** Reads until the site answers with the thing, or says that it has none. A busy site may refuse a read, which loses nothing. */
async function read<T>(path: string, token: () => Promise<string | undefined>): Promise<{ status: number; answer: T }> {
  for (let tries = 1; ; tries++) {
    try {
      const found = await sendCall<T>("GET", path, { token: await token(), wait_ms: 60_000 });
      if (found.status < 500 || tries === READ_TRIES) return found;
    } catch (error) {
      if (tries === READ_TRIES) throw error;
    }
    await sleep(tries * 1000);
  }
}

const refusalOf = ({ status, answer }: { status: number; answer: { code?: string } | null }) =>
  `${status} ${answer?.code ?? ""}`.trim();

const describeLoss = (kind: string, id: string, { status, answer }: { status: number; answer: unknown }) =>
  `the ${kind} ${id} is not as it was acknowledged: ${status} ${JSON.stringify(answer)}`;

/** A free letter. It is kept if its sender reads it, word for word. */
export function freeLetter(fan: Fan, receiver_user_id: string): Errand {
  const key = randomUUID();
  const message = `応援しています ${key}`;
  let ofuse_id = "";
  return {
    async attempt() {
      const body = { receiver_user_id, message };
      const token = await fan.freshToken();
      const sent = await sendCall<{ ofuse: { ofuse_id: string } }>("POST", "/v4/free_ofuses", { token, key, body });
      if (sent.status !== 201) return refusalOf(sent as { status: number; answer: { code?: string } });
      // A repeated attempt must not have sent a second letter.
      if (ofuse_id !== "" && ofuse_id !== sent.answer.ofuse.ofuse_id) return "a second letter";
      ofuse_id = sent.answer.ofuse.ofuse_id;
      return "done";
    },
    async findLoss() {
      const found = await read<{ ofuse?: { message: string } }>(`/v4/ofuses/${ofuse_id}`, fan.freshToken);
      return found.answer.ofuse?.message === message ? null : describeLoss("free letter", ofuse_id, found);
    },
  };
}

/** Any card of the embedded gateway that pays. */
const CARD = {
  method: "card",
  number: "4242424242424242",
  expiry: "12/60",
  cvc: "123",
  email: "fan@faults.example",
  name: "FAN",
};

/** A paid letter: begun at the API, paid on the gateway's page. It is kept if its receipt says that it is paid. */
export function paidLetter(fan: Fan, receiver_user_id: string): Errand {
  const key = randomUUID();
  const body = { receiver_user_id, amount: 100, message: "応援しています" };
  let session_id = "";
  return {
    async attempt() {
      type Begun = { checkout_session: { session_id: string; url: string } };
      const begun = await sendCall<Begun>("POST", "/v4/ofuses", { token: await fan.freshToken(), key, body });
      if (begun.status !== 201) return refusalOf(begun as { status: number; answer: { code?: string } });
      const { session_id: first, url } = begun.answer.checkout_session;
      if (session_id !== "" && session_id !== first) return "a second checkout";
      session_id = first;
      const paid = await fetch(url, {
        method: "POST",
        redirect: "manual",
        headers: { origin, "content-type": "application/x-www-form-urlencoded" },
        body: new URLSearchParams(CARD),
        signal: AbortSignal.timeout(10_000),
      });
      await paid.body?.cancel();
      return paid.status === 303 ? "done" : `${paid.status} of the gateway`;
    },
    async findLoss() {
      type Found = { checkout_session?: { status: string } };
      const found = await read<Found>(`/v4/checkout_sessions/${session_id}`, async () => undefined);
      if (found.answer.checkout_session?.status === "paid") return null;
      return describeLoss("paid letter", session_id, found);
    },
  };
}
