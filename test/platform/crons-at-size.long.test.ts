import { globSync, readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { callOperator, startPlatform } from '@octavo/platform';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { seal } from '../../packages/runtime/src/secrets.ts';
import { queryDatabase, writeDatabase } from '../support/database.ts';
import { buildLimitedEntry } from '../support/limits/build-entry.ts';
import { findExceededLimits } from '../support/limits/exceeded-limits.ts';
import { until } from '../support/own-platform.ts';
import { createServerClient } from '../support/platform.ts';

const rowsPerTable = 300_000;
const secret = 'a secret of at least sixteen characters';
const year = 365 * 24 * 3_600_000;
const maxMillisecondsPerRun = 120_000;

const server = { dataDir: '' };
let organization = '';
let user = '';
let stop = async () => {};

/** No crons run by themselves, because the platform has no public port. */
beforeAll(async () => {
  const root = inject('root');
  server.dataDir = await mkdtemp(path.join(tmpdir(), 'octavo-crons-'));
  const entry = await buildLimitedEntry(path.join(root, 'build'));
  const testKey = process.env.OCTAVO_TEST_KEY;
  const vars = { OCTAVO_SECRET: secret, OCTAVO_PUBLIC_URL: 'http://127.0.0.1:9' };
  ({ stop } = await startPlatform({ root, dataDir: server.dataDir, port: null, vars, testKey, entry }));
  ({ user } = await createServerClient('', server.dataDir).makeUser());
  organization = 'org_crons';
  await writeDatabase(server, `INSERT INTO organizations (id, title, created_at) VALUES (?, 'Crons', 1)`, organization);
});

afterAll(async () => {
  await stop();
  await rm(server.dataDir, { recursive: true, force: true });
});

/** Inserts rows with these SQL expressions as columns. `i` is the number of the row. */
async function insertRows(
  table: string,
  columns: Record<string, string | number>,
  count = rowsPerTable,
): Promise<void> {
  await writeDatabase(
    server,
    `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ?)
     INSERT INTO ${table} (${Object.keys(columns).join(', ')}) SELECT ${Object.values(columns).join(', ')} FROM n`,
    count,
  );
}

const count = (from: string): number =>
  Number(queryDatabase(server.dataDir, `SELECT COUNT(*) AS n FROM ${from}`)[0]?.n);

interface CronCase {
  /** Inserts the rows. Returns the FROM clauses that select what is left. */
  prepare(): Promise<string[]>;
  worker: string;
  cron: string;
  /** Maximum number of runs that finish the work. If it is omitted, two runs must make progress. */
  runs?: number;
}

const createOwnerColumns = () => ({ organization: `'${organization}'`, created_at: 1 });

const insertIntegrations = (name: string, columns: Record<string, string | number>) =>
  insertRows(
    'integrations',
    {
      ...{ name: `'${name}'`, organization: `'${organization}'`, account: `'${user}'`, title: `'${name}'` },
      ...{ script: "''", signing_secret: "''", created_by: `'${user}'`, created_at: 1, updated_at: 1, ...columns },
    },
    1,
  );

const createInstallationColumns = (name: string, inOrganization: string) => ({
  ...{ id: `'ins_${name}' || i`, integration: `'${name}'`, organization: inOrganization, account: `'${user}'` },
  ...{ status: "'active'", configuration: "''", signing_secret: "''", created_by: `'${user}'` },
  ...{ created_at: 1, updated_at: 1 },
});

const cases: Record<string, CronCase> = {
  'the nightly cron of content': {
    worker: 'content',
    cron: '17 3 * * *',
    runs: 3,
    async prepare() {
      const event = { type: "'content.changed'", actor: "'system'", request_id: "'req'", data: "'{}'", created_at: 1 };
      await insertRows('outbox', { ...event, id: "'evt_old' || i", sent_at: 1, done_at: 1 });
      await insertRows('embeds', { url: "'https://example.com/' || i", read_at: 1 });
      await insertRows('idempotency_keys', {
        ...{ actor: `'${user}'`, key: 'i', operation: "'x'", fingerprint: "'x'", request: "'x'", state: "'done'" },
        created_at: 1,
      });
      return ["outbox WHERE id LIKE 'evt_old%'", 'embeds', 'idempotency_keys'];
    },
  },
  'the cron of org-admin that deletes expired rows': {
    worker: 'org-admin',
    cron: '41 3 * * *',
    runs: 3,
    async prepare() {
      const ofUser = { user: `'${user}'`, created_at: 1 };
      await insertRows('tokens', { ...ofUser, id: "'old' || i", label: "''", hash: 'i', expires_at: 1 });
      await insertRows('login_links', {
        id: "'old' || i",
        email: 'i',
        destination: "''",
        created_at: 1,
        expires_at: 1,
      });
      await insertRows('sign_in_links', { ...ofUser, hash: 'i', organization: `'${organization}'`, expires_at: 1 });
      await insertRows('mails', { ...ofUser, id: 'i', organization: `'${organization}'` });
      return ["tokens WHERE id LIKE 'old%'", 'login_links', 'sign_in_links', 'mails'];
    },
  },
  'the nightly cron of publishing': {
    worker: 'publishing',
    cron: '29 3 * * *',
    runs: 6,
    async prepare() {
      const request = { space: "'spc'", revision: 'i', title: "''", state: "'ready'", asked_at: 1 };
      await insertRows('pdfs', { ...createOwnerColumns(), ...request, id: "'pdf' || i" });
      await insertRows('openapi_objects', { key: "'specs/' || i", sweep_at: 1 });
      const page = { site: "'site'", space: "'spc'", page: 'i / 1000', rating: "'good'" };
      await insertRows('page_feedback', { ...page, voter: 'i', rated_at: Date.now() - 2 * year });
      return ['pdfs', 'openapi_objects', 'page_feedback'];
    },
  },
  'the nightly cron of integrations': {
    worker: 'integrations',
    cron: '17 3 * * *',
    runs: 4,
    async prepare() {
      const delivery = { event: 'i', type: "'x'", object: "'x'", status: "'delivered'", created_at: 1, settled_at: 1 };
      await insertRows('deliveries', { ...delivery, subscription: "'sub'", seq: 'i', id: 'i' });
      await insertRows('integration_objects', { key: "'integrations/' || i", sweep_at: 1 });
      const run = { integration: "'x'", payload: "'{}'", status: "'ok'", logs: "'[]'" };
      await insertRows('integration_events', { ...createOwnerColumns(), ...run, id: 'i' });
      return ['deliveries', 'integration_objects', 'integration_events'];
    },
  },
  'the nightly cron of operator': {
    worker: 'operator',
    cron: '53 3 * * *',
    runs: 3,
    async prepare() {
      await insertRows('dead_letters', { id: 'i', queue: "'events'", body: "'{}'", received_at: 1 });
      await insertRows('operator_calls', { nonce: 'i', path: "'/token'", called_at: 1 });
      return ['dead_letters', 'operator_calls'];
    },
  },
  'the cron that ends the installations of unpublished integrations': {
    worker: 'integrations',
    cron: '* * * * *',
    runs: 40,
    async prepare() {
      const installations = 50_000;
      await insertIntegrations('ended', { unpublished_at: 1 });
      await insertRows('organizations', { id: "'org_ended' || i", title: "''", created_at: 1 }, installations);
      await insertRows('installations', createInstallationColumns('ended', "'org_ended' || i"), installations);
      return ["installations WHERE integration = 'ended'", "integrations WHERE name = 'ended'"];
    },
  },
  'the cron that reviews pending installations': {
    worker: 'integrations',
    cron: '* * * * *',
    runs: 12,
    async prepare() {
      const spaces = 10_000;
      await insertRows('installations', createInstallationColumns('settled', `'${organization}'`), 1);
      const sealed: [string, string][] = [];
      for (let space = 0; space < spaces; space += 1)
        sealed.push([`spc${space}`, await seal({ OCTAVO_SECRET: secret }, `ins_settled1/spc${space}`, {})]);
      await writeDatabase(
        server,
        `INSERT INTO space_installations (installation, space, integration, organization, status, configuration, created_at, updated_at)
         SELECT 'ins_settled1', value->>0, 'settled', ?, 'pending', value->>1, 1, 1 FROM json_each(?)`,
        organization,
        JSON.stringify(sealed),
      );
      await insertIntegrations('settled', { settling_from: "'installation'" });
      return ["space_installations WHERE status = 'pending'", 'integrations WHERE settling_from IS NOT NULL'];
    },
  },
  'the cron that runs due tasks': {
    worker: 'integrations',
    cron: '* * * * *',
    async prepare() {
      await insertRows('integration_tasks', {
        ...createOwnerColumns(),
        id: 'i',
        integration: "'none'",
        task: "'{}'",
        run_at: 1,
      });
      return ['integration_tasks'];
    },
  },
  'the cron that generates computed pages': {
    worker: 'integrations',
    cron: '*/1 * * * *',
    async prepare() {
      const content = { space: "'spc'", page: 'i', integration: "'none'", source: "'{}'", due_at: 1 };
      await insertRows('computed_contents', { ...content, organization: `'org' || (i / 100)` });
      return ['computed_contents WHERE due_at = 1'];
    },
  },
  'the cron that distributes events whose message was lost': {
    worker: 'integrations',
    cron: '* * * * *',
    async prepare() {
      const event = {
        type: "'organization.updated'",
        actor: "'system'",
        request_id: "'req'",
        data: "'{}'",
        done_at: 2,
      };
      await insertRows('outbox', {
        ...event,
        organization: "'org' || (i / 10)",
        id: "'evt_fed' || i",
        created_at: Date.now(),
      });
      await insertRows('feed', { organization: "'org' || (i / 10)", event: "'evt_fed' || i" });
      return ['feed'];
    },
  },
  'the cron that resends events': {
    worker: 'content',
    cron: '* * * * *',
    async prepare() {
      const event = { type: "'index_space'", actor: "'system'", request_id: "'req'", data: "'{}'" };
      await insertRows('outbox', {
        ...createOwnerColumns(),
        ...event,
        space: "'spc'",
        id: "'evt_sent' || i",
        sent_at: 1,
      });
      return ["outbox WHERE id LIKE 'evt_sent%' AND sent_at = 1"];
    },
  },
  'the cron that resends requests for mail': {
    worker: 'org-admin',
    cron: '* * * * *',
    async prepare() {
      const event = { type: "'mail.requested'", actor: "'system'", request_id: "'req'", data: "'{}'" };
      await insertRows('outbox', { ...createOwnerColumns(), ...event, id: "'evt_mail' || i", sent_at: 1 });
      return ["outbox WHERE id LIKE 'evt_mail%' AND sent_at = 1"];
    },
  },
  'the cron that fails abandoned PDFs': {
    worker: 'publishing',
    cron: '* * * * *',
    runs: 40,
    async prepare() {
      const request = { space: "'spc'", revision: "'dead' || i", title: "''", state: "'waiting'", asked_at: 1 };
      await insertRows('pdfs', { ...createOwnerColumns(), ...request, id: "'dead' || i" });
      const event = { type: "'render_pdf'", actor: "'system'", request_id: "'req'", sent_at: 1, attempts: 10 };
      await insertRows('outbox', {
        ...createOwnerColumns(),
        ...event,
        id: "'evt_dead' || i",
        data: `'{"pdf":"dead' || i || '"}'`,
      });
      return ["pdfs WHERE state = 'waiting'"];
    },
  },
};

const countAll = (froms: string[]): number => froms.reduce((sum, from) => sum + count(from), 0);

/** Runs a cron within the limits, waits until rows are gone, and returns how many are left. */
async function runCron({ worker, cron }: CronCase, left: string[]): Promise<number> {
  const before = countAll(left);
  const started = Date.now();
  const { outcome } = await callOperator(server.dataDir, '/cron', { worker, cron });

  expect([outcome, findExceededLimits(server.dataDir)]).toEqual(['ok', []]);
  expect(Date.now() - started).toBeLessThan(maxMillisecondsPerRun);
  // Events are sent to a queue, whose consumer runs after the cron.
  return until(() => {
    const remaining = countAll(left);
    return remaining < before ? remaining : undefined;
  }, 20_000);
}

test('each cron of a worker that runs on Cloudflare has a case', () => {
  const files = globSync('workers/*/wrangler.toml');
  const crons = files.flatMap((file) => {
    const [, list = ''] = /^crons = \[(.*)\]$/m.exec(readFileSync(file, 'utf8')) ?? [];
    return [...list.matchAll(/"([^"]+)"/g)].map(([, cron]) => `${path.basename(path.dirname(file))} ${cron}`);
  });
  const tested = new Set(Object.values(cases).map(({ worker, cron }) => `${worker} ${cron}`));

  expect([...tested].toSorted()).toEqual(crons.toSorted());
});

test.each(Object.keys(cases))(
  '%s makes progress within the limits of an invocation',
  { timeout: 900_000 },
  async (name) => {
    const cronCase = cases[name] ?? expect.fail(`There is no case ${name}.`);
    const left = await cronCase.prepare();
    let remaining = countAll(left);
    for (let runs = cronCase.runs ?? 2; remaining > 0 && runs > 0; runs -= 1) remaining = await runCron(cronCase, left);

    if (cronCase.runs !== undefined) expect(remaining).toBe(0);
  },
);
