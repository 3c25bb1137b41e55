import { expect, test } from 'vitest';
import { getClient, getCost, insertPage } from '../../content/space-client.ts';
import { writeDatabase } from '../../support/database.ts';
import { platform } from '../../support/platform.ts';
import { requestPdfOfSpace } from './pdf-client.ts';

const server = platform({ countsRows: true });

/** Measures requests for a new PDF, for the same PDF again, and for PDFs that start at a page or contain only one. */
async function measureRequests(pages: number) {
  const space = await server.makeSpace();
  const client = getClient(server, space);
  const titles = Array.from({ length: pages }, (_, index) => insertPage(`Page ${index}`));
  let [page = '']: string[] = [];
  for (let start = 0; start < pages; start += 50) [page = ''] = await client.change(titles.slice(start, start + 50));
  const requestPdf = async (query = '') => {
    const response = await requestPdfOfSpace(server, space, { query });
    expect(response.status).toBe(200);
    return getCost(response);
  };
  return [
    await requestPdf(),
    await requestPdf(),
    await requestPdf(`?page=${page}`),
    await requestPdf(`?page=${page}&only=true`),
  ];
}

test('requesting a PDF costs the same in a large space, and beside many PDFs', async () => {
  const few = await measureRequests(2);
  await writeDatabase(
    server,
    `WITH RECURSIVE n(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM n WHERE n < 5000)
    INSERT INTO pdfs (id, organization, space, revision, title, state, created_at, asked_at)
    SELECT 'pdf_' || n, 'org', 'spc', 'rev_' || (n % 50), 'T' || n, 'ready', ?, ? FROM n`,
    Date.now(),
    Date.now(),
  );
  const many = await measureRequests(300);

  expect(few[0]?.read).toBeGreaterThan(0);
  many.forEach((cost, index) => {
    expect([index, cost.trips]).toEqual([index, few[index]?.trips]);
    expect([index, cost.read - (few[index]?.read ?? 0)]).toEqual([index, expect.toSatisfy((more) => more <= 4)]);
    expect(cost.trips).toBeLessThanOrEqual(5);
  });
});
