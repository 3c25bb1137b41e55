import path from 'node:path';
import { capnpText, Embedded } from '../capnp-text.ts';
import type { BuiltWorker } from '../manifest.ts';

export interface ScriptConfigOptions {
  outDir: string;
  /** The worker of a script process. */
  worker: BuiltWorker;
  /** Where the gateway listens; undefined where it does not. */
  address: { host: string; port: number } | undefined;
  vars: Record<string, string>;
}

/** The socket of a process, whose address each is given when it starts. */
export const SOCKET = 'runs';

/*
 * A process holds scripts of one integration, so that its heap needs less than the runtime's own; what lies outside of
 * the heap is measured from without.
 */
const v8Flags = ['--max-old-space-size=256', '--single-threaded-gc'];

const everywhere: Record<string, string> = { '0.0.0.0': '127.0.0.1', '::': '::1' };

/** An address that connects to whoever listens on this one. */
function reaching({ host, port }: { host: string; port: number }): string {
  const reached = everywhere[host] ?? host;
  return reached.includes(':') ? `[${reached}]:${port}` : `${reached}:${port}`;
}

/** The configuration of a script process: no disk, no database, no secret; of the network what its worker lets through. */
export function scriptConfig({ outDir, worker, address, vars }: ScriptConfigOptions): string {
  const allowsPrivate = vars.OCTAVO_IMPORT_ALLOW_PRIVATE === '1';
  const allow = allowsPrivate ? ['public', 'private'] : ['public'];
  const texts = {
    PUBLIC_URL: address === undefined ? '' : (vars.OCTAVO_PUBLIC_URL ?? ''),
    ALLOW_PRIVATE: allowsPrivate ? '1' : '',
    ADDRESS_HEADER: vars.OCTAVO_CLIENT_ADDRESS_HEADER ?? '',
  };
  const main = {
    modules: [{ name: 'script-process.js', esModule: new Embedded(path.resolve(outDir, worker.bundle)) }],
    compatibilityDate: worker.options.compatibilityDate ?? '',
    compatibilityFlags: worker.options.compatibilityFlags ?? [],
    globalOutbound: 'outside',
    bindings: [
      { name: 'LOADER', workerLoader: {} },
      ...Object.entries(texts).map(([name, text]) => ({ name, text })),
      ...(address === undefined ? [] : [{ name: 'PLATFORM', service: 'platform' }]),
    ],
  };
  const config = {
    services: [
      { name: 'main', worker: main },
      { name: 'outside', network: { allow, tlsOptions: { trustBrowserCas: true } } },
      ...(address === undefined ? [] : [{ name: 'platform', external: { address: reaching(address), http: {} } }]),
    ],
    sockets: [{ name: SOCKET, http: {}, service: 'main' }],
    v8Flags,
  };
  return `using Workerd = import "/workerd/workerd.capnp";\nconst config :Workerd.Config = ${capnpText(config)};\n`;
}
