export { buildPlatform } from './build.ts';
export { mailFolder } from './mail-worker.ts';
export type { Operator } from './operator.ts';
export type { OperatorAnswers } from './operator-client.ts';
export { callOperator } from './operator-client.ts';
export { PlatformError } from './platform-error.ts';
export type { Platform, PlatformOptions } from './start.ts';
export { startPlatform } from './start.ts';
export { withOperator } from './with-operator.ts';
