/** Ways to write another site's address where a path of ours is wanted, for `to` and its like. */

const odd = [
  "//evil.example",
  "///evil.example",
  "/\\evil.example",
  "\\\\evil.example",
  "/\\/evil.example",
  "https://evil.example",
  "HTTPS:evil.example",
  "http:/\\evil.example",
  "javascript:alert(1)",
  "data:text/html,x",
  "/\t/evil.example",
  "/\n/evil.example",
  "\t//evil.example",
  "/./\\/evil",
  "/.//evil.example",
  "/..//evil.example",
  "/a/..//evil.example",
  "//",
  "/\u0000/evil.example",
  "@evil.example",
  ".evil.example",
  "",
];

/** Put together of what browsers and routers have been known to read as another origin. */
const combined = [
  "//",
  "/\\",
  "\\\\",
  "///",
  "/./\\/",
  "/.//",
  "/a/..//",
  "/%2e//",
  "https:",
  "https://",
  "http:/\\",
  "\t//",
  "/\t/",
  "/\n/",
  " //",
].flatMap((start) =>
  [
    "evil.example",
    "evil.example/natsume",
    "evil.example:443",
    "a@evil.example",
    "evil.example?x=/",
    "evil.example#/",
  ].flatMap((host) =>
    [start + host, `${start}${host}/..`, encodeURIComponent(start) + host].concat(
      start.startsWith("/") ? [`/natsume/..${start}${host}`] : [],
    ),
  ),
);

/** More than 300: for the function that decides (tests/app/to.test.ts). */
export const foreignAddresses: readonly string[] = [...odd, ...combined];

/** One of each kind: for every page that takes an address, to show that it asks that function. */
export const foreignSamples: readonly string[] = [
  "//evil.example",
  "/\\evil.example",
  "\\\\evil.example",
  "https://evil.example",
  "javascript:alert(1)",
  "/\t/evil.example",
  "/./\\/evil.example",
  "/a/..//evil.example",
  "/%2e//a@evil.example",
  "/natsume/..//evil.example:443",
  "%2F%2Fevil.example",
  "",
];
