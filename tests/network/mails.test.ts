import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { startNetwork } from "../../scripts/network.ts";
import { mailSubject } from "../../scripts/operator/mail.ts";
import { siteAt } from "../../scripts/operator/site.ts";
import { type RunningServer, startServer } from "../mails/support.ts";
import { waitUntil } from "../support/wait.ts";

/** The mails of a site on one machine, from a call of identity to an SMTP server, and the operators' command for them. */

const data_dir = mkdtempSync(join(tmpdir(), "ofuse-mail-site-"));
const GONE = "gone@example.jp";
let server: RunningServer;
let network: Awaited<ReturnType<typeof startNetwork>>;
beforeAll(async () => {
  server = await startServer({
    onRcptTo: ({ address }, _session, done) =>
      done(address === GONE ? Object.assign(new Error("5.1.1 No such user"), { responseCode: 550 }) : null),
  });
  const overrides = {
    MAIL_END: "smtp",
    MAIL_FROM: "no-reply@ofuse.example",
    SMTP_HOST: "127.0.0.1",
    SMTP_PORT: String(server.port),
    SMTP_USER: "mailer",
    SMTP_PASSWORD: "ひみつ-2026",
  };
  network = await startNetwork({ data_dir, world: "site", has_pictures: false, overrides });
});
afterAll(async () => {
  await network.stop();
  await server.stop();
  rmSync(data_dir, { recursive: true });
});

async function askForLink(email: string): Promise<void> {
  const { url, secrets } = network;
  const response = await fetch(
    `${url}/identitytoolkit.googleapis.com/v1/accounts:sendOobCode?key=${secrets.IDENTITY_API_KEY}`,
    {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ requestType: "EMAIL_SIGNIN", email }),
    },
  );
  expect(response.status).toBe(200);
}
const operate = (...args: string[]) =>
  mailSubject.read(args, Date.now())(siteAt(network.url, network.secrets.OPERATOR_KEY, "hana"));

test("a link to sign in leaves encrypted, with a password, right after the answer", async () => {
  await askForLink("hana@example.jp");
  await waitUntil(() => expect(server.received).toHaveLength(1));
  const [received] = server.received;
  expect(received).toMatchObject({ is_secure: true, user: "mailer", to: ["hana@example.jp"] });
  expect(received?.mail.text).toContain(`\n${network.url}/signup/action?mode=signIn&oobCode=`);
  await waitUntil(async () =>
    expect(await operate("list", "hana@example.jp")).toMatch(/ {2}sent {2}attempts 1 {2}250/),
  );
});

test("operators see what failed, send it again, and suppress and release addresses", async () => {
  await askForLink(GONE);
  await waitUntil(async () =>
    expect(await operate("list", "failed")).toMatch(/gone@example\.jp {2}failed.*550 5\.1\.1/),
  );
  const [mail_id = ""] = (await operate("list", "failed")).split("  ");
  expect(await operate("retry", mail_id)).toContain("within a minute");
  expect(await operate("list", GONE)).toContain("queued until");
  await expect(operate("retry", "identity:nothing")).rejects.toThrow(/not_found/);
  expect(await operate("suppress", "quiet@example.jp")).toBe("The address gets no mail.");
  await askForLink("quiet@example.jp");
  await waitUntil(async () => expect(await operate("list", "quiet@example.jp")).toContain("suppressed"));
  expect(await operate("release", "quiet@example.jp")).toBe("The address gets mail again.");
});

test("the mails worker is reachable for nobody outside, but for the signed reports of a provider", async () => {
  for (const path of ["/mails", "/kept-mails", "/bounces", "/retries", "/suppressions"]) {
    expect((await fetch(`${network.url}${path}`)).status, path).toBe(404);
  }
  const report = await fetch(`${network.url}/v4/webhooks/mails`, { method: "POST", body: "{}" });
  expect(report.status).toBe(404);
});
