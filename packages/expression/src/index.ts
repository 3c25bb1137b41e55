export { type AskedClaims, getAskedClaims, selectAskedClaims } from './asked-claims.ts';
export {
  createTemplateConditions,
  createVisitorScope,
  isCondition,
  isRuleMet,
  isShownTo,
  type MergeRuleScope,
  requireReadableRules,
} from './conditions.ts';
export { getConformingClaims } from './conforming-claims.ts';
export { type EvaluationScope, evaluate, isReadable, type Json } from './expression.ts';
