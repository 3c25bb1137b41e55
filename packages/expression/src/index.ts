export {
  createTemplateConditions,
  createVisitorScope,
  isCondition,
  isShownTo,
  requireReadableRules,
} from './conditions.ts';
export { findUsedClaims, getConformingClaims, selectUsedClaims, type UsedClaims } from './conforming-claims.ts';
export { type EvaluationScope, evaluate, isReadable, type Json } from './expression.ts';
export { findFailedRules, type LatestReview, type MergeFacts } from './merge-rules.ts';
