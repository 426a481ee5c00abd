import { expect, test } from "vitest";
import { forwarded } from "../../workers/web/forwarded.ts";

test("a service sees no cookie, and only our own word for the client's address", () => {
  const headers = { cookie: "soziIdAuth=a.b.c", "cf-connecting-ip": "203.0.113.1", authorization: "Bearer t" };
  const sent = (address: string | null) =>
    Object.fromEntries(forwarded(new Request("https://ofuse.test/v4/profile", { headers }), address).headers);
  expect(sent("192.0.2.1")).toEqual({ authorization: "Bearer t", "cf-connecting-ip": "192.0.2.1" });
  expect(sent(null)).toEqual({ authorization: "Bearer t" });
});
