export {
  holdsFor,
  isCondition,
  isShownTo,
  type MergeRuleScope,
  requireReadableRules,
  templateConditions,
  visitorScope,
} from './conditions.ts';
export { conformingClaims } from './conforming-claims.ts';
export { type EvaluationScope, evaluate, isReadable, type Json } from './expression.ts';
