import { afterAll, beforeAll, expect, test } from 'vitest';
import { writeDatabase } from '../support/database.ts';
import type { OwnPlatform } from '../support/own-platform.ts';
import { startOwnPlatform } from '../support/own-platform.ts';
import { octavo } from './octavo.ts';

let server: OwnPlatform;
beforeAll(async () => {
  server = await startOwnPlatform();
});
afterAll(() => server?.remove());

const run = (...args: string[]) => octavo({ OCTAVO_DATA: server.dataDir }, ...args);

async function insertJob(id: string, attempts: number, error: string | null): Promise<void> {
  await writeDatabase(
    server,
    `INSERT INTO outbox (id, type, organization, space, actor, request_id, data, created_at, sent_at, attempts, error)
      VALUES (?, 'content.changed', 'org_a', NULL, '', '', '{}', ?, ?, ?, ?)`,
    id,
    Date.now() - 90_060_000,
    Date.now() + 3_600_000,
    attempts,
    error,
  );
}

test('lists jobs as a table and as JSON, and replays them by ID or all at once', async () => {
  expect(await run('jobs')).toMatchObject({ code: 0, stdout: 'No pending jobs.\n' });
  await insertJob('evt_waits', 2, null);
  await insertJob('evt_dead', 10, 'Error: it\nbroke');

  const { stdout } = await run('jobs');
  expect(stdout.split('\n').map((line) => line.split(/ {2,}/))).toEqual([
    ['ID', 'STATE', 'TYPE', 'AGE', 'ATTEMPTS', 'ORGANIZATION', 'SPACE', 'ERROR'],
    ['evt_dead', 'dead', 'content.changed', '1d 1h', '10', 'org_a', '-', 'Error: it broke'],
    ['evt_waits', 'waiting', 'content.changed', '1d 1h', '2', 'org_a', '-', '-'],
    [''],
  ]);
  expect(JSON.parse((await run('jobs', '--json')).stdout)).toMatchObject([{ id: 'evt_dead', dead: true }, {}]);

  expect(await run('jobs', 'replay', '--all')).toMatchObject({
    code: 0,
    stdout: '1 job will be retried within a minute.\n',
  });
  expect(await run('jobs', 'replay', 'evt_waits')).toMatchObject({ code: 0 });
  const unknown = await run('jobs', 'replay', 'evt_none');
  expect(unknown).toMatchObject({ code: 1, stdout: '' });
  expect(unknown.stderr).toBe(`Data: ${server.dataDir}\noctavo: There is no pending job evt_none.\n`);
});

test.each([
  [['jobs', 'replay'], 'either the id of a job or --all'],
  [['jobs', 'replay', 'evt_a', '--all'], 'either the id of a job or --all'],
  [['jobs', 'again'], 'octavo jobs [--deployment <file>] [--env <name>] [--json]'],
  [['search', 'rebuild', 'spc_a', 'spc_b'], 'octavo search rebuild [<space>]'],
  [['search'], 'octavo search requires a subcommand. Use one of: rebuild'],
  [['serch'], 'Unknown command serch'],
])('rejects %j', async (args, message) => {
  const { code, stdout, stderr } = await run(...args);

  expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
  expect(stderr).toContain(message);
});

test('rebuilds search for one space or for all', async () => {
  const { id } = await server.makeSpace();

  expect((await run('search', 'rebuild', id)).stdout).toContain(`space ${id}`);
  expect((await run('search', 'rebuild')).stdout).toContain('all spaces');
  expect(await run('search', 'rebuild', 'spc_none')).toMatchObject({
    code: 1,
    stderr: `Data: ${server.dataDir}\noctavo: Space spc_none not found.\n`,
  });
});
