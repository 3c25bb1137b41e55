import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { getMailFolder } from '@octavo/platform';
import { readPast } from './database.ts';
import { until } from './own-platform.ts';
import type { Server } from './platform.ts';
import { platform } from './platform.ts';

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
export function mailsTo(address: string, { dataDir }: Pick<Server, 'dataDir'> = platform()): TestMail[] {
  const folder = getMailFolder(dataDir);
  return names(folder)
    .filter((name) => name.endsWith('.eml'))
    .sort()
    .map((name) => readMail(path.join(folder, name)))
    .filter(({ headers }) => headers.To === address);
}

function names(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}

/** Waits until at least `count` mails were sent to an address, and returns the newest. */
export const nextMail = (address: string, { count = 1, server = platform() as Pick<Server, 'dataDir'> } = {}) =>
  until(() => {
    const mails = mailsTo(address, server);
    return mails.length >= count ? mails.at(-1) : undefined;
  });

/**
 * Waits until every mail that an organization requested is settled. A server that stops earlier sends the rest again.
 */
export const mailsSettled = (organization: string, server: Pick<Server, 'dataDir'> = platform()) =>
  until(() => {
    const waiting = readPast(
      server.dataDir,
      "SELECT id FROM outbox WHERE type = 'mail.requested' AND organization = ? AND done_at IS NULL",
      organization,
    );
    return waiting.length === 0 || undefined;
  });

/** Returns the path of the sign-in link in an invitation. */
export function linkIn({ text }: TestMail): string {
  const link = /\/sign-in\/\w+/.exec(text)?.[0];
  if (link === undefined) throw new Error(`There is no link in the mail:\n${text}`);
  return link;
}

/** Follows the link of an invitation and returns the token from the resulting page. */
export async function signIn(mail: TestMail, server = platform()): Promise<string> {
  const answer = await server.request(linkIn(mail), { method: 'POST' });
  const token = /octavo_\w{40}/.exec(await answer.text())?.[0];
  if (token === undefined) throw new Error(`The link answered ${answer.status} without a token.`);
  return token;
}
