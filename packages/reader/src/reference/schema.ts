import { isObject, type JsonObject, ownOf, resolveLocal, textAt } from '@octavo/specification';

/** A schema where it is used: what it says over references, and on the way to what it stands. */
export interface SchemaAt {
  value: JsonObject;
  /** What it is called where it was referred to by a name. */
  name: string | undefined;
  /** Whether it stands in itself, so that it was shown on the way. */
  isWithinItself: boolean;
  /** The references on the way. */
  trail: readonly string[];
}

const maxParts = 50;
const maxMerges = 10;
const maxListLevels = 5;
/** How many schemas are read for one page: what refers to itself in ever more ways comes to an end. */
const maxReads = 100_000;

export const listAt = (value: JsonObject, key: string): unknown[] => {
  const list = ownOf(value, key);
  return Array.isArray(list) ? list : [];
};

export const objectIn = (value: JsonObject, key: string): JsonObject => {
  const found = ownOf(value, key);
  return isObject(found) ? found : {};
};

const nameOf = (reference: string): string | undefined => {
  const last = reference.split('/').at(-1) ?? '';
  return /^#\/(?:components\/schemas|definitions|\$defs)\//.test(reference) ? last.replaceAll('~1', '/') : undefined;
};

/** What is said beside a reference counts more than what it leads to. */
function besides(value: JsonObject): JsonObject {
  const { $ref: _, ...others } = value;
  return others;
}

const isNull = (value: unknown): boolean => isObject(value) && textAt(value, 'type') === 'null';

/** Reads the schemas of a document over their references. */
export class SchemaReader {
  readonly document: JsonObject;
  #left = maxReads;

  constructor(document: JsonObject) {
    this.document = document;
  }

  /** A schema over its reference, with what `allOf` joins as one. */
  read(given: unknown, trail: readonly string[] = []): SchemaAt {
    this.#left -= 1;
    const value = isObject(given) && this.#left > 0 ? given : {};
    const reference = textAt(value, '$ref');
    if (reference === undefined) return this.#joined({ value, name: undefined, isWithinItself: false, trail });
    const [name, isWithinItself] = [nameOf(reference), trail.includes(reference)];
    const found = resolveLocal(this.document, { $ref: reference });
    const merged = { ...(isObject(found) ? found : {}), ...besides(value) };
    const at = { value: merged, name, isWithinItself, trail: [...trail, reference] };
    return isWithinItself ? at : this.#joined(at);
  }

  /** A schema of which `allOf` is joined into one. */
  #joined(at: SchemaAt): SchemaAt {
    const parts = listAt(at.value, 'allOf').slice(0, maxParts);
    if (parts.length === 0 || at.trail.length > maxMerges) return this.#alone(at);
    const { allOf: _, ...own } = at.value;
    const read = parts.map((part) => this.read(part, at.trail)).filter((part) => !part.isWithinItself);
    const all = [...read.map(({ value }) => value), own];
    const trail = [...new Set([...at.trail, ...read.flatMap((part) => part.trail)])].slice(0, maxParts);
    return this.#alone({
      value: {
        ...(Object.assign({}, ...all) as JsonObject),
        properties: Object.assign({}, ...all.map((each) => objectIn(each, 'properties'))) as JsonObject,
        required: all.flatMap((each) => listAt(each, 'required')),
      },
      name: at.name ?? (read.length === 1 ? read[0]?.name : undefined),
      ...{ trail, isWithinItself: false },
    });
  }

  /** Alternatives of which all but one are nothing are that one. */
  #alone(at: SchemaAt): SchemaAt {
    for (const key of ['oneOf', 'anyOf']) {
      const given = listAt(at.value, key);
      const some = given.filter((each) => !isNull(each));
      if (some.length !== 1 || at.trail.length > maxMerges) continue;
      const { [key]: _, ...own } = at.value;
      const only = this.read(some[0], at.trail);
      return { ...only, value: { ...only.value, ...own, ...(given.length > 1 ? { nullable: true } : {}) } };
    }
    return at;
  }

  /** The alternatives of a schema. */
  variantsOf({ value, trail, isWithinItself }: SchemaAt): { isOne: boolean; variants: SchemaAt[] } {
    const isOne = listAt(value, 'oneOf').length > 0;
    const given = listAt(value, isOne ? 'oneOf' : 'anyOf').filter((each) => !isNull(each));
    return { isOne, variants: isWithinItself ? [] : given.slice(0, maxParts).map((each) => this.read(each, trail)) };
  }

  /** What a schema is of, without the lists around it. */
  withoutLists(at: SchemaAt): SchemaAt {
    let found = at;
    for (let level = 0; level < maxListLevels; level += 1) {
      const items = ownOf(found.value, 'items');
      if (!isObject(items) || found.isWithinItself) return found;
      found = this.read(items, found.trail);
    }
    return found;
  }
}

/** A field of an object. */
export interface FieldOfSchema {
  name: string;
  /** Whether it stands for all names that the others do not have. */
  isAnyName: boolean;
  schema: unknown;
  isRequired: boolean;
}

/** The fields of an object, those that it must have first. */
export function fieldsOf({ value }: SchemaAt): FieldOfSchema[] {
  const required = new Set(listAt(value, 'required').map(String));
  const field = ([name, schema]: [string, unknown]): FieldOfSchema => ({
    ...{ name, schema, isAnyName: false, isRequired: required.has(name) },
  });
  const own = Object.entries(objectIn(value, 'properties')).map(field);
  const patterns = Object.entries(objectIn(value, 'patternProperties')).map(
    ([pattern, schema]): FieldOfSchema => ({ name: `/${pattern}/`, schema, isAnyName: true, isRequired: false }),
  );
  const rest = ownOf(value, 'additionalProperties');
  const others = isObject(rest) ? [{ name: '*', schema: rest, isAnyName: true, isRequired: false }] : [];
  return [...own.filter((each) => each.isRequired), ...own.filter((each) => !each.isRequired), ...patterns, ...others];
}
