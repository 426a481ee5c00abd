/**
 * Imitates Google, which tests cannot reach, with Google's answers. The network asks it for Identity Toolkit; pages
 * also ask it for reCAPTCHA and for Firestore's channel. The network's own provider keeps the accounts and issues the
 * tokens.
 */
import { randomUUID } from "node:crypto";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { decodeJwt } from "jose";
import type { Page, Route } from "playwright/test";

/** Google's services allow pages of every site to read their answers, with credentials too. */
function corsFor(route: Route): Record<string, string> {
  return {
    "access-control-allow-origin": route.request().headers().origin ?? "*",
    "access-control-allow-credentials": "true",
    "access-control-expose-headers": "x-http-session-id",
  };
}

export interface Google {
  /** The URL at which the network reaches Identity Toolkit. */
  toolkit_url: string;
  /** The URL of the network that keeps the accounts. */
  accounts: string;
  /** The reCAPTCHA tokens of requests for text messages, in order; empty for a request without one. */
  shown: string[];
  stop(): void;
}

/** Calls that send a text message. {@link SendsCode} shows where each carries the reCAPTCHA token. */
const SENDS_CODE = /accounts:sendVerificationCode|mfaEnrollment:start/;
interface SendsCode {
  recaptchaToken?: string;
  phoneEnrollmentInfo?: { recaptchaToken?: string };
}

export async function startGoogle(): Promise<Google> {
  const server = createServer(async (request, response) => {
    let body = "";
    for await (const chunk of request) body += chunk;
    const answer = (status: number, text: string) =>
      response.writeHead(status, { "content-type": "application/json" }).end(text);
    if (SENDS_CODE.test(request.url ?? "")) {
      const { recaptchaToken, phoneEnrollmentInfo } = JSON.parse(body) as SendsCode;
      const token = recaptchaToken ?? phoneEnrollmentInfo?.recaptchaToken ?? "";
      const is_spent = google.shown.includes(token);
      google.shown.push(token);
      const message = token ? "INVALID_APP_CREDENTIAL" : "MISSING_APP_CREDENTIAL";
      if (!token || is_spent) return answer(400, JSON.stringify({ error: { code: 400, message } }));
    }
    const headers = { "content-type": "application/json" };
    const url = `${google.accounts}/identitytoolkit.googleapis.com${request.url}`;
    const asked = await fetch(url, { method: "POST", headers, body });
    answer(asked.status, await asked.text());
  });
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
  const { port } = server.address() as AddressInfo;
  const google: Google = {
    toolkit_url: `http://127.0.0.1:${port}`,
    accounts: "",
    shown: [],
    stop: () => server.close(),
  };
  return google;
}

/** Answers a page's calls of Identity Toolkit and of the token service. */
export async function answerForAccounts(page: Page, { accounts }: Google): Promise<void> {
  await page.route(/^https:\/\/(identitytoolkit|securetoken)\.googleapis\.com\//, async (route) => {
    const { hostname, pathname, search } = new URL(route.request().url());
    const response = await route.fetch({ url: `${accounts}/${hostname}${pathname}${search}` });
    await route.fulfill({ response, headers: { ...response.headers(), ...corsFor(route) } });
  });
}

/** Loads the second script, as reCAPTCHA's own api.js does. */
const API_JS = `(() => {
  const script = document.createElement("script");
  script.src = "https://www.gstatic.com/recaptcha/releases/stand-in/recaptcha__ja.js";
  script.dataset.onload = new URL(document.currentScript.src).searchParams.get("onload");
  document.head.append(script);
})();`;
/**
 * Adds a badge with its own styles and a frame, asks Google, and passes the token to the widget's callback.
 * Source: https://developers.google.com/recaptcha/docs/invisible
 */
const RECAPTCHA_JS = `(() => {
  const widgets = [];
  window.grecaptcha = {
    render(container, { sitekey, size, callback }) {
      if (!sitekey || size !== "invisible" || container.hasChildNodes()) throw new Error("nothing to render here");
      const style = document.head.appendChild(document.createElement("style"));
      style.textContent = ".grecaptcha-badge { position: fixed; right: 0; bottom: 14px; width: 70px; height: 60px }";
      container.innerHTML = '<div class="grecaptcha-badge" style="opacity: 0.9"><iframe title="reCAPTCHA"></iframe></div>';
      container.querySelector("iframe").src = "https://www.google.com/recaptcha/api2/anchor?k=" + sitekey;
      return widgets.push({ sitekey, callback, response: "" }) - 1;
    },
    getResponse: (id) => widgets[id].response,
    async execute(id) {
      const widget = widgets[id];
      const url = "https://www.google.com/recaptcha/api2/reload?k=" + widget.sitekey;
      const answer = await fetch(url, { method: "POST" });
      if (answer.status !== 200) return;
      widget.response = await answer.text();
      widget.callback(widget.response);
    },
  };
  window[document.currentScript.dataset.onload]();
})();`;

/** Requests to reCAPTCHA and its answers. */
export interface Check {
  asked: number;
  /** The tokens issued so far. */
  tokens: string[];
  /** Resolves to true if the person solves the puzzle, to false if they close it. */
  solve: () => Promise<boolean>;
}

export async function answerForRecaptcha(page: Page): Promise<Check> {
  const check: Check = { asked: 0, tokens: [], solve: async () => true };
  const script = (body: string) => (route: Route) => route.fulfill({ contentType: "text/javascript", body });
  await page.route("https://www.google.com/recaptcha/api.js?*", script(API_JS));
  await page.route("https://www.gstatic.com/recaptcha/releases/**", script(RECAPTCHA_JS));
  await page.route("https://www.google.com/recaptcha/api2/anchor?*", (route) =>
    route.fulfill({ contentType: "text/html", body: "<title>reCAPTCHA</title>" }),
  );
  await page.route("https://www.google.com/recaptcha/api2/reload?*", async (route) => {
    check.asked++;
    if (!(await check.solve())) return route.fulfill({ status: 204, headers: corsFor(route) });
    const token = randomUUID();
    check.tokens.push(token);
    await route.fulfill({ headers: corsFor(route), contentType: "text/plain", body: token });
  });
  return check;
}

/** Source: google.rpc.Code */
const PERMISSION_DENIED = 7;

interface ListenRequest {
  addTarget?: { targetId: number; documents: { documents: [string] } };
  removeTarget?: number;
}

/** A WebChannel: the numbered messages the page got, and whether it waits for more. */
interface Channel {
  sent: [number, unknown[]][];
  wake: (() => void) | null;
  /** The document the page listens to. */
  document: string | null;
  target: number;
}

/**
 * Firestore's Listen for documents by name. It ends the response to each poll, which WebChannel accepts as well as a
 * stream.
 */
export class Firestore {
  /** Open channels by id. */
  readonly channels = new Map<string, Channel>();
  /** How many times pages asked to listen. */
  asked = 0;
  /** Errors for the next requests to listen: the rules forbid reading, or the token has expired. */
  readonly refusals: ("PERMISSION_DENIED" | "UNAUTHENTICATED")[] = [];
  readonly #database: string;
  readonly #api_key: string;
  readonly #written = new Set<string>();

  constructor({ project_id, api_key }: { project_id: string; api_key: string }) {
    this.#database = `projects/${project_id}/databases/(default)`;
    this.#api_key = api_key;
  }

  /** The path of the document that each listener watches. */
  get watched(): string[] {
    return [...this.channels.values()].flatMap(({ document }) => document?.slice(this.#documentName("").length) ?? []);
  }

  /** Creates a document and notifies its listeners. */
  write(path: string): void {
    const document = this.#documentName(path);
    this.#written.add(document);
    for (const channel of this.channels.values()) {
      if (channel.document === document) this.#sendMessages(channel, ...this.#stateOf(channel, document));
    }
  }

  async answerFor(page: Page): Promise<void> {
    const listen = "https://firestore.googleapis.com/google.firestore.v1.Firestore/Listen/channel?*";
    await page.route(listen, (route) => this.#answerPoll(route));
  }

  #documentName(path: string): string {
    return `${this.#database}/documents/${path}`;
  }

  async #answerPoll(route: Route): Promise<void> {
    const request = route.request();
    const asked = new URL(request.url()).searchParams;
    const fulfill = (message: unknown) => {
      const text = JSON.stringify(message);
      const headers = { ...corsFor(route), "x-http-session-id": "stand-in" };
      return route.fulfill({ contentType: "text/plain", headers, body: `${text.length}\n${text}` });
    };
    const id = asked.get("SID");
    if (asked.get("TYPE") === "terminate") {
      this.channels.delete(id ?? "");
      return route.fulfill({ headers: corsFor(route), body: "" });
    }
    const form = new URLSearchParams(request.postData() ?? "");
    if (id === null) {
      const opened = randomUUID();
      const channel: Channel = { sent: [], wake: null, document: null, target: 0 };
      this.channels.set(opened, channel);
      const headers = new Map(
        (form.get("headers") ?? "").split("\r\n").map((line) => {
          const colon = line.indexOf(":");
          return [line.slice(0, colon).toLowerCase(), line.slice(colon + 1)];
        }),
      );
      const { sub } = decodeJwt((headers.get("authorization") ?? "").replace("Bearer ", ""));
      const is_known = asked.get("database") === this.#database && headers.get("x-goog-api-key") === this.#api_key;
      this.#takeRequests(channel, form, is_known ? this.#documentName(`users/${sub}/keys_for_global_sign_out/`) : null);
      return fulfill([[0, ["c", opened, "", 8, 12, 30_000]]]);
    }
    const channel = this.channels.get(id);
    if (!channel) return route.fulfill({ status: 400, headers: corsFor(route), body: "Unknown SID" });
    if (request.method() === "POST") {
      this.#takeRequests(channel, form, null);
      return fulfill([1, channel.sent.length, 0]);
    }
    const told = Number(asked.get("AID"));
    if (channel.sent.length <= told) await new Promise<void>((wake) => Object.assign(channel, { wake }));
    return fulfill(channel.sent.slice(told));
  }

  /** Handles a page's messages. A page may read only documents below `own`. */
  #takeRequests(channel: Channel, form: URLSearchParams, own: string | null): void {
    for (let n = 0; n < Number(form.get("count")); n++) {
      const { addTarget, removeTarget } = JSON.parse(form.get(`req${n}___data__`) ?? "{}") as ListenRequest;
      if (removeTarget) channel.document = null;
      if (!addTarget) continue;
      this.asked++;
      const [document] = addTarget.documents.documents;
      const refusal = own && document.startsWith(own) ? this.refusals.shift() : "PERMISSION_DENIED";
      if (refusal === "UNAUTHENTICATED") {
        this.#sendMessages(channel, {
          error: { code: 401, message: "Missing or invalid authentication.", status: refusal },
        });
        continue;
      }
      if (refusal) {
        const cause = { code: PERMISSION_DENIED, message: "Missing or insufficient permissions." };
        const targetIds = [addTarget.targetId];
        this.#sendMessages(channel, { targetChange: { targetChangeType: "REMOVE", targetIds, cause } });
        continue;
      }
      Object.assign(channel, { document, target: addTarget.targetId });
      this.#sendMessages(
        channel,
        { targetChange: { targetChangeType: "ADD", targetIds: [channel.target] } },
        ...this.#stateOf(channel, document),
      );
    }
  }

  /** Returns the messages about a document: whether it exists, and that the listener is up to date. */
  #stateOf({ target }: Channel, name: string): object[] {
    const readTime = new Date().toISOString();
    const resumeToken = Buffer.from(readTime).toString("base64");
    const document = { name, fields: {}, createTime: readTime, updateTime: readTime };
    return [
      this.#written.has(name)
        ? { documentChange: { document, targetIds: [target] } }
        : { documentDelete: { document: name, readTime, removedTargetIds: [target] } },
      { targetChange: { targetChangeType: "CURRENT", targetIds: [target], resumeToken, readTime } },
      { targetChange: { resumeToken, readTime } },
    ];
  }

  #sendMessages(channel: Channel, ...messages: object[]): void {
    for (const message of messages) channel.sent.push([channel.sent.length + 1, [message]]);
    channel.wake?.();
    channel.wake = null;
  }
}
