import { expect } from "vitest";
import { type Account, network, openBrowserAs } from "../../support/network.ts";

/** Downloads the archive of a member, or one part of it, as the buttons of the page do. */
export async function archiveOf(who: string | Account, part?: { number: number; count: number }): Promise<Uint8Array> {
  const { cookies } = await openBrowserAs(who);
  const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join("; ");
  const query = part ? `?part=${part.number}` : "";
  const url = `${(await network()).url}/my/settings/archive/ofuse-archive.zip${query}`;
  const answer = await fetch(url, { headers: { cookie } });
  expect([answer.status, answer.headers.get("content-type")]).toEqual([200, "application/zip"]);
  const name = part ? `ofuse-archive-${part.number}-of-${part.count}.zip` : "ofuse-archive.zip";
  expect(answer.headers.get("content-disposition")).toBe(`attachment; filename="${name}"`);
  expect(answer.headers.get("cache-control")).toBe("private, no-store");
  return new Uint8Array(await answer.arrayBuffer());
}
