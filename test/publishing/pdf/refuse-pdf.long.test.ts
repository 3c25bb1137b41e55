import { expect, test } from 'vitest';
import { getClient, insertPage } from '../../content/space-client.ts';
import { query } from '../../support/database.ts';
import { platform } from '../../support/platform.ts';
import { askForPdf, bytesOfPdf, requestPdfUrl, whenDone } from './pdf-client.ts';

const page = (title: string, markdown: string) => ({ ...insertPage(title), document: { markdown } });

const setting = 300_000;
/** A PDF may contain at most 32 MiB of text. */
const longPages = Array.from({ length: 33 }, (_, index) => page(`Long ${index}`, ' '.repeat(2 ** 20)));

test(
  'rejects a space with too much content once, reports this at both URLs, and can render a part of the space',
  async () => {
    const server = platform();
    const space = await server.makeSpace();
    const client = getClient(server, space);
    const [short = ''] = await client.change([page('Short', 'Few words.\n')]);
    for (const long of longPages) await client.change([long]);
    const why = /too large for a PDF[\s\S]*more than 33,554,432 characters of text\.[\s\S]*set `page` to get one page/;

    const refused = await whenDone(await requestPdfUrl(server, space), setting);
    expect([refused.status, await refused.text()]).toEqual([413, expect.stringMatching(why)]);
    const again = await askForPdf(server, space);
    expect([again.status, await again.json()]).toEqual([
      413,
      { error: expect.objectContaining({ code: 413, type: 'too_large', message: expect.stringMatching(why) }) },
    ]);
    const jobs = query("SELECT done_at > 0 AS done FROM outbox WHERE space = ? AND type = 'render_pdf'", space.id);
    expect(jobs).toEqual([{ done: 1 }]);
    expect(query('SELECT state, bytes FROM pdfs WHERE space = ?', space.id)).toEqual([
      { state: 'refused', bytes: null },
    ]);

    const part = await bytesOfPdf(server, space, { query: `?page=${short}` });
    expect(Buffer.from(part.subarray(0, 5)).toString()).toBe('%PDF-');
  },
  2 * setting,
);
