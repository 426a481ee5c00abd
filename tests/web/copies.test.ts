import { expect, test } from "vitest";
import { Copies, type Copy } from "../../workers/web/copies.ts";

const MEGABYTE = 1024 * 1024;
const copyOf = (version: string, bytes = 1): Copy => ({
  version,
  etag: 'W/"x"',
  made_at: Date.now(),
  headers: [["content-type", "text/html"]],
  body: new Uint8Array(bytes),
});
/** Counts names, so that each test uses an unused one. */
let names = 0;
const newKey = () => `https://pages.internal/copies/${names++}`;

test("a stored copy is found unchanged, also by a new worker", async () => {
  const [key, copy] = [newKey(), copyOf("1", 3)];
  await new Copies().keep(key, copy);
  expect(await new Copies().find(key, "1")).toEqual(copy);
  expect(await new Copies().find(newKey(), "1")).toBeNull();
});

test("another worker's newer copy replaces the one in memory", async () => {
  const [key, here, elsewhere] = [newKey(), new Copies(), new Copies()];
  await here.keep(key, copyOf("1"));
  await elsewhere.keep(key, copyOf("2"));
  expect((await here.find(key, "2"))?.version).toBe("2");
  expect((await here.find(key, null))?.version).toBe("2");
});

test("only recently used copies are held in memory, and the others are found in the cache", async () => {
  const copies = new Copies();
  const [first, second] = [
    { key: newKey(), copy: copyOf("1", MEGABYTE) },
    { key: newKey(), copy: copyOf("1", MEGABYTE) },
  ];
  for (const { key, copy } of [first, second]) await copies.keep(key, copy);
  // Storing the same copy again takes no more space.
  for (let count = 0; count < 10; count++) await copies.keep(first.key, first.copy);
  for (let count = 0; count < 6; count++) await copies.keep(newKey(), copyOf("1", MEGABYTE));
  expect(await copies.find(second.key, "1"), "memory holds eight megabytes").toBe(second.copy);
  await copies.keep(newKey(), copyOf("1", MEGABYTE));
  expect(await copies.find(second.key, "1"), "it was read since").toBe(second.copy);
  const found = await copies.find(first.key, "1");
  expect(found).not.toBe(first.copy);
  expect(found?.body).toHaveLength(MEGABYTE);
});

test("a copy older than a day is served neither from memory nor from the cache", async () => {
  const [key, copies] = [newKey(), new Copies()];
  await copies.keep(key, { ...copyOf("1"), made_at: Date.now() - 25 * 60 * 60 * 1000 });
  expect(await copies.find(key, "1")).toBeNull();
});

test("a forgotten copy is not found", async () => {
  const [key, copies] = [newKey(), new Copies()];
  await copies.keep(key, copyOf("1"));
  await copies.forget(key);
  expect(await copies.find(key, "1")).toBeNull();
  expect(await new Copies().find(key, null)).toBeNull();
});
