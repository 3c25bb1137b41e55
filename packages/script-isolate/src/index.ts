export type { ScriptHead, ScriptLimits, ScriptOutcome } from './frame.ts';
export {
  beforeOutcome,
  decodeHead,
  decodeOutcome,
  encodeHead,
  encodeLog,
  encodeOutcome,
  headHeader,
  hostLimits,
  scriptLimits,
  textHeader,
} from './frame.ts';
export { sendOutbound } from './outbound.ts';
export { readLimited, runIsolate } from './run-isolate.ts';
