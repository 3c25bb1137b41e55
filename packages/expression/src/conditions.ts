import {
  type AdaptiveClaim,
  type AdaptiveJsonSchema,
  type Claims,
  invalid,
  type SpaceMergeRules,
  type TemplateCondition,
} from '@octavo/schema';
import { type EvaluationScope, evaluate, isReadable, type Json } from './expression.ts';

/** The names that visibility conditions can use. */
const names = ['visitor', 'space', 'page'];

/** Returns the visitor part of a scope: signed claims by name, and the others under `unsigned`. */
export const createVisitorScope = (claims: Claims): EvaluationScope => ({ visitor: { claims } });

/** Whether a text is a valid condition: an expression over the visitor's claims, without calls. */
export const isCondition = (source: string): boolean => isReadable(source, names);

/**
 * Whether a condition holds for a visitor with these claims. An invalid condition never holds. Content without a
 * condition is always shown.
 */
export const isShownTo = (
  condition: string | null | undefined,
  claims: Claims,
  extraScope: EvaluationScope = { space: {}, page: {} },
): boolean => condition == null || Boolean(evaluate(condition, { ...extraScope, ...createVisitorScope(claims) }).value);

/** The values that the expression of a custom merge rule can use, in the form of the API. */
export interface MergeRuleScope {
  [name: string]: Json;
  space: Json;
  changeRequest: Json;
  reviews: Json;
  actor: Json;
}

const scopeNames = ['space', 'changeRequest', 'reviews', 'actor'];

/** Checks the expressions of custom merge rules. @throws ApiError invalid */
export function requireReadableRules(mergeRules: SpaceMergeRules | undefined): void {
  if (mergeRules?.type !== 'rules') return;
  const issues = mergeRules.rules.flatMap((rule, index) => {
    if (rule.rule !== 'custom' || isReadable(rule.expression, scopeNames)) return [];
    const message = `must be an expression over ${scopeNames.join(', ')} without function calls`;
    return [{ path: `body.mergeRules.rules.${index}.expression`, message }];
  });
  if (issues.length > 0) throw invalid(issues);
}

/** Whether the expression of a custom rule is true. An invalid expression is never true. */
export const isRuleMet = (expression: string, scope: MergeRuleScope): boolean =>
  evaluate(expression, scope).value === true;

const maxConditions = 1000;

const writeLiteral = (text: string): string => `"${text.replace(/[\\"]/g, '\\$&')}"`;

const writeMember = (object: string, name: string): string =>
  /^[a-z_$][\w$]*$/i.test(name) ? `${object}.${name}` : `${object}[${writeLiteral(name)}]`;

/** Returns suggested conditions for a schema: one for each boolean and one for each value of an enumeration. */
export const createTemplateConditions = (schema: AdaptiveJsonSchema | undefined): TemplateCondition[] =>
  listConditions(schema?.properties ?? {}, 'visitor.claims', [])
    .filter(({ condition }) => isCondition(condition))
    .slice(0, maxConditions);

const listConditions = (
  claims: Record<string, AdaptiveClaim>,
  object: string,
  parentNames: string[],
): TemplateCondition[] =>
  Object.entries(claims).flatMap(([name, claim]) =>
    toConditions(claim, writeMember(object, name), [...parentNames, name]),
  );

function toConditions(claim: AdaptiveClaim, expression: string, names: string[]): TemplateCondition[] {
  const title = claim.description || names.join(' ');
  if (claim.type === 'object') return listConditions(claim.properties, expression, names);
  if (claim.type === 'boolean') return [{ description: title, condition: `${expression} == true` }];
  const values = claim.type === 'string' ? [...new Set(claim.enum)] : [];
  return values.map((value) => ({
    description: `${title}: ${value}`,
    condition: `${expression} == ${writeLiteral(value)}`,
  }));
}
