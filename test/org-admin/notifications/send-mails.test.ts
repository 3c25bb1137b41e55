import { callOperator } from '@octavo/platform';
import { beforeEach, expect, test } from 'vitest';
import { waitUntilMidMinute } from '../../support/between-minutes.ts';
import { json } from '../../support/content.ts';
import { query, writeDatabase } from '../../support/database.ts';
import { readMails } from '../../support/mail.ts';
import type { TestUser } from '../../support/platform.ts';
import { platform } from '../../support/platform.ts';
import { listNotifications, makeDiscussion, path, send, setDelivery } from './notification-client.ts';

const server = platform();
let discussion: Awaited<ReturnType<typeof makeDiscussion>>;
let email: string;

beforeEach(async () => {
  await waitUntilMidMinute();
  discussion = await makeDiscussion();
  ({ email } = await json<{ email: string }>('/v1/user', discussion.author));
});

const postMention = ({ author, reviewer, requestPath } = discussion) =>
  send(`${requestPath}/comments`, reviewer, { body: { markdown: `@${author.user}` } });
const runCron = () => callOperator(server.dataDir, '/cron', { worker: 'org-admin', cron: '* * * * *' });
const readNewMails = async () => {
  await runCron();
  return readMails(email);
};
/** Moves the time of the last mail to a user back by more than the minimum time between two mails. */
const wait = ({ user }: TestUser) =>
  writeDatabase(server, 'UPDATE notification_mails SET sent_at = sent_at - 601000 WHERE user = ?', user);
const getDueTimes = ({ user }: TestUser) =>
  query<{ at: number }>('SELECT mail_at AS at FROM notifications WHERE user = ? AND mail_at IS NOT NULL', user);

test('sends a mail with a link to the object, once', async () => {
  await postMention();
  const sent = await readNewMails();
  expect(sent).toHaveLength(1);
  expect(sent[0]?.headers.Subject).toBe('A tester mentioned you in "#1 Better words"');
  expect(sent[0]?.text).toContain(`/app/spaces/${discussion.space.id}/change-requests/${discussion.id}/comments/com_`);

  await wait(discussion.author);
  expect(await readNewMails()).toHaveLength(1);
});

test.each([
  ['approved', 'approved'],
  ['changes-requested', 'requested changes to'],
])('a mail about a review with the status %s contains the status', async (status, words) => {
  await setDelivery(discussion.author, { reviewed: 'mail' });
  await send(`${discussion.requestPath}/reviews`, discussion.reviewer, { status });

  expect((await readNewMails()).map(({ headers }) => headers.Subject)).toEqual([`A tester ${words} "#1 Better words"`]);
});

test('sends several notifications in one mail, at most one in ten minutes', async () => {
  await postMention();
  await postMention();
  const [sent] = await readNewMails();
  expect(sent?.headers.Subject).toBe('2 notifications from Octavo');
  await postMention();
  expect(await readNewMails()).toHaveLength(1);

  await wait(discussion.author);
  expect(await readNewMails()).toHaveLength(2);
});

test('a mail lists at most twenty notifications', async () => {
  for (let count = 0; count < 22; count += 1) await postMention();
  const [sent] = await readNewMails();

  expect(sent?.text.match(/mentioned you/g)).toHaveLength(20);
  expect(sent?.text).toContain('There are 2 more notifications.');
});

test('sends nothing that was read, or that the user can no longer read', async () => {
  await postMention();
  await server.request(`${path}/read`, { token: discussion.author.token, method: 'POST' });
  expect(await readNewMails()).toEqual([]);

  await postMention();
  const { id, token } = discussion.space;
  await json(`/v1/spaces/${id}`, { token, method: 'PATCH', body: { defaultLevel: 'none' } });
  expect(await readNewMails()).toEqual([]);
  expect(getDueTimes(discussion.author)).toEqual([]);
});

test('sends no mail for kinds that are shown in the app only', async () => {
  await setDelivery(discussion.author, { mentioned: 'app' });
  await postMention();

  expect(await listNotifications(discussion.author)).toHaveLength(1);
  expect(await readNewMails()).toEqual([]);
});

test('sends the daily mail in the morning', async () => {
  await setDelivery(discussion.author, { mentioned: 'digest' });
  await postMention();
  expect(await readNewMails()).toEqual([]);
  const [due] = getDueTimes(discussion.author);
  expect(new Date(due?.at ?? 0).toISOString()).toMatch(/T06:00:00.000Z$/);
  expect(due?.at).toBeGreaterThan(Date.now());
  expect(due?.at).toBeLessThanOrEqual(Date.now() + 24 * 3_600_000);

  await writeDatabase(server, 'UPDATE notifications SET mail_at = 0 WHERE user = ?', discussion.author.user);
  expect(await readNewMails()).toHaveLength(1);
});

test('old notifications are deleted', async () => {
  await postMention();
  const old = Date.now() - 91 * 24 * 3_600_000;
  await postMention();
  const [newest, oldest] = await listNotifications(discussion.author);
  await writeDatabase(server, 'UPDATE notifications SET created_at = ? WHERE id = ?', old, oldest?.id ?? '');
  await callOperator(server.dataDir, '/cron', { worker: 'org-admin', cron: '41 3 * * *' });

  expect(await listNotifications(discussion.author)).toEqual([newest]);
});
