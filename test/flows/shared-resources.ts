import type { Shape } from './shapes.ts';
import { address, either, getOne, id, object, text } from './shapes.ts';

/** Shapes that all parts of the specification share, copied by hand from its tables. */

export const is = (kind: string): Shape => getOne(kind);
export const role = getOne('admin', 'create', 'review', 'edit', 'comment', 'read');
export const roleOrNull = either(role, getOne(null));
/** `none` is an extension of the specification. */
export const level = either(roleOrNull, getOne('none'));
export const located = object({ location: address });
export const inApp = object({ location: address, app: address });

export const user = object({
  object: is('user'),
  id,
  displayName: text,
  'email?': text,
  'photoURL?': address,
  urls: located,
});
