import type * as z from "zod";
import { commonErrors, type ErrorCode, errorCatalogue } from "../../contract/errors.ts";
import { exampleOf } from "../../contract/examples.ts";
import { idempotencyKey } from "../../contract/fields.ts";
import { type OperationGroup, operationGroups } from "../../contract/index.ts";
import type { Auth, Operation } from "../../contract/operation.ts";
import { problem, problemJson } from "../../contract/problem.ts";
import { URL_KEY_HEADER, urlKey } from "../../contract/radios.ts";
import { type JsonSchema, SchemaCollector } from "./schemas.ts";

export interface Parameter {
  name: string;
  in: "path" | "query" | "header";
  required: boolean;
  description?: string;
  schema: JsonSchema;
  example?: unknown;
}

interface Reference {
  $ref: string;
}

interface Content {
  [media_type: string]: { schema: JsonSchema; example?: unknown; examples?: Record<string, Reference> };
}

interface Response {
  description: string;
  headers?: Record<string, Reference>;
  content?: Content;
}

export interface DescribedCall {
  operationId: string;
  summary: string;
  description?: string;
  tags: string[];
  "x-errors": ErrorCode[];
  security: Record<string, string[]>[];
  parameters: (Parameter | Reference)[];
  requestBody?: { required: true; content: Content };
  responses: Record<string, Response | Reference>;
}

const INTRODUCTION = `ofuse の製品APIと認証サービスの呼び出しの一覧です。

- 本文はJSON、項目の名前はsnake_case（認証サービスだけは元のcamelCase）、日時はISO 8601のUTC（送る日時には、RFC 3339の時差も付けられます）、金額は円の整数です。
- 認証は \`Authorization: Bearer <IDトークン>\` です。Cookieは見ません。
- 書き込みには \`Idempotency-Key\` を付けられます。同じキーで送り直しても一度だけ行われ、同じ応答が返ります。無料のofuse、コメント、チャットの発言では、\`words-\` で始まるキーは最初に使ってから1分だけ有効です。
- URLを知っている人だけが聴けるラジオは、その鍵を \`${URL_KEY_HEADER}\` に入れて呼び出します。
- エラーは \`application/problem+json\`（RFC 9457）です。\`type\` は説明のある場所、\`detail\` はそのまま表示できる文です。
- パスにないメソッドには405を返し、使えるメソッドを \`Allow\` に入れます。`;

/**
 * Builds the OpenAPI 3.1 document of the whole contract. Every schema, example and error comes from workers/contract.
 */
export function describeContract() {
  const schemas = new SchemaCollector();
  const refusals = new Refusals(schemas);
  const paths: Record<string, Record<string, DescribedCall>> = {};
  for (const group of operationGroups) {
    for (const call of callsOf(group)) {
      const methods = paths[call.path] ?? {};
      methods[call.method.toLowerCase()] = describeCall(call, group, schemas, refusals);
      paths[call.path] = methods;
    }
  }
  return {
    openapi: "3.1.1",
    info: {
      title: "ofuse API",
      version: "4",
      description: INTRODUCTION,
      license: { name: "All rights reserved", identifier: "LicenseRef-All-Rights-Reserved" },
    },
    servers: [{ url: "/", description: "このサイト" }],
    tags: operationGroups.map(({ title, description }) => ({ name: title, description })),
    paths,
    components: {
      securitySchemes: {
        bearer: { type: "http", scheme: "bearer", bearerFormat: "JWT", description: "認証サービスのIDトークン" },
      },
      parameters: {
        IdempotencyKey: {
          name: "Idempotency-Key",
          in: "header",
          required: false,
          description: "同じ書き込みを一度だけ行うためのキー（英数字と _ と -、8〜128文字）",
          schema: schemas.convert(idempotencyKey, "input"),
          example: exampleOf(idempotencyKey),
        } satisfies Parameter,
        UrlKey: {
          name: URL_KEY_HEADER,
          in: "header",
          required: false,
          description: "URLを知っている人だけが聴けるラジオの鍵（22文字）",
          schema: schemas.convert(urlKey, "input"),
          example: exampleOf(urlKey),
        } satisfies Parameter,
      },
      headers: {
        IdempotencyReplayed: {
          description: "同じIdempotency-Keyへの、前と同じ応答であるとき true",
          schema: { type: "string", enum: ["true"] },
        },
        RetryAfter: { description: "待つ秒数（わかるとき）", schema: { type: "integer", minimum: 0 } },
      },
      schemas: Object.fromEntries(Object.entries(schemas.components).sort(([a], [b]) => compareText(a, b))),
      responses: refusals.responses,
      examples: refusals.examples,
    },
  };
}
export type OpenApiDocument = ReturnType<typeof describeContract>;

/** Lists a group's operations, sorted by path and method. */
export function callsOf({ operations }: OperationGroup): Operation[] {
  const placeOfMethod = ({ method }: Operation) => ["GET", "POST", "PUT", "DELETE"].indexOf(method);
  return operations.toSorted((a, b) => compareText(a.path, b.path) || placeOfMethod(a) - placeOfMethod(b));
}

/** Compares texts by code unit and not by locale, so that the order is the same everywhere. */
function compareText(a: string, b: string): number {
  return a < b ? -1 : Number(a > b);
}

const security: Record<Auth, Record<string, string[]>[]> = {
  none: [],
  optional: [{}, { bearer: [] }],
  required: [{ bearer: [] }],
  operator: [{ bearer: [] }],
};

const MISSING_FIELDS: Record<NonNullable<Operation["missing_fields"]>, string> = {
  reset: "省略した項目は、初期値に戻ります。",
  kept: "省略した項目は、変わりません。",
};

function describeCall(
  call: Operation,
  group: OperationGroup,
  schemas: SchemaCollector,
  refusals: Refusals,
): DescribedCall {
  const is_keyed = call.path.startsWith("/v4/") && call.method !== "GET" && call.auth !== "none";
  const codes = refusalsOf(call, is_keyed);
  return {
    operationId: call.id,
    summary: call.summary,
    ...(call.missing_fields && { description: MISSING_FIELDS[call.missing_fields] }),
    tags: [group.title],
    "x-errors": codes,
    security: security[call.auth],
    parameters: [
      ...parametersOf("path", call.params, schemas),
      ...parametersOf("query", call.query, schemas),
      ...(is_keyed ? [{ $ref: "#/components/parameters/IdempotencyKey" }] : []),
      ...(call.takes_url_key ? [{ $ref: "#/components/parameters/UrlKey" }] : []),
    ],
    ...(call.body && {
      requestBody: {
        required: true,
        content: {
          "application/json": { schema: schemas.convert(call.body, "input"), example: exampleOf(call.body) },
        },
      },
    }),
    ...(call.file && {
      requestBody: { required: true, content: { "multipart/form-data": { schema: formOf(call.file) } } },
    }),
    responses: {
      [call.status]: successOf(call, is_keyed, schemas),
      ...refusals.referToCodes(codes),
    },
  };
}

/** Describes the multipart form of an upload, which contains one file. */
function formOf({ description }: NonNullable<Operation["file"]>): JsonSchema {
  const file: JsonSchema = { type: "string", contentMediaType: "application/octet-stream", description };
  return { type: "object", properties: { file }, required: ["file"] };
}

function parametersOf(where: "path" | "query", schema: z.ZodObject | undefined, schemas: SchemaCollector): Parameter[] {
  return Object.entries(schema?.shape ?? {}).map(([name, field]) => {
    const { description, ...rest } = schemas.convert(field as z.ZodType, "input");
    return {
      name,
      in: where,
      required: !(field as z.ZodType).safeParse(undefined).success,
      ...(description !== undefined && { description }),
      schema: rest,
      example: exampleOf(field, { field: name, is_fan: false }),
    };
  });
}

function successOf(
  { status, answer, text, file_answer }: Operation,
  is_keyed: boolean,
  schemas: SchemaCollector,
): Response {
  return {
    description: status === 201 ? "作成しました" : "成功しました",
    ...(is_keyed && { headers: { "Idempotency-Replayed": { $ref: "#/components/headers/IdempotencyReplayed" } } }),
    ...(answer && {
      content: {
        "application/json": { schema: schemas.convert(answer, "output"), example: exampleOf(answer) },
        ...(text && { [text]: { schema: { type: "string" } } }),
      },
    }),
    ...(file_answer && { content: { [file_answer]: { schema: {} } } }),
  };
}

/** Lists the error codes that an operation may answer with: its own, and the common ones that can happen to it. */
function refusalsOf(call: Operation, is_keyed: boolean): ErrorCode[] {
  const has_body = Boolean(call.body || call.file);
  const can: Record<(typeof commonErrors)[number], boolean> = {
    bad_request: true,
    // A caller may send an API key in the query instead of a token.
    unauthenticated: call.auth === "required" || "api_key" in (call.query?.shape ?? {}),
    token_invalid: call.auth !== "none",
    account_disabled: call.auth !== "none",
    account_left: call.auth !== "none",
    not_found: Boolean(call.params || call.query || call.body || call.takes_url_key),
    // The router answers a wrong method, so no operation ever gives this error.
    method_not_allowed: false,
    payload_too_large: has_body,
    unsupported_media_type: has_body,
    validation_failed: Boolean(call.query || call.body || is_keyed),
    internal_error: true,
    // During maintenance the web worker gives this error in the API's place, and only to calls that write.
    under_maintenance: call.method !== "GET",
    unavailable: true,
  };
  const common: ErrorCode[] = commonErrors.filter((code) => can[code]);
  const codes = new Set([...common, ...call.errors]);
  return (Object.keys(errorCatalogue) as ErrorCode[]).filter((code) => codes.has(code));
}

/** Collects problem responses: one component for each set of codes that share a status. */
class Refusals {
  readonly responses: Record<string, Response> = {};
  readonly examples: Record<string, { summary: string; value: unknown }> = {};
  readonly #schema: JsonSchema;

  constructor(schemas: SchemaCollector) {
    this.#schema = schemas.convert(problem, "output");
  }

  referToCodes(codes: readonly ErrorCode[]): Record<string, Reference> {
    const by_status = Map.groupBy(codes, (code) => errorCatalogue[code].status);
    return Object.fromEntries([...by_status].map(([status, group]) => [status, this.#refer(status, group)]));
  }

  #refer(status: number, codes: readonly ErrorCode[]): Reference {
    const name = codes.join("-or-");
    for (const code of codes) this.examples[code] ??= { summary: errorCatalogue[code].detail, value: exampleFor(code) };
    this.responses[name] ??= {
      description: codes.map((code) => `\`${code}\` ${errorCatalogue[code].detail}`).join("\n\n"),
      ...([429, 503].includes(status) && { headers: { "Retry-After": { $ref: "#/components/headers/RetryAfter" } } }),
      content: this.#content(codes),
    };
    return { $ref: `#/components/responses/${name}` };
  }

  #content(codes: readonly ErrorCode[]): Content {
    const examples = Object.fromEntries(codes.map((code) => [code, { $ref: `#/components/examples/${code}` }]));
    return { "application/problem+json": { schema: this.#schema, ...(codes.length > 0 && { examples }) } };
  }
}

function exampleFor(code: ErrorCode): unknown {
  const fields = code === "validation_failed" ? { message: ["メッセージを入力してください。"] } : undefined;
  return problemJson(code, "01kaf2m8q3v7x1n5r9t4w6y8ze", fields);
}
