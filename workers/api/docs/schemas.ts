import { z } from "zod";

export type JsonSchema = z.core.JSONSchema.JSONSchema;

const COMPONENTS = "#/components/schemas/";

/** The name of the component a schema refers to. */
export function componentOf(schema: JsonSchema): string | undefined {
  return schema.$ref?.startsWith(COMPONENTS) ? schema.$ref.slice(COMPONENTS.length) : undefined;
}

/**
 * JSON Schemas of zod schemas. Those that have an `id` are written once, into `components`, and referred to.
 * `input` is what a caller may send, `output` what they get.
 */
export class SchemaCollector {
  readonly components: Record<string, JsonSchema> = {};

  /** Throws when one id stands for two shapes. */
  convert(schema: z.ZodType, io: "input" | "output"): JsonSchema {
    const {
      $schema: _,
      $defs = {},
      ...own
    } = z.toJSONSchema(schema, {
      io,
      override: ({ zodSchema, jsonSchema }) => tidy(zodSchema, jsonSchema),
    });
    for (const [name, component] of Object.entries($defs)) this.#add(name, referring(component));
    return referring(own);
  }

  #add(name: string, component: JsonSchema): void {
    const known = this.components[name];
    if (known && JSON.stringify(known) !== JSON.stringify(component)) throw new Error(`two shapes are called ${name}`);
    this.components[name] = component;
  }
}

/** Zod keeps shared schemas beside the one that refers to them; ours are kept in one place for all. */
function referring(schema: JsonSchema): JsonSchema {
  return JSON.parse(JSON.stringify(schema).replaceAll('"#/$defs/', `"${COMPONENTS}`));
}

/** Leaves out what is true and tells a reader nothing, and puts back what zod leaves out of fields that transform. */
function tidy(source: z.core.$ZodType, schema: JsonSchema): void {
  if (source instanceof z.ZodDefault) schema.default = source.def.defaultValue as JsonSchema["default"];
  // Later fields may come; a client that refuses them would break for no reason.
  if (schema.additionalProperties === false) delete schema.additionalProperties;
  if (schema.minimum === Number.MIN_SAFE_INTEGER) delete schema.minimum;
  if (schema.maximum === Number.MAX_SAFE_INTEGER) delete schema.maximum;
  if (schema.format?.startsWith("date")) delete schema.pattern;
  // Zod's own word for a check, which the pattern says as well.
  if (schema.format === "starts_with") delete schema.format;
}
