import { expect, test } from "vitest";
import { createNewsletter } from "../../workers/contract/newsletters.ts";

const ids = Array.from({ length: 21 }, (_, n) => `01m7zvhtjmkdshhcvbmqvk${String(n).padStart(4, "0")}`);
const [id = ""] = ids;
const image = { type: "image", image_id: id };
const listed = (list: readonly string[]) => list.map((image_id) => ({ image_id }));
const sent = { title: "題", status: "published" };

/** Returns the fields that the contract refuses. */
const faultsOf = (body: object) => createNewsletter.body.safeParse(body).error?.issues.map(({ path }) => path[0]) ?? [];

test.each([
  ["sends a picture without words", { ...sent, document: [image], images: listed([id]) }, []],
  ["sends no picture that stands nowhere", { ...sent, document: [], images: listed([id]) }, ["document"]],
  ["takes listed pictures alone", { document: [image], images: listed(ids.slice(1)) }, ["document"]],
  ["takes twenty pictures", { images: listed(ids) }, ["images"]],
  ["takes no sound", { document: [{ type: "audio", media_id: id }] }, ["document"]],
])("a newsletter %s", (_, body, faults) => {
  expect(faultsOf(body)).toEqual(faults);
});
