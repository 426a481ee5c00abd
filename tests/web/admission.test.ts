import { RouterContextProvider } from "react-router";
import { describe, expect, test } from "vitest";
import { inadmissibleContext } from "../../app/request/context.ts";
import { BLOG_GRAPHEMES, RADIO_TRANSCRIPT_GRAPHEMES } from "../../workers/contract/bounds.ts";
import { admitRequest } from "../../workers/web/admission.ts";

const id = "01k8anj7axxq6ttjqb44twk30e";

test.each([
  ["a post", "/my/posts/new", BLOG_GRAPHEMES],
  ["the draft of a post", `/my/posts/drafts/${id}/save.json`, BLOG_GRAPHEMES],
  ["a newsletter", `/my/news_letters/${id}/edit`, BLOG_GRAPHEMES],
  ["the draft of a newsletter", "/my/news_letters/save.json", BLOG_GRAPHEMES],
  ["a radio with its transcript", `/my/radio/${id}/edit`, RADIO_TRANSCRIPT_GRAPHEMES],
])("%s is admitted with the longest text that it may have", async (_, path, graphemes) => {
  const typed = { body: "あ".repeat(graphemes) };
  const multipart = new FormData();
  multipart.set("body", typed.body);
  for (const body of [new URLSearchParams(typed), multipart]) {
    const provided = new RouterContextProvider();
    const origin = "https://letters.test";
    await admitRequest(new Request(origin + path, { method: "POST", body, headers: { origin } }), provided);
    expect(provided.get(inadmissibleContext)).toBeNull();
  }
});

describe("a form from another site", () => {
  const admit = async (path: string, origin: string | null) => {
    const provided = new RouterContextProvider();
    const body = new URLSearchParams({ "List-Unsubscribe": "One-Click" });
    const headers = origin === null ? undefined : { origin };
    const request = new Request(`https://letters.test${path}`, { method: "POST", body, headers });
    const admitted = await admitRequest(request, provided);
    return { admitted, reason: provided.get(inadmissibleContext) };
  };

  test.each([null, "null", "https://mail.example", "mail"])(
    "stops newsletters: the app gets it without its origin %j",
    async (origin) => {
      const { admitted, reason } = await admit("/unsubscribe/get_ofuse.x.y", origin);
      expect([reason, admitted.method, admitted.headers.get("origin")]).toEqual([null, "POST", null]);
      expect((await admitted.formData()).get("List-Unsubscribe")).toBe("One-Click");
    },
  );

  test.each(["/unsubscribe", "/unsubscribe/a/b", "/login"])("to %s is refused", async (path) => {
    const { admitted, reason } = await admit(path, "https://mail.example");
    expect([reason, admitted.method]).toEqual(["cross_site", "GET"]);
  });

  test("of our own site keeps its origin", async () => {
    const { admitted } = await admit("/unsubscribe/x", "https://letters.test");
    expect(admitted.headers.get("origin")).toBe("https://letters.test");
  });
});
