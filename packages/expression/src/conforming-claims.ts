import { Validator } from '@cfworker/json-schema';
import { type AdaptiveClaim, type AdaptiveJsonSchema, type Claims, isClaimName, maxClaimsBytes } from '@octavo/schema';
import type { Json } from './expression.ts';

/** The claims about a visitor: signed ones, and those from the visitor's own browser. */
interface VisitorClaims {
  signed: Claims;
  unsigned: Claims;
}

/** Registered JWT claims, which describe the token and not the visitor, and differ in each token. */
const tokenClaims: ReadonlySet<string> = new Set(['exp', 'iat', 'nbf', 'jti']);

const countBytes = (claims: Claims): number => new TextEncoder().encode(JSON.stringify(claims)).length;

/**
 * Returns the claims that conform to a site's schema, with unsigned claims under `unsigned`. Without a schema it
 * returns all claims. Claims are sorted, so that equal claims serialize to equal texts. Unsigned claims are omitted if
 * they exceed the size limit. If the signed claims alone exceed it, the result is undefined, because conditions that
 * test for missing claims would hold.
 */
export function getConformingClaims(
  schema: AdaptiveJsonSchema | undefined,
  { signed, unsigned }: VisitorClaims,
): Claims | undefined {
  if (schema === undefined && countBytes(removeTokenClaims(signed)) > maxClaimsBytes) return undefined;
  const { unsigned: known, ...properties } = schema?.properties ?? {};
  const others = known?.type === 'object' ? known.properties : {};
  const own =
    schema === undefined
      ? sortClaims(removeTokenClaims(signed))
      : selectConforming(properties, removeTokenClaims(signed));
  const free = schema === undefined ? sortBounded(unsigned) : selectConforming(others, unsigned);
  const all = Object.keys(free).length === 0 ? own : { ...own, unsigned: free };
  return [all, own].find((claims) => countBytes(claims) <= maxClaimsBytes);
}

const removeTokenClaims = (signed: Claims): Claims =>
  Object.fromEntries(Object.entries(signed).filter(([name]) => name !== 'unsigned' && !tokenClaims.has(name)));

function selectConforming(properties: Record<string, AdaptiveClaim>, claims: Claims): Claims {
  const known = Object.entries(properties).filter(([name]) => isClaimName(name) && Object.hasOwn(claims, name));
  return Object.fromEntries(
    known.flatMap(([name, claim]) => {
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
