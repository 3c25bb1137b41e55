import * as z from 'zod';

const idPrefixes = {
  user: 'usr',
  token: 'tok',
  organization: 'org',
  team: 'team',
  invite: 'inv',
  mail: 'mail',
  loginLink: 'lgn',
  notification: 'ntf',
  favorite: 'fav',
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

/** Unused bytes of the system's random source. Reading many at once costs as much as reading a few. */
const randomPool = new Uint8Array(2048);
let used = randomPool.length;

function getRandomByte(): number {
  if (used === randomPool.length) {
    crypto.getRandomValues(randomPool);
    used = 0;
  }
  const byte = randomPool[used] ?? 0;
  randomPool[used] = 0;
  used += 1;
  return byte;
}

/** Returns base-62 characters from the system's random source, without modulo bias (rejection sampling). */
export function createRandomString(length: number): string {
  let text = '';
  while (text.length < length) {
    const byte = getRandomByte();
    if (byte < 248) text += alphabet[byte % 62];
  }
  return text;
}

declare const idKind: unique symbol;

/**
 * The id of one kind of object. The type prevents its use as an id of another kind; at run time it is a plain string.
 */
export type IdOf<Kind extends IdKind> = string & { readonly [idKind]?: Kind };

export type OrganizationId = IdOf<'organization'>;
/** The id of a person, a service account, or the account of an integration. */
export type UserId = IdOf<'user' | 'account'>;
export type TeamId = IdOf<'team'>;
export type CollectionId = IdOf<'collection'>;
export type SpaceId = IdOf<'space'>;
export type RevisionId = IdOf<'revision'>;
export type ChangeRequestId = IdOf<'changeRequest'>;
export type OpenAPISpecId = IdOf<'openapiSpec'>;
export type OpenAPIVersionId = IdOf<'openapiVersion'>;
/** The id of a version of the pages that an integration generated for a computed page. */
export type ComputedVersionId = IdOf<'computedVersion'>;
export type ImportId = IdOf<'import'>;
export type SiteId = IdOf<'site'>;
export type ShareLinkId = IdOf<'shareLink'>;
export type DeliveryId = IdOf<'delivery'>;
/**
 * The id of a branch. A space's own branch has the id of the space; each change request and each import has its own
 * branch.
 */
export type BranchId = SpaceId | ChangeRequestId | ImportId;
/**
 * A branch that can be read and edited. An import's branch cannot; its content is first copied to one of these
 * branches.
 */
export type EditableBranchId = SpaceId | ChangeRequestId;

/** Kinds whose ids sort by creation time. Rows that are written together are adjacent in their table. */
const inOrder: ReadonlySet<IdKind> = new Set(['event', 'revision', 'notification', 'token']);
/** Length of a timestamp in milliseconds in base 62, which is sufficient until the year 2081. */
const timeLength = 7;

function encodeTime(time: number): string {
  let text = '';
  for (let rest = time; text.length < timeLength; rest = Math.floor(rest / 62)) text = alphabet[rest % 62] + text;
  return text;
}

/**
 * Returns a new id: the kind's prefix and 20 base-62 characters. All of these are random (119 bits), except for kinds
 * in `inOrder`, whose ids have a timestamp before 13 random characters (77 bits).
 */
export function createId<Kind extends IdKind>(kind: Kind): IdOf<Kind> {
  const time = inOrder.has(kind) ? encodeTime(Date.now()) : '';
  return `${idPrefixes[kind]}_${time}${createRandomString(idLength - time.length)}`;
}

/** Returns the lower bound of the ids of tokens that were created since a time. */
export const getTokenIdBound = (since: number): string => `${idPrefixes.token}_${encodeTime(since)}`;

/** Returns whether an id has the prefix of this kind. */
export const isId = (kind: IdKind, id: string): boolean => id.startsWith(`${idPrefixes[kind]}_`);

/** An id in paths and bodies: letters, digits, `_` and `-`. */
export const Id = z.string().regex(/^[a-zA-Z0-9_-]{1,64}$/, 'must be an id');
export type Id = z.infer<typeof Id>;
