import { expect, test } from "vitest";
import { toForwardedRequest } from "../../workers/web/forwarded.ts";

test("a service gets no cookie, and only this worker's values for the client's address and the request id", () => {
  const headers = {
    cookie: "soziIdAuth=a.b.c",
    "cf-connecting-ip": "203.0.113.1",
    "x-request-id": "chosen-by-the-client",
    authorization: "Bearer t",
  };
  const headersFrom = (address: string | null) =>
    Object.fromEntries(
      toForwardedRequest(new Request("https://ofuse.test/v4/profile", { headers }), address, "ours").headers,
    );
  const ours = { authorization: "Bearer t", "x-request-id": "ours" };
  expect(headersFrom("192.0.2.1")).toEqual({ ...ours, "cf-connecting-ip": "192.0.2.1" });
  expect(headersFrom(null)).toEqual(ours);
});
