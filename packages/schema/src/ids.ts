import * as z from 'zod';

const idPrefixes = {
  user: 'usr',
  token: 'tok',
  organization: 'org',
  team: 'team',
  invite: 'inv',
  mail: 'mail',
  samlProvider: 'saml',
  translation: 'trn',
  collection: 'col',
  space: 'spc',
  page: 'pg',
  file: 'file',
  upload: 'upl',
  reusableContent: 'rc',
  revision: 'rev',
  import: 'imp',
  changeRequest: 'cr',
  review: 'rvw',
  comment: 'com',
  reply: 'rep',
  pdf: 'pdf',
  site: 'site',
  section: 'sec',
  sectionGroup: 'secg',
  siteSpace: 'ss',
  shareLink: 'sl',
  externalLink: 'sel',
  redirect: 'srd',
  openapiSpec: 'oas',
  openapiVersion: 'oasv',
  computedVersion: 'cmpv',
  installation: 'ins',
  account: 'acc',
  webhook: 'whk',
  delivery: 'dlv',
  event: 'evt',
  request: 'req',
} as const;

export type IdKind = keyof typeof idPrefixes;

const alphabet = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const idLength = 20;

/** Bytes of the system's random source that wait for their one use: many at once cost as much as a few. */
const waiting = new Uint8Array(2048);
let used = waiting.length;

function randomByte(): number {
  if (used === waiting.length) {
    crypto.getRandomValues(waiting);
    used = 0;
  }
  const byte = waiting[used] ?? 0;
  waiting[used] = 0;
  used += 1;
  return byte;
}

/** A string of base-62 characters from the system's random source, without modulo bias (rejection sampling). */
export function randomString(length: number): string {
  let text = '';
  while (text.length < length) {
    const byte = randomByte();
    if (byte < 248) text += alphabet[byte % 62];
  }
  return text;
}

declare const idKind: unique symbol;

/** The id of one kind of thing: a text that is no id of another kind to the compiler. At run time it is the text alone. */
export type IdOf<Kind extends IdKind> = string & { readonly [idKind]?: Kind };

export type OrganizationId = IdOf<'organization'>;
/** A person's or a service account's, or the account's of an integration. */
export type UserId = IdOf<'user' | 'account'>;
export type TeamId = IdOf<'team'>;
export type CollectionId = IdOf<'collection'>;
export type SpaceId = IdOf<'space'>;
export type RevisionId = IdOf<'revision'>;
export type ChangeRequestId = IdOf<'changeRequest'>;
export type OpenAPISpecId = IdOf<'openapiSpec'>;
export type OpenAPIVersionId = IdOf<'openapiVersion'>;
/** Of the pages that an integration made of a computed one. */
export type ComputedVersionId = IdOf<'computedVersion'>;
export type ImportId = IdOf<'import'>;
export type SiteId = IdOf<'site'>;
export type ShareLinkId = IdOf<'shareLink'>;
export type WebhookId = IdOf<'webhook'>;
export type DeliveryId = IdOf<'delivery'>;
/** A space's own branch goes by the id of the space; each change request and each import has one of its own. */
export type BranchId = SpaceId | ChangeRequestId | ImportId;
/** A branch that is read and edited: an import's is neither until it has arrived on one of these. */
export type OpenBranchId = SpaceId | ChangeRequestId;

/** Kinds whose rows only ever come at the end: those that are written together then stand together in their table. */
const inOrder: ReadonlySet<IdKind> = new Set(['event', 'revision']);
/** Milliseconds in base 62, until the year 2081. */
const timeLength = 7;

function timeNow(): string {
  let text = '';
  for (let rest = Date.now(); text.length < timeLength; rest = Math.floor(rest / 62)) text = alphabet[rest % 62] + text;
  return text;
}

/**
 * A new id: the kind's prefix and 20 base-62 characters, all of them random (119 bits), or with the time in front of 13
 * random ones (77 bits) where ids are to be in the order of their making.
 */
export function newId<Kind extends IdKind>(kind: Kind): IdOf<Kind> {
  const time = inOrder.has(kind) ? timeNow() : '';
  return `${idPrefixes[kind]}_${time}${randomString(idLength - time.length)}`;
}

/** Whether an id is of this kind, by its prefix. */
export const isIdOf = (kind: IdKind, id: string): boolean => id.startsWith(`${idPrefixes[kind]}_`);

/** An id as it stands in paths and bodies: letters, digits, `_` and `-` (resolved.md, row 25). */
export const Id = z.string().regex(/^[a-zA-Z0-9_-]{1,64}$/, 'must be an id');
export type Id = z.infer<typeof Id>;
