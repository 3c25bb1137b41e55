import type { AdaptiveClaim, AdaptiveJsonSchema, TemplateCondition } from '@octavo/schema';
import { isCondition } from './visitors.ts';

const maxConditions = 1000;

const literal = (text: string): string => `"${text.replace(/[\\"]/g, '\\$&')}"`;

const memberOf = (object: string, name: string): string =>
  /^[a-z_$][\w$]*$/i.test(name) ? `${object}.${name}` : `${object}[${literal(name)}]`;

/** Conditions that follow from a schema: one for each boolean and one for each value of an enumeration. */
export const templateConditions = (schema: AdaptiveJsonSchema | undefined): TemplateCondition[] =>
  conditionsIn(schema?.properties ?? {}, 'visitor.claims', [])
    .filter(({ condition }) => isCondition(condition))
    .slice(0, maxConditions);

const conditionsIn = (claims: Record<string, AdaptiveClaim>, object: string, above: string[]): TemplateCondition[] =>
  Object.entries(claims).flatMap(([name, claim]) => conditionsOf(claim, memberOf(object, name), [...above, name]));

function conditionsOf(claim: AdaptiveClaim, place: string, names: string[]): TemplateCondition[] {
  const title = claim.description || names.join(' ');
  if (claim.type === 'object') return conditionsIn(claim.properties, place, names);
  if (claim.type === 'boolean') return [{ description: title, condition: `${place} == true` }];
  const values = claim.type === 'string' ? [...new Set(claim.enum)] : [];
  return values.map((value) => ({ description: `${title}: ${value}`, condition: `${place} == ${literal(value)}` }));
}
