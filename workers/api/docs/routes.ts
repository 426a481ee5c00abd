import { Problem } from "../../kernel/problem.ts";
import { describeContract, type OpenApiDocument } from "./openapi.ts";
import { renderPage } from "./page.ts";
import { style } from "./style.ts";

/**
 * Serves the published contract, which is the same for every caller. Each worker instance builds it once, when it is
 * first requested.
 */

let document: OpenApiDocument | undefined;
const getDocument = (): OpenApiDocument => {
  document ??= describeContract();
  return document;
};

interface Publication {
  content_type: string;
  policy: string;
  text: string;
}

async function makeDocument(): Promise<Publication> {
  return {
    content_type: "application/json; charset=utf-8",
    policy: "default-src 'none'; frame-ancestors 'none'",
    text: JSON.stringify(getDocument()),
  };
}

async function makePage(): Promise<Publication> {
  const hash = new Uint8Array(await crypto.subtle.digest("SHA-256", new TextEncoder().encode(style)));
  return {
    content_type: "text/html; charset=utf-8",
    policy: `default-src 'none'; style-src 'sha256-${btoa(String.fromCharCode(...hash))}'; img-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`,
    text: String(await renderPage(getDocument())),
  };
}

const publicationMakers: Record<string, () => Promise<Publication>> = {
  "/v4/openapi.json": makeDocument,
  "/v4/docs": makePage,
};
const publications = new Map<string, Publication>();

/** Whether a path serves the published contract. Such paths are not operations of the contract themselves. */
export function isDocs(pathname: string): boolean {
  return Object.hasOwn(publicationMakers, pathname);
}

/** Serves `GET /v4/openapi.json` and `GET /v4/docs`. */
export async function serveDocs(request: Request): Promise<Response> {
  if (request.method !== "GET" && request.method !== "HEAD") {
    throw new Problem("method_not_allowed", { allow: ["GET", "HEAD"] });
  }
  const { pathname } = new URL(request.url);
  const publication =
    publications.get(pathname) ?? (await (publicationMakers[pathname] as () => Promise<Publication>)());
  publications.set(pathname, publication);
  return new Response(request.method === "HEAD" ? null : publication.text, {
    headers: {
      "content-type": publication.content_type,
      "content-security-policy": publication.policy,
      "referrer-policy": "no-referrer",
      "cache-control": "public, max-age=300",
    },
  });
}
