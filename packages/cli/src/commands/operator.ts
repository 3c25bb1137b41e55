import path from 'node:path';
import type { CallOperator } from '@octavo/platform';
import { withOperator } from '@octavo/platform';
import { dataFolder } from '../connection.ts';

const root = path.resolve(import.meta.dirname, '../../../..');

/** Calls this installation as its operator. */
export const asOperator = <Value>(use: (call: CallOperator) => Promise<Value>): Promise<Value> =>
  withOperator({ root, dataDir: dataFolder(process.env) }, use);
