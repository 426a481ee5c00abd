import { describe, expect, test } from "vitest";
import { identityContext } from "../../app/session/context.ts";
import { currentSession } from "../../app/session/current-session.ts";
import { REFRESH_COOKIE, SESSION_COOKIE, type Session, SessionKeys } from "../../app/session/session.ts";
import { contextOfBrowser } from "./support/browser-context.ts";

const OLD = "k1:session-key-of-the-tests-000000000001";
const NEW = "k2:session-key-of-the-tests-000000000002";
const token = `${["{}", '{"sub":"demo0001","exp":2000000000}'].map((part) => btoa(part)).join(".")}.signature`;
const session = { id: "demo0001", providers: ["password"], token } as unknown as Session;

/** Returns the cookies that a worker with these keys gives. */
async function cookiesOf(keys: string) {
  const made = new SessionKeys(keys);
  return {
    session: await made.seal(session),
    refresh: await made.encrypt("a refresh token", REFRESH_COOKIE, 60),
  };
}

/** Asks a worker with these keys for the session of these cookies. Returns it, and the cookies that the worker removes. */
async function askWorker(keys: string, cookies: { session?: string; refresh?: string }) {
  const sent = [
    cookies.session !== undefined ? `__Host-${SESSION_COOKIE}=${cookies.session}` : "",
    cookies.refresh !== undefined ? `__Host-${REFRESH_COOKIE}=${cookies.refresh}` : "",
  ];
  const { context, jar } = contextOfBrowser(sent.join("; "));
  context.set(identityContext, { session_keys: new SessionKeys(keys) } as never);
  const found = await currentSession(context);
  const removed = jar.lines().flatMap((line) => (line.includes("Max-Age=0") ? [line.split("=")[0]] : []));
  return { id: found?.id ?? null, removed };
}

describe("while the keys of sessions are rotated", () => {
  test("a worker that lacks the new key keeps the refresh token", async () => {
    const cookies = await cookiesOf(`${NEW},${OLD}`);
    expect(await askWorker(OLD, cookies)).toEqual({ id: null, removed: [`__Host-${SESSION_COOKIE}`] });
    expect(await askWorker(OLD, { refresh: cookies.refresh })).toEqual({ id: null, removed: [] });
  });

  test("no worker signs a member out when the new key is appended before it signs", async () => {
    const steps = [OLD, `${OLD},${NEW}`, `${NEW},${OLD}`];
    for (const [at, keys] of steps.entries()) {
      const cookies = await cookiesOf(keys);
      for (const beside of steps.slice(Math.max(at - 1, 0), at + 2)) {
        expect(await askWorker(beside, cookies)).toEqual({ id: "demo0001", removed: [] });
      }
    }
  });
});

test.each([
  "garbage",
  "a.b.c",
  `${btoa('{"alg":"HS256"}')}.e30.AAAA`,
  `${btoa('{"alg":"HS256","kid":"k1"}')}.e30.AAAA`,
])("a broken cookie ends the session: %s", async (broken) => {
  const { refresh } = await cookiesOf(OLD);
  const both = [`__Host-${SESSION_COOKIE}`, `__Host-${REFRESH_COOKIE}`];
  expect(await askWorker(OLD, { session: broken, refresh })).toEqual({ id: null, removed: both });
  expect(await askWorker(OLD, { refresh: broken })).toEqual({ id: null, removed: both.slice(1) });
});
