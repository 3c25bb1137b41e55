import path from 'node:path';
import type { CallOperator } from '@octavo/platform';
import { withOperator } from '@octavo/platform';
import { dataFolder } from '../connection.ts';
import { type Terminal, warn } from '../terminal.ts';

const root = path.resolve(import.meta.dirname, '../../../..');

/** Calls this installation as its operator, and says on which data. */
export function asOperator<Value>(terminal: Terminal, use: (call: CallOperator) => Promise<Value>): Promise<Value> {
  const dataDir = dataFolder(terminal.env);
  return withOperator({ root, dataDir }, (call) => {
    warn(terminal, `Data: ${dataDir}`);
    return use(call);
  });
}
