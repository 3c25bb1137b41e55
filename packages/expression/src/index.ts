export { conformingClaims } from './conforming-claims.ts';
export { type EvaluationScope, evaluate, isReadable, type Json } from './expression.ts';
export { holdsFor, type MergeRuleScope, requireReadableRules } from './merge-rules.ts';
export { templateConditions } from './template-conditions.ts';
export { isCondition, isShownTo, visitorScope } from './visitors.ts';
