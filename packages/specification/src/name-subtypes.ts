import {
  escapeToken,
  getOwnProperty,
  getPointer,
  isObject,
  type JsonObject,
  type OpenAPIDocument,
  resolveLocal,
} from './document.ts';

/** Maximum number of subtypes that are added to one discriminator, and to all discriminators of a document. */
const maxSubtypes = 50;
const maxNames = 10_000;
/** Maximum number of schemas that one schema extends, directly or through other schemas. */
const maxAncestors = 20;

const getList = (value: JsonObject, key: string): unknown[] => {
  const list = getOwnProperty(value, key);
  return Array.isArray(list) ? list : [];
};

/**
 * Returns a function that returns the ancestors of a schema: those that it refers to in `allOf`, and their ancestors.
 */
function createAncestorReader(document: OpenAPIDocument): (schema: JsonObject) => JsonObject[] {
  const parentsBySchema = new Map<JsonObject, JsonObject[]>();
  /** Returns the schemas that a schema refers to in `allOf`. The references of each schema are resolved once. */
  const getParents = (schema: JsonObject): JsonObject[] => {
    const cached = parentsBySchema.get(schema);
    if (cached !== undefined) return cached;
    const parents = new Set<JsonObject>();
    for (const part of getList(schema, 'allOf')) {
      const parent = isObject(part) && Object.hasOwn(part, '$ref') ? resolveLocal(document, part) : undefined;
      if (isObject(parent) && parents.size < maxAncestors) parents.add(parent);
    }
    parentsBySchema.set(schema, [...parents]);
    return [...parents];
  };
  return (schema) => {
    const ancestors = new Set<JsonObject>();
    const pending = [schema];
    for (let current = pending.shift(); current !== undefined; current = pending.shift()) {
      for (const parent of getParents(current)) {
        if (parent === schema || ancestors.has(parent)) continue;
        if (ancestors.size === maxAncestors) return [...ancestors];
        ancestors.add(parent);
        pending.push(parent);
      }
    }
    return [...ancestors];
  };
}

/**
 * Whether the subtypes of a schema are the schemas that extend it. A schema with `oneOf` or `anyOf` lists its subtypes
 * there instead.
 */
const isBase = (schema: JsonObject): boolean =>
  isObject(getOwnProperty(schema, 'discriminator')) &&
  ['oneOf', 'anyOf'].every((key) => getList(schema, key).length === 0);

interface Subtype {
  name: string;
  schema: JsonObject;
}

/** Finds the named schemas that extend each schema with a discriminator. */
function findSubtypes(document: OpenAPIDocument): Map<JsonObject, Subtype[]> {
  const components = getOwnProperty(document, 'components');
  const schemas = isObject(components) ? getOwnProperty(components, 'schemas') : undefined;
  const subtypesByBase = new Map<JsonObject, Subtype[]>();
  const getAncestors = createAncestorReader(document);
  let names = 0;
  for (const [name, schema] of Object.entries(isObject(schemas) ? schemas : {})) {
    for (const base of isObject(schema) ? getAncestors(schema).filter(isBase) : []) {
      const subtypes = subtypesByBase.get(base) ?? [];
      if (!isObject(schema) || subtypes.length === maxSubtypes || names === maxNames) continue;
      subtypesByBase.set(base, [...subtypes, { name, schema }]);
      names += 1;
    }
  }
  return subtypesByBase;
}

/** Returns the schema that a mapping names, by reference or by name. */
function resolveMapping(document: OpenAPIDocument, target: unknown): unknown {
  if (typeof target !== 'string') return undefined;
  const $ref = getPointer(target) === undefined ? toReference(target) : target;
  return resolveLocal(document, { $ref });
}

const toReference = (name: string): string => `#/components/schemas/${escapeToken(name)}`;

/**
 * Adds the implied mappings of discriminators. A schema whose `allOf` refers to a schema with a discriminator extends
 * that schema. The discriminator's value for the extending schema is its name, unless the mapping defines another
 * value. Returns whether the document has changed.
 */
export function addSubtypeMappings(document: OpenAPIDocument): boolean {
  let isChanged = false;
  for (const [base, subtypes] of findSubtypes(document)) {
    const discriminator = getOwnProperty(base, 'discriminator');
    if (!isObject(discriminator)) continue;
    const mapping = getOwnProperty(discriminator, 'mapping');
    const mappedNames = isObject(mapping) ? mapping : {};
    const mapped = new Set(Object.values(mappedNames).map((target) => resolveMapping(document, target)));
    const added = subtypes.filter(({ name, schema }) => !mapped.has(schema) && !Object.hasOwn(mappedNames, name));
    if (added.length === 0) continue;
    const names = Object.fromEntries(added.map(({ name }) => [name, toReference(name)]));
    base.discriminator = { ...discriminator, mapping: { ...mappedNames, ...names } };
    isChanged = true;
  }
  return isChanged;
}
