import { expect } from 'vitest';
import { queryDatabase } from '../../support/database.ts';
import { until } from '../../support/own-platform.ts';
import type { TestOrganization } from '../../support/platform.ts';
import { platform } from '../../support/platform.ts';
import { queueJob, resumeJobs } from '../retention/trash.ts';
import type { Change, SpaceClient } from '../space-client.ts';
import { getClient, insertPage } from '../space-client.ts';
import { clearIndex, mergeIndex } from './stored-index.ts';

const server = platform();

export const include = (address: string) => `{% include "${address}" %}\n`;
export const createPage = (title: string, markdown: string, more: object = {}): Change =>
  ({ ...insertPage(title, { document: { markdown } }), ...more }) as Change;

/** A reusable content, which is included by its path in the repository. */
export const insertContent = (name: string, markdown: string): Change => ({
  ...{ operation: 'insert_reusable_content', title: name, document: { markdown } },
  git: { path: `${name}.md` },
});

export const waitUntilIdle = ({ id }: Pick<TestOrganization, 'id'>) =>
  until(
    () =>
      queryDatabase(server.dataDir, 'SELECT id FROM outbox WHERE organization = ? AND done_at IS NULL', id).length ===
        0 || undefined,
  );

/** Maximum number of pages that one job indexes. */
export const pagesPerStep = 25;

/** Returns the ids of the jobs that index pages with includes. */
export const readSteps = ({ space }: World): string[] =>
  queryDatabase<{ id: string }>(
    server.dataDir,
    "SELECT id FROM outbox WHERE space = ? AND type = 'index_includes' ORDER BY created_at",
    space.space,
  ).map(({ id }) => id);

export interface PageHit {
  title: string;
  sections: { title: string; path: string; body: string }[];
}

interface World {
  organization: TestOrganization;
  space: SpaceClient;
  getId: (name: string) => Promise<string>;
  write: (name: string, markdown: string) => Promise<unknown>;
  remove: (name: string) => Promise<unknown>;
  /** Makes changes and waits until they are indexed. */
  change: (changes: Change[]) => Promise<string[]>;
  find: (words: string) => Promise<PageHit[]>;
  titles: (words: string) => Promise<string[]>;
}

export async function createIncludingSpace(changes: Change[] = []): Promise<World> {
  const organization = await server.makeOrganization();
  const space = getClient(server, await server.makeSpace({ organization }));
  const getId = async (name: string) => {
    const { reusableContents } = await space.head();
    return reusableContents.find(({ title }) => title === name)?.id ?? '';
  };
  const change = async (all: Change[]) => {
    const pages = await space.change(all);
    await waitUntilIdle(organization);
    return pages;
  };
  const find = async (words: string) =>
    (await space.callJson<{ items: PageHit[] }>(`/search?limit=100&query=${encodeURIComponent(words)}`)).items;
  if (changes.length > 0) await change(changes);
  return {
    ...{ organization, space, getId, change, find },
    write: async (name, markdown) =>
      change([{ operation: 'update_reusable_content', reusableContent: await getId(name), document: { markdown } }]),
    remove: async (name) => change([{ operation: 'delete_reusable_content', reusableContent: await getId(name) }]),
    titles: async (words) => (await find(words)).map(({ title }) => title).toSorted(),
  };
}

/** Expects that indexing all pages again changes nothing. */
export async function expectComplete({ organization, space }: World): Promise<void> {
  const before = await mergeIndex(server, organization.id);
  await clearIndex(server, organization.id);
  await queueJob(server, space.space, { type: 'index_space', data: {} });
  await resumeJobs(server);
  await waitUntilIdle(organization);
  expect(await mergeIndex(server, organization.id)).toEqual(before);
}
