import path from 'node:path';
import type { CallOperator } from '@octavo/platform';
import { withOperator } from '@octavo/platform';
import { dataFolder } from '../connection.ts';
import { warn } from './command.ts';

const root = path.resolve(import.meta.dirname, '../../../..');

/** Calls this installation as its operator, and says on which data. */
export function asOperator<Value>(use: (call: CallOperator) => Promise<Value>): Promise<Value> {
  const dataDir = dataFolder(process.env);
  return withOperator({ root, dataDir }, (call) => {
    warn(`Data: ${dataDir}`);
    return use(call);
  });
}
