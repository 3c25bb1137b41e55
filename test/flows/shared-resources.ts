import type { Shape } from './shapes.ts';
import { address, either, id, object, oneOf, text } from './shapes.ts';

/** Shapes that all parts share, copied by hand from the tables of the specification. */

export const is = (kind: string): Shape => oneOf(kind);
export const role = oneOf('admin', 'create', 'review', 'edit', 'comment', 'read');
export const roleOrNull = either(role, oneOf(null));
/** `none` is an extension of the specification. */
export const level = either(roleOrNull, oneOf('none'));
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
