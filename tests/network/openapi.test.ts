import { createHash } from "node:crypto";
import { createConfig, lintFromString } from "@redocly/openapi-core";
import { beforeAll, describe, expect, test } from "vitest";
import type { DescribedCall, OpenApiDocument } from "../../workers/api/docs/openapi.ts";
import { errorCatalogue } from "../../workers/contract/errors.ts";
import { identityOperations, productOperations } from "../../workers/contract/index.ts";
import type { Operation } from "../../workers/contract/operation.ts";
import { type ProblemJson, problem } from "../../workers/contract/problem.ts";
import { uploadImage } from "../../workers/contract/uploads.ts";
import { api, type Reply } from "../support/network.ts";
import { expectProblem, JAPANESE } from "./support/calls.ts";

const answered: readonly Operation[] = [...productOperations, ...identityOperations];

let served: Reply;
let document: OpenApiDocument;
let page: string;
beforeAll(async () => {
  served = await api("GET", "/v4/openapi.json");
  document = served.json as OpenApiDocument;
  page = (await api("GET", "/v4/docs")).text;
});

const described = ({ method, path }: Operation) => document.paths[path]?.[method.toLowerCase()] as DescribedCall;

/** Resolves a reference in the document. */
function resolved<T extends object>(part: T): T {
  const { $ref } = part as { $ref?: string };
  if (!$ref) return part;
  const target = $ref
    .slice(2)
    .split("/")
    .reduce<unknown>((at, key) => (at as Record<string, unknown>)[key], document);
  return { ...(target as T), ...part, $ref: undefined };
}

async function complaints(text: string): Promise<string[]> {
  const config = await createConfig({ extends: ["recommended"] });
  const problems = await lintFromString({ source: text, absoluteRef: "openapi.json", config });
  return problems.map(({ severity, ruleId, message }) => `${severity} ${ruleId}: ${message}`);
}

describe("the OpenAPI document", () => {
  test("is public, the same for everybody, and cacheable for five minutes", () => {
    expect(served.status).toBe(200);
    expect(served.headers.get("content-type")).toMatch(/^application\/json/);
    expect(served.headers.get("cache-control")).toBe("public, max-age=300");
    expect(served.headers.get("x-content-type-options")).toBe("nosniff");
    expect(document.openapi).toMatch(/^3\.1\./);
  });

  test("passes Redocly's recommended rules without an error or a warning", async () => {
    expect(await complaints(served.text)).toEqual([]);
  });

  test("would fail those rules with a wrong example or an unknown reference", async () => {
    const wrong = served.text.replace('"is_public":false', '"is_public":"perhaps"');
    expect(await complaints(wrong)).toContainEqual(expect.stringContaining("no-invalid-media-type-examples"));
    const dangling = served.text.replaceAll('#/components/schemas/Ofuse"', '#/components/schemas/Letter"');
    expect(await complaints(dangling)).toContainEqual(expect.stringContaining("no-unresolved-refs"));
  });

  test("describes every call of the contract, in Japanese, in a group", () => {
    const count = Object.values(document.paths).flatMap((methods) => Object.keys(methods)).length;
    expect(count).toBe(answered.length);
    const groups = document.tags.map(({ name }) => name);
    for (const operation of answered) {
      const call = described(operation);
      expect(call.operationId).toBe(operation.id);
      expect(call.summary).toMatch(JAPANESE);
      expect(groups).toContain(call.tags[0]);
      const required = { none: [], optional: [{}, { bearer: [] }], required: [{ bearer: [] }], operator: null }[
        operation.auth
      ];
      expect(call.security).toEqual(required);
    }
  });

  test("names every error an operation declares, under its status", () => {
    for (const operation of answered) {
      const { responses } = described(operation);
      for (const code of operation.errors) {
        const response = resolved(responses[errorCatalogue[code].status] ?? {}) as { content?: object };
        expect(JSON.stringify(response.content ?? {}), `${operation.id} ${code}`).toContain(`"${code}"`);
      }
    }
    for (const [code, { value }] of Object.entries(document.components.examples)) {
      expect(problem.strict().parse(value).code).toBe(code);
    }
  });

  test("accepts an Idempotency-Key with every authenticated write of the product, uploads included", () => {
    const key = { $ref: "#/components/parameters/IdempotencyKey" };
    for (const operation of answered) {
      const { method, path, auth } = operation;
      const takes = method !== "GET" && path.startsWith("/v4/") && auth !== "none";
      expect({ id: operation.id, takes: JSON.stringify(described(operation).parameters).includes(key.$ref) }).toEqual({
        id: operation.id,
        takes,
      });
    }
  });

  test("takes the key of a radio, podcast or overlay with the calls that a key can open, and with no others", () => {
    const taking = answered.filter((operation) =>
      JSON.stringify(described(operation).parameters).includes("#/components/parameters/UrlKey"),
    );
    expect(taking.map(({ id }) => id).sort()).toEqual([
      ...[
        "createChatMessage",
        "createChatRoomToken",
        "createRadioComment",
        "getChatRoom",
        "getOverlay",
        "getPodcast",
        "getRadio",
        "getRadioSound",
      ],
      ...[
        "likeRadioComment",
        "likeRadioRecording",
        "listChatMessages",
        "listRadioCaptions",
        "listRadioComments",
        "listenToRadio",
      ],
      ...["reactInChat", "remindOfRadio", "reportRadioComment"],
    ]);
    expect(page).toContain("URL-Restricted-Access-Key");
  });

  test("marks required parameters, and every body as required", () => {
    const required = (id: string) => {
      const operation = answered.find((each) => each.id === id) as Operation;
      const parameters = described(operation).parameters.map(
        (each) => resolved(each) as { name: string; required: boolean },
      );
      return parameters.filter((each) => each.required).map(({ name }) => name);
    };
    expect(required("getTransactionReport")).toEqual(["from", "to"]);
    expect(required("listUserEvents")).toEqual(["user_id"]);
    expect(required("sendFreeOfuse")).toEqual([]);
    for (const operation of answered) {
      const has_body = operation.body || operation.file;
      expect(described(operation).requestBody?.required, operation.id).toBe(has_body ? true : undefined);
    }
  });

  test("describes an upload as a form with one file", () => {
    const { content } = described(uploadImage).requestBody ?? {};
    expect(Object.keys(content ?? {})).toEqual(["multipart/form-data"]);
    expect(content?.["multipart/form-data"]?.schema).toMatchObject({ required: ["file"], properties: { file: {} } });
    expect(described(uploadImage)["x-errors"]).toEqual(
      expect.arrayContaining(["file_missing", "payload_too_large", "unsupported_media_type", "image_too_many_pixels"]),
    );
  });

  test("says which answers may have Retry-After and Idempotency-Replayed", () => {
    const headersOf = (id: string, status: number) => {
      const operation = productOperations.find((each) => each.id === id) as Operation;
      return Object.keys(
        (resolved(described(operation).responses[status] ?? {}) as { headers?: object }).headers ?? {},
      );
    };
    expect(headersOf("sendFreeOfuse", 429)).toEqual(["Retry-After"]);
    expect(headersOf("sendFreeOfuse", 503)).toEqual(["Retry-After"]);
    expect(headersOf("sendFreeOfuse", 201)).toEqual(["Idempotency-Replayed"]);
    expect(headersOf("getUser", 200)).toEqual([]);
  });

  test("states the bounds of every parameter", () => {
    const bounds = ["enum", "pattern", "maxLength", "maximum", "format", "const"];
    const isBounded = (schema: Record<string, unknown>): boolean => {
      const own = resolved(schema) as { anyOf?: object[]; items?: object; type?: string };
      if (own.anyOf) return own.anyOf.every((each) => isBounded(each as Record<string, unknown>));
      if (own.items) return isBounded(own.items as Record<string, unknown>);
      return own.type === "boolean" || bounds.some((bound) => bound in own);
    };
    for (const operation of answered) {
      for (const parameter of described(operation).parameters) {
        const { name, schema } = resolved(parameter) as { name: string; schema: Record<string, unknown> };
        expect({ id: operation.id, name, is_bounded: isBounded(schema) }).toMatchObject({ name, is_bounded: true });
      }
    }
  });

  test("states no length for texts that are counted in graphemes and bytes", () => {
    const { requestBody } = described(productOperations.find(({ id }) => id === "sendFreeOfuse") as Operation);
    const message = requestBody?.content["application/json"]?.schema.properties?.message;
    expect(message).toMatchObject({ type: "string", minLength: 1, "x-max-graphemes": 200, "x-max-bytes": 8192 });
    expect(message).not.toHaveProperty("maxLength");
  });
});

describe("every example is valid", () => {
  test.each(answered)("$id", (operation) => {
    const { requestBody, responses, parameters } = described(operation);
    if (operation.body) {
      const example = requestBody?.content["application/json"]?.example;
      expect(operation.body.safeParse(example).error?.issues).toBeUndefined();
    }
    if (operation.answer) {
      const response = responses[operation.status] as { content: Record<string, { example: unknown }> };
      const example = response.content["application/json"]?.example;
      expect(operation.answer.parse(example), "and not a field more").toEqual(example);
      expect(JSON.stringify(example)).not.toBe("{}");
    }
    expect(parametersRefused(operation, parameters)).toEqual([]);
  });

  function parametersRefused({ params, query }: Operation, parameters: DescribedCall["parameters"]): string[] {
    const shapes = { ...params?.shape, ...query?.shape };
    return parameters.flatMap((parameter) => {
      if ("$ref" in parameter) return [];
      expect(parameter).toHaveProperty("example");
      return shapes[parameter.name]?.safeParse(parameter.example).success ? [] : [parameter.name];
    });
  }
});

describe("the reference page", () => {
  const ids = () => [...page.matchAll(/\bid="([^"]+)"/g)].map(([, name = ""]) => name);

  test("has a section for every call, every schema and every error", () => {
    const named = ids();
    expect(new Set(named).size).toBe(named.length);
    expect(named).toEqual(expect.arrayContaining(answered.map(({ id }) => id)));
    expect(named).toEqual(
      expect.arrayContaining(Object.keys(document.components.schemas).map((name) => `schema-${name}`)),
    );
    for (const [code, { detail }] of Object.entries(errorCatalogue)) {
      const row = page.slice(page.indexOf(`<tr id="error-${code}">`));
      expect(row.slice(0, row.indexOf("</tr>")), code).toContain(detail);
    }
  });

  test("says who may make each call, whether it works, and which fields are required", () => {
    const articleOf = (id: string) => {
      const [, article = ""] = page.split(`<article id="${id}">`);
      return article.slice(0, article.indexOf("</article>"));
    };
    const words = {
      none: "トークンは見ません",
      optional: "トークンは任意",
      required: "トークンが必要",
      operator: "運営のみ",
    };
    for (const { id, auth } of answered) expect(articleOf(id), id).toContain(words[auth]);
    for (const { id } of answered) expect(articleOf(id), id).not.toContain("準備中");
    const letter = articleOf("sendFreeOfuse");
    const rowOf = (name: string) => letter.split(`<code>${name}</code>`)[1]?.split("</th>")[0];
    expect(rowOf("message")).toContain("必須");
    expect(rowOf("is_public")).not.toContain("必須");
    expect(articleOf("listUserEvents")).toContain("省略すると <code>20</code>");
  });

  test("has no broken link", async () => {
    const links = [...page.matchAll(/\bhref="([^"]+)"/g)].map(([, link = ""]) => link);
    const known = new Set(ids());
    expect(links.filter((link) => link.startsWith("#") && !known.has(link.slice(1)))).toEqual([]);
    for (const link of new Set(links.filter((each) => !each.startsWith("#")))) {
      expect({ link, status: (await api("GET", link)).status }).toEqual({ link, status: 200 });
    }
  });

  test("is the target of every problem's `type`", async () => {
    const { type } = expectProblem(await api("GET", "/v4/profile"), "unauthenticated") as ProblemJson;
    const [path = "", anchor] = type.split("#");
    expect(path).toBe("/v4/docs");
    expect((await api("GET", path)).text).toContain(`<tr id="${anchor}">`);
  });

  test("runs no script, and allows only its own style", async () => {
    const { headers } = await api("GET", "/v4/docs");
    const [, style = ""] = /<style>([\s\S]*?)<\/style>/.exec(page) ?? [];
    const hash = createHash("sha256").update(style).digest("base64");
    expect(headers.get("content-security-policy")).toBe(
      `default-src 'none'; style-src 'sha256-${hash}'; img-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`,
    );
    expect(page).not.toMatch(/<script|\bstyle="|\bon\w+="/);
    expect(headers.get("cache-control")).toBe("public, max-age=300");
  });

  test("can be read and not written", async () => {
    for (const path of ["/v4/docs", "/v4/openapi.json"]) {
      const reply = await api("POST", path, { body: {} });
      expectProblem(reply, "method_not_allowed");
      expect(reply.headers.get("allow")).toBe("GET, HEAD");
      expect(await api("HEAD", path)).toMatchObject({ status: 200, text: "" });
    }
  });
});
