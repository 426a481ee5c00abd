import { connect as connectPlain, type Socket } from "node:net";
import { Readable } from "node:stream";
import { connect as connectTls } from "node:tls";
import MailComposer from "nodemailer/lib/mail-composer";
import SMTPConnection, { type SMTPConnectionSendInfo } from "nodemailer/lib/smtp-connection";
import { isAscii, toAsciiDomain, toMailbox } from "../rules.ts";
import { headersOf, type Outcome, type Outgoing, type Transport, toAnswer } from "./transport.ts";

export interface SmtpSettings {
  host: string;
  port: number;
  /** `tls` encrypts from the start, `starttls` demands STARTTLS. `off` is only for a server on the same machine. */
  encryption: "tls" | "starttls" | "off";
  credentials: { user: string; password: string } | null;
}

/** Time limits of one step of a session. */
const CONNECT_MS = 15_000;
const ANSWER_MS = 30_000;
/**
 * How long a server may take over a mail that it has got whole: one that is given up too early gets the mail twice.
 * Source: RFC 5321, section 4.5.3.2.6.
 */
const TAKEN_MS = 10 * 60_000;

/** The error of nodemailer: `command` is the last that was sent. */
interface SmtpError extends Error {
  responseCode?: number;
  response?: string;
  command?: string;
}

/**
 * Opens a transport that submits mails to one server over one connection, which it opens for the first mail and again
 * after a failure (RFC 6409).
 *
 * @param from the address and name in the header and in the envelope.
 */
export function openSmtp(settings: SmtpSettings, from: { address: string; name: string }): Transport {
  let connection: SMTPConnection | null = null;
  const sender = toAsciiDomain(from.address);
  const drop = () => {
    connection?.close();
    connection = null;
  };
  return {
    async send(mail) {
      // Between two mails a server may close an idle connection, and nodemailer does after a while.
      if (connection?.destroyed) drop();
      try {
        connection ??= await openConnection(settings, sender);
      } catch (error) {
        // Also a refused password: the operator can mend it while the mails wait.
        return { kind: "deferred", answer: answerOf(error as SmtpError), is_general: true };
      }
      const to = toAsciiDomain(toMailbox(mail.recipient));
      try {
        const info = await submit(connection, await composeMail(mail, from), { from: sender, to });
        return { kind: "sent", answer: toAnswer(info.response) };
      } catch (error) {
        // The server may have hung up, or wait for the rest of this mail.
        drop();
        return toOutcome(error as SmtpError, to);
      }
    },
    close() {
      connection?.quit();
      connection = null;
    },
  };
}

/**
 * Opens a socket by the host's name, so that the runtime resolves it and checks the certificate against it. nodemailer
 * would resolve the name itself, and the certificate would be checked against the bare address.
 */
function openSocket({ host, port, encryption }: SmtpSettings): Promise<Socket> {
  const { promise, resolve, reject } = Promise.withResolvers<Socket>();
  const is_secure = encryption === "tls";
  const socket: Socket = is_secure ? connectTls({ host, port, servername: host }) : connectPlain({ host, port });
  const timer = setTimeout(
    () => socket.destroy(new Error("the server did not take the connection in time")),
    CONNECT_MS,
  );
  socket.once("error", reject);
  socket.once("close", () => reject(new Error("the server closed the connection")));
  socket.once(is_secure ? "secureConnect" : "connect", () => {
    clearTimeout(timer);
    socket.removeAllListeners("error");
    socket.removeAllListeners("close");
    resolve(socket);
  });
  return promise.finally(() => clearTimeout(timer));
}

async function openConnection(settings: SmtpSettings, from: string): Promise<SMTPConnection> {
  const { host, port, encryption, credentials } = settings;
  const is_secure = encryption === "tls";
  const socket = await openSocket(settings);
  const connection = new SMTPConnection({
    host,
    port,
    connection: socket,
    secure: is_secure,
    secured: is_secure,
    requireTLS: encryption === "starttls",
    ignoreTLS: encryption === "off",
    name: from.slice(from.lastIndexOf("@") + 1),
    greetingTimeout: ANSWER_MS,
    socketTimeout: ANSWER_MS,
    logger: false,
  });
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  connection.once("error", reject);
  connection.once("end", () => reject(new Error("the server closed the connection")));
  connection.connect(() => {
    if (!credentials) resolve();
    else
      connection.login({ user: credentials.user, pass: credentials.password }, (error) =>
        error ? reject(error) : resolve(),
      );
  });
  try {
    await promise;
    // A connection that dies between two mails fails the next one, and not the worker.
    connection.on("error", () => {});
    return connection;
  } catch (error) {
    connection.close();
    throw error;
  }
}

function submit(
  connection: SMTPConnection,
  message: Buffer,
  envelope: { from: string; to: string },
): Promise<SMTPConnectionSendInfo> {
  const { promise, resolve, reject } = Promise.withResolvers<SMTPConnectionSendInfo>();
  const lost = () => reject(new Error("the server closed the connection"));
  connection.once("end", lost);
  connection.once("error", reject);
  const wait = (ms: number) => {
    if (connection._socket) connection._socket.setTimeout(ms);
  };
  // The connection reads the mail once the server has accepted DATA.
  const whole = new Readable({
    read() {
      wait(TAKEN_MS);
      this.push(message);
      this.push(null);
    },
  });
  connection.send(envelope, whole, (error, info) => (error ? reject(error) : resolve(info)));
  return promise.finally(() => {
    wait(ANSWER_MS);
    connection.removeListener("end", lost);
    connection.removeListener("error", reject);
  });
}

/**
 * Returns the mail in MIME: text and HTML as alternatives. Its Message-ID is made of the mail's id, so that a mailbox can
 * drop a second copy after a crash between the server's answer and our record of it.
 */
export async function composeMail(
  mail: Omit<Outgoing, "retries">,
  from: { address: string; name: string },
): Promise<Buffer> {
  const { mail_id, recipient, subject, text, html } = mail;
  const composer = new MailComposer({
    from,
    to: { address: recipient, name: "" },
    subject,
    text,
    html,
    messageId: `<${mail_id.replaceAll(":", ".")}@${from.address.slice(from.address.lastIndexOf("@") + 1)}>`,
    headers: headersOf(mail),
    disableFileAccess: true,
    disableUrlAccess: true,
  });
  return composer.compile().build();
}

/** A refusal of the recipient that means that the mailbox does not exist. Source: RFC 5321, section 4.2.3; RFC 3463, 3.2. */
function isBounce({ command, responseCode, response = "" }: SmtpError): boolean {
  if (!command?.startsWith("RCPT") || ![550, 551, 553].includes(responseCode ?? 0)) return false;
  const [, subject] = /^\d{3}[ -]5\.(\d+)\.\d+/.exec(response) ?? [];
  return subject === undefined || subject === "1";
}

/** Codes of refused accounts. Source: RFC 4954, section 6. */
const ACCOUNT_CODES = [530, 535, 538];
/**
 * Statuses about the sender or about a limit of sending, which all mails share. Source: RFC 3463, 3.2 and 3.5; 5.4.5 is
 * Gmail's daily limit, 5.1.90 that of Exchange Online.
 */
const ACCOUNT_STATUS = /^\d{3}[ -]5\.(?:1\.7|1\.8|1\.90|4\.5)\b/;

/** Whether the server refused the account, and so every mail: all mails have one sender. */
function isAccountRefused({ command, responseCode = 0, response = "" }: SmtpError): boolean {
  return command === "MAIL FROM" || ACCOUNT_CODES.includes(responseCode) || ACCOUNT_STATUS.test(response);
}

/**
 * A refused mailbox with a local part that is not ASCII never bounces: a server that cannot pass such an address on (RFC
 * 6531, section 3.5) answers as for one that does not exist.
 */
function toOutcome(error: SmtpError, mailbox: string): Outcome {
  const answer = answerOf(error);
  if (isAccountRefused(error)) return { kind: "deferred", answer, is_general: true };
  const is_permanent = (error.responseCode ?? 0) >= 500;
  if (is_permanent) return { kind: "refused", answer, is_bounce: isAscii(mailbox) && isBounce(error) };
  return { kind: "deferred", answer, is_general: error.responseCode === undefined };
}

const answerOf = ({ response, message }: SmtpError): string => toAnswer(response ?? message);
