export type { ScriptHead, ScriptLimits, ScriptOutcome } from './frame.ts';
export {
  beforeOutcome,
  decodeOutcome,
  encodeLog,
  encodeOutcome,
  headHeader,
  headOf,
  headText,
  hostLimits,
  scriptLimits,
  textHeader,
} from './frame.ts';
export { sendOutbound } from './outbound.ts';
export { readWithin, runIsolate } from './run-isolate.ts';
