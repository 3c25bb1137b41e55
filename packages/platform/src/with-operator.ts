import { access } from 'node:fs/promises';
import path from 'node:path';
import { buildPlatform } from './build.ts';
import { getStateFolder } from './data-folder.ts';
import { type CallOperator, isNotRunningError, sendToOperator } from './operator-client.ts';
import { PlatformError } from './platform-error.ts';
import { startPlatform } from './start.ts';

interface WithOperatorOptions {
  root: string;
  dataDir: string;
  vars?: Record<string, string>;
  /** Whether a new installation is created if the data folder has none. */
  mayCreate?: boolean;
}

async function requireInstallation(dataDir: string): Promise<void> {
  const exists = await access(getStateFolder(dataDir)).then(
    () => true,
    () => false,
  );
  if (exists) return;
  throw new PlatformError(
    `${dataDir} contains no Octavo data. Set OCTAVO_DATA to your data folder, or start Octavo with npm start.`,
  );
}

/**
 * Lets `use` call the operator channel of the Octavo server that uses a data folder. If none runs, starts one for the
 * call, without a public port.
 */
export async function withOperator<Value>(
  { root, dataDir, vars = {}, mayCreate = false }: WithOperatorOptions,
  use: (call: CallOperator) => Promise<Value>,
): Promise<Value> {
  const call: CallOperator = (route, body) => sendToOperator(dataDir, route, body);
  const isRunning = await call('/health').then(
    () => true,
    (error: unknown) => {
      if (isNotRunningError(error)) return false;
      throw error;
    },
  );
  if (isRunning) return use(call);
  if (!mayCreate) await requireInstallation(dataDir);
  const outDir = path.join(root, 'build');
  await buildPlatform({ root, outDir, scope: 'machine' });
  const platform = await startPlatform({ root, outDir, dataDir, port: null, vars });
  try {
    return await use(call);
  } finally {
    await platform.stop();
  }
}
