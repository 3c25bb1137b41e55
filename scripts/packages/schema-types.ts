/** The parts of a JSON Schema that determine its TypeScript type. */
export interface Schema {
  $ref?: string;
  description?: string;
  deprecated?: boolean;
  const?: unknown;
  enum?: unknown[];
  type?: string | string[];
  properties?: Record<string, Schema>;
  required?: string[];
  additionalProperties?: Schema | boolean;
  items?: Schema;
  prefixItems?: Schema[];
  anyOf?: Schema[];
  oneOf?: Schema[];
  allOf?: Schema[];
}

const scalars: Record<string, string> = {
  string: 'string',
  number: 'number',
  integer: 'number',
  boolean: 'boolean',
  null: 'null',
};

/** Returns the TypeScript type of a schema. `indent` is the indentation of the line that contains it. */
export function toType(schema: Schema, indent: string): string {
  const { $ref, anyOf, oneOf, allOf, type } = schema;
  if ($ref !== undefined) return $ref.split('/').at(-1) ?? 'unknown';
  if ('const' in schema) return JSON.stringify(schema.const);
  if (schema.enum !== undefined) return schema.enum.map((value) => JSON.stringify(value)).join(' | ');
  const variants = anyOf ?? oneOf;
  if (variants !== undefined) return joinSchemas(variants, '|', indent);
  if (allOf !== undefined) return joinSchemas(allOf, '&', indent);
  if (Array.isArray(type))
    return joinSchemas(
      type.map((each) => ({ ...schema, type: each })),
      '|',
      indent,
    );
  if (type === 'array') return toArray(schema, indent);
  if (type === 'object' || schema.properties !== undefined) return toObject(schema, indent);
  return scalars[type ?? ''] ?? 'unknown';
}

const joinSchemas = (schemas: Schema[], operator: string, indent: string): string =>
  [...new Set(schemas.map((schema) => toType(schema, indent)))]
    .map((type) => (operator === '&' && type.includes(' | ') ? `(${type})` : type))
    .join(` ${operator} `);

function toArray({ items = {}, prefixItems }: Schema, indent: string): string {
  if (prefixItems !== undefined) return `[${prefixItems.map((schema) => toType(schema, indent)).join(', ')}]`;
  const type = toType(items, indent);
  return /^\w+$/.test(type) ? `${type}[]` : `Array<${type}>`;
}

/** Returns the name of a property, in quotes if it is not an identifier. */
export const toKey = (name: string): string => (/^[\w$]+$/.test(name) ? name : JSON.stringify(name));

function toObject({ properties = {}, required = [], additionalProperties }: Schema, indent: string): string {
  const inner = `${indent}  `;
  const members = Object.entries(properties).map(([name, schema]) => {
    const optional = required.includes(name) ? '' : '?';
    return `${toComment(schema, inner)}${inner}${toKey(name)}${optional}: ${toType(schema, inner)};\n`;
  });
  // A narrower type would exclude the named properties.
  if (members.length > 0 && typeof additionalProperties === 'object')
    members.push(`${inner}[name: string]: unknown;\n`);
  if (members.length > 0) return `{\n${members.join('')}${indent}}`;
  const others = typeof additionalProperties === 'object' ? toType(additionalProperties, indent) : 'unknown';
  return additionalProperties === false ? 'Record<string, never>' : `Record<string, ${others}>`;
}

/** Returns the declaration of a named schema. */
export function toDeclaration(name: string, schema: Schema): string {
  const type = toType(schema, '');
  const comment = toComment(schema, '');
  return type.startsWith('{') && type.endsWith('}') && schema.properties !== undefined
    ? `${comment}export interface ${name} ${type}\n`
    : `${comment}export type ${name} = ${type};\n`;
}

/** Returns the documentation comment of a schema, or nothing if it has no description. */
export function toComment({ description, deprecated }: Schema, indent: string): string {
  const text = [description, ...(deprecated ? ['@deprecated'] : [])].filter((part) => part !== undefined).join('\n\n');
  if (text === '') return '';
  const lines = text.replaceAll('*/', '*\\/').split('\n');
  if (lines.length === 1) return `${indent}/** ${lines[0]} */\n`;
  return `${indent}/**\n${lines.map((line) => `${indent} * ${line}`.trimEnd()).join('\n')}\n${indent} */\n`;
}
