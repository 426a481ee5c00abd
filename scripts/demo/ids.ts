/** Ids and dates of the demo world. Every run gives the same thing the same id. */
import { createHash } from "node:crypto";
import type { Letter } from "./letters/letter.ts";
import type { Newsletter } from "./newsletters.ts";
import type { Post } from "./posts.ts";
import type { DemoRadio } from "./radios.ts";

export const DAY_MS = 24 * 60 * 60 * 1000;
/** The day on which every account of the demo world was made. */
export const FOUNDED_DAYS_AGO = 400;
const ALPHABET = "0123456789abcdefghjkmnpqrstvwxyz";

export function isoBefore(now_ms: number, days: number): string {
  return new Date(now_ms - days * DAY_MS).toISOString();
}

/** Returns a stable id for something in the demo world. Ids sort by time. */
export function demoId(kind: string, key: string, ms: number): string {
  let time = "";
  for (let rest = Math.floor(ms), place = 0; place < 10; place++, rest = Math.floor(rest / 32)) {
    time = ALPHABET[rest % 32] + time;
  }
  return time + digestOf(`${kind} ${key}`, 16);
}

/** Returns the id of something that exists since the beginning: a person, a plan, a category, a picture. */
export function foundedId(kind: "user" | "plan" | "category" | "image", key: string, now_ms: number): string {
  return demoId(kind, key, now_ms - FOUNDED_DAYS_AGO * DAY_MS);
}

/** A scheduled post was written a little while ago. */
export const writtenDaysAgo = (post: Post): number => Math.max(post.days_ago, 0.1);

export function eventId(post: Post, now_ms: number): string {
  return demoId("event", post.key, now_ms - writtenDaysAgo(post) * DAY_MS);
}

export function newsletterId({ key, written_days_ago }: Newsletter, now_ms: number): string {
  return demoId("newsletter", key, now_ms - written_days_ago * DAY_MS);
}

export function radioId({ key, written_days_ago }: DemoRadio, now_ms: number): string {
  return demoId("radio", key, now_ms - written_days_ago * DAY_MS);
}

/** `index` is the letter's place among all letters. It distinguishes two letters of the same pair. */
export function letterId(letter: Letter, index: number, now_ms: number): string {
  return demoId("ofuse", `${letter.from} ${letter.to} ${index}`, now_ms - letter.days_ago * DAY_MS);
}

/** Returns a person's id at the identity provider: 28 characters, like Firebase's. */
export function identityId(link_id: string): string {
  return `demo${digestOf(`identity ${link_id}`, 24)}`;
}

function digestOf(text: string, length: number): string {
  const bytes = createHash("sha256").update(text).digest();
  return Array.from(bytes.subarray(0, length), (byte) => ALPHABET[byte % 32]).join("");
}
