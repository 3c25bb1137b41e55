import type { ValueSchema } from '@octavo/schema';

type Schema = ValueSchema<unknown>;

/** The parts of a schema's definition that contain other schemas. */
interface Definition {
  type: string;
  shape?: Record<string, Schema>;
  innerType?: Schema;
  element?: Schema;
  items?: Schema[];
  options?: Schema[];
  in?: Schema;
  left?: Schema;
  right?: Schema;
  keyType?: Schema;
  valueType?: Schema;
  getter?: () => Schema;
}

const getDefinition = (schema: Schema) => schema.def as unknown as Definition;

/** Returns the fields of an object, which can be optional, nullable or refined. */
export function getFields(schema: Schema): Record<string, Schema> {
  const { shape, innerType, in: input } = getDefinition(schema);
  const inner = innerType ?? input;
  return shape ?? (inner === undefined ? {} : getFields(inner));
}

/** Returns the schemas directly inside a schema, each with its location in the schema's values. */
function listInnerSchemas(schema: Schema): [Schema | undefined, string][] {
  const { shape = {}, innerType, element, items = [], options = [], left, right, ...others } = getDefinition(schema);
  return [
    ...Object.entries(shape).map(([name, field]): [Schema, string] => [field, `.${name}`]),
    ...[innerType, left, right, others.in, ...options, others.getter?.()].map((each): [typeof each, string] => [
      each,
      '',
    ]),
    ...[element, ...items].map((each): [typeof each, string] => [each, '[]']),
    [others.valueType, '{}'],
  ];
}

/** Returns a schema and all schemas inside of it, each with the path of its first use. */
export function findReachableSchemas(schema: Schema, path: string, reached = new Map<Schema, string>()) {
  if (reached.has(schema)) return reached;
  reached.set(schema, path);
  for (const [inner, more] of listInnerSchemas(schema))
    if (inner !== undefined) findReachableSchemas(inner, `${path}${more}`, reached);
  return reached;
}
