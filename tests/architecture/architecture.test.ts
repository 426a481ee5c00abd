import { existsSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { importsOf, readSources } from "./imports.ts";
import { breachesOf, circlesOf } from "./rules.ts";

const root = join(import.meta.dirname, "../..");
const sources = readSources(["app", "workers"]);
const imports = importsOf(sources);

describe("the import rules", () => {
  test("read the whole tree, and every import of ours leads to a file", () => {
    expect(sources.size).toBeGreaterThan(120);
    expect(imports.length).toBeGreaterThan(500);
    const lost = imports.filter(({ to }) => /^(app|workers)\//.test(to) && !to.includes("/+types/"));
    expect(lost.filter(({ to }) => !existsSync(join(root, to.replace(/\?.*/, ""))))).toEqual([]);
  });

  test("are kept by every file", () => {
    expect(breachesOf(imports)).toEqual([]);
  });

  test("find no circle of imports, including type imports", () => {
    expect(circlesOf(imports)).toEqual([]);
  });

  test.each([
    ["app/routes/home.tsx", 'import { openDatabase } from "../../workers/api/storage/database.ts";', /must not know/],
    ["workers/identity/index.ts", 'import { notify } from "../api/notifications/reactions.ts";', /must not know/],
    ["workers/radio/store.ts", 'import { commit } from "../storage/commit.ts";', /must not know/],
    ["workers/radio/tokens.ts", 'import { z } from "zod";', /package zod/],
    ["workers/share-images/card.ts", 'import { shareCard } from "../../app/crawlers/share-card.ts";', /must not know/],
    ["workers/kernel/ids.ts", 'import { z } from "zod";', /package zod/],
    ["workers/http/answer.ts", 'import { openDatabase } from "../api/storage/database.ts";', /must not know/],
    ["workers/http/body.ts", 'import { commit } from "../storage/commit.ts";', /must not know/],
    ["workers/storage/commit.ts", 'import { z } from "zod";', /package zod/],
    ["workers/api/users/routes.ts", 'import { LiveRoom } from "../../live/room.ts";', /must not know/],
    ["workers/contract/users.ts", 'import { newId } from "../kernel/ids.ts";', /must not know/],
    ["workers/api/users/queries.ts", 'import { findEvent } from "../events/queries.ts";', /only look left/],
    ["workers/api/ofuses/commands.ts", 'import { notify } from "../notifications/reactions.ts";', /nobody imports/],
    ["workers/api/events/rules.ts", 'import { openDatabase } from "../storage/database.ts";', /rules are pure/],
    ["workers/api/ofuses/routes.ts", 'import { sql } from "kysely";', /SQL belongs in/],
    ["workers/api/ofuses/commands.ts", 'import { userRoutes } from "../users/routes.ts";', /commands or queries/],
    ["app/routes/login.tsx", 'import { call } from "../v4/call.ts";', /only caller/],
    ["app/visitor/index.ts", 'import { useState } from "react";', /no framework/],
    ["app/session/guest.ts", 'import { aimOf } from "../sign-in/aim.ts";', /only look left/],
    ["app/request/cookies.ts", 'import type { Viewer } from "../session/context.ts";', /only look left/],
    ["app/shell/header.tsx", 'import type { WatchedDocument } from "../routes/session-state.ts";', /only look left/],
    ["app/extras/thing.ts", 'import { excerpt } from "../text/excerpt.ts";', /no place among the rooms/],
    ["app/ui/badge.tsx", 'import type { User } from "../../workers/contract/users.ts";', /ui knows no domain/],
    ["app/ui/badge.tsx", 'import { Avatar } from "../people/avatar.tsx";', /only look left/],
    ["app/radio/listen.ts", 'import { useState } from "react";', /no framework/],
    ["app/radio/listen.ts", 'import { AppError } from "../shell/error.tsx";', /only look left/],
    ["app/browser/events.ts", 'import { id } from "../../workers/contract/fields.ts";', /no zod/],
  ])("report a violation planted in %s", (file, source, reason) => {
    expect(breachesOf(importsOf(new Map([[file, source]])))).toContainEqual(expect.stringMatching(reason));
  });

  test.each([
    ["values", 'import { a } from "./a.ts";'],
    ["types", 'import type { A } from "./a.ts";'],
    ["types beside values", 'import { type A, a } from "./a.ts";'],
    ["re-exports", 'export type { A } from "./a.ts";'],
  ])("report a planted circle of %s", (_, source) => {
    const planted = new Map([
      ["app/a.ts", 'import { b } from "./b.ts";'],
      ["app/b.ts", source],
    ]);
    expect(circlesOf(importsOf(planted))).toEqual(["app/a.ts -> app/b.ts -> app/a.ts"]);
  });
});

describe("writes", () => {
  test("run their batches only in workers/storage", () => {
    const batching = [...sources].filter(([, source]) => /\.batch\(/.test(source));
    expect(batching.map(([path]) => path)).toEqual([
      "workers/storage/commit.ts",
      "workers/storage/joined-reads.ts",
      "workers/storage/query-count.ts",
    ]);
  });

  test("write every mail of identity, and every mail of the mails worker, in one place", () => {
    const senders = [...sources].filter(([, source]) => source.includes('insertInto("mails")'));
    expect(senders.map(([path]) => path).sort()).toEqual([
      "workers/identity/mails/commands.ts",
      "workers/mails/commands.ts",
    ]);
  });

  test("normalise a text only by the function that does it in linear time", () => {
    const normalising = [...sources].filter(([, source]) => /\.normalize\(/.test(source)).map(([path]) => path);
    // The gateway of a demo knows nothing of the product, and normalises 200 letters.
    const ours = normalising.filter((path) => /^(app|workers)\//.test(path) && !path.startsWith("workers/gateway/"));
    expect(ours).toEqual(["workers/contract/normal-form.ts"]);
  });

  test("run D1 only in storage", () => {
    const writers = [...sources].filter(
      ([path, source]) =>
        path.startsWith("workers/api/") &&
        !path.includes("/storage/") &&
        /\b(d1|DB)\.(batch|exec|prepare)\(|\.execute(TakeFirst)?\(\).*(insertInto|updateTable|deleteFrom)/.test(source),
    );
    expect(writers.map(([path]) => path)).toEqual([]);
  });

  test("need a database, which the web worker and the app do not have", () => {
    const holders = [...sources].filter(
      ([path, source]) => /^(app|workers\/web)\//.test(path) && /\bD1Database\b|\bR2Bucket\b|env\.DB\b/.test(source),
    );
    expect(holders.map(([path]) => path)).toEqual([]);
  });
});
