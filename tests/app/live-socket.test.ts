import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { openLiveSocket } from "../../app/browser/live-socket.ts";
import { retryTimer } from "../../app/browser/retry-timer.ts";

const OPEN = 1;

/** A socket of the page, as its server sees it. */
class FakeSocket {
  static OPEN = OPEN;
  static opened: FakeSocket[] = [];
  readonly url: string;
  readyState = 0;
  sent: string[] = [];
  is_closed = false;
  onopen = () => {};
  onmessage = (_: { data: string }) => {};
  onclose = (_: { code: number }) => {};
  constructor(url: string) {
    this.url = url;
    FakeSocket.opened.push(this);
  }
  send = (message: string) => this.sent.push(message);
  close = () => {
    this.is_closed = true;
  };
  open() {
    this.readyState = OPEN;
    this.onopen();
  }
  pong = () => this.onmessage({ data: "pong" });
}

let browser: EventTarget;
const comeOnline = () => browser.dispatchEvent(new Event("online"));
const pass = (ms: number) => vi.advanceTimersByTime(ms);

beforeEach(() => {
  FakeSocket.opened = [];
  browser = new EventTarget();
  vi.stubGlobal("WebSocket", FakeSocket);
  vi.stubGlobal("location", new URL("https://ofuse.example/natsume"));
  vi.stubGlobal("addEventListener", browser.addEventListener.bind(browser));
  vi.stubGlobal("removeEventListener", browser.removeEventListener.bind(browser));
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

describe("the socket of an open page", () => {
  function openSocket() {
    const lost: number[] = [];
    const heard: string[] = [];
    const close = openLiveSocket("/session/chat/x", {
      onMessage: (message) => heard.push(message),
      onLost: (code) => lost.push(code),
    });
    const socket = FakeSocket.opened.at(-1) as FakeSocket;
    return { socket, lost, heard, close };
  }

  test("stays open while the server answers pings or says something else", () => {
    const { socket, lost, heard } = openSocket();
    expect(socket.url).toBe("wss://ofuse.example/session/chat/x");
    socket.open();
    for (let second = 0; second < 120; second++) {
      pass(1000);
      if (second % 5 === 4) socket.onmessage({ data: second % 2 ? "pong" : "news" });
    }
    expect(lost).toEqual([]);
    expect(socket.sent.length).toBeGreaterThan(4);
    expect(heard).toContain("news");
  });

  test("is lost when no answer to a ping comes, although nothing closed it", () => {
    const { socket, lost, heard } = openSocket();
    socket.open();
    socket.pong();
    pass(25_000);
    expect([socket.sent.length, lost]).toEqual([2, []]);
    pass(10_000);
    expect(lost).toEqual([0]);
    expect(socket.is_closed).toBe(true);
    socket.pong();
    socket.onclose({ code: 1006 });
    pass(60_000);
    expect([lost, heard, socket.sent.length]).toEqual([[0], ["pong"], 2]);
  });

  test("is lost when it does not open", () => {
    const { lost } = openSocket();
    pass(10_000);
    expect(lost).toEqual([0]);
  });

  test("is pinged at once when the browser comes online", () => {
    const { socket, lost } = openSocket();
    socket.open();
    socket.pong();
    pass(1000);
    comeOnline();
    expect(socket.sent).toHaveLength(2);
    pass(10_000);
    expect(lost).toEqual([0]);
  });

  test("tells the code with which the server closed it, and nothing after the page has closed it", () => {
    const refused = openSocket();
    refused.socket.onclose({ code: 4410 });
    expect(refused.lost).toEqual([4410]);
    const left = openSocket();
    left.socket.open();
    left.close();
    left.socket.onclose({ code: 1000 });
    comeOnline();
    pass(60_000);
    expect([left.lost, left.socket.sent.length]).toEqual([[], 1]);
  });
});

describe("the timer of retries", () => {
  test("ends its wait when the browser comes online, and runs once", () => {
    const run = vi.fn();
    const retry = retryTimer(run);
    comeOnline();
    expect(run).not.toHaveBeenCalled();
    retry.later();
    comeOnline();
    expect(run).toHaveBeenCalledOnce();
    pass(60_000);
    expect(run).toHaveBeenCalledOnce();
  });

  test("waits no shorter for another task, and not after it was cancelled or stopped", () => {
    const run = vi.fn();
    const task = vi.fn();
    const retry = retryTimer(run);
    retry.later();
    retry.after(500, task);
    comeOnline();
    expect(task).not.toHaveBeenCalled();
    pass(500);
    expect(task).toHaveBeenCalledOnce();
    retry.later();
    retry.cancel();
    comeOnline();
    retry.later();
    retry.stop();
    comeOnline();
    expect(run).not.toHaveBeenCalled();
  });
});
