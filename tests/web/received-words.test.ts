import { expect, test } from "vitest";
import { receiveUploads, UnreadableForm } from "../../app/uploads/receive.ts";
import { POST_FORM_BYTES } from "../../workers/contract/bounds.ts";

/** Receives a form with files whose two fields have this many bytes together, half of them Japanese. */
function receiveBytes(bytes: number) {
  const form = new FormData();
  const title = "あ".repeat(Math.floor(bytes / 6));
  form.append("題", title);
  form.append("words", "a".repeat(bytes - 3 * title.length));
  return receiveUploads(new Request("https://ofuse.example/", { method: "POST", body: form }), () => null, "post");
}

test("a form with files takes words up to its bound, and counts Japanese in bytes", async () => {
  const { form } = await receiveBytes(POST_FORM_BYTES - "題".length * 3);
  expect([...form.keys()]).toEqual(["題", "words"]);
  await expect(receiveBytes(POST_FORM_BYTES)).rejects.toThrow(UnreadableForm);
});
