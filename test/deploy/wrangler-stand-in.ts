import { readFileSync } from 'node:fs';
import type { RunWrangler } from '../../scripts/deploy/wrangler.ts';
import { accountId } from './fake-api.ts';

type Values = Record<string, unknown>;

interface Configuration {
  name: string;
  compatibility_date: string;
  compatibility_flags?: string[];
  vars: Values;
  d1_databases: { binding: string; database_id: string }[];
  services: { binding: string; service: string; entrypoint?: string }[];
  r2_buckets: { binding: string; bucket_name: string }[];
  ratelimits: { name: string; namespace_id: string; simple: object }[];
  queues: {
    producers: { binding: string; queue: string }[];
    consumers: { queue: string; dead_letter_queue?: string; [setting: string]: unknown }[];
  };
  durable_objects?: { bindings: { name: string; class_name: string }[] };
  migrations?: { tag: string; new_sqlite_classes: string[] }[];
  send_email?: { name: string }[];
  worker_loaders?: { binding: string }[];
  assets?: { binding: string };
  secrets?: { required: string[] };
  triggers?: { crons: string[] };
  routes: { pattern: string; custom_domain?: boolean }[];
  observability: object;
  placement?: { region: string };
}

function getBindings(configuration: Configuration, secrets: Record<string, string>): Values[] {
  const { vars, durable_objects, send_email, worker_loaders, assets } = configuration;
  const required = configuration.secrets?.required ?? [];
  return [
    ...Object.entries(vars).map(([name, text]) => ({ name, type: 'plain_text', text })),
    ...configuration.d1_databases.map(({ binding: name, database_id: id }) => ({ name, type: 'd1', id })),
    ...configuration.services.map(({ binding: name, ...rest }) => ({ name, type: 'service', ...rest })),
    ...configuration.r2_buckets.map(({ binding: name, ...rest }) => ({ name, type: 'r2_bucket', ...rest })),
    ...configuration.ratelimits.map((each) => ({ type: 'ratelimit', ...each })),
    ...configuration.queues.producers.map(({ binding: name, queue: queue_name }) => ({
      name,
      type: 'queue',
      queue_name,
    })),
    ...(durable_objects?.bindings ?? []).map((each) => ({ type: 'durable_object_namespace', ...each })),
    ...(send_email ?? []).map(({ name }) => ({ name, type: 'send_email' })),
    ...(worker_loaders ?? []).map(({ binding: name }) => ({ name, type: 'worker_loader' })),
    ...(assets === undefined ? [] : [{ name: assets.binding, type: 'assets' }]),
    ...Object.entries(secrets).map(([name, text]) => ({ name, type: 'secret_text', text })),
    ...required.filter((name) => !(name in secrets)).map((name) => ({ name, type: 'inherit' })),
  ];
}

/**
 * Sends the calls that wrangler sends, without starting it. A long test compares them with those of wrangler itself.
 */
export function createWranglerStandIn(send: typeof fetch): RunWrangler {
  async function call<Result>(method: string, path: string, body?: object): Promise<Result> {
    const init = body instanceof FormData ? { body } : body === undefined ? {} : { body: JSON.stringify(body) };
    const response = await send(`https://api.cloudflare.com/client/v4/accounts/${accountId}${path}`, {
      method,
      ...init,
    });
    const { success, result, errors } = (await response.json()) as {
      success: boolean;
      result: Result;
      errors: object[];
    };
    if (!success) throw new Error(JSON.stringify(errors));
    return result;
  }

  async function upload(method: string, path: string, metadata: Values): Promise<void> {
    const form = new FormData();
    form.set('metadata', JSON.stringify(metadata));
    form.set('worker.js', new File(['export default {}'], 'worker.js', { type: 'application/javascript+module' }));
    await call(method, path, form);
  }

  async function deployTriggers({ name, triggers, routes, queues }: Configuration): Promise<void> {
    const script = `/workers/scripts/${name}`;
    await call('POST', `${script}/subdomain`, { enabled: false, previews_enabled: false });
    const [hosts, patterns] = [
      routes.filter((each) => each.custom_domain),
      routes.filter((each) => !each.custom_domain),
    ];
    if (patterns.length > 0) await call('PUT', `${script}/routes`, patterns);
    if (hosts.length > 0) {
      const origins = hosts.map(({ pattern: hostname }) => ({ hostname }));
      await call('POST', `${script}/domains/changeset?replace_state=true`, origins);
      await call('PUT', `${script}/domains/records`, { origins });
    }
    if (triggers !== undefined)
      await call(
        'PUT',
        `${script}/schedules`,
        triggers.crons.map((cron) => ({ cron })),
      );
    for (const { queue, dead_letter_queue, max_batch_timeout, ...consumer } of queues.consumers) {
      const body = {
        type: 'worker',
        script_name: name,
        dead_letter_queue,
        settings: {
          batch_size: consumer.max_batch_size,
          max_retries: consumer.max_retries,
          retry_delay: consumer.retry_delay,
          max_wait_time_ms: 1000 * Number(max_batch_timeout),
          max_concurrency: consumer.max_concurrency,
        },
      };
      interface Queue {
        queue_id: string;
        consumers: { consumer_id: string; script: string }[];
      }
      const [foundQueue] = await call<Queue[]>('GET', `/queues?name=${queue}`);
      const existing = foundQueue?.consumers.find(({ script }) => script === name);
      if (existing === undefined) await call('POST', `/queues/${foundQueue?.queue_id}/consumers`, body);
      else await call('PUT', `/queues/${foundQueue?.queue_id}/consumers/${existing.consumer_id}`, body);
    }
  }

  return async (args, env) => {
    const getOption = (name: string) => args[args.indexOf(name) + 1] ?? '';
    const configuration = JSON.parse(readFileSync(getOption('-c'), 'utf8')) as Configuration;
    const script = `/workers/scripts/${configuration.name}`;
    if (args[0] === 'triggers') return deployTriggers(configuration);
    const { observability, placement, migrations, compatibility_date, compatibility_flags = [] } = configuration;
    const secretNames = args.includes('--secrets-file')
      ? readFileSync(getOption('--secrets-file'), 'utf8').matchAll(/^\w+/gm)
      : [];
    const secrets = Object.fromEntries([...secretNames].map(([name]) => [name, env[name] ?? '']));
    const metadata = {
      main_module: 'worker.js',
      compatibility_date,
      compatibility_flags,
      bindings: getBindings(configuration, secrets),
      keep_bindings: ['secret_text'],
      annotations: { 'workers/tag': getOption('--tag') },
      ...(placement === undefined ? {} : { placement: { mode: 'targeted', ...placement } }),
    };
    if (configuration.assets !== undefined) await call('POST', `${script}/assets-upload-session`, { manifest: {} });
    if (args[0] === 'versions') return upload('POST', `${script}/versions`, metadata);
    const last = migrations?.at(-1);
    const moves = last === undefined ? {} : { migrations: { new_tag: last.tag } };
    await upload('PUT', script, { ...metadata, ...moves, observability });
    await deployTriggers(configuration);
  };
}
