import path from 'node:path';
import { type CapnpValue, Embedded } from './capnp-text.ts';
import { getStateFolder } from './data-folder.ts';
import type { BucketScripts } from './local-runtime.ts';

/**
 * A module for the local buckets that combines chunks. Without it, the runtime passes stream data to JavaScript
 * transformations, such as the hashing of stored objects, in chunks of 4 KiB. The overhead per chunk then takes longer
 * than the processing of the chunk.
 */
const chunkCombinerModule = `
const pieceBytes = 256 * 1024;
const { pipeThrough } = ReadableStream.prototype;

ReadableStream.prototype.pipeThrough = function (transform, options) {
  const source = transform instanceof IdentityTransformStream ? this : enlargePieces(this);
  return pipeThrough.call(source, transform, options);
};

function enlargePieces(stream) {
  const reader = stream.getReader({ mode: 'byob' });
  return new ReadableStream({
    async pull(controller) {
      const { done, value } = await reader.readAtLeast(pieceBytes, new Uint8Array(pieceBytes));
      if (value !== undefined && value.byteLength > 0) controller.enqueue(value);
      if (done) controller.close();
    },
    cancel: (reason) => reader.cancel(reason),
  }, { highWaterMark: 0 });
}
`;

export const getBucketFolder = (dataDir: string): string => path.join(getStateFolder(dataDir), 'r2');

/** The service of a bucket binding. */
export const createBucketService = (scripts: BucketScripts, bucket: string): CapnpValue => ({
  name: 'buckets',
  props: { json: JSON.stringify({ [scripts.namespaceProperty]: bucket }) },
});

const toModule = (file: string): CapnpValue => ({ name: path.basename(file), esModule: new Embedded(file) });

/** Creates the modules of the worker that runs the bucket objects. The first one is its main module. */
const createObjectModules = ({ object }: BucketScripts): CapnpValue[] => [
  {
    name: 'bucket-objects.js',
    esModule: `import './larger-pieces.js';\nexport * from './${path.basename(object)}';\n`,
  },
  { name: 'larger-pieces.js', esModule: chunkCombinerModule },
  toModule(object),
];

/** Creates the services of the local R2 emulation, in the same folder that Miniflare uses. */
export function createBucketServices(scripts: BucketScripts, dataDir: string): CapnpValue[] {
  const { compatibilityDate, className, uniqueKey } = scripts;
  return [
    { name: 'bucket-files', disk: { path: getBucketFolder(dataDir), writable: true } },
    {
      name: 'buckets',
      worker: {
        modules: [toModule(scripts.entry)],
        compatibilityDate,
        bindings: [
          { name: scripts.objectBinding, durableObjectNamespace: { className, serviceName: 'bucket-objects' } },
        ],
      },
    },
    {
      name: 'bucket-objects',
      worker: {
        modules: createObjectModules(scripts),
        compatibilityDate,
        compatibilityFlags: ['nodejs_compat', 'experimental'],
        durableObjectNamespaces: [{ className, uniqueKey, enableSql: true }],
        durableObjectStorage: { localDisk: 'bucket-files' },
        bindings: [{ name: scripts.blobsBinding, service: 'bucket-files' }],
      },
    },
  ];
}

export const createBucketExtensions = (scripts: BucketScripts): CapnpValue[] => [
  {
    modules: Object.entries(scripts.modules).map(([name, file]) => ({
      name,
      esModule: new Embedded(file),
      internal: false,
    })),
  },
];
