/** Submits one mail again and again over one connection, in a thread of its own: what a client without any work of its own reaches. */
import { parentPort, workerData } from "node:worker_threads";
import SMTPConnection from "nodemailer/lib/smtp-connection";
import { HOST } from "../local-vars.ts";
import { CREDENTIALS } from "./smtp-server.ts";

const { port, mails, message } = workerData as { port: number; mails: number; message: string };
const connection = new SMTPConnection({ host: HOST, port, requireTLS: true, tls: { rejectUnauthorized: false } });
await new Promise<void>((done) => connection.connect(() => done()));
await new Promise<void>((done, failed) =>
  connection.login({ user: CREDENTIALS.user, pass: CREDENTIALS.password }, (error) => (error ? failed(error) : done())),
);
for (let mail = 0; mail < mails; mail++) {
  const envelope = { from: "no-reply@bench.example", to: `fan${mail}@bench.example` };
  const bytes = message.replace(/^Message-ID: <\S+>/im, `Message-ID: <bare.${mail}@bench.example>`);
  await new Promise<void>((done, failed) =>
    connection.send(envelope, bytes, (error) => (error ? failed(error) : done())),
  );
}
connection.quit();
parentPort?.postMessage("done");
