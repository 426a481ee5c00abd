import { expect, test } from "vitest";
import { toForwardedRequest } from "../../workers/web/forwarded.ts";

test("a service sees no cookie, and only our own word for the client's address and the request's number", () => {
  const headers = {
    cookie: "soziIdAuth=a.b.c",
    "cf-connecting-ip": "203.0.113.1",
    "x-request-id": "chosen-by-the-client",
    authorization: "Bearer t",
  };
  const sent = (address: string | null) =>
    Object.fromEntries(
      toForwardedRequest(new Request("https://ofuse.test/v4/profile", { headers }), address, "ours").headers,
    );
  const ours = { authorization: "Bearer t", "x-request-id": "ours" };
  expect(sent("192.0.2.1")).toEqual({ ...ours, "cf-connecting-ip": "192.0.2.1" });
  expect(sent(null)).toEqual(ours);
});
