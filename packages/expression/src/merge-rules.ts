import type { SpaceMergeRules } from '@octavo/schema';
import { invalid } from '@octavo/schema';
import type { Json } from './expression.ts';
import { evaluate, isReadable } from './expression.ts';

/** What the expression of a custom merge rule may name, as the API shows it. */
export interface MergeRuleScope {
  [name: string]: Json;
  space: Json;
  changeRequest: Json;
  reviews: Json;
  actor: Json;
}

const names = ['space', 'changeRequest', 'reviews', 'actor'];

/** @throws ApiError invalid, where the expression of a custom rule cannot be read */
export function requireReadableRules(mergeRules: SpaceMergeRules | undefined): void {
  if (mergeRules?.type !== 'rules') return;
  const issues = mergeRules.rules.flatMap((rule, index) => {
    if (rule.rule !== 'custom' || isReadable(rule.expression, names)) return [];
    const message = `must be an expression over ${names.join(', ')}, without calls`;
    return [{ path: `body.mergeRules.rules.${index}.expression`, message }];
  });
  if (issues.length > 0) throw invalid(issues);
}

/** Whether the expression of a custom rule gives true; one that cannot be read does not. */
export const holdsFor = (expression: string, scope: MergeRuleScope): boolean =>
  evaluate(expression, scope).value === true;
