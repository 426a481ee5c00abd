import { problemAnswer } from "../../http/answer.ts";
import { Problem } from "../../kernel/problem.ts";
import type { Read } from "../http/endpoint.ts";

/** How long a batch waits for a read that its page can do without. */
const OPTIONAL_MS = 2000;

/** Answers one read of a batch. An error of the read is its own answer. */
export async function answerRead(
  { address, is_optional }: { address: string; is_optional: boolean },
  request_id: string,
  read: Read,
): Promise<{ status: number; body: unknown }> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<Response>((_, fail) => {
    if (is_optional) timer = setTimeout(() => fail(new Problem("unavailable")), OPTIONAL_MS);
  });
  const answer = await Promise.race([read(address), late]).catch((error: unknown) => problemAnswer(error, request_id));
  clearTimeout(timer);
  const { status, headers, body } = answer;
  if (!body) return { status, body: null };
  if (/json/.test(headers.get("content-type") ?? "")) return { status, body: await answer.json() };
  // A file, such as an archive of all that a person has here, which may be larger than the memory.
  await body.cancel();
  const refused = problemAnswer(new Problem("bad_request"), request_id);
  return { status: refused.status, body: await refused.json() };
}
