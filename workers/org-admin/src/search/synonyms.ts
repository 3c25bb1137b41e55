import type { Parameter } from '@octavo/db';
import { organizations, prepareQuery, readRow, selection } from '@octavo/db';
import type { Urls } from '@octavo/runtime';
import { mapInSlices } from '@octavo/runtime';
import type { Issue, OrganizationId, SearchSynonyms, SynonymGroups } from '@octavo/schema';
import { invalid, maxSynonymWords } from '@octavo/schema';
import type { SynonymEntry } from '@octavo/search';
import { maxEntryWords, readEntry } from '@octavo/search';
import { aliasedTable, eq } from 'drizzle-orm';
import { handler } from '../handler.ts';

const o = aliasedTable(organizations, 'o');
const synonymsOf = prepareQuery(
  selection({ groups: o.searchSynonyms }),
  (select, organization: Parameter<OrganizationId>) => select.from(o).where(eq(o.id, organization)),
);

export const getSearchSynonyms = handler('getSearchSynonyms', async (_, { db, organization: { id }, urls }) => {
  const stored = await readRow(db, synonymsOf(id));
  return presentSynonyms(id, stored?.groups ?? [], urls);
});

export const updateSearchSynonyms = handler(
  'updateSearchSynonyms',
  async ({ body: { groups } }, { db, organization: { id }, commit, urls }) => {
    const issues = await findIssues(groups);
    if (issues.length > 0) throw invalid(issues);
    const searchSynonyms = groups.length === 0 ? null : groups;
    await commit(
      [db.update(organizations).set({ searchSynonyms }).where(eq(organizations.id, id))],
      [{ type: 'organization.updated', organization: id, data: {} }],
    );
    return presentSynonyms(id, groups, urls);
  },
);

const presentSynonyms = (organization: OrganizationId, groups: SynonymGroups, urls: Urls): SearchSynonyms => ({
  object: 'search-synonyms',
  groups,
  urls: { location: urls.location(`/orgs/${organization}/search/synonyms`) },
});

/** Maximum number of issues that are returned. */
const maxIssues = 20;
/** Approximate duration of reading a synonym, in microseconds. */
const durationPerSynonym = 10;

/** Finds synonyms without words, with too many words, and those that are in the list already. */
async function findIssues(groups: SynonymGroups): Promise<Issue[]> {
  const entries = await mapInSlices(
    groups,
    ({ synonyms }) => synonyms.map(readEntry),
    ({ synonyms }) => synonyms.length * durationPerSynonym,
  );
  const fieldsByKey = new Map<string, string>();
  const issues: Issue[] = [];
  for (const [group, synonyms] of entries.entries())
    for (const [index, entry] of synonyms.entries()) {
      const field = `groups.${group}.synonyms.${index}`;
      const other = fieldsByKey.get(entry.key);
      const message = describeProblem(entry, other);
      if (message !== undefined) issues.push({ path: `body.${field}`, message });
      if (other === undefined) fieldsByKey.set(entry.key, field);
    }
  return issues.slice(0, maxIssues);
}

/** Returns the message for an invalid synonym. `same` is the field of the same synonym before it. */
function describeProblem({ words, length }: SynonymEntry, same: string | undefined): string | undefined {
  if (length === 0) return 'must contain letters or digits';
  if (length > maxSynonymWords) return `must have at most ${maxSynonymWords} words`;
  if (words.length > maxEntryWords)
    return `must have at most ${maxEntryWords + 1} characters in scripts without spaces, such as Chinese`;
  if (same !== undefined)
    return `is the same as \`${same}\`, because case, accents, punctuation and word forms are ignored. Remove one of them`;
  return undefined;
}
