/** A WebSocket that costs its process little, so that a bench of many readers measures the server and not the readers. */
import { randomBytes } from "node:crypto";
import { connect, type Socket } from "node:net";
import { constants, inflateRawSync } from "node:zlib";

/** A frame, and its arrival by `performance.now()`. */
interface Frame {
  at_ms: number;
  payload: Buffer;
  is_compressed: boolean;
}

const TEXT = 1;
const CLOSE = 8;
/** The bytes that a sender leaves out behind each compressed message. Source: RFC 7692, section 7.2.2. */
const TAIL = Buffer.from([0, 0, 0xff, 0xff]);

/**
 * Reads text messages as they arrive and decodes them only when asked. It offers compression as browsers do, each message
 * by itself. Source: RFC 6455, section 5; RFC 7692.
 */
export class LightSocket {
  readonly #socket: Socket;
  readonly #frames: Frame[] = [];
  #rest: Buffer = Buffer.alloc(0);

  private constructor(socket: Socket) {
    this.#socket = socket;
  }

  /** Opens a socket. Throws when the server does not upgrade the connection. */
  static async open(url: string): Promise<LightSocket> {
    const { hostname, port, host, pathname, search } = new URL(url);
    const socket = connect({ host: hostname, port: Number(port), noDelay: true });
    const lines = [
      `GET ${pathname}${search} HTTP/1.1`,
      `Host: ${host}`,
      "Upgrade: websocket",
      "Connection: Upgrade",
      `Sec-WebSocket-Key: ${randomBytes(16).toString("base64")}`,
      "Sec-WebSocket-Version: 13",
      "Sec-WebSocket-Extensions: permessage-deflate; server_no_context_takeover",
    ];
    socket.write(`${lines.join("\r\n")}\r\n\r\n`);
    const light = new LightSocket(socket);
    let head = Buffer.alloc(0);
    await new Promise<void>((opened, failed) => {
      const onHead = (bytes: Buffer) => {
        head = Buffer.concat([head, bytes]);
        const end = head.indexOf("\r\n\r\n");
        if (end < 0) return;
        socket.off("data", onHead);
        const [status = ""] = head.toString("latin1").split("\r\n", 1);
        if (!status.includes(" 101 ")) return failed(new Error(`${pathname}: ${status}`));
        socket.on("data", (more) => light.#take(more));
        light.#take(head.subarray(end + 4));
        opened();
      };
      socket.on("data", onHead);
      socket.once("error", failed);
    });
    return light;
  }

  /** Returns the messages that have arrived since the last call, in order. */
  takeMessages(): { at_ms: number; text: string }[] {
    return this.#frames
      .splice(0)
      .map(({ at_ms, payload, is_compressed }) => ({ at_ms, text: read(payload, is_compressed) }));
  }

  close(): void {
    // An empty masked frame that closes.
    this.#socket.end(Buffer.from([0x80 | CLOSE, 0x80, 0, 0, 0, 0]));
  }

  #take(bytes: Buffer): void {
    const at_ms = performance.now();
    let data = this.#rest.length > 0 ? Buffer.concat([this.#rest, bytes]) : bytes;
    for (;;) {
      const frame = readFrame(data);
      if (!frame) break;
      const [first = 0] = data;
      if ((first & 0x0f) === TEXT) {
        this.#frames.push({
          at_ms,
          payload: data.subarray(frame.begin, frame.end),
          is_compressed: (first & 0x40) !== 0,
        });
      }
      data = data.subarray(frame.end);
    }
    this.#rest = data;
  }
}

/** Returns where the payload of the first frame begins and ends; null while it is not complete. */
function readFrame(data: Buffer): { begin: number; end: number } | null {
  if (data.length < 2) return null;
  const short = (data[1] ?? 0) & 0x7f;
  const begin = short === 127 ? 10 : short === 126 ? 4 : 2;
  if (data.length < begin) return null;
  const length = short === 127 ? Number(data.readBigUInt64BE(2)) : short === 126 ? data.readUInt16BE(2) : short;
  return data.length < begin + length ? null : { begin, end: begin + length };
}

/** Every reader gets the same bytes, so each is decoded once. */
const decoded = new Map<string, string>();

function read(payload: Buffer, is_compressed: boolean): string {
  if (!is_compressed) return payload.toString();
  const key = payload.toString("latin1");
  const known = decoded.get(key);
  if (known !== undefined) return known;
  const text = inflateRawSync(Buffer.concat([payload, TAIL]), { finishFlush: constants.Z_SYNC_FLUSH }).toString();
  decoded.set(key, text);
  return text;
}
