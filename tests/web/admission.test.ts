import { RouterContextProvider } from "react-router";
import { expect, test } from "vitest";
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
