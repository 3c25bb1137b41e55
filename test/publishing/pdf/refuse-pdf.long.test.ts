import { expect, test } from 'vitest';
import { getClient, insertPage } from '../../content/space-client.ts';
import { query } from '../../support/database.ts';
import { platform } from '../../support/platform.ts';
import { downloadPdf, requestPdfOfSpace, requestPdfUrl, waitForPdf } from './pdf-client.ts';

const createPage = (title: string, markdown: string) => ({ ...insertPage(title), document: { markdown } });

const setting = 300_000;
/** A PDF may contain at most 32 MiB of text. */
const longPages = Array.from({ length: 33 }, (_, index) => createPage(`Long ${index}`, ' '.repeat(2 ** 20)));

test(
  'rejects a space with too much content once, reports this at both URLs, and can render a part of the space',
  async () => {
    const server = platform();
    const space = await server.makeSpace();
    const client = getClient(server, space);
    const [short = ''] = await client.change([createPage('Short', 'Few words.\n')]);
    for (const long of longPages) await client.change([long]);
    const why = /too large for a PDF[\s\S]*more than 33,554,432 characters of text\.[\s\S]*set `page` to get one page/;

    const response = await waitForPdf(await requestPdfUrl(server, space), setting);
    expect([response.status, await response.text()]).toEqual([413, expect.stringMatching(why)]);
    const secondResponse = await requestPdfOfSpace(server, space);
    expect([secondResponse.status, await secondResponse.json()]).toEqual([
      413,
      { error: expect.objectContaining({ code: 413, type: 'too_large', message: expect.stringMatching(why) }) },
    ]);
    const jobs = query("SELECT done_at > 0 AS done FROM outbox WHERE space = ? AND type = 'render_pdf'", space.id);
    expect(jobs).toEqual([{ done: 1 }]);
    expect(query('SELECT state, bytes FROM pdfs WHERE space = ?', space.id)).toEqual([
      { state: 'refused', bytes: null },
    ]);

    const part = await downloadPdf(server, space, { query: `?page=${short}` });
    expect(Buffer.from(part.subarray(0, 5)).toString()).toBe('%PDF-');
  },
  2 * setting,
);
