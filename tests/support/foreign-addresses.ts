/** Spellings of another site's URL for parameters like `to`, which expect one of our paths. */

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

/** Combinations of parts that browsers and routers have read as another origin. */
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

/** More than 300, for the function that decides (tests/app/to.test.ts). */
export const foreignAddresses: readonly string[] = [...odd, ...combined];

/** One of each kind, for every page that takes a path, to show that it calls that function. */
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
