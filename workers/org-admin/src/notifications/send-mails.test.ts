import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { bindDatabase, createMemoryDatabase } from '../../../../test/support/memory-database.ts';
import type { Mail, OrgAdminEnvironment } from '../environment.ts';
import { sendNotificationMails } from './send-mails.ts';

const minute = 60_000;
const start = Date.UTC(2026, 0, 1);

beforeEach(() => void vi.useFakeTimers({ now: start, toFake: ['Date'] }));
afterEach(() => void vi.useRealTimers());

/** Creates an installation with members who have a notification that is due. */
function createInstallation(users: string[], kind = 'person') {
  const database = createMemoryDatabase();
  database.exec(`
    INSERT INTO organizations (id, title, created_at) VALUES ('org', 'Organization', 1);
    INSERT INTO users (id, email, display_name, created_at) VALUES ('actor', 'actor@x', 'Ada', 1);
    INSERT INTO spaces (id, organization, title, emoji, created_by, created_at, updated_at)
      VALUES ('spc', 'org', 'Handbook', '', 'actor', 1, 1)`);
  for (const user of users)
    database.exec(`
      INSERT INTO users (id, email, display_name, created_at, kind) VALUES ('${user}', '${user}@x', '', 1, '${kind}');
      INSERT INTO members (organization, user, role, joined_at) VALUES ('org', '${user}', 'admin', 1);
      INSERT INTO notifications (user, id, kind, organization, space, actor, created_at, mail_at)
        VALUES ('${user}', 'ntf', 'mentioned', 'org', 'spc', 'actor', ${start}, ${start})`);
  const send = vi.fn(async ({ to: _ }: Mail): Promise<unknown> => undefined);
  const statements: string[] = [];
  const env = {
    DB: bindDatabase(database, (sql) => statements.push(sql)),
    MAIL: { send },
    OCTAVO_MAIL_FROM: 'octavo@x',
    OCTAVO_PUBLIC_URL: 'https://octavo.example.com',
  } as unknown as OrgAdminEnvironment;
  return {
    send,
    statements,
    run: () => sendNotificationMails(env),
    getRecipients: () => send.mock.calls.map(([{ to }]) => to),
    readDueTimes: () => database.prepare('SELECT user, mail_at FROM notifications WHERE mail_at IS NOT NULL').all(),
  };
}

const names = (count: number) => Array.from({ length: count }, (_, index) => `usr${100 + index}`);

test('settles notifications after every twenty mails', async () => {
  const { send, statements, run, getRecipients } = createInstallation(names(45));
  const settledBefore: number[] = [];
  send.mockImplementation(async () => {
    settledBefore.push(statements.filter((text) => text.includes('INSERT INTO notification_mails')).length);
  });
  await run();

  expect(new Set(getRecipients()).size).toBe(45);
  expect([0, 19, 20, 39, 40].map((index) => settledBefore[index])).toEqual([0, 0, 1, 1, 2]);
});

test('does not send mails again if a run ends before all are sent', async () => {
  const { send, run, getRecipients, readDueTimes } = createInstallation(names(30));
  send.mockImplementation(async () => {
    if (send.mock.calls.length === 21) throw new Error('The mail server does not respond.');
  });
  vi.spyOn(console, 'error').mockImplementationOnce(() => {
    throw new Error('The process ends.');
  });
  await expect(run()).rejects.toThrow('The process ends.');
  expect(readDueTimes()).toHaveLength(10);

  vi.setSystemTime(start + 11 * minute);
  await run();
  expect(new Set(getRecipients()).size).toBe(30);
  expect(getRecipients()).toHaveLength(31);
});

test('starts no mail when the notifications could be sent by another run, and leaves the rest to the next run', async () => {
  const { send, run, getRecipients } = createInstallation(names(8));
  send.mockImplementation(async () => void vi.advanceTimersByTime(minute));
  await run();
  expect(getRecipients()).toHaveLength(5);
  await run();

  expect(getRecipients().toSorted()).toEqual(names(8).map((name) => `${name}@x`));
});

test('retries a mail that always fails less and less often', async () => {
  const { send, run } = createInstallation(names(1));
  vi.spyOn(console, 'error').mockImplementation(() => undefined);
  const attempts: number[] = [];
  send.mockImplementation(async () => {
    attempts.push((Date.now() - start) / minute);
    throw new Error('The address does not exist.');
  });
  for (let time = 0; time < 4 * 24 * 60; time += 10) {
    vi.setSystemTime(start + time * minute);
    await run();
  }

  expect(attempts.slice(0, 6)).toEqual([0, 10, 20, 40, 80, 160]);
  expect(attempts.length).toBeLessThan(30);
});

test('sends no mail to service accounts', async () => {
  const { run, getRecipients, readDueTimes } = createInstallation(names(2), 'service');
  await run();

  expect(getRecipients()).toEqual([]);
  expect(readDueTimes()).toEqual([]);
});
