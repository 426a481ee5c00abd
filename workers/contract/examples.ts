import * as z from "zod";

/** Below a field with one of these names, values take the second example, the fan's. Elsewhere they take the first. */
const FAN_PLACES: ReadonlySet<string> = new Set(["sender", "actor"]);

interface Place {
  /** The name of the field, or of the nearest field around it. */
  field: string;
  is_fan: boolean;
}

/**
 * Builds an example of a schema from the `examples` of its leaves, so that each example is written once. A leaf without
 * examples takes a value by its type (the first word of an enumeration, `false`). Throws when the type suggests no
 * value: the leaf then needs an example of its own.
 */
export function exampleOf(schema: z.core.$ZodType, place: Place = { field: "", is_fan: false }): unknown {
  const examples = z.globalRegistry.get(schema)?.examples;
  if (Array.isArray(examples) && examples.length > 0) return chooseExample(examples, place);
  if (schema instanceof z.ZodObject) {
    return Object.fromEntries(
      Object.entries(schema.shape).map(([field, each]) => [
        field,
        exampleOf(each, { field, is_fan: place.is_fan || FAN_PLACES.has(field) }),
      ]),
    );
  }
  if (schema instanceof z.ZodArray) return [exampleOf(schema.element, place)];
  if (schema instanceof z.ZodDefault) return schema.def.defaultValue;
  if (schema instanceof z.ZodOptional || schema instanceof z.ZodNullable) return exampleOf(schema.def.innerType, place);
  if (schema instanceof z.ZodPipe) return exampleOf(schema.def.in, place);
  if (schema instanceof z.ZodUnion) return exampleOf(schema.options[0] as z.core.$ZodType, place);
  if (schema instanceof z.ZodEnum) return schema.options[0];
  if (schema instanceof z.ZodLiteral) return schema.value;
  if (schema instanceof z.ZodBoolean) return false;
  throw new Error(`${place.field || "this"} needs an example`);
}

/**
 * Ids differ by field name, so that a person and their picture have different ids. All other values differ by person.
 */
function chooseExample(examples: readonly unknown[], { field, is_fan }: Place): unknown {
  const by_name = examples.length > 2 ? [...field].reduce((sum, letter) => sum + (letter.codePointAt(0) ?? 0), 0) : 0;
  return examples[(by_name + (is_fan ? 1 : 0)) % examples.length];
}
