import { createRequire } from 'node:module';
import { Ajv2020 } from 'ajv/dist/2020.js';
import formats from 'ajv-formats';

type Schema = { [key: string]: unknown };
type Node = { [key: string]: unknown };

const { components } = createRequire(import.meta.url)('gitbook-api-202/spec/openapi.json') as {
  components: { schemas: Record<string, Schema> };
};

/**
 * Corrects the published schemas where the official types allow more: drops `additionalProperties: false` inside
 * `allOf`, because otherwise no button is valid, and lets a table cell match several kinds of references.
 */
function normalizeOfficial(value: unknown, inAllOf = false): unknown {
  if (Array.isArray(value)) return value.map((each) => normalizeOfficial(each, inAllOf));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .filter(([key, each]) => !(inAllOf && key === 'additionalProperties' && each === false))
      .map(([key, each]) => [key, normalizeOfficial(each, (inAllOf || key === 'allOf') && key !== 'properties')]),
  );
}

const { values } = Object(components.schemas.DocumentTableRecord).properties as {
  values: { additionalProperties: Schema };
};
values.additionalProperties = { anyOf: values.additionalProperties.oneOf };

const ajv = new Ajv2020({ strict: false, discriminator: false, allErrors: false });
formats.default(ajv);
ajv.addFormat('icon', /^[\w-]+$/);
ajv.addSchema({ $id: 'official', components: { schemas: normalizeOfficial(components.schemas) } });

const getValidator = (name: string) => ajv.compile({ $ref: `official#/components/schemas/${name}` });
const isDocument = getValidator('JSONDocument');

/** Validators by the value of the `type` property. */
const byType = new Map(
  Object.entries(components.schemas).flatMap(([name, schema]) => {
    const { object, type } = (schema.properties ?? {}) as Record<string, { enum?: string[] }>;
    if (!name.startsWith('Document') || object?.enum === undefined) return [];
    return (type?.enum ?? [String(object.enum[0])]).map((each) => [each, getValidator(name)] as const);
  }),
);

/** Returns the innermost nodes that violate the official schema, each with its error. */
export function getFaults(document: unknown): string[] {
  if (isDocument(document)) return [];
  const faults = listInnerFaults((document as Node).nodes, 'nodes');
  return faults.length > 0 ? faults : [ajv.errorsText(isDocument.errors)];
}

function listInnerFaults(nodes: unknown, path: string): string[] {
  if (!Array.isArray(nodes)) return [];
  return nodes.flatMap((node: Node, index) => {
    const at = `${path}.${index}(${String(node.type ?? node.object)})`;
    const inner = ['nodes', 'fragments', 'leaves', 'marks'].flatMap((key) =>
      listInnerFaults(node[key], `${at}.${key}`),
    );
    if (inner.length > 0) return inner;
    const isValid = byType.get(String(node.type ?? node.object));
    if (isValid === undefined)
      return node.object === 'fragment' || node.object === 'text' || node.object === 'leaf'
        ? []
        : [`${at}: unknown type`];
    return isValid(node)
      ? []
      : [`${at}: ${ajv.errorsText(isValid.errors?.slice(0, 1))} ${JSON.stringify(node).slice(0, 300)}`];
  });
}
