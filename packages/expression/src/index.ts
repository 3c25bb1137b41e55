export {
  createTemplateConditions,
  createVisitorScope,
  isCondition,
  isRuleMet,
  isShownTo,
  type MergeRuleScope,
  requireReadableRules,
} from './conditions.ts';
export { findUsedClaims, getConformingClaims, selectUsedClaims, type UsedClaims } from './conforming-claims.ts';
export { type EvaluationScope, evaluate, isReadable, type Json } from './expression.ts';
