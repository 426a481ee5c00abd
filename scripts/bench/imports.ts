/**
 * `npm run bench -- imports`: imports archives with one recording, a small one and one near the bound of an upload, and watches
 * the memory of workerd. Fails when the large one adds more than {@link MAY_GROW_MB}: an import passes a recording on in pieces.
 */
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { strToU8, zipSync } from "fflate";
import {
  ARCHIVE_FORMAT,
  ARCHIVE_VERSION,
  type ArchivedFile,
  type ArchivedRadio,
  type ArchiveManifest,
} from "../../workers/contract/archive.ts";
import type { createImport } from "../../workers/contract/imports.ts";
import type { AnswerOf } from "../../workers/contract/operation.ts";
import { newId } from "../../workers/kernel/ids.ts";
import { IDENTITY_ORIGIN } from "../../workers/verifier/deployment.ts";
import { DEMO_PASSWORD, demoEmail } from "../demo/seed.ts";
import { startNetwork } from "../network.ts";
import { workerdsOf } from "../processes.ts";
import { atMost } from "./figures.ts";

const MB = 1024 * 1024;
const SIZES_MB = { small: 20, large: 190 };
/** An import that holds the file whole adds 190 MB. Pieces of 8 MiB, and what is left for V8's next collection, added up to 110. */
const MAY_GROW_MB = 128;
const SAMPLED_EVERY_MS = 20;

/** Returns silence of 44.1 kHz, 16 bits and two channels. Source: the WAVE format of RIFF. */
function silence(bytes: number): Uint8Array {
  const wav = Buffer.alloc(44 + bytes);
  wav.write("RIFF");
  wav.writeUInt32LE(36 + bytes, 4);
  wav.write("WAVEfmt ", 8);
  wav.writeUInt32LE(16, 16);
  wav.writeUInt16LE(1, 20);
  wav.writeUInt16LE(2, 22);
  wav.writeUInt32LE(44_100, 24);
  wav.writeUInt32LE(176_400, 28);
  wav.writeUInt16LE(4, 32);
  wav.writeUInt16LE(16, 34);
  wav.write("data", 36);
  wav.writeUInt32LE(bytes, 40);
  return wav;
}

/** Returns an archive of ours that has one radio and its recording, uncompressed as our archives are. */
function archiveWith(recording: Uint8Array): Uint8Array {
  const [radio_id, media_id] = [newId(Date.now()), newId(Date.now())];
  const file: ArchivedFile = {
    id: media_id,
    kind: "audio",
    file: `media/${media_id}.wav`,
    file_name: "recording.wav",
    content_type: "audio/wav",
    alt: "",
    width: null,
    height: null,
  };
  const at = new Date().toISOString();
  const radio: ArchivedRadio = {
    radio_id,
    title: `${recording.length / MB} MB`,
    description: "",
    image_id: null,
    publish_target_type: "public",
    recording_publish_target_type: "public",
    publish_target_membership_id: null,
    status: "finished",
    starts_at: null,
    started_at: at,
    finished_at: at,
    is_chat_on: false,
    transcript: "",
    recording_id: media_id,
    duration_ms: null,
    created_at: at,
    files: [file],
    chapters: [],
    captions: [],
  };
  const manifest: ArchiveManifest = {
    format: ARCHIVE_FORMAT,
    version: ARCHIVE_VERSION,
    exported_at: at,
    person: { link_id: "bench", name: "bench" },
    categories: [],
    plans: [],
    posts: [],
    newsletters: [],
    radios: [{ radio_id, title: radio.title, file: `radios/${radio_id}.json`, files: [file] }],
  };
  const texts = { "archive.json": manifest, [`radios/${radio_id}.json`]: radio };
  const entries = Object.entries(texts).map(([name, value]) => [name, strToU8(JSON.stringify(value))]);
  return zipSync({ ...Object.fromEntries(entries), [file.file]: recording }, { level: 0 });
}

const [small, large] = [SIZES_MB.small, SIZES_MB.large].map((mb) => archiveWith(silence(mb * MB))) as [
  Uint8Array,
  Uint8Array,
];
const data_dir = mkdtempSync(join(tmpdir(), "ofuse-bench-imports-"));
const network = await startNetwork({ data_dir, has_pictures: false });
try {
  const { miniflare, secrets, url } = network;
  const identity = await miniflare.getWorker("ofuse-identity");
  const signed_in = await identity.fetch(
    `${IDENTITY_ORIGIN}/identitytoolkit.googleapis.com/v1/accounts:signInWithPassword?key=${secrets.IDENTITY_API_KEY}`,
    {
      method: "POST",
      body: JSON.stringify({ email: demoEmail("natsume"), password: DEMO_PASSWORD, returnSecureToken: true }),
    },
  );
  const { idToken } = (await signed_in.json()) as { idToken: string };
  const headers = { authorization: `Bearer ${idToken}` };
  const ask = async (path: string, init: RequestInit = {}): Promise<AnswerOf<typeof createImport>> => {
    const answer = await fetch(url + path, { ...init, headers: { ...headers, ...init.headers } });
    if (!answer.ok) throw new Error(`${path} answered ${answer.status}: ${await answer.text()}`);
    return (await answer.json()) as AnswerOf<typeof createImport>;
  };
  const [workerd] = workerdsOf();
  const readMemoryMb = () =>
    Number(/^VmRSS:\s+(\d+)/m.exec(readFileSync(`/proc/${workerd?.pid}/status`, "utf8"))?.[1]) / 1024;

  /** Imports an archive. Returns the highest memory of workerd while the file arrived, and while it was imported. */
  async function importArchive(bytes: Uint8Array): Promise<{ arriving_mb: number; importing_mb: number }> {
    let peak_mb = readMemoryMb();
    const sampling = setInterval(() => {
      peak_mb = Math.max(peak_mb, readMemoryMb());
    }, SAMPLED_EVERY_MS);
    const body = new FormData();
    body.set("file", new File([bytes as Uint8Array<ArrayBuffer>], "archive.zip"));
    const { import: made } = await ask("/v4/imports", { method: "POST", body });
    const arriving_mb = peak_mb;
    peak_mb = readMemoryMb();
    await ask(`/v4/imports/${made.import_id}/start`, {
      method: "POST",
      body: "{}",
      headers: { "content-type": "application/json" },
    });
    const api = await miniflare.getWorker("ofuse-api");
    for (;;) {
      await api.scheduled({ cron: "* * * * *" });
      const { import: found } = await ask(`/v4/imports/${made.import_id}`);
      if (found.status === "completed") {
        if (found.counts.radio?.done !== 1) throw new Error(`not imported: ${JSON.stringify(found)}`);
        break;
      }
      await sleep(100);
    }
    clearInterval(sampling);
    return { arriving_mb, importing_mb: peak_mb };
  }

  await importArchive(small);
  const before_mb = readMemoryMb();
  const began_ms = Date.now();
  const { arriving_mb, importing_mb } = await importArchive(large);
  const took_s = ((Date.now() - began_ms) / 1000).toFixed(1);
  console.log(
    `An archive of ${SIZES_MB.large} MB, in ${took_s} s. workerd had ${before_mb.toFixed(0)} MB before, and more`,
  );
  for (const growth of [
    atMost("while the file arrived", arriving_mb - before_mb, MAY_GROW_MB),
    atMost("while it was imported", importing_mb - before_mb, MAY_GROW_MB),
  ]) {
    console.log(`  ${growth.name.padEnd(24)} ${growth.value} MB (${growth.target})`);
    if (!growth.is_met) process.exitCode = 1;
  }
} finally {
  await network.stop();
  rmSync(data_dir, { recursive: true, force: true });
}
