export { evaluate, type Json, type Scope } from './expression.ts';
export { holdsFor, type MergeRuleScope, requireReadableRules } from './merge-rules.ts';
