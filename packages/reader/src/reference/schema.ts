import type { JsonObject } from '@octavo/specification';
import { getOwnProperty, getTextAt, isObject, resolveLocal } from '@octavo/specification';

/** A resolved schema at the position where it is used. */
export interface ResolvedSchema {
  value: JsonObject;
  /** The name of the schema, if a reference names it. */
  name: string | undefined;
  /** Whether the schema is nested in itself, so that a higher level already shows it. */
  isWithinItself: boolean;
  /** The `$ref` values that were followed from the outermost schema to this one. */
  trail: readonly string[];
  /** For a variant: the property that distinguishes the variants, and the value that selects this variant. */
  discriminator?: { property: string; value: string };
}

const maxParts = 50;
const maxMerges = 10;
const maxListLevels = 5;
/** Maximum number of schemas read for one page, which bounds schemas that refer to themselves in many ways. */
const maxReads = 100_000;

export const getList = (value: JsonObject, key: string): unknown[] => {
  const list = getOwnProperty(value, key);
  return Array.isArray(list) ? list : [];
};

export const getObject = (value: JsonObject, key: string): JsonObject => {
  const ownValue = getOwnProperty(value, key);
  return isObject(ownValue) ? ownValue : {};
};

const getSchemaName = (reference: string): string | undefined => {
  const last = reference.split('/').at(-1) ?? '';
  return /^#\/(?:components\/schemas|definitions|\$defs)\//.test(reference) ? last.replaceAll('~1', '/') : undefined;
};

/** Returns a schema that others extend with `allOf`, without the keywords that depend on the extending schema. */
function removeVariants(value: JsonObject): JsonObject {
  const { oneOf: _, anyOf: __, allOf: ___, discriminator: ____, ...others } = value;
  return others;
}

/** Returns the fields next to a `$ref`, which take precedence over those of its target. */
function removeReference(value: JsonObject): JsonObject {
  const { $ref: _, ...others } = value;
  return others;
}

export const toText = (value: unknown): string => (typeof value === 'string' ? value : (JSON.stringify(value) ?? ''));

const isNull = (value: unknown): boolean => isObject(value) && getTextAt(value, 'type') === 'null';

/** Reads the property of a discriminator and its value for each schema, by reference. */
function readDiscriminator(value: JsonObject): { property: string; values: Map<string, string> } {
  const discriminator = getObject(value, 'discriminator');
  const mapping = Object.entries(getObject(discriminator, 'mapping')).slice(0, maxParts);
  const values = new Map<string, string>();
  for (const [name, target] of mapping) {
    const reference = String(target).includes('/') ? String(target) : `#/components/schemas/${String(target)}`;
    if (!values.has(reference)) values.set(reference, name);
  }
  return { property: getTextAt(discriminator, 'propertyName') ?? '', values };
}

/** Reads the schemas of a document and resolves their references. */
export class SchemaReader {
  readonly document: JsonObject;
  #remaining = maxReads;

  constructor(document: JsonObject) {
    this.document = document;
  }

  /** Resolves a schema's reference and merges its `allOf`. */
  read(schema: unknown, trail: readonly string[] = []): ResolvedSchema {
    this.#remaining -= 1;
    const value = isObject(schema) && this.#remaining > 0 ? schema : {};
    const reference = getTextAt(value, '$ref');
    if (reference === undefined) return this.#mergeParts({ value, name: undefined, isWithinItself: false, trail });
    const [name, isWithinItself] = [getSchemaName(reference), trail.includes(reference)];
    const target = resolveLocal(this.document, { $ref: reference });
    const merged = { ...(isObject(target) ? target : {}), ...removeReference(value) };
    const result = { value: merged, name, isWithinItself, trail: [...trail, reference] };
    return isWithinItself ? result : this.#mergeParts(result);
  }

  /** Merges the `allOf` of a schema into it. */
  #mergeParts(resolved: ResolvedSchema): ResolvedSchema {
    const parts = getList(resolved.value, 'allOf').slice(0, maxParts);
    if (parts.length === 0 || resolved.trail.length > maxMerges) return this.#unwrapSingle(resolved);
    const { allOf: _, ...ownKeywords } = resolved.value;
    const read = parts.map((part) => this.read(part, resolved.trail));
    // A schema in `allOf` can name the schema that extends it as one of its variants. The extending schema must not
    // inherit these variants.
    const isExtension = parts.length > 1 || isObject(getOwnProperty(ownKeywords, 'properties'));
    const values = read.map(({ value, isWithinItself }) => {
      if (isWithinItself) return removeVariants(value);
      const { discriminator: __, ...others } = value;
      return isExtension ? others : value;
    });
    const all = [...values, ownKeywords];
    const trail = [...new Set([...resolved.trail, ...read.flatMap((part) => part.trail)])].slice(0, maxParts);
    return this.#unwrapSingle({
      value: {
        ...(Object.assign({}, ...all) as JsonObject),
        properties: Object.assign({}, ...all.map((each) => getObject(each, 'properties'))) as JsonObject,
        required: all.flatMap((each) => getList(each, 'required')),
      },
      name: resolved.name ?? (read.length === 1 ? read[0]?.name : undefined),
      ...{ trail, isWithinItself: false },
    });
  }

  /** Replaces a union of one schema and null with that schema. */
  #unwrapSingle(resolved: ResolvedSchema): ResolvedSchema {
    for (const key of ['oneOf', 'anyOf']) {
      const variants = getList(resolved.value, key);
      const nonNullVariants = variants.filter((each) => !isNull(each));
      if (nonNullVariants.length !== 1 || resolved.trail.length > maxMerges) continue;
      const { [key]: _, ...ownKeywords } = resolved.value;
      const variant = this.read(nonNullVariants[0], resolved.trail);
      return {
        ...variant,
        value: { ...variant.value, ...ownKeywords, ...(variants.length > 1 ? { nullable: true } : {}) },
      };
    }
    return resolved;
  }

  /**
   * Returns the variants of a schema: its `oneOf` or `anyOf`, else the schemas that its discriminator names. For each
   * variant that the discriminator names, the result contains the value that selects it.
   */
  getVariants({ value, trail, isWithinItself }: ResolvedSchema): { isOne: boolean; variants: ResolvedSchema[] } {
    if (isWithinItself) return { isOne: false, variants: [] };
    const { property, values } = readDiscriminator(value);
    const key = ['oneOf', 'anyOf'].find((each) => getList(value, each).length > 0);
    const schemas = key === undefined ? [...values.keys()].map(($ref) => ({ $ref })) : getList(value, key);
    const variants = schemas
      .filter((each) => !isNull(each))
      .slice(0, maxParts)
      .map((each): ResolvedSchema => {
        const reference = isObject(each) ? (getTextAt(each, '$ref') ?? '') : '';
        // Without a mapping, the value is the name of the schema.
        const selected = values.get(reference) ?? getSchemaName(reference);
        const read = this.read(each, trail);
        if (property === '' || selected === undefined) return read;
        return { ...read, discriminator: { property, value: selected } };
      });
    return { isOne: key !== 'anyOf', variants: variants.filter((each) => key !== undefined || !each.isWithinItself) };
  }

  /** Returns the item schema of nested arrays, or the schema itself. */
  getItemSchema(resolved: ResolvedSchema): ResolvedSchema {
    let current = resolved;
    for (let level = 0; level < maxListLevels; level += 1) {
      const items = getOwnProperty(current.value, 'items');
      if (!isObject(items) || current.isWithinItself) return current;
      current = this.read(items, current.trail);
    }
    return current;
  }
}

/** A field of an object. */
export interface SchemaField {
  name: string;
  /** Whether the field describes `additionalProperties` or `patternProperties`, which can have many names. */
  isAnyName: boolean;
  schema: unknown;
  isRequired: boolean;
}

/** Returns the fields of an object, required ones first, or the items of a tuple. */
export function getFields({ value }: ResolvedSchema): SchemaField[] {
  const required = new Set(getList(value, 'required').map(String));
  const toField = ([name, schema]: [string, unknown]): SchemaField => ({
    ...{ name, schema, isAnyName: false, isRequired: required.has(name) },
  });
  const ownFields = Object.entries(getObject(value, 'properties')).map(toField);
  const patterns = Object.entries(getObject(value, 'patternProperties')).map(
    ([pattern, schema]): SchemaField => ({ name: `/${pattern}/`, schema, isAnyName: true, isRequired: false }),
  );
  const rest = getOwnProperty(value, 'additionalProperties');
  const others = isObject(rest) ? [{ name: '*', schema: rest, isAnyName: true, isRequired: false }] : [];
  const items = getList(value, 'prefixItems')
    .slice(0, maxParts)
    .map((schema, index): SchemaField => ({ name: `[${index}]`, schema, isAnyName: false, isRequired: false }));
  return [
    ...ownFields.filter((each) => each.isRequired),
    ...ownFields.filter((each) => !each.isRequired),
    ...patterns,
    ...others,
    ...items,
  ];
}

const maxVariants = 4;
const maxTypeLevels = 4;
const maxLength = 120;

function getType(value: JsonObject): string {
  const type = getOwnProperty(value, 'type');
  if (typeof type === 'string') return type;
  return Array.isArray(type) ? type.filter((each) => each !== 'null').join(' | ') : guessType(value);
}

/** Returns the type that the other keywords of a schema imply. */
export function guessType(value: JsonObject): string {
  if (isObject(getOwnProperty(value, 'properties')) || isObject(getOwnProperty(value, 'additionalProperties')))
    return 'object';
  if (getOwnProperty(value, 'items') !== undefined || getList(value, 'prefixItems').length > 0) return 'array';
  if (['contentMediaType', 'contentEncoding'].some((key) => getOwnProperty(value, key) !== undefined)) return 'string';
  const constant = [getOwnProperty(value, 'const'), ...getList(value, 'enum')].find(
    (each) => each !== undefined && each !== null,
  );
  return constant === undefined ? 'any' : typeof constant;
}

const isNullable = ({ value }: ResolvedSchema): boolean => {
  const type = getOwnProperty(value, 'type');
  const variants = [...getList(value, 'oneOf'), ...getList(value, 'anyOf')];
  return (
    getOwnProperty(value, 'nullable') === true ||
    (Array.isArray(type) && type.includes('null') && type.length > 1) ||
    variants.some((each) => isObject(each) && getTextAt(each, 'type') === 'null')
  );
};

/** Returns the format of a string, or the encoding or media type of its content. */
function getFormat(value: JsonObject): string | undefined {
  const media = getTextAt(value, 'contentMediaType');
  const format = getTextAt(value, 'format') ?? getTextAt(value, 'contentEncoding') ?? media;
  return format === 'application/octet-stream' ? 'binary' : format;
}

function formatNonNullType(schemas: SchemaReader, resolved: ResolvedSchema, level: number): string {
  const { value, name } = resolved;
  const { variants } = schemas.getVariants(resolved);
  if (variants.length > 0 && level < maxTypeLevels) {
    const variantTypes = variants.slice(0, maxVariants).map((each) => formatType(schemas, each, level + 1));
    const all = [...new Set(variantTypes), ...(variants.length > maxVariants ? ['…'] : [])];
    return name ?? all.join(' | ');
  }
  const items = getOwnProperty(value, 'items');
  const type = getType(value);
  const tuple = getList(value, 'prefixItems');
  if (type === 'array' && tuple.length > 0 && level < maxTypeLevels) {
    const types = tuple
      .slice(0, maxVariants)
      .map((each) => formatType(schemas, schemas.read(each, resolved.trail), level + 1));
    return `[${[...types, ...(tuple.length > maxVariants || isObject(items) ? ['…'] : [])].join(', ')}]`;
  }
  if (type === 'array' && isObject(items) && level < maxTypeLevels) {
    const itemType = formatType(schemas, schemas.read(items, resolved.trail), level + 1);
    return / \| /.test(itemType) ? `(${itemType})[]` : `${itemType}[]`;
  }
  if (type === 'object') return name ?? 'object';
  const format = getFormat(value);
  return format === undefined ? type : `${type}<${format}>`;
}

/** Describes a schema's type, such as `string<date-time> | null` or `Pet[]`. */
export function formatType(schemas: SchemaReader, resolved: ResolvedSchema, level = 0): string {
  const text = `${formatNonNullType(schemas, resolved, level)}${isNullable(resolved) ? ' | null' : ''}`;
  return text.length > maxLength ? `${text.slice(0, maxLength)}…` : text;
}

/** A body in one media type. */
export interface BodyMedia {
  type: string;
  media: JsonObject;
}

const maxMediaTypes = 8;

/** Returns the media types of a body, the most common first. */
export function getMedia(body: JsonObject): BodyMedia[] {
  const all = Object.entries(getObject(body, 'content')).flatMap(([type, media]): BodyMedia[] =>
    isObject(media) ? [{ type, media }] : [],
  );
  const isJson = ({ type }: BodyMedia) => /[/+]json\b/.test(type);
  return [...all.filter(isJson), ...all.filter((each) => !isJson(each))].slice(0, maxMediaTypes);
}

/** The bounds of a number. */
export interface Bounds {
  low: number | undefined;
  high: number | undefined;
  isLowExclusive: boolean;
  isHighExclusive: boolean;
}

/** Reads the bounds of a number. In OpenAPI 3.0, exclusive bounds are booleans; since 3.1, they are numbers. */
export function readBounds(value: JsonObject): Bounds {
  const getNumber = (key: string): number | undefined => {
    const found = getOwnProperty(value, key);
    return typeof found === 'number' ? found : undefined;
  };
  const isTrue = (key: string): boolean => getOwnProperty(value, key) === true;
  const [least, above] = [getNumber('minimum'), getNumber('exclusiveMinimum')];
  const [most, below] = [getNumber('maximum'), getNumber('exclusiveMaximum')];
  const isAbove = above !== undefined && (least === undefined || above >= least);
  const isBelow = below !== undefined && (most === undefined || below <= most);
  return {
    low: isAbove ? above : least,
    high: isBelow ? below : most,
    isLowExclusive: isAbove || (least !== undefined && isTrue('exclusiveMinimum')),
    isHighExclusive: isBelow || (most !== undefined && isTrue('exclusiveMaximum')),
  };
}
