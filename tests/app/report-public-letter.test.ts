import { RouterContextProvider } from "react-router";
import { expect, test } from "vitest";
import { jarContext, v4Context } from "../../app/request/context.ts";
import { CookieJar } from "../../app/request/cookies.ts";
import { loader } from "../../app/routes/creator/report-public-letter.tsx";
import { viewerContext } from "../../app/session/context.ts";
import type { V4 } from "../../app/v4/client.ts";

const id = (n: number) => `01kaf2m8q3v7x1n5r9t4w6y${String(n).padStart(3, "0")}`;

interface Listed {
  ofuses: { ofuse_id: string; sender: null; sender_name: string; message: string }[];
  has_next: boolean;
}

/** Opens the page that reports letter 2, as a member, with these letters on the creator's page. */
function open(listed: Listed) {
  const v4: Partial<V4> = {
    read: (async (operation: { id: string }) =>
      operation.id === "getUser" ? { user: { user_id: id(1) } } : listed) as V4["read"],
  };
  const url = new URL("https://ofuse.example/x");
  const context = new RouterContextProvider();
  context.set(v4Context, v4 as V4);
  context.set(jarContext, new CookieJar(new Request(url)));
  context.set(viewerContext, { session: { id: "a" }, profile: null } as never);
  return loader({ url, params: { link_id: "natsume", ofuse_id: id(2) }, context } as never).then(
    ({ letter }) => letter,
    (thrown) => thrown.init.status,
  );
}

const letter = (n: number) => ({ ofuse_id: id(n), sender: null, sender_name: "匿名", message: `${n}通目` });

test.each<[string, Listed, unknown]>([
  ["there", { ofuses: [letter(3), letter(2)], has_next: false }, { sender: "匿名", message: "2通目" }],
  ["not there", { ofuses: [letter(3)], has_next: false }, 404],
  ["perhaps among those of the next call", { ofuses: [letter(3)], has_next: true }, null],
])("the page that reports a public letter, when the letter is %s", async (_state, listed, shown) => {
  expect(await open(listed)).toEqual(shown);
});
