/**
 * `npm run bench:chat`: measures the chat of one radio. 1,000 sockets read while members write five messages a second,
 * on their sockets and by calls of the API. Checks that every socket got every message, in the order of the history, that
 * restricting a writer holds at once, and that the count returns to 0.
 */
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { signChatToken } from "../../workers/api/radio-chat/tokens.ts";
import { CHAT_SOCKET_PATH } from "../../workers/contract/chat-names.ts";
import type { ChatEvent } from "../../workers/contract/chat-socket.ts";
import { buildIfStale } from "../build.ts";
import { people } from "../demo/people.ts";
import { DEMO_PASSWORD, demoEmail } from "../demo/seed.ts";
import { startNetwork } from "../network.ts";
import { reportStep } from "../steps.ts";
import { timeAtShare } from "./figures.ts";
import { LightSocket } from "./light-socket.ts";

const SOCKETS = 1000;
const WRITERS = 10;
const PER_SECOND = 5;
const SECONDS = 30;
const TARGET_MS = 100;

type Network = Awaited<ReturnType<typeof startNetwork>>;

/** A socket that reads, with the numbers of the messages it got and how long each took. */
interface Reader {
  socket: LightSocket;
  numbers: number[];
  times_ms: number[];
}

const built = await buildIfStale();
if (built && !built.passed) {
  reportStep(built);
  process.exit(1);
}
const data_dir = mkdtempSync(join(tmpdir(), "ofuse-bench-chat-"));
const network = await startNetwork({ data_dir });
try {
  const is_met = await measureChat(network);
  process.exitCode = is_met ? 0 : 1;
} finally {
  await network.stop();
  rmSync(data_dir, { recursive: true, force: true });
}

async function measureChat(network: Network): Promise<boolean> {
  const call = callerOf(network);
  const members = await Promise.all(people.slice(0, WRITERS).map(({ link_id }) => signIn(network, link_id)));
  const [owner = "", writer = ""] = members;
  const { radio } = await call("POST", "/v4/radios", owner, { title: "計測", publish_target_type: "public" });
  const path = `/v4/radios/${radio.radio_id}`;
  await call("POST", `${path}/start`, owner);

  const readers: Reader[] = [];
  const sent_ms: number[] = [];
  // A few at a time, as people come.
  for (let n = 0; n < SOCKETS; n += 50) {
    readers.push(
      ...(await Promise.all(Array.from({ length: 50 }, (_, m) => openReader(network, radio.radio_id, n + m)))),
    );
  }
  const readArrived = () => {
    for (const { socket, numbers, times_ms } of readers) {
      for (const { at_ms, text } of socket.takeMessages()) {
        const event: ChatEvent = JSON.parse(text);
        for (const { message } of event.type === "messages" ? event.messages : []) {
          numbers.push(Number(message));
          times_ms.push(at_ms - (sent_ms[Number(message)] ?? 0));
        }
      }
    }
  };
  const sockets = await Promise.all(
    members.map(async (token) => {
      const { socket_path } = await call("POST", `${path}/chat_room_token`, token);
      return openSocket(network, socket_path);
    }),
  );
  const before = await countPeople();
  console.log(`${before} sockets are open`);

  const sayOnSocket = (number: number) =>
    sockets[number % WRITERS]?.send(JSON.stringify({ say: String(number), key: String(number) }));
  const sayByCall = (number: number) =>
    void call("POST", `${path}/chat_messages`, members[number % WRITERS] ?? "", { message: String(number) });
  const rows = [];
  for (const [way, say] of [
    ["on sockets", sayOnSocket],
    ["by calls", sayByCall],
  ] as const) {
    const first = sent_ms.length;
    for (const { times_ms } of readers) times_ms.length = 0;
    for (let n = 0; n < PER_SECOND * SECONDS; n++) {
      const number = sent_ms.length;
      sent_ms.push(performance.now());
      say(number);
      await delay(1000 / PER_SECOND);
    }
    const until_ms = performance.now() + 10_000;
    do {
      await delay(50);
      readArrived();
    } while (readers.some(({ numbers }) => numbers.length < sent_ms.length) && performance.now() < until_ms);
    const times = readers.flatMap(({ times_ms }) => times_ms).sort((a, b) => a - b);
    const expected = (sent_ms.length - first) * SOCKETS;
    rows.push({
      way,
      messages: sent_ms.length - first,
      deliveries: times.length,
      lost: expected - times.length,
      p50_ms: timeAtShare(times, 0.5),
      p99_ms: timeAtShare(times, 0.99),
      max_ms: timeAtShare(times, 1),
    });
  }
  console.table(rows);

  const history = await readHistory();
  const orders = new Set(readers.map(({ numbers }) => numbers.join()));
  const is_same_order = orders.size === 1 && orders.has(history.join());
  console.log(`orders among ${SOCKETS} sockets: ${orders.size}; equal to the history: ${is_same_order}`);

  const { user } = (await call("GET", "/v4/profile", writer)) as { user: { user_id: string } };
  await call("POST", `/v4/users/${user.user_id}/radio_chat_restriction`, owner);
  const answer = once(sockets[1] as WebSocket, "message");
  sockets[1]?.send(JSON.stringify({ say: "制限されたあと", key: "restricted" }));
  let refusal: ChatEvent | undefined;
  for (let waiting = answer; refusal?.type !== "refused"; waiting = once(sockets[1] as WebSocket, "message")) {
    refusal = JSON.parse(((await waiting) as [MessageEvent])[0].data) as ChatEvent;
  }
  console.log(`after the restriction: ${refusal.code}`);

  for (const socket of [...readers.map(({ socket }) => socket), ...sockets]) socket.close();
  const until_ms = performance.now() + 30_000;
  let after = await countPeople();
  while (after > 0 && performance.now() < until_ms) {
    await delay(100);
    after = await countPeople();
  }
  console.log(`sockets after all have left: ${after}`);
  return (
    rows.every(({ lost, p99_ms }) => lost === 0 && p99_ms < TARGET_MS) &&
    is_same_order &&
    refusal.code === "chat_restricted" &&
    after === 0
  );

  async function countPeople(): Promise<number> {
    return (await call("POST", `${path}/chat_room_token`, owner)).people_count;
  }
  async function readHistory(): Promise<number[]> {
    const met: number[] = [];
    for (let query = ""; ; ) {
      const page = await call("GET", `${path}/chat_messages?limit=100&direction=newer${query}`, owner);
      met.push(...page.messages.map(({ message }: { message: string }) => Number(message)));
      if (page.next_page_token === null) return met;
      query = `&next_page_token=${page.next_page_token}`;
    }
  }
}

/** Opens a socket that reads, as a visitor with an address of its own. */
async function openReader(network: Network, radio_id: string, n: number): Promise<Reader> {
  const ticket = { radio_id, user_id: null, sign_in: null, url_key_hash: null, holder: `address_${n}` };
  const token = await signChatToken(ticket, Date.now() + 60_000, network.secrets.MEDIA_KEY);
  const path = `${CHAT_SOCKET_PATH}${radio_id}?${new URLSearchParams({ token })}`;
  return { socket: await LightSocket.open(network.url + path), numbers: [], times_ms: [] };
}

async function openSocket(network: Network, path: string): Promise<WebSocket> {
  const socket = new WebSocket(network.url.replace("http", "ws") + path);
  await once(socket, "open");
  return socket;
}

function callerOf({ url }: Network) {
  // biome-ignore lint/suspicious/noExplicitAny: each caller reads the fields of its own call.
  return async (method: string, path: string, token: string, body?: object): Promise<any> => {
    const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" };
    const response = await fetch(url + path, { method, headers, ...(body && { body: JSON.stringify(body) }) });
    const text = await response.text();
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${text}`);
    return text && JSON.parse(text);
  };
}

async function signIn({ url, secrets }: Network, link_id: string): Promise<string> {
  const response = await fetch(
    `${url}/identitytoolkit.googleapis.com/v1/accounts:signInWithPassword?key=${secrets.IDENTITY_API_KEY}`,
    {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ email: demoEmail(link_id), password: DEMO_PASSWORD, returnSecureToken: true }),
    },
  );
  return ((await response.json()) as { idToken: string }).idToken;
}
