import type { FakeCloudflare } from './fake-cloudflare.ts';
import type { Script } from './fake-workers.ts';

type Binding = Record<string, unknown>;

const compareNames = (a: Binding, b: Binding) => (String(a.name) < String(b.name) ? -1 : 1);

function describeScript(fake: FakeCloudflare, script: Script) {
  const { name, migrationTag, crons, subdomain, settings, deployments } = script;
  const { bindings, metadata } = fake.getServingVersion(script);
  const hideDatabase = (binding: Binding) => (binding.type === 'd1' ? { ...binding, id: 'the database' } : binding);
  const hide = (binding: Binding) =>
    binding.type === 'secret_text' || binding.name === 'OCTAVO_BUILD'
      ? { ...binding, text: '…' }
      : hideDatabase(binding);
  return {
    name,
    migrationTag,
    crons,
    subdomain,
    settings,
    placement: metadata.placement,
    percentages: deployments.at(-1)?.versions.map(({ percentage }) => percentage),
    bindings: bindings.map(hide).toSorted(compareNames),
  };
}

/** Returns all secrets of the workers of a platform. */
export const getSecrets = (fake: FakeCloudflare, prefix = 'octavo'): unknown[] =>
  [...fake.scripts.values()]
    .filter(({ name }) => name.startsWith(`${prefix}-`))
    .flatMap((script) => fake.getServingVersion(script).bindings)
    .filter(({ type }) => type === 'secret_text')
    .map(({ text }) => text);

/** Returns everything that an account has, without random ids and secrets, so that two accounts can be compared. */
export function describeAccount(fake: FakeCloudflare) {
  return structuredClone({
    databases: [...fake.databases.values()].map(({ name, location, replication, data }) => {
      const tables = data.prepare('SELECT name FROM sqlite_master ORDER BY name').all();
      // The database of a directory has no tables yet.
      const read = (sql: string) => (tables.length === 0 ? [] : data.prepare(sql).all());
      return {
        ...{ name, location, replication, tables },
        migrations: read('SELECT name FROM d1_migrations ORDER BY id'),
        users: read('SELECT email, email_verified_at IS NOT NULL AS verified FROM users'),
        tokens: read('SELECT label FROM tokens'),
      };
    }),
    queues: [...fake.queues.values()].map(({ queue_name: name, consumers }) => ({
      name,
      consumers: consumers.map(({ consumer_id: _, ...consumer }) => consumer),
    })),
    buckets: [...fake.buckets.values()],
    scripts: [...fake.scripts.values()].map((script) => describeScript(fake, script)),
    domains: [...fake.domains.values()],
    routes: fake.routes.map(({ id: _, ...route }) => route),
    secrets: new Set(getSecrets(fake)).size,
  });
}
