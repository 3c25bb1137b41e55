import { createHash, randomUUID } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { decodeOutcome, type ScriptLimits, type ScriptOutcome } from '@octavo/script-isolate/frame';
import { convertV4MiniflareOptions, Miniflare } from 'miniflare';
import { buildScript } from '../../../packages/cli/src/integration/build-script.ts';
import { createNetworkWorker, OUTSIDE_WORKER } from '../../../packages/platform/src/network-worker.ts';

const root = path.resolve(import.meta.dirname, '../../..');

/** Runs a script with the platform's own code and the bindings of the integrations worker. */
const worker = `
import { runScript } from '${root}/workers/integrations/src/scripts/run-script.ts';
import { encodeOutcome } from '${root}/packages/script-isolate/src/index.ts';
export { ScriptOutbound } from '${root}/workers/integrations/src/scripts/run-script.ts';
export default {
  async fetch(request, env) {
    const form = await request.formData();
    const run = JSON.parse(form.get('run'));
    const file = form.get('fetchBody');
    const fetchBody = file === null ? null : new Uint8Array(await file.arrayBuffer());
    const script = async () => form.get('script').text();
    return new Response(encodeOutcome(await runScript(env, { ...run, fetchBody, script })));
  },
};
`;

/** A run of a script for an installation, with the parameters that the platform sets. */
export interface WayRun {
  script: string;
  owner?: string;
  installation?: string;
  event?: object;
  environment?: object;
  fetchBody?: Uint8Array<ArrayBuffer>;
  limits?: Partial<ScriptLimits>;
}

export type RunOnWay = (run: WayRun) => Promise<ScriptOutcome & { text: string }>;

export interface Ways {
  /** `host` runs the script on the script host next to a platform, `loader` with the worker loader binding. */
  host: RunOnWay;
  loader: RunOnWay;
  dispose(): Promise<void>;
}

interface WaysOptions {
  dataDir: string;
  publicUrl: string;
  allowsPrivate: boolean;
}

async function bundleWorker(): Promise<string> {
  const folder = await mkdtemp(path.join(tmpdir(), 'octavo-ways-'));
  try {
    await writeFile(path.join(folder, 'worker.js'), worker);
    const manifest = { script: 'worker.js' } as Parameters<typeof buildScript>[0]['manifest'];
    return await buildScript({ file: path.join(folder, 'worker.json'), manifest });
  } finally {
    await rm(folder, { recursive: true });
  }
}

const getForm = ({ script, owner = randomUUID(), installation = owner, ...run }: WayRun) => {
  const { event = { type: 'task' }, environment = {}, limits = {}, fetchBody } = run;
  const scriptKey = createHash('sha256').update(script).digest('hex');
  const whose = { integration: owner, owner, organization: owner, installation, scriptKey };
  const form = new FormData();
  form.set('run', JSON.stringify({ ...whose, event, environment, limits }));
  form.set('script', new Blob([script]), 'script');
  if (fetchBody !== undefined) form.set('fetchBody', new Blob([fetchBody]), 'body');
  return new Response(form);
};

/** Starts both script runners of the platform: the host for one machine, and the loader used on Cloudflare. */
export async function startBothRuntimes({ dataDir, publicUrl, allowsPrivate }: WaysOptions): Promise<Ways> {
  const contents = await bundleWorker();
  const common = {
    compatibilityDate: '2026-08-01',
    compatibilityFlags: ['nodejs_compat'],
    modulesRoot: '/',
    modules: [{ type: 'ESModule' as const, path: '/worker.js', contents }],
    bindings: { OCTAVO_PUBLIC_URL: publicUrl, OCTAVO_IMPORT_ALLOW_PRIVATE: allowsPrivate ? '1' : '' },
  };
  const address = `unix:${path.join(dataDir, 'scripts.sock')}`;
  const miniflare = new Miniflare(
    convertV4MiniflareOptions({
      cf: false,
      telemetry: { enabled: false },
      handleStructuredLogs: () => undefined,
      workers: [
        { ...common, name: 'host', serviceBindings: { SCRIPTS: { external: { address, http: {} } } } },
        { ...common, name: 'loader', workerLoaders: { LOADER: {} }, outboundService: OUTSIDE_WORKER },
        createNetworkWorker(allowsPrivate),
      ],
    }),
  );
  const runOn =
    (way: 'host' | 'loader'): RunOnWay =>
    async (run) => {
      const form = getForm(run);
      const headers = { 'content-type': form.headers.get('content-type') ?? '', 'MF-Route-Override': way };
      const body = await form.arrayBuffer();
      const response = await miniflare.dispatchFetch('http://ways/', { method: 'POST', headers, body });
      if (response.status !== 200) throw new Error(`The worker answered ${response.status}: ${await response.text()}`);
      const outcome = decodeOutcome(new Uint8Array(await response.arrayBuffer()));
      return { ...outcome, text: outcome.ok ? Buffer.from(outcome.body).toString() : outcome.message };
    };
  return { host: runOn('host'), loader: runOn('loader'), dispose: () => miniflare.dispose() };
}
