import { Validator } from '@cfworker/json-schema';
import type { AdaptiveClaim, AdaptiveJsonSchema, Claims } from '@octavo/schema';
import { isClaimName, maxClaimsBytes } from '@octavo/schema';
import type { Json } from './expression.ts';

/** The claims about a visitor: signed ones, and those from the visitor's own browser. */
interface VisitorClaims {
  signed: Claims;
  unsignedClaims: Claims;
}

/** Registered JWT claims, which describe the token and not the visitor, and differ in each token. */
const tokenClaims: ReadonlySet<string> = new Set(['exp', 'iat', 'nbf', 'jti']);

const countBytes = (claims: Claims): number => new TextEncoder().encode(JSON.stringify(claims)).length;

/**
 * Returns the claims that conform to a site's schema, with unsigned claims under `unsignedClaims`. Without a schema it
 * returns all claims. Claims are sorted, so that equal claims serialize to equal texts. Unsigned claims are omitted if
 * they exceed the size limit. If the signed claims alone exceed the limit, the result is undefined, because with
 * missing claims, conditions such as `!visitor.plan` would hold.
 */
export function getConformingClaims(
  schema: AdaptiveJsonSchema | undefined,
  { signed, unsignedClaims }: VisitorClaims,
): Claims | undefined {
  if (schema === undefined && countBytes(removeTokenClaims(signed)) > maxClaimsBytes) return undefined;
  const { unsigned: unsignedClaim, ...properties } = schema?.properties ?? {};
  const others = unsignedClaim?.type === 'object' ? unsignedClaim.properties : {};
  const ownClaims =
    schema === undefined
      ? sortClaims(removeTokenClaims(signed))
      : selectConforming(properties, removeTokenClaims(signed));
  const freeClaims = schema === undefined ? sortBounded(unsignedClaims) : selectConforming(others, unsignedClaims);
  const all = Object.keys(freeClaims).length === 0 ? ownClaims : { ...ownClaims, unsigned: freeClaims };
  return [all, ownClaims].find((claims) => countBytes(claims) <= maxClaimsBytes);
}

const removeTokenClaims = (signed: Claims): Claims =>
  Object.fromEntries(Object.entries(signed).filter(([name]) => name !== 'unsigned' && !tokenClaims.has(name)));

function selectConforming(properties: Record<string, AdaptiveClaim>, claims: Claims): Claims {
  const knownClaims = Object.entries(properties).filter(([name]) => isClaimName(name) && Object.hasOwn(claims, name));
  return Object.fromEntries(
    knownClaims.flatMap(([name, claim]) => {
      const value = getConformingValue(claim, claims[name] ?? null);
      return value === undefined ? [] : [[name, value]];
    }),
  );
}

function getConformingValue(claim: AdaptiveClaim, value: Json): Json | undefined {
  if (claim.type !== 'object') return new Validator(claim, '7').validate(value).valid ? value : undefined;
  const isObject = typeof value === 'object' && value !== null && !Array.isArray(value);
  return isObject ? selectConforming(claim.properties, value) : undefined;
}

/** Claims beyond the size limit are not read. */
const sortBounded = (claims: Claims): Claims => (countBytes(claims) > maxClaimsBytes ? {} : sortClaims(claims));

/** Sorts claims by name, on each level. */
const sortClaims = (claims: Claims): Claims =>
  Object.fromEntries(
    Object.entries(claims)
      .filter(([name]) => isClaimName(name))
      .sort(([one], [other]) => (one < other ? -1 : 1))
      .map(([name, each]) => [name, sortValue(each)]),
  );

function sortValue(value: Json): Json {
  if (Array.isArray(value)) return value.map(sortValue);
  return typeof value === 'object' && value !== null ? sortClaims(value) : value;
}

/** Names of unsigned claims; `all` if the text of the expressions does not show which claims they use. */
export type UsedClaims = ReadonlySet<string> | 'all';

/** Maximum number of unsigned claims that a visitor can have. */
const maxUnsignedClaims = 20;

/**
 * Matches a member of an object in an expression. The groups capture its name. If no group matches, the member is
 * computed.
 */
const member = /^\s*(?:\?\.|\.)?\s*(?:\[\s*(?:"([^"\\]*)"|'([^'\\]*)')\s*\]|\[|(?<=\.\s*)([\w$\u0080-\uffff]+))/;

/** The member after a position, and the position after it. `name` is undefined for a computed member. */
interface Member {
  name: string | undefined;
  end: number;
}

function readMember(text: string, start: number): Member | undefined {
  const match = member.exec(text.slice(start, start + maxMemberLength));
  if (match === null) return undefined;
  const [whole, quoted, single, plain] = match;
  return { name: quoted ?? single ?? plain, end: start + whole.length };
}

const maxMemberLength = 1024;

/**
 * Whether a position in a markdown text seems to be in an expression. Looks only at the preceding text on the same
 * line.
 */
function isInExpression(text: string, index: number): boolean {
  const line = text.slice(Math.max(text.lastIndexOf('\n', index) + 1, index - maxMemberLength), index);
  return /\{[{%]|expression/.test(line);
}

/**
 * Returns the unsigned claims that conditions, and expressions in markdown texts, can depend on. A text that is not an
 * expression can only add unneeded claims.
 */
export function findUsedClaims(texts: Iterable<string>): UsedClaims {
  const names = new Set<string>();
  for (const text of texts)
    for (const { index } of text.matchAll(/\bvisitor\b/g)) {
      const name = getUnsignedClaimName(text, index);
      if (name === true) return 'all';
      if (name !== undefined) names.add(name);
    }
  return names;
}

/**
 * Returns the name of the unsigned claim that is read after `visitor`; undefined if no unsigned claim is read, true if
 * it may be any claim.
 */
function getUnsignedClaimName(text: string, index: number): string | true | undefined {
  const claims = readMember(text, index + 'visitor'.length);
  if (claims === undefined) return isInExpression(text, index) ? true : undefined;
  if (claims.name !== 'claims') return claims.name === undefined ? true : undefined;
  const unsigned = readMember(text, claims.end);
  if (unsigned === undefined || unsigned.name === undefined) return true;
  if (unsigned.name !== 'unsigned') return undefined;
  return readMember(text, unsigned.end)?.name ?? true;
}

/** Returns the claims in `used`, at most `maxUnsignedClaims`. */
export const selectUsedClaims = (claims: Claims, used: UsedClaims): Claims =>
  Object.fromEntries(
    Object.entries(claims)
      .filter(([name]) => used === 'all' || used.has(name))
      .slice(0, maxUnsignedClaims),
  );
