import path from 'node:path';
import { buildPlatform } from './build.ts';
import { isNotRunning, type OperatorAnswers, sendToOperator } from './operator-client.ts';
import { startPlatform } from './start.ts';

export interface WithOperatorOptions {
  root: string;
  dataDir: string;
  vars?: Record<string, string>;
}

export type CallOperator = <Path extends keyof OperatorAnswers>(
  path: Path,
  body?: unknown,
) => Promise<OperatorAnswers[Path]>;

/** Lets `use` call the operator channel of the running Octavo, or of one started for it alone, without a public port. */
export async function withOperator<Value>(
  { root, dataDir, vars = {} }: WithOperatorOptions,
  use: (call: CallOperator) => Promise<Value>,
): Promise<Value> {
  const call: CallOperator = (route, body) => sendToOperator(dataDir, route, body);
  const isRunning = await call('/health').then(
    () => true,
    (error: unknown) => {
      if (isNotRunning(error)) return false;
      throw error;
    },
  );
  if (isRunning) return use(call);
  const outDir = path.join(root, 'build');
  await buildPlatform({ root, outDir });
  const platform = await startPlatform({ root, outDir, dataDir, port: null, vars });
  try {
    return await use(call);
  } finally {
    await platform.stop();
  }
}
