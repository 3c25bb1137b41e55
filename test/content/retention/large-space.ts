import { writeDatabase } from '../../support/database.ts';
import type { Server, TestSpace } from '../../support/platform.ts';
import { writeSegment } from '../search/stored-index.ts';

const forever = Number.MAX_SAFE_INTEGER;

interface Size {
  pages: number;
  changeRequests: number;
}

/**
 * Writes a large space directly to the database: indexed pages, every second one edited once, as many revisions, and
 * change requests with three pages each. The last revision of main has the number `pages + 10`.
 */
export async function insertLargeSpace(
  { dataDir }: Server,
  { id, organization }: TestSpace,
  size: Size,
): Promise<void> {
  const count = (to: number) => `WITH RECURSIVE n(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM n WHERE n < ${to})`;
  const write = (statement: string) => writeDatabase({ dataDir }, statement);
  const [pages, requests] = [count(size.pages), count(size.changeRequests)];
  const version = 'INSERT INTO versions (branch, kind, id, since, until, slug, data, document)';
  const data = `'{"fields":{"type":"document","title":"A page"},"createdAt":1,"updatedAt":1,"links":{}}'`;
  const revision = 'INSERT INTO revisions (id, space, branch, seq, type, parents, lineage, author, created_at)';
  await write(
    `${pages} INSERT INTO documents (hash, markdown, bytes) SELECT '${id}-' || n, 'Words of page ' || n, 20 FROM n`,
  );
  await write(`${pages} ${version} SELECT '${id}', 'page', '${id}-' || n, 10, ${forever}, 'page-' || n, ${data}, '${id}-' || n
    FROM n WHERE n % 2 = 0`);
  await write(`${pages} ${version} SELECT '${id}', 'page', '${id}-' || n, 10, 11 + n, 'page-' || n, ${data}, '${id}-' || n
    FROM n WHERE n % 2 = 1`);
  await write(`${pages} ${version} SELECT '${id}', 'page', '${id}-' || n, 11 + n, ${forever}, 'page-' || n, ${data}, NULL
    FROM n WHERE n % 2 = 1`);
  await write(`${pages} ${revision} SELECT '${id}-rev-' || n, '${id}', '${id}', n + 10, 'edits', '[]',
    json_array(json_array('${id}', n + 10)), '', 1 FROM n`);
  const indexed = Array.from({ length: size.pages }, (_, index) => {
    const page = `${id}-${index + 1}`;
    const sections = [{ heading: '', text: `Words of page ${index + 1}`, conditions: [] }];
    return { space: id, page, key: page, title: 'A page', conditions: [], sections };
  });
  await writeSegment({ dataDir }, organization, indexed);
  await write(`${requests} INSERT INTO change_requests (id, space, organization, number, subject, created_by, created_at, updated_at, revision_initial)
    SELECT 'cr_${id}-' || n, '${id}', '${organization}', n, '', '', 1, 1, '' FROM n`);
  await write(
    `${requests} ${revision} SELECT 'cr_${id}-rev-' || n, '${id}', 'cr_${id}-' || n, 1, 'edits', '[]', '[]', '', 1 FROM n`,
  );
  await write(`${requests}, m(m) AS (VALUES (1), (2), (3)) ${version}
    SELECT 'cr_${id}-' || n, 'page', '${id}-cr-' || n || '-' || m, 1, ${forever}, '', ${data}, '${id}-' || n FROM n, m`);
}
