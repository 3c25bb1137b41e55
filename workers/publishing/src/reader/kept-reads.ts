import type { Background } from '@octavo/runtime';
import type { SiteId } from '@octavo/schema';
import { SiteCache } from './site-cache.ts';

/** What the API gave, and its length as JSON. */
interface KeptRead {
  value: unknown;
  length: number;
}

const mebibyte = 1024 * 1024;
const reads = new SiteCache<KeptRead>({
  most: 16 * mebibyte,
  mostOfSite: 8 * mebibyte,
  bytesOf: ({ length }) => length,
});

interface Keeping {
  site: SiteId;
  /** What all that is read of the site for a visitor follows from. */
  key: string;
  background: Background;
}

/**
 * Gives what the API gives at a path, which many pages are drawn with, asked for once while the site shows the same. Nobody
 * may change it. Undefined where there is nothing, or where it did not come while another request asked for it.
 */
export const keepReads =
  ({ site, key, background }: Keeping) =>
  async <Answer>(path: string, read: () => Promise<Response | undefined>): Promise<Answer | undefined> => {
    const make = async (): Promise<KeptRead | undefined> => {
      const text = await (await read())?.text();
      return text === undefined ? undefined : { value: JSON.parse(text), length: text.length };
    };
    const kept = await reads.get(site, `${key} ${path}`, { make, background });
    return kept?.value as Answer | undefined;
  };
