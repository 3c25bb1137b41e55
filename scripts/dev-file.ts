import { readFile, rename, writeFile } from 'node:fs/promises';
import { get } from 'node:http';
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

/** Returns whether a server accepts a token. */
export const isAccepted = (url: string, token: string): Promise<boolean> =>
  new Promise((resolve, reject) => {
    const headers = { authorization: `Bearer ${token}`, connection: 'close' };
    get(`${url}/v1/user`, { headers }, (response) => {
      response.resume();
      resolve(response.statusCode !== 401);
    }).on('error', reject);
  });
