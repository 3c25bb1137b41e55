import type { Shape } from './shapes.ts';
import { address, createEnumShape, createObjectShape, createUnionShape, id, text } from './shapes.ts';

/** Shapes that all parts of the specification share, copied by hand from its tables. */

export const is = (kind: string): Shape => createEnumShape(kind);
export const role = createEnumShape('admin', 'create', 'review', 'edit', 'comment', 'read');
export const roleOrNull = createUnionShape(role, createEnumShape(null));
/** `none` is an extension of the specification. */
export const level = createUnionShape(roleOrNull, createEnumShape('none'));
export const located = createObjectShape({ location: address });
export const inApp = createObjectShape({ location: address, app: address });

export const user = createObjectShape({
  object: is('user'),
  id,
  displayName: text,
  'email?': text,
  'photoURL?': address,
  urls: located,
});
