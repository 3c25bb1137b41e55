import type { JsonObject, OpenAPIDocument } from './document.ts';
import { isObject, methods, objectAt, ownOf, resolveLocal } from './document.ts';
import { placeOf, SpecificationFault } from './fault.ts';

export interface Operation {
  method: string;
  /** Its path, or the webhook's name. */
  at: string;
  tag: string | undefined;
  value: JsonObject;
}

export const isHidden = (value: unknown): boolean =>
  isObject(value) && (value['x-internal'] === true || value['x-gitbook-ignore'] === true);

/** The operations of all paths, or of all webhooks, that are to be shown, in the document's order. */
export const operationsAt = (document: OpenAPIDocument, key: string): Operation[] =>
  Object.entries(objectAt(document, key)).flatMap(([at, item]) => {
    if (key === 'paths' && at.startsWith('x-')) return [];
    const resolved = resolveLocal(document, item) ?? {};
    if (!isObject(resolved)) throw new SpecificationFault(`${placeOf([key, at])} must be an object.`);
    return isHidden(resolved) ? [] : operationsOf(resolved, key, at);
  });

const operationsOf = (item: JsonObject, key: string, at: string): Operation[] =>
  Object.keys(item)
    .filter((method) => methods.includes(method))
    .flatMap((method) => {
      const value = ownOf(item, method);
      if (!isObject(value)) throw new SpecificationFault(`${placeOf([key, at, method])} must be an object.`);
      return isHidden(value) ? [] : [{ method, at, tag: firstTagOf(value), value }];
    });

/** An operation stands once among the pages, with its first tag. */
function firstTagOf(operation: JsonObject): string | undefined {
  const tags = ownOf(operation, 'tags');
  const first: unknown = Array.isArray(tags) ? tags[0] : undefined;
  return typeof first === 'string' ? first : undefined;
}
