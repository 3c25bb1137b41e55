import { type DevFile, readDevFile } from '../../dev-file.ts';
import { type Api, bearer } from '../api.ts';
import { type ApiRequest, counter } from '../api-request.ts';
import { type Child, freePort, startChild } from './child.ts';

export interface OctavoServer extends Child {
  api: Api;
  dev: DevFile;
}

async function answers({ url, token }: DevFile, path: string): Promise<boolean> {
  const answer = await fetch(`${url}${path}`, { headers: bearer(token) });
  await answer.arrayBuffer();
  return answer.status === 200;
}

/**
 * Starts Octavo as users do, on a data folder, and waits for the first answer to this request: what it asks for has to be
 * in the data.
 */
export async function startOctavo(
  dataDir: string,
  settings: Record<string, string> = {},
  { path }: Pick<ApiRequest, 'path'> = { path: '/v1/user' },
): Promise<OctavoServer> {
  const known = await readDevFile(dataDir);
  const port = known ? new URL(known.url).port : String(await freePort());
  const env = { PORT: port, OCTAVO_DATA: dataDir, OCTAVO_RATE_LIMITS: 'off', ...settings };
  const isUp = async () => {
    const dev = known ?? (await readDevFile(dataDir));
    return dev !== undefined && (await answers(dev, path.replaceAll(counter, '0')));
  };
  const child = await startChild(['npm', 'start', '--silent', '--', '--empty'], env, isUp);
  const dev = await readDevFile(dataDir);
  if (dev === undefined) throw new Error('The server has left no dev.json.');
  return { ...child, dev, api: { url: dev.url, headers: bearer(dev.token) } };
}
