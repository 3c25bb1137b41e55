import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { getOutputPipe, getRuntimeConfigFile, getStateFolder } from './data-folder.ts';
import { createSocketOptions, openLocalRuntime, setWorkerdLauncher } from './local-runtime.ts';
import { lockDataFolder } from './lock.ts';
import { readManifest } from './manifest.ts';
import { createRefusal } from './operator.ts';
import { PlatformError } from './platform-error.ts';
import { claimPort } from './process-info.ts';
import { openThreadedLog } from './threaded-log.ts';
import { guardWorkerd, v8Flags } from './workerd-process.ts';

interface DirectoryOptions {
  outDir: string;
  dataDir: string;
  /** The address to listen on. Port 0 is any free port. */
  host: string;
  port: number;
  /** The hosts and ports of the installations, by their names. The first one is the default. */
  cells: Map<string, string>;
  vars: Record<string, string>;
  /** The reason why the directory was restarted, which is written to its log. */
  restartReason?: string | undefined;
}

const hideConnect = fileURLToPath(new URL('./hide-connect.ts', import.meta.url));

/** Returns the options of the directory's worker, in which each cell is a service at its address. */
async function createDirectoryWorker(options: DirectoryOptions, port: number) {
  const { outDir, host, cells, vars } = options;
  const manifest = await readManifest(outDir);
  if (!manifest) throw new PlatformError(`${outDir} contains no build of Octavo. Run npm run build.`);
  const bundle = path.join(outDir, manifest.directory.bundle);
  const services = [...cells].map(([name, address]) => [
    `CELL_${name.toUpperCase()}`,
    { external: { address, http: {} } },
  ]);
  return {
    workerd: manifest.runtime.workerd,
    worker: {
      ...manifest.directory.options,
      name: manifest.directory.name,
      bindings: { OCTAVO_CELLS: [...cells.keys()].join(' '), OCTAVO_CLIENT_ADDRESS_HEADER: '', ...vars },
      serviceBindings: Object.fromEntries(services),
      modulesRoot: outDir,
      modules: [{ type: 'ESModule' as const, path: bundle, contents: await readFile(bundle, 'utf8') }],
      ...createSocketOptions({ host, port }),
    },
  };
}

/** Starts the directory in front of several installations, with its table in `dataDir`. */
export async function startDirectory(options: DirectoryOptions): Promise<{ url: string; stop(): Promise<void> }> {
  const { outDir, host } = options;
  const dataDir = path.resolve(options.dataDir);
  const lock = await lockDataFolder(dataDir, async () => createRefusal(404, 'This is a directory of installations.'));
  const port = await claimPort(options.port, host);
  const { workerd, worker } = await createDirectoryWorker(options, port);
  const log = await openThreadedLog(dataDir);
  if (options.restartReason) log.write('error', `The directory ${options.restartReason} and was restarted.`);
  const guard = await guardWorkerd(workerd, outDir, dataDir);
  setWorkerdLauncher(guard.launcher);
  const runtime = await openLocalRuntime({
    workers: [worker],
    stateFolder: getStateFolder(dataDir),
    env: {
      ...guard.env,
      OCTAVO_WORKERD_OUTPUT: getOutputPipe(dataDir),
      OCTAVO_WORKERD_CONFIG: getRuntimeConfigFile(dataDir),
      OCTAVO_HIDE_CONNECT: hideConnect,
    },
    v8Flags,
    write: (level, message) => log.write(level, message),
    onRestart: async () => log.write('error', 'The runtime stopped unexpectedly and was restarted.'),
  });
  await runtime.ready;
  return {
    url: `http://${host === '0.0.0.0' ? '127.0.0.1' : host}:${port}`,
    async stop() {
      await runtime.dispose();
      await guard.release();
      await log.close();
      await lock.release();
    },
  };
}
