import path from 'node:path';
import type { Wiring, WorkerWiring } from '@octavo/schema';
import { type CapnpValue, Embedded, toCapnpText } from './capnp-text.ts';
import {
  getMailFolder,
  getMailSocket,
  getRenderSocket,
  getRuntimeSocket,
  getScriptsSocket,
  getStateFolder,
} from './data-folder.ts';
import type { WorkerOptions } from './local-runtime.ts';
import { createBucketExtensions, createBucketService, createBucketServices } from './machine-buckets.ts';
import { type BuiltWorker, type Manifest, RENDER_WORKER } from './manifest.ts';
import { getCronBinding, listUnconsumedDeadLetters, OPERATOR_WORKER } from './operator-worker.ts';
import { PlatformError } from './platform-error.ts';
import { renderProtocol } from './render-process.ts';
import { v8Flags } from './workerd-process.ts';

/** Returns the name of the machine worker's binding for a bucket. */
const getBucketBinding = (bucket: string): string => `bucket:${bucket}`;
const getFilesBinding = (worker: string): string => `files:${worker}`;
const mailboxBinding = 'mailbox';
const scriptsBinding = 'scripts';
const smtpBinding = 'smtp';
const renderBinding = 'render';

/** The binding through which workers run scripts on one machine. It replaces Cloudflare's worker loader. */
export const SCRIPTS = 'SCRIPTS';

/** The options that the wiring supports. `ratelimits` needs no wiring, because one machine counts limits in memory. */
const supportedOptions = new Set([
  ...['compatibilityDate', 'compatibilityFlags', 'bindings', 'd1Databases', 'queueProducers', 'queueConsumers'],
  ...['serviceBindings', 'email', 'durableObjects', 'r2Buckets', 'assets', 'ratelimits', 'workerLoaders'],
]);

const isEmpty = (value: unknown): boolean =>
  typeof value === 'object' && value !== null && Object.keys(value).length === 0;

/** Rejects unsupported bindings at build time. Otherwise only the operations that need them would fail, at run time. */
function refuseUnknownBindings({ name, options }: BuiltWorker): void {
  const unknown = Object.entries(options).filter(([option, value]) => !supportedOptions.has(option) && !isEmpty(value));
  if (unknown.length === 0) return;
  const names = unknown.map(([option]) => option).join(', ');
  throw new PlatformError(`The configuration of the worker "${name}" is not supported on one machine: ${names}.`);
}

type ConsumerOptions = WorkerWiring['consumes'][string];

interface ByName {
  name: string;
  entrypoint?: string;
}

const getEntries = <Value>(record: object | undefined): [string, Value][] => Object.entries(record ?? {});

const mapEntries = <From, To>(
  record: object | undefined,
  convert: (from: From, name: string) => To,
): Record<string, To> =>
  Object.fromEntries(getEntries<From>(record).map(([name, from]) => [name, convert(from, name)]));

function createWorkerWiring(
  { name, options, concurrencyOfQueues }: BuiltWorker,
  vars: Record<string, string>,
): WorkerWiring {
  const { email, assets } = options as WorkerOptions & { email?: { send_email?: { name: string }[] } };
  const mail = (email?.send_email ?? []).map((binding): [string, WorkerWiring['services'][string]] => [
    binding.name,
    { worker: OPERATOR_WORKER, entrypoint: 'Mail' },
  ]);
  const services = getEntries<ByName>(options.serviceBindings);
  return {
    vars: { ...mapEntries<unknown, string>(options.bindings, String), ...vars },
    databases: getEntries(options.d1Databases).map(([binding]) => binding),
    queues: mapEntries<{ queueName: string }, string>(options.queueProducers, ({ queueName }) => queueName),
    consumes: mapEntries<ConsumerOptions, ConsumerOptions>(options.queueConsumers, (delivery, queue) => {
      const maxBatches = concurrencyOfQueues[queue];
      return { ...delivery, ...(maxBatches === undefined ? {} : { maxConcurrency: maxBatches }) };
    }),
    services: {
      ...Object.fromEntries(
        services
          .filter(([, { name: worker }]) => worker !== RENDER_WORKER)
          .map(([binding, { name: worker, entrypoint }]) => [
            binding,
            { worker, ...(entrypoint === undefined ? {} : { entrypoint }) },
          ]),
      ),
      ...Object.fromEntries(mail),
    },
    objects: mapEntries<{ className: string }, string>(options.durableObjects, ({ className }) => className),
    machineBindings: {
      ...mapEntries<{ id: string }, string>(options.r2Buckets, ({ id }) => getBucketBinding(id)),
      ...(assets?.binding === undefined ? {} : { [assets.binding]: getFilesBinding(name) }),
      // This runtime does not limit the resources of isolates, so scripts run in separate processes.
      ...(isEmpty(options.workerLoaders ?? {}) ? {} : { [SCRIPTS]: scriptsBinding }),
      ...Object.fromEntries(
        services
          .filter(([, { name: worker }]) => worker === RENDER_WORKER)
          .map(([binding]) => [binding, renderBinding]),
      ),
    },
  };
}

interface WiringOptions {
  manifest: Manifest;
  vars: Record<string, string>;
  operatorKey: string;
  /** Whether queues deliver messages immediately, without waiting for a full batch. */
  isPrompt: boolean;
  /** Whether mails are sent to an SMTP server instead of being written to files. */
  sendsMail: boolean;
}

/** Returns the bindings that connect the workers inside the machine's worker, derived from their configurations. */
export function createWiring({ manifest, vars, operatorKey, isPrompt, sendsMail }: WiringOptions): Wiring {
  for (const worker of manifest.workers) refuseUnknownBindings(worker);
  const wiring = Object.fromEntries(manifest.workers.map((worker) => [worker.name, createWorkerWiring(worker, vars)]));
  const operator = wiring[OPERATOR_WORKER];
  if (operator === undefined) throw new TypeError('The build has no operator worker.');
  operator.vars.KEY = operatorKey;
  operator.machineBindings.MAILBOX = mailboxBinding;
  if (sendsMail) operator.machineBindings.SMTP = smtpBinding;
  for (const { name } of manifest.workers)
    if (name !== 'gateway') operator.services[getCronBinding(name)] = { worker: name };
  for (const queue of listUnconsumedDeadLetters(manifest)) operator.consumes[queue] = {};
  if (isPrompt)
    for (const { consumes } of Object.values(wiring))
      for (const delivery of Object.values(consumes)) delivery.maxBatchTimeout = 0;
  return wiring;
}

interface MachineOptions {
  outDir: string;
  dataDir: string;
  manifest: Manifest;
  wiring: Wiring;
  /** The worker that contains all other workers. */
  machine: BuiltWorker;
  /** The address on which the gateway listens; undefined without a public port. */
  address: { host: string; port: number } | undefined;
  /** Whether addresses of this machine and its network may be fetched. */
  allowsPrivate: boolean;
  /** A module that is loaded in place of `machine.js`, and imports it. */
  entry?: string | undefined;
}

/** The unique key that Miniflare uses for its local D1. With the same key, both runtimes can open the same database. */
const databaseKey = 'miniflare-D1DatabaseObject';
export const getDatabaseFolder = (dataDir: string): string => path.join(getStateFolder(dataDir), 'd1');

const createDiskService = (folder: string, writable: boolean): CapnpValue => ({ path: folder, writable });

/** Creates the services for the folders from which workers read files. Their names match those in the wiring. */
function createFileServices({ manifest }: MachineOptions): CapnpValue[] {
  return manifest.workers.flatMap(({ name, options: { assets } }) =>
    assets === undefined ? [] : [{ name: getFilesBinding(name), disk: createDiskService(assets.directory, false) }],
  );
}

/**
 * Creates the machine worker's bindings for buckets, folders and sockets. Workers that use the same name share a
 * binding.
 */
function createSharedBindings({ wiring, manifest }: MachineOptions): CapnpValue[] {
  const names = new Set(Object.values(wiring).flatMap(({ machineBindings }) => Object.values(machineBindings)));
  return [...names].map((name) =>
    name.startsWith(getBucketBinding(''))
      ? { name, r2Bucket: createBucketService(manifest.runtime.buckets, name.slice(getBucketBinding('').length)) }
      : { name, service: name },
  );
}

function createMachineWorker(options: MachineOptions): CapnpValue {
  const { outDir, machine, manifest, wiring, entry } = options;
  const [database] = Object.values(
    manifest.workers.flatMap((worker) => Object.values(worker.options.d1Databases ?? {})),
  );
  return {
    modules: [
      ...(entry === undefined ? [] : [{ name: 'entry.js', esModule: new Embedded(path.resolve(entry)) }]),
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
      { name: 'DATABASE', text: getId(database) },
      { name: 'WIRING', text: JSON.stringify(wiring) },
      ...createSharedBindings(options),
    ],
  };
}

const getId = (database: unknown): string =>
  typeof database === 'object' && database !== null && 'id' in database ? String(database.id) : String(database);

/** Returns the runtime's configuration as text: the machine's worker, its sockets, and the local services. */
export function createMachineConfig(options: MachineOptions): string {
  const { dataDir, manifest, address, allowsPrivate } = options;
  const allow = allowsPrivate ? ['public', 'private'] : ['public'];
  const config = {
    services: [
      { name: 'machine', worker: createMachineWorker(options) },
      { name: 'database', disk: createDiskService(getDatabaseFolder(dataDir), true) },
      { name: mailboxBinding, disk: createDiskService(getMailFolder(dataDir), true) },
      { name: smtpBinding, external: { address: `unix:${getMailSocket(dataDir)}`, http: {} } },
      { name: scriptsBinding, external: { address: `unix:${getScriptsSocket(dataDir)}`, http: {} } },
      { name: renderBinding, external: { address: `unix:${getRenderSocket(dataDir)}`, http: renderProtocol } },
      // The address is checked at connection time, so that neither names nor redirects can reach a private one.
      { name: 'outside', network: { allow, tlsOptions: { trustBrowserCas: true } } },
      ...createFileServices(options),
      ...createBucketServices(manifest.runtime.buckets, dataDir),
    ],
    sockets: [
      {
        name: 'operator',
        address: `unix:${getRuntimeSocket(dataDir)}`,
        http: {},
        service: { name: 'machine', entrypoint: 'OperatorDoor' },
      },
      ...(address === undefined
        ? []
        : [{ name: 'public', address: `${address.host}:${address.port}`, http: {}, service: 'machine' }]),
    ],
    extensions: createBucketExtensions(manifest.runtime.buckets),
    v8Flags,
  };
  return `using Workerd = import "/workerd/workerd.capnp";\nconst config :Workerd.Config = ${toCapnpText(config)};\n`;
}
