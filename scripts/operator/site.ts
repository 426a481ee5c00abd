/** The operator's command as a client of the API. */
import { existsSync } from "node:fs";
import { userInfo } from "node:os";
import { type AnswerOf, addressOf, type InputOf, type Operation } from "../../workers/contract/operation.ts";
import { getMaintenanceRecord } from "../../workers/contract/operator.ts";
import type { ProblemJson } from "../../workers/contract/problem.ts";
import { OPERATOR_NAME, signOperatorToken } from "../../workers/verifier/operator-token.ts";
import { buildIfStale } from "../build.ts";
import { servedUrl } from "../data-claim.ts";
import { isSiteFolder, persistencePath } from "../data-folder.ts";
import { readDeploySettings } from "../deploy-config.ts";
import { Refusal } from "../refusal.ts";
import { readSecrets } from "../secrets.ts";
import { readSettings } from "../settings.ts";
import { readSiteSettings } from "../site/settings.ts";

type Input<O extends Operation> = {
  [Part in keyof InputOf<O> as InputOf<O>[Part] extends undefined ? never : Part]: InputOf<O>[Part];
};

export interface Site {
  /** Calls one operation as the operator. Throws {@link CallRefused}, or a Refusal if the site does not answer. */
  call<O extends Operation>(operation: O, input: Input<O>): Promise<AnswerOf<O>>;
  close(): Promise<void>;
}

/** The API refused a call. `code` is a row of docs/errors.md. */
export class CallRefused extends Refusal {
  readonly code: string;

  constructor({ code, detail, errors, request_id }: ProblemJson) {
    const sentences = Object.values(errors ?? {}).flat();
    const again = code === "unavailable" ? "\nRun the command again." : "";
    super(`The site refused it: ${[detail, ...sentences].join(" ")} (${code}, ${request_id})${again}`);
    this.code = code;
  }
}

type Send = (address: string, init: RequestInit) => Promise<Pick<Response, "ok" | "status" | "text">>;

/** Returns the site that `send` reaches. `key` is its OPERATOR_KEY, `operator` the name for the audit rows. */
function siteBehind(send: Send, key: string, operator: string, close = async () => {}): Site {
  async function call<O extends Operation>(operation: O, input: Input<O>): Promise<AnswerOf<O>> {
    const { params, query, body } = input as { params?: object; query?: object; body?: unknown };
    const headers = new Headers({ accept: "application/json" });
    if (operation.auth === "operator") {
      const token = await signOperatorToken(operator, { key, audience: "ofuse-api", now_ms: Date.now() });
      headers.set("authorization", `Bearer ${token}`);
    }
    if (body !== undefined) headers.set("content-type", "application/json");
    const response = await send(addressOf(operation, { params: { ...params }, query: { ...query } }), {
      method: operation.method,
      headers,
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    if (response.ok) return (operation.answer === null ? null : JSON.parse(text)) as AnswerOf<O>;
    const refused = readRefusal(text, response.status);
    // The API answers a wrong key like an unknown address: find out which it is.
    const is_unknown = refused.code === "not_found" && operation.auth === "operator";
    if (is_unknown && (operation.id === getMaintenanceRecord.id || !(await isOperator()))) {
      throw new Refusal(
        "The site does not take this OPERATOR_KEY, or the clocks of the two machines are more than a minute apart.",
      );
    }
    throw refused;
  }
  const isOperator = () =>
    call(getMaintenanceRecord, {}).then(
      () => true,
      () => false,
    );
  return { call, close };
}

function readRefusal(text: string, status: number): CallRefused {
  try {
    return new CallRefused(JSON.parse(text) as ProblemJson);
  } catch {
    throw new Refusal(`The site answered ${status}, without a problem of the API: is it this version?`);
  }
}

/** Returns the site that is served at `url`. */
export function siteAt(url: string, key: string, operator: string): Site {
  const send: Send = (address, init) =>
    fetch(new URL(address, url), { ...init, redirect: "error" }).catch((error: Error) => {
      throw new Refusal(`${url} does not answer: ${error.cause ?? error.message}`);
    });
  return siteBehind(send, key, operator);
}

/** Returns the name for the audit rows: OPERATOR, or the user of this machine. */
function operatorName(): string {
  const name = process.env.OPERATOR || userInfo().username;
  if (!OPERATOR_NAME.test(name)) throw new Refusal("OPERATOR takes up to 64 letters, digits and . @ + - _");
  return name;
}

/** Returns the site in production. Throws a Refusal without an address or a key. */
export function openRemoteSite(): Site {
  const { OPERATOR_URL, OPERATOR_KEY } = process.env;
  const { SITE_DOMAIN } = readDeploySettings(process.env);
  const url = OPERATOR_URL || (SITE_DOMAIN && SITE_DOMAIN !== "none" ? `https://${SITE_DOMAIN}` : "");
  if (!URL.canParse(url) || new URL(url).protocol !== "https:") {
    throw new Refusal("Say where the site is: OPERATOR_URL=https://..., or SITE_DOMAIN in deploy/production.env.");
  }
  if (!OPERATOR_KEY) throw new Refusal("OPERATOR_KEY is not set: the secret of that name, from your password store.");
  return siteAt(url, OPERATOR_KEY, operatorName());
}

/**
 * Returns the site of a data folder: the runner that serves it, or an API that runs here until the site is closed.
 *
 * @throws Refusal if there are no data, or another process has the folder and serves nothing.
 */
export async function openSite(data_dir: string): Promise<Site> {
  if (!existsSync(persistencePath(data_dir))) throw new Refusal(`There are no data in ${data_dir}.`);
  const operator = operatorName();
  const url = servedUrl(data_dir);
  if (url) return siteAt(url, readSecrets(data_dir).OPERATOR_KEY, operator);

  const built = await buildIfStale();
  if (built && !built.passed) throw new Refusal(`The build failed:\n${built.output}`);
  // Load this module only here: it takes longer than a call of a served site.
  const { startNetwork } = await import("../network.ts");
  const { port } = readSettings();
  const overrides = isSiteFolder(data_dir) ? readSiteSettings(data_dir).overrides : process.env;
  const { miniflare, secrets, stop } = await startNetwork({ data_dir, port, has_pages: false, overrides });
  const send: Send = (address, init) => miniflare.dispatchFetch(new URL(address, "http://api.internal"), init as never);
  return siteBehind(send, secrets.OPERATOR_KEY, operator, stop);
}
