import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { getMailFolder } from '@octavo/platform';
import { queryDatabase } from './database.ts';
import { until } from './own-platform.ts';
import type { Server } from './platform.ts';
import { platform } from './platform.ts';
import { readSessionCookie } from './session-cookies.ts';

export interface TestMail {
  headers: Record<string, string>;
  text: string;
}

function readMail(file: string): TestMail {
  const [head = '', ...paragraphs] = readFileSync(file, 'utf8').split('\n\n');
  const headers = head.split('\n').map((line): [string, string] => {
    const colon = line.indexOf(': ');
    return [line.slice(0, colon), line.slice(colon + 2)];
  });
  return { headers: Object.fromEntries(headers), text: paragraphs.join('\n\n') };
}

/** Returns the mails that a platform has sent to an address, oldest first. */
export function readMails(address: string, { dataDir }: Pick<Server, 'dataDir'> = platform()): TestMail[] {
  const folder = getMailFolder(dataDir);
  return listNames(folder)
    .filter((name) => name.endsWith('.eml'))
    .sort()
    .map((name) => readMail(path.join(folder, name)))
    .filter(({ headers }) => headers.To === address);
}

function listNames(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}

/** Waits until at least `count` mails were sent to an address, and returns the newest. */
export const waitForMail = (address: string, { count = 1, server = platform() as Pick<Server, 'dataDir'> } = {}) =>
  until(() => {
    const mails = readMails(address, server);
    return mails.length >= count ? mails.at(-1) : undefined;
  });

/**
 * Waits until every mail that an organization requested is settled. A server that stops earlier sends the rest again.
 */
export const waitForMails = (organization: string, server: Pick<Server, 'dataDir'> = platform()) =>
  until(() => {
    const waiting = queryDatabase(
      server.dataDir,
      "SELECT id FROM outbox WHERE type = 'mail.requested' AND organization = ? AND done_at IS NULL",
      organization,
    );
    return waiting.length === 0 || undefined;
  });

/** Returns the path of the sign-in link in an invitation. */
export function findSignInLink({ text }: TestMail): string {
  const link = /\/sign-in\/\w+/.exec(text)?.[0];
  if (link === undefined) throw new Error(`There is no link in the mail:\n${text}`);
  return link;
}

/** Signs in with the link of a mail, and returns the secret of the session. */
export async function signIn(mail: TestMail, server = platform()): Promise<string> {
  const response = await server.request(findSignInLink(mail), { method: 'POST' });
  const { token } = readSessionCookie(response);
  if (token === undefined) throw new Error(`The link returned ${response.status} without a session.`);
  return token;
}
