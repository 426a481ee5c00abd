import { html } from "hono/html";
import { groupDigits } from "../../contract/group-digits.ts";
import { componentOf, type JsonSchema } from "./schemas.ts";

/** Renders JSON schemas as HTML tables of their fields. */

export type Html = ReturnType<typeof html> | string;

const kinds: Record<string, string> = {
  string: "文字列",
  integer: "整数",
  number: "数",
  boolean: "真偽値",
  object: "オブジェクト",
  array: "配列",
  null: "null",
};
const formats: Record<string, string> = { "date-time": "日時", date: "日付", uri: "URL" };

const isNull = ({ type }: JsonSchema) => type === "null";
const hasFields = ({ properties }: JsonSchema) => properties !== undefined;
const alternativesOf = ({ anyOf, oneOf }: JsonSchema) => (anyOf ?? oneOf) as JsonSchema[] | undefined;

/** Removes the alternative `null` from a schema; `is_nullable` says whether there was one. */
function removeNull(schema: JsonSchema): { schema: JsonSchema; is_nullable: boolean } {
  const others = alternativesOf(schema)?.filter((each) => !isNull(each));
  if (!others || others.length === alternativesOf(schema)?.length) return { schema, is_nullable: false };
  const [only] = others;
  return { schema: others.length === 1 && only ? only : { anyOf: others }, is_nullable: true };
}

/** Describes a schema's type in a few Japanese words. Shared schemas become links. */
function kindOf(schema: JsonSchema): Html {
  const { schema: own, is_nullable } = removeNull(schema);
  const kind = nameKind(own);
  return is_nullable ? html`${kind}または null` : kind;
}

function nameKind(schema: JsonSchema): Html {
  const component = componentOf(schema);
  if (component) return html`<a href="#schema-${component}">${component}</a>`;
  if (schema.const !== undefined) return html`<code>${JSON.stringify(schema.const)}</code>`;
  if (schema.enum) return joinHtml(schema.enum.map((word) => html`<code>${word}</code>`));
  const several = alternativesOf(schema);
  if (several) return joinHtml(several.map(kindOf), "または");
  if (schema.type === "array") return html`${kindOf((schema.items ?? {}) as JsonSchema)}の配列`;
  const types = [schema.type ?? "object"].flat().map((type) => kinds[type] ?? type);
  return [types.join("または"), boundsOf(schema)].filter(Boolean).join("、");
}

function joinHtml(parts: Html[], between = " / "): Html {
  return html`${parts.map((part, place) => html`${place > 0 ? between : ""}${part}`)}`;
}

/**
 * Describes a schema's limits in Japanese. Limits counted in graphemes, and patterns, are in the field's description
 * instead.
 */
function boundsOf(schema: JsonSchema): string {
  const { minimum, maximum, maxLength, format } = schema;
  const range =
    minimum === undefined && maximum === undefined
      ? ""
      : `${minimum === undefined ? "" : groupDigits(minimum)}〜${maximum === undefined ? "" : groupDigits(maximum)}`;
  const length = maxLength === undefined ? "" : `${groupDigits(maxLength)}文字まで`;
  return [format && (formats[format] ?? format), range, length].filter(Boolean).join("、");
}

interface Field {
  name: string;
  schema: JsonSchema;
  required: boolean;
  description?: string | undefined;
}

/** Lists a schema's fields, with nested fields by their path: `reply.message`, `genres[].name`. */
function fieldsOf(schema: JsonSchema, before = ""): Field[] {
  return Object.entries(schema.properties ?? {}).flatMap(([name, each]) => {
    const field = each as JsonSchema;
    const { schema: own } = removeNull(field);
    const row: Field = {
      name: before + name,
      schema: field,
      required: schema.required?.includes(name) ?? false,
      description: field.description,
    };
    if (hasFields(own)) return [row, ...fieldsOf(own, `${row.name}.`)];
    const items = own.items as JsonSchema | undefined;
    return items && hasFields(items) ? [row, ...fieldsOf(items, `${row.name}[].`)] : [row];
  });
}

/** Marks the required fields of an input, and the optional fields of an output. */
function markOf({ required }: Field, io: "input" | "output"): Html {
  if (io === "input") return required ? html` <span class="required">必須</span>` : "";
  return required ? "" : html` <span class="missing">ないこともあります</span>`;
}

export function fieldTable(fields: readonly Field[], io: "input" | "output", heading = "項目"): Html {
  return html`<table>
<thead><tr><th scope="col">${heading}</th><th scope="col">内容</th></tr></thead>
<tbody>${fields.map(
    (field) => html`<tr>
<th scope="row"><code>${field.name}</code>${markOf(field, io)}</th>
<td>${field.description ? html`${field.description}<br>` : ""}<span class="kind">${kindOf(field.schema)}${
      field.schema.default === undefined
        ? ""
        : html`（省略すると <code>${JSON.stringify(field.schema.default)}</code>）`
    }</span></td>
</tr>`,
  )}</tbody>
</table>`;
}

/**
 * Renders a schema as tables: one for its fields, or one for each alternative shape. A schema without fields becomes
 * one line of words.
 */
export function schemaTables(schema: JsonSchema, io: "input" | "output"): Html {
  if (hasFields(schema)) return fieldTable(fieldsOf(schema), io);
  const several = alternativesOf(schema);
  if (several?.some(hasFields)) {
    return html`${several.map((each, place) => html`<p class="kind">${place === 0 ? "次のどれか" : "または"}</p>${schemaTables(each, io)}`)}`;
  }
  return html`<p class="kind">${kindOf(schema)}</p>`;
}
