import { RouterContextProvider } from "react-router";
import { describe, expect, test } from "vitest";
import { jarContext, v4Context } from "../../app/request/context.ts";
import { CookieJar } from "../../app/request/cookies.ts";
import { loader as ofPost } from "../../app/routes/creator/report-comment.tsx";
import { loader as ofRadio } from "../../app/routes/creator/report-radio-comment.tsx";
import { viewerContext } from "../../app/session/context.ts";
import type { V4 } from "../../app/v4/client.ts";

const id = (n: number) => `01kaf2m8q3v7x1n5r9t4w6y${String(n).padStart(3, "0")}`;

interface Listed {
  comments: { comment_id: string; is_deleted: boolean }[];
  has_next: boolean;
}

/** Opens the page that reports comment 2, as a member, with these comments of the post or the radio. */
async function open(loader: (args: never) => Promise<object>, listed: Listed): Promise<number> {
  const answers = { getEvent: { event: {} }, getRadio: { radio: {} } } as Record<string, object>;
  const v4: Partial<V4> = {
    withUrlKey: () => v4 as V4,
    read: (async (operation: { id: string }) => answers[operation.id] ?? listed) as V4["read"],
  };
  const url = new URL("https://ofuse.example/x");
  const context = new RouterContextProvider();
  context.set(v4Context, v4 as V4);
  context.set(jarContext, new CookieJar(new Request(url)));
  context.set(viewerContext, { session: { id: "a" }, profile: null } as never);
  const params = { link_id: "natsume", event_id: id(1), radio_id: id(1), comment_id: id(2) };
  return loader({ url, params, context } as never).then(
    () => 200,
    (thrown) => thrown.init.status,
  );
}

describe.each([
  ["post", ofPost],
  ["radio", ofRadio],
] as const)("the page that reports a comment of a %s", (_of, loader) => {
  const comment = (n: number, is_deleted = false) => ({ comment_id: id(n), is_deleted });

  test.each<[string, number, Listed]>([
    ["there", 200, { comments: [comment(3), comment(2)], has_next: false }],
    ["not there", 404, { comments: [comment(3)], has_next: false }],
    ["deleted", 404, { comments: [comment(2, true), comment(3)], has_next: true }],
  ])("when the comment is %s, answers %i", async (_state, status, listed) => {
    expect(await open(loader, listed)).toBe(status);
  });

  // The API gives the page that has a named comment of a post. A radio's may be among those of the next call.
  test(`when more comments follow those without it, answers ${loader === ofPost ? 404 : 200}`, async () => {
    expect(await open(loader, { comments: [comment(3)], has_next: true })).toBe(loader === ofPost ? 404 : 200);
  });
});
