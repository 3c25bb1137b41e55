import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { SMTPServer } from 'smtp-server';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { octavo } from '../cli/octavo.ts';
import { writeDatabase } from '../support/database.ts';
import { readMails } from '../support/mail.ts';
import { type OwnPlatform, runScript, startOwnPlatform, until } from '../support/own-platform.ts';

interface Received {
  from: string;
  to: string[];
  user: string;
  text: string;
}

const insertJob = (values: (string | number)[]) =>
  writeDatabase(
    platform,
    "INSERT INTO outbox (id, type, attempts, created_at, data, actor, request_id, sent_at) VALUES (?, ?, ?, ?, '{}', '', '', 9e15)",
    ...values,
  );

const readLog = () =>
  readFileSync(path.join(platform.dataDir, 'octavo.log'), 'utf8')
    .split('\n')
    .filter((line) => line.endsWith('}'))
    .map((line) => JSON.parse(line) as Record<string, unknown>);

const received: Received[] = [];
let refusals = 1;

/** An SMTP server that requires a password and refuses the first mail for now. */
const smtp = new SMTPServer({
  disabledCommands: ['STARTTLS'],
  onAuth: ({ username, password }, _, done) =>
    password === 'p@ss' ? done(null, { user: username }) : done(new Error('Wrong password')),
  onData(stream, { envelope, user }, done) {
    let text = '';
    stream.setEncoding('utf8').on('data', (chunk: string) => {
      text += chunk;
    });
    stream.on('end', () => {
      refusals -= 1;
      if (refusals >= 0) return done(Object.assign(new Error('Busy'), { responseCode: 451 }));
      const { mailFrom } = envelope;
      const to = envelope.rcptTo.map(({ address }) => address);
      received.push({ from: mailFrom ? mailFrom.address : '', to, user: String(user), text });
      done();
    });
  },
});

const metricsToken = 'a-token-for-prometheus';
let port: number;
let platform: OwnPlatform;

beforeAll(async () => {
  smtp.listen(0, '127.0.0.1');
  await once(smtp.server, 'listening');
  port = (smtp.server.address() as AddressInfo).port;
  platform = await startOwnPlatform({
    env: {
      OCTAVO_SMTP_URL: `smtp://octavo:p%40ss@127.0.0.1:${port}`,
      OCTAVO_MAIL_FROM: 'Octavo <docs@example.test>',
      OCTAVO_METRICS_TOKEN: metricsToken,
    },
    addressHeader: 'x-real-ip',
  });
});
afterAll(async () => {
  await platform?.remove();
  await new Promise<void>((resolve) => smtp.close(() => resolve()));
});

test('sends an invitation to the SMTP server, retries after a rejection, and writes no file', async () => {
  const { token, organization } = platform;
  const response = await platform.request(`/v1/orgs/${organization}/invites`, {
    token,
    body: { emails: ['ann@example.test'], role: 'read' },
  });
  expect(response.status).toBe(200);
  const mail = await until(() => received[0]);

  expect(mail).toMatchObject({ from: 'docs@example.test', to: ['ann@example.test'], user: 'octavo' });
  expect(mail.text).toContain('From: Octavo <docs@example.test>');
  expect(mail.text).toMatch(/\/sign-in\//);
  expect(readMails('ann@example.test', platform)).toEqual([]);
  expect(received).toHaveLength(1);
});

test('startup logs the mail server, without the password', () => {
  const { stdout } = platform.printed();

  expect(stdout).toContain(`Mail       127.0.0.1:${port}, from Octavo <docs@example.test>`);
  expect(stdout).not.toContain('p@ss');
  expect(stdout).not.toContain('p%40ss');
});

const readMetrics = (token?: string) => platform.request('/metrics', { token });

test('serves metrics to a caller with the token', async () => {
  await platform.request('/v1/none', { token: platform.token });
  const response = await readMetrics(metricsToken);
  const text = await response.text();

  expect([response.status, response.headers.get('content-type')]).toEqual([
    200,
    'text/plain; version=0.0.4; charset=utf-8',
  ]);
  expect(text).toContain('# TYPE octavo_requests_total counter');
  expect(text).toMatch(/^octavo_requests_total\{area="api",method="GET",status="404"\} [1-9]\d*$/m);
  expect(text).toMatch(/^octavo_request_duration_seconds_bucket\{area="api",le="\+Inf"\} [1-9]\d*$/m);
  expect(text).toMatch(/^octavo_database_bytes [1-9]\d*$/m);
  expect(text).toMatch(/^octavo_disk_free_bytes [1-9]\d*$/m);
  expect(text).toMatch(/^octavo_disk_size_bytes [1-9]\d*$/m);
  expect(text).toContain('\noctavo_writable 1\n');
  // Each line is a comment, or a name with optional labels and a number.
  for (const line of text.trimEnd().split('\n'))
    expect(line).toMatch(
      /^(?:# (?:HELP|TYPE) octavo_\w+ .+|octavo_\w+(?:\{\w+="[^"]*"(?:,\w+="[^"]*")*\})? [\d.e-]+)$/,
    );
});

test.each([undefined, 'another-token-for-prometheus', ''])(
  'rejects metrics requests with the token %j',
  async (token) => {
    expect((await readMetrics(token)).status).toBe(401);
    expect((await readMetrics(platform.token)).status).toBe(401);
  },
);

test('serves the health of queues and crons to a caller with the token', async () => {
  const readHealth = async (token: string) => {
    const response = await platform.request('/health/details', { token });
    return { status: response.status, body: (await response.json()) as Record<string, unknown> };
  };
  await insertJob(['evt_failed', 'process_openapi', 10, Date.now()]);
  const { status, body } = await readHealth(metricsToken);
  await writeDatabase(platform, "DELETE FROM outbox WHERE id = 'evt_failed'");

  expect((await readHealth('wrong')).status).toBe(401);
  expect(status).toBe(503);
  expect(body.problems).toContain('1 job of the queue `specs` has failed. List them: `octavo jobs`.');
  expect(body.queues).toContainEqual({ queue: 'specs', waiting: 0, oldestSeconds: 0, failed: 1, deadLetters: 0 });
});

test('octavo metrics prints the numbers of waiting and dead jobs without a token', async () => {
  const waiting = ['evt_waiting', 'import.step', 3, Date.now() - 90_000];
  const dead = ['evt_dead', 'import.step', 10, Date.now()];
  for (const row of [waiting, dead]) await insertJob(row);
  const { code, stdout } = await octavo({ OCTAVO_DATA: platform.dataDir }, 'metrics');

  expect(code).toBe(0);
  expect(stdout).toContain('octavo_jobs_waiting{type="import.step"} 1\n');
  expect(stdout).toMatch(/^octavo_jobs_oldest_seconds\{type="import\.step"\} 9\d/m);
  expect(stdout).toContain('octavo_jobs_dead{type="import.step"} 1\n');
});

test('logs the user and IP address of a request', async () => {
  const headers = { 'x-real-ip': '203.0.113.9' };
  const { id } = (await (await platform.request('/v1/user', { token: platform.token, headers })).json()) as {
    id: string;
  };
  const line = await until(() =>
    readLog().find(({ address, path: route }) => address === '203.0.113.9' && route === '/v1/user'),
  );

  expect(line).toMatchObject({ message: 'request', status: 200, user: id, address: '203.0.113.9' });
});

const start = (env: Record<string, string>) =>
  runScript([path.resolve('build/serve.mjs'), '--empty'], { OCTAVO_DATA: '/dev/null/none', ...env });

test.each([
  [
    { OCTAVO_SMTP_URL: 'mail.example.com' },
    'OCTAVO_SMTP_URL must be a URL such as smtps://user:password@mail.example.com',
  ],
  [{ OCTAVO_SMTP_URL: 'smtp://mail.example.com' }, 'Set OCTAVO_MAIL_FROM to the sender of mails'],
])('refuses to start with %j', async (env, message) => {
  const { code, stdout, stderr } = await start(env);

  expect(code).toBe(1);
  expect(stdout + stderr).toContain(message);
});
