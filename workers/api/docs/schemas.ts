import * as z from "zod";

export type JsonSchema = z.core.JSONSchema.JSONSchema;

const COMPONENTS = "#/components/schemas/";

/** Returns the name of the shared component that a schema refers to. */
export function componentOf(schema: JsonSchema): string | undefined {
  return schema.$ref?.startsWith(COMPONENTS) ? schema.$ref.slice(COMPONENTS.length) : undefined;
}

/**
 * Converts zod schemas to JSON Schemas. It writes a schema that has an `id` once, into `components`, and refers to it.
 * `input` describes what a caller may send, `output` what a caller gets.
 */
export class SchemaCollector {
  readonly components: Record<string, JsonSchema> = {};

  /** Throws when two different schemas have the same id. */
  convert(schema: z.ZodType, io: "input" | "output"): JsonSchema {
    const {
      $schema: _,
      $defs = {},
      ...own
    } = z.toJSONSchema(schema, {
      io,
      override: ({ zodSchema, jsonSchema }) => tidySchema(zodSchema, jsonSchema),
    });
    for (const [name, component] of Object.entries($defs)) this.#add(name, shareReferences(component));
    return shareReferences(own);
  }

  #add(name: string, component: JsonSchema): void {
    const known = this.components[name];
    if (known && JSON.stringify(known) !== JSON.stringify(component)) throw new Error(`two shapes are called ${name}`);
    this.components[name] = component;
  }
}

/** Replaces references to zod's own copy of a shared schema by references to the document's single copy. */
function shareReferences(schema: JsonSchema): JsonSchema {
  return JSON.parse(JSON.stringify(schema).replaceAll('"#/$defs/', `"${COMPONENTS}`));
}

/**
 * Removes JSON Schema keywords that tell a reader nothing, and restores the default that zod drops from fields with a
 * transform.
 */
function tidySchema(source: z.core.$ZodType, schema: JsonSchema): void {
  if (source instanceof z.ZodDefault) schema.default = source.def.defaultValue as JsonSchema["default"];
  // Fields may be added later. A client that rejects unknown fields would then break for no reason.
  if (schema.additionalProperties === false) delete schema.additionalProperties;
  if (schema.minimum === Number.MIN_SAFE_INTEGER) delete schema.minimum;
  if (schema.maximum === Number.MAX_SAFE_INTEGER) delete schema.maximum;
  if (schema.format?.startsWith("date")) delete schema.pattern;
  // `starts_with` is zod's own name for a check that the pattern expresses as well.
  if (schema.format === "starts_with") delete schema.format;
}
