/** The reason why a text is not a valid specification. The message is safe to show to the caller. */
export class SpecificationFault extends Error {
  override name = 'SpecificationFault';
}

/** Formats the path of a value like JavaScript: `paths["/pets"].get`. */
export const formatPath = (path: readonly (string | number)[]): string =>
  path
    .map((key, index) => {
      if (typeof key === 'number') return `[${key}]`;
      if (!/^[\p{L}_$][\p{L}\p{N}_$-]*$/u.test(key)) return `[${JSON.stringify(key.slice(0, 100))}]`;
      return index === 0 ? key : `.${key}`;
    })
    .join('');

export type JsonObject = Record<string, unknown>;

/** An OpenAPI 3 document. Only its JSON structure is known. */
export interface OpenAPIDocument extends JsonObject {
  openapi: string;
}

export const isObject = (value: unknown): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Returns an own property. Document keys can be names that objects inherit. */
export const getOwnProperty = (object: JsonObject, key: string): unknown =>
  Object.hasOwn(object, key) ? object[key] : undefined;

/** Returns a property that must be an object if present. @throws SpecificationFault */
export function getObjectAt(object: JsonObject, key: string, path: readonly string[] = []): JsonObject {
  const value = getOwnProperty(object, key) ?? {};
  if (!isObject(value)) throw new SpecificationFault(`${formatPath([...path, key])} must be an object.`);
  return value;
}

export const getTextAt = (object: JsonObject, key: string): string | undefined => {
  const value = getOwnProperty(object, key);
  return typeof value === 'string' ? value : undefined;
};

export const methods = ['get', 'put', 'post', 'delete', 'options', 'head', 'patch', 'trace'];

/** Returns the keys of a local reference, or undefined if it is not local. */
export const getPointer = (reference: string): string[] | undefined =>
  reference.startsWith('#/') ? reference.slice(2).split('/').map(unescapeToken) : undefined;

const maxHops = 20;

/** Resolves local references. Returns undefined for broken and circular ones. */
export function resolveLocal(document: JsonObject, value: unknown): unknown {
  let current = value;
  for (let hops = 0; hops < maxHops; hops += 1) {
    const reference = isObject(current) ? getTextAt(current, '$ref') : undefined;
    if (reference === undefined) return current;
    const pointer = getPointer(reference);
    if (pointer === undefined) return undefined;
    current = pointer.reduce<unknown>(getStep, document);
  }
  return undefined;
}

function getStep(value: unknown, key: string): unknown {
  if (Array.isArray(value)) return /^\d+$/.test(key) ? value[Number(key)] : undefined;
  return isObject(value) ? getOwnProperty(value, key) : undefined;
}

/** Encodes a key as a token of a JSON pointer in a URL fragment. */
export const escapeToken = (key: string): string =>
  key.replaceAll('%', '%25').replaceAll('~', '~0').replaceAll('/', '~1');

/** Decodes a token of a JSON pointer in a URL fragment (RFC 6901, section 6). */
function unescapeToken(token: string): string {
  const plain = token.replaceAll('~1', '/').replaceAll('~0', '~');
  if (!plain.includes('%')) return plain;
  try {
    return decodeURIComponent(plain);
  } catch {
    return plain;
  }
}
