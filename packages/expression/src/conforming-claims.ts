import { Validator } from '@cfworker/json-schema';
import { type AdaptiveClaim, type AdaptiveJsonSchema, type Claims, isClaimName, maxClaimsBytes } from '@octavo/schema';
import type { Json } from './expression.ts';

/** The claims about a visitor: signed ones, and those from the visitor's own browser. */
interface GivenClaims {
  signed: Claims;
  unsigned: Claims;
}

/** Registered JWT claims, which describe the token and not the visitor, and differ in each token. */
const ofToken: ReadonlySet<string> = new Set(['exp', 'iat', 'nbf', 'jti']);

const bytesOf = (claims: Claims): number => new TextEncoder().encode(JSON.stringify(claims)).length;

/**
 * Returns the claims that conform to a site's schema, unsigned ones under `unsigned`, or all claims if there is no
 * schema. They are sorted, so that equal claims serialize to equal texts. Unsigned claims are left out if they exceed
 * the size limit. Returns undefined if the signed claims alone exceed it, because conditions that test for missing
 * claims would hold without them.
 */
export function conformingClaims(
  schema: AdaptiveJsonSchema | undefined,
  { signed, unsigned }: GivenClaims,
): Claims | undefined {
  if (schema === undefined && bytesOf(withoutToken(signed)) > maxClaimsBytes) return undefined;
  const { unsigned: known, ...properties } = schema?.properties ?? {};
  const others = known?.type === 'object' ? known.properties : {};
  const own = schema === undefined ? ordered(withoutToken(signed)) : fitting(properties, withoutToken(signed));
  const free = schema === undefined ? ofAnySize(unsigned) : fitting(others, unsigned);
  const all = Object.keys(free).length === 0 ? own : { ...own, unsigned: free };
  return [all, own].find((claims) => bytesOf(claims) <= maxClaimsBytes);
}

const withoutToken = (signed: Claims): Claims =>
  Object.fromEntries(Object.entries(signed).filter(([name]) => name !== 'unsigned' && !ofToken.has(name)));

function fitting(properties: Record<string, AdaptiveClaim>, claims: Claims): Claims {
  const known = Object.entries(properties).filter(([name]) => isClaimName(name) && Object.hasOwn(claims, name));
  return Object.fromEntries(
    known.flatMap(([name, claim]) => {
      const value = valueFitting(claim, claims[name] ?? null);
      return value === undefined ? [] : [[name, value]];
    }),
  );
}

function valueFitting(claim: AdaptiveClaim, value: Json): Json | undefined {
  if (claim.type !== 'object') return new Validator(claim, '7').validate(value).valid ? value : undefined;
  const isObject = typeof value === 'object' && value !== null && !Array.isArray(value);
  return isObject ? fitting(claim.properties, value) : undefined;
}

/** Claims beyond the size limit are not read. */
const ofAnySize = (claims: Claims): Claims => (bytesOf(claims) > maxClaimsBytes ? {} : ordered(claims));

/** Sorts claims by name, on each level. */
const ordered = (claims: Claims): Claims =>
  Object.fromEntries(
    Object.entries(claims)
      .filter(([name]) => isClaimName(name))
      .sort(([one], [other]) => (one < other ? -1 : 1))
      .map(([name, each]) => [name, inOrder(each)]),
  );

function inOrder(value: Json): Json {
  if (Array.isArray(value)) return value.map(inOrder);
  return typeof value === 'object' && value !== null ? ordered(value) : value;
}
