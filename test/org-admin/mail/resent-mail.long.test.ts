import { randomUUID } from 'node:crypto';
import { rmSync, writeFileSync } from 'node:fs';
import { getMailFolder } from '@octavo/platform';
import { expect, test } from 'vitest';
import { json } from '../../support/content.ts';
import { queryDatabase } from '../../support/database.ts';
import { readMails, signIn, waitForMail } from '../../support/mail.ts';
import { until } from '../../support/own-platform.ts';
import { platform } from '../../support/platform.ts';

const server = platform();

test('sends a failed mail again later, with a working link', async () => {
  const organization = await server.makeOrganization();
  const email = `ada-${randomUUID()}@example.test`;
  const folder = getMailFolder(server.dataDir);
  rmSync(folder, { recursive: true, force: true });
  writeFileSync(folder, 'in the way');
  const invited = `/v1/orgs/${organization.id}/invites`;
  const body = { emails: [email] };
  const { users } = await json<{ users: string[] }>(invited, { token: organization.token, body }, server);
  const countAttempts = () =>
    queryDatabase<{ attempts: number }>(
      server.dataDir,
      "SELECT attempts FROM outbox WHERE type = 'mail.requested' AND organization = ?",
      organization.id,
    )[0]?.attempts ?? 0;
  await until(() => countAttempts() >= 2 || undefined);
  rmSync(folder);

  const mail = await waitForMail(email, { server });

  expect(await json('/v1/user', { token: await signIn(mail, server) }, server)).toMatchObject({ id: users[0] });
  expect(readMails(email, server)).toHaveLength(1);
});
