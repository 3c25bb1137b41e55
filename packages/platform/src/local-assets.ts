import type { WorkerOptions } from './local-runtime.ts';

/**
 * The options of a worker that reads its files straight from the disk.
 * Miniflare's own assets would put two more workers before each request, and five more heaps beside the worker.
 */
export function withLocalAssets(options: WorkerOptions): WorkerOptions {
  const { assets, ...rest } = options;
  if (assets?.binding === undefined) return options;
  const files = { disk: { path: assets.directory, writable: false } };
  return { ...rest, serviceBindings: { ...rest.serviceBindings, [assets.binding]: files } };
}
