import { expect, test } from "vitest";
import { type Deployment, findDeploymentBreaches, listSecrets } from "../../workers/verifier/deployment.ts";

const fit: Deployment = {
  environment: "production",
  project_id: "ofuse-live",
  jwks_url: "https://www.googleapis.com/service_accounts/v1/jwk/securetoken@system.gserviceaccount.com",
  has_embedded_provider: false,
  has_embedded_gateway: false,
  secrets: { SESSION_KEYS: "k1:oQz0Jm9Yw3h2kX7rT5vB8nC1dF4gL6sA" },
};

test("a production deployment with its own project, Google's keys and real secrets may serve", () => {
  expect(findDeploymentBreaches(fit)).toEqual([]);
});

test.each<[string, Partial<Deployment>]>([
  ["a demo project", { project_id: "demo-ofuse" }],
  ["no project", { project_id: "" }],
  ["keys of another host", { jwks_url: "https://keys.example/jwk" }],
  ["keys from a look-alike", { jwks_url: "https://www.googleapis.com.evil.example/jwk" }],
  ["no key address", { jwks_url: "" }],
  ["the embedded provider", { has_embedded_provider: true }],
  ["passwords for another host", { provider_urls: ["https://identitytoolkit.googleapis.com.evil.example"] }],
  ["passwords in the clear", { provider_urls: ["http://securetoken.googleapis.com"] }],
  ["the embedded payment gateway", { has_embedded_gateway: true }],
  ["a missing secret", { secrets: { SESSION_KEYS: undefined } }],
  ["a short secret", { secrets: { SESSION_KEYS: "k1:short" } }],
  ["a misspelt environment that would hide a demo project", { environment: "prod", project_id: "demo-ofuse" }],
  ["a short key behind a good one", { secrets: listSecrets("SESSION_KEYS", `k2:${"x".repeat(40)},k1:short`) }],
  ["a default secret", { secrets: { MEDIA_KEY: "local-000000000000000000000000000000000" } }],
])("a production deployment may not serve with %s", (_what, change) => {
  expect(findDeploymentBreaches({ ...fit, ...change })).toHaveLength(1);
});

test("a local deployment may use all of these settings", () => {
  const demo = { ...fit, environment: "local", project_id: "demo-ofuse", has_embedded_gateway: true, secrets: {} };
  expect(findDeploymentBreaches(demo)).toEqual([]);
});

test("a site on one machine may not have the embedded payment gateway", () => {
  const site = { ...fit, environment: "local", project_id: "ofuse-site", has_embedded_gateway: true };
  expect(findDeploymentBreaches(site)).toEqual(["the embedded payment gateway is enabled"]);
});
