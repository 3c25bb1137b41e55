import { createHmac } from 'node:crypto';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { platform } from './platform.ts';

/** Changes a signed URL of the shared platform and signs it again with the platform's own secret. */
export function resignUrl(address: string, change: (url: URL) => void): string {
  const secret = readFileSync(path.join(platform().dataDir, 'secret'), 'utf8').trim();
  const url = new URL(address);
  url.searchParams.delete('signature');
  change(url);
  const signature = createHmac('sha256', secret).update(`${url.pathname}${url.search}`).digest('base64url');
  return `${url.href}&signature=${signature}`;
}
