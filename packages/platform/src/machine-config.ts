import path from 'node:path';
import type { Wiring } from '@octavo/schema';
import { type CapnpValue, capnpText, Embedded } from './capnp-text.ts';
import { mailFolder, operatorDoor, scriptsSocket, stateFolder } from './data-folder.ts';
import { bucketExtensions, bucketService, bucketServices } from './machine-buckets.ts';
import { bucketBinding, filesBinding, mailboxBinding, scriptsBinding } from './machine-wiring.ts';
import type { BuiltWorker, Manifest } from './manifest.ts';
import { v8Flags } from './memory-limits.ts';

export interface MachineOptions {
  outDir: string;
  dataDir: string;
  manifest: Manifest;
  wiring: Wiring;
  /** The worker that all others are bundled in. */
  machine: BuiltWorker;
  /** Where the gateway listens; undefined for no public port. */
  address: { host: string; port: number } | undefined;
  /** Whether addresses of this machine and its network may be fetched. */
  allowsPrivate: boolean;
}

/** As the local emulation of D1 has it: either opens what the other made. */
const databaseKey = 'miniflare-D1DatabaseObject';
export const databaseFolder = (dataDir: string): string => path.join(stateFolder(dataDir), 'd1');

const disk = (folder: string, writable: boolean): CapnpValue => ({ path: folder, writable });

/** The folders that workers read files from, by the names that the wiring has for them. */
function fileServices({ manifest }: MachineOptions): CapnpValue[] {
  return manifest.workers.flatMap(({ name, options: { assets } }) =>
    assets === undefined ? [] : [{ name: filesBinding(name), disk: disk(assets.directory, false) }],
  );
}

/** Each name of a bucket or folder once, as bindings of the machine's worker. */
function passedBindings({ wiring, manifest }: MachineOptions): CapnpValue[] {
  const names = new Set(Object.values(wiring).flatMap(({ passed }) => Object.values(passed)));
  return [...names].map((name) =>
    name.startsWith(bucketBinding(''))
      ? { name, r2Bucket: bucketService(manifest.runtime.buckets, name.slice(bucketBinding('').length)) }
      : { name, service: name },
  );
}

function machineWorker(options: MachineOptions): CapnpValue {
  const { outDir, machine, manifest, wiring } = options;
  const [database] = Object.values(
    manifest.workers.flatMap((worker) => Object.values(worker.options.d1Databases ?? {})),
  );
  return {
    modules: [
      { name: 'machine.js', esModule: new Embedded(path.resolve(outDir, machine.bundle)) },
      ...machine.wasm.map((file) => ({ name: path.basename(file), wasm: new Embedded(path.resolve(outDir, file)) })),
    ],
    compatibilityDate: machine.options.compatibilityDate ?? '',
    compatibilityFlags: machine.options.compatibilityFlags ?? [],
    globalOutbound: 'outside',
    durableObjectNamespaces: [{ className: 'Machine', uniqueKey: databaseKey, enableSql: true, preventEviction: true }],
    durableObjectStorage: { localDisk: 'database' },
    bindings: [
      { name: 'MACHINE', durableObjectNamespace: 'Machine' },
      { name: 'DATABASE', text: idOf(database) },
      { name: 'WIRING', text: JSON.stringify(wiring) },
      ...passedBindings(options),
    ],
  };
}

const idOf = (database: unknown): string =>
  typeof database === 'object' && database !== null && 'id' in database ? String(database.id) : String(database);

/** The runtime's configuration, as text: the machine's worker, its sockets, and what lies beside it on this machine. */
export function machineConfig(options: MachineOptions): string {
  const { dataDir, manifest, address, allowsPrivate } = options;
  const allow = allowsPrivate ? ['public', 'private'] : ['public'];
  const config = {
    services: [
      { name: 'machine', worker: machineWorker(options) },
      { name: 'database', disk: disk(databaseFolder(dataDir), true) },
      { name: mailboxBinding, disk: disk(mailFolder(dataDir), true) },
      { name: scriptsBinding, external: { address: `unix:${scriptsSocket(dataDir)}`, http: {} } },
      // The address is checked when the connection is made, so that no name and no redirect leads to a private one.
      { name: 'outside', network: { allow, tlsOptions: { trustBrowserCas: true } } },
      ...fileServices(options),
      ...bucketServices(manifest.runtime.buckets, dataDir),
    ],
    sockets: [
      {
        name: 'operator',
        address: `unix:${operatorDoor(dataDir)}`,
        http: {},
        service: { name: 'machine', entrypoint: 'OperatorDoor' },
      },
      ...(address === undefined
        ? []
        : [{ name: 'public', address: `${address.host}:${address.port}`, http: {}, service: 'machine' }]),
    ],
    extensions: bucketExtensions(manifest.runtime.buckets),
    v8Flags,
  };
  return `using Workerd = import "/workerd/workerd.capnp";\nconst config :Workerd.Config = ${capnpText(config)};\n`;
}
