import { readFile, rename, writeFile } from 'node:fs/promises';
import { get, type IncomingMessage } from 'node:http';
import { getDevFile } from '@octavo/platform';

/** The data of a local installation for tools. `url` is without `/v1`; `space` is null if nothing was imported. */
export interface DevFile {
  url: string;
  token: string;
  organization: string;
  space: string | null;
  /** The URL of the site that shows the space, or null if there is none. */
  site: string | null;
}

export async function readDevFile(dataDir: string): Promise<DevFile | undefined> {
  try {
    const { url, token, organization, space, site } = JSON.parse(
      await readFile(getDevFile(dataDir), 'utf8'),
    ) as Partial<DevFile>;
    if (!url || !token || !organization) return undefined;
    return { url, token, organization, space: space ?? null, site: site ?? null };
  } catch {
    return undefined;
  }
}

export async function writeDevFile(dataDir: string, dev: DevFile): Promise<void> {
  const draft = `${getDevFile(dataDir)}.tmp`;
  await writeFile(draft, `${JSON.stringify(dev, null, 2)}\n`, { mode: 0o600 });
  await rename(draft, getDevFile(dataDir));
}

/** Requests the user of a token. Takes less memory than `fetch`. */
async function requestUser(url: string, token: string): Promise<{ status: number | undefined; text: string }> {
  const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>();
  const headers = { authorization: `Bearer ${token}`, connection: 'close' };
  get(`${url}/v1/user`, { headers }, resolve).on('error', reject);
  const response = await promise;
  const chunks: Buffer[] = await response.toArray();
  return { status: response.statusCode, text: Buffer.concat(chunks).toString() };
}

/** Returns whether a server accepts a token. */
export const isAccepted = async (url: string, token: string): Promise<boolean> =>
  (await requestUser(url, token)).status !== 401;

/** Returns the e-mail address of the user of a token. */
export const readEmail = async (url: string, token: string): Promise<string> =>
  (JSON.parse((await requestUser(url, token)).text) as { email: string }).email;
