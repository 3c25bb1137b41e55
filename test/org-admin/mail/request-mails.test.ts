import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { queryDatabase, writeDatabase } from '../../support/database.ts';
import { readMails, waitForMails } from '../../support/mail.ts';
import type { Server, TestOrganization } from '../../support/platform.ts';
import { platform } from '../../support/platform.ts';

const getAddress = (name: string) => `${name}-${randomUUID()}@example.test`;
const requestMails = ({ id, token }: TestOrganization, emails: string[], server: Server = platform()) =>
  server.request(`/v1/orgs/${id}/invites`, { token, body: { emails } });

test('sends an address at most five mails a day from one organization, and always returns the same response', async () => {
  const { makeOrganization } = platform();
  const [one, two] = [await makeOrganization(), await makeOrganization()];
  const email = getAddress('ada');
  await requestMails(one, [email]);

  const calls = Array.from({ length: 6 }, () => requestMails(one, [email]));
  const answers = await Promise.all((await Promise.all(calls)).map((response) => response.text()));
  await requestMails(two, [email]);

  expect(new Set(answers).size).toBe(1);
  expect(JSON.parse(answers[0] ?? '')).toEqual({ users: [expect.any(String)], invited: 1 });
  for (const { id } of [one, two]) await waitForMails(id);
  expect(readMails(email)).toHaveLength(6);
});

test('sends an address at most twenty mails a day in total', async () => {
  const email = getAddress('ada');
  const organizations = await Promise.all(Array.from({ length: 5 }, () => platform().makeOrganization()));
  for (const organization of organizations) {
    for (let time = 0; time < 5; time += 1) expect((await requestMails(organization, [email])).status).toBe(200);
  }

  for (const { id } of organizations) await waitForMails(id);
  expect(readMails(email)).toHaveLength(20);
});

test('an organization can send at most 1,000 mails a day, and further requests do nothing', async () => {
  const server = platform();
  const organization = await server.makeOrganization();
  await writeDatabase(
    server,
    `INSERT INTO mails (id, user, organization, created_at)
      WITH RECURSIVE n(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM n WHERE n < 998)
      SELECT 'mail_' || n, ?, ?, ? FROM n`,
    organization.user,
    organization.id,
    Date.now() - 23 * 60 * 60_000,
  );
  await writeDatabase(
    server,
    `INSERT INTO mails VALUES ('mail_old', ?, ?, ?)`,
    organization.user,
    organization.id,
    Date.now() - 25 * 60 * 60_000,
  );
  const addresses = [getAddress('ada'), getAddress('bob'), getAddress('eve')];

  const response = await requestMails(organization, addresses, server);

  expect(response.status).toBe(429);
  expect(Number(response.headers.get('retry-after'))).toBeGreaterThan(3500);
  expect(Number(response.headers.get('retry-after'))).toBeLessThanOrEqual(3600);
  expect(await response.json()).toMatchObject({ error: { type: 'rate_limited' } });
  expect(
    queryDatabase(
      server.dataDir,
      'SELECT id FROM users WHERE email IN (SELECT value FROM json_each(?))',
      JSON.stringify(addresses),
    ),
  ).toEqual([]);

  const responses = await Promise.all(addresses.map((email) => requestMails(organization, [email], server)));
  expect(responses.map(({ status }) => status).sort()).toEqual([200, 200, 429]);
});
