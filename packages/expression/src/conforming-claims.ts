import { Validator } from '@cfworker/json-schema';
import { type AdaptiveClaim, type AdaptiveJsonSchema, type Claims, isClaimName, maxClaimsBytes } from '@octavo/schema';
import type { Json } from './expression.ts';

/** What is said of a visitor: by who signed it, and by the visitor's own side. */
interface GivenClaims {
  signed: Claims;
  unsigned: Claims;
}

/** What a JSON Web Token says of itself and not of the visitor: it is another one in each token. */
const ofToken: ReadonlySet<string> = new Set(['exp', 'iat', 'nbf', 'jti']);

const bytesOf = (claims: Claims): number => new TextEncoder().encode(JSON.stringify(claims)).length;

/**
 * The claims that a site's schema knows and whose values fit it, unsigned ones under `unsigned`; all of them where there
 * is no schema. In an order of their own, so that equal claims are equal texts. Unsigned ones that make all too large are
 * left out; undefined where the signed ones alone are too large: without them a condition on what is not said would hold.
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

/** What is larger than all that is kept is not looked at. */
const ofAnySize = (claims: Claims): Claims => (bytesOf(claims) > maxClaimsBytes ? {} : ordered(claims));

/** The claims by the order of their names, at each level. */
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
