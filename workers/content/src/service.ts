import { WorkerEntrypoint } from 'cloudflare:workers';
import { batchReads } from '@octavo/db';
import { createMeteredService } from '@octavo/runtime';
import type { ContentService as Service } from '@octavo/schema';
import { findPageTitle, readBookFile, readBookOutline, readBookPart } from './api/books/books.ts';
import { makeFilesPermanent } from './api/files/permanent-files.ts';
import { makePages } from './api/generated-pages/generated-pages.ts';
import { resolvePages } from './api/page-paths/page-paths.ts';
import { readShownDocuments, readShownTexts } from './api/pages/pages.ts';
import { readSitePage } from './api/revisions/revisions.ts';
import { searchOrganization, searchSite, suggestInOrganization, suggestInSite } from './api/search/search.ts';
import { makeSpace, takeSpaceBack } from './api/spaces/site-spaces.ts';
import { areTargetsVisible, readTargets } from './api/targets/targets.ts';
import { addTextStore } from './engine/texts/text-store.ts';
import { getHead } from './heads/call-head.ts';
import type { HeadEnvironment } from './heads/space-head.ts';

export const ContentService = createMeteredService<Service, HeadEnvironment>(WorkerEntrypoint, {
  prepare: addTextStore,
  reads: {
    searchOrganization,
    searchSite,
    suggestInOrganization,
    suggestInSite,
    findPageTitle,
    resolvePages,
    areShown: areTargetsVisible,
    readBookOutline,
    readBookPart,
    readBookFile,
    readShownTexts,
    readShownDocuments,
    readTargets,
    readSitePage: async ({ addresses, ...reading }, { db: source, env, urls }) => {
      const db = batchReads(source);
      const [resolved, page] = await Promise.all([
        resolvePages(addresses, { db }),
        readSitePage(reading, { db, env, urls }),
      ]);
      return { addresses: resolved, ...page };
    },
  },
  writes: {
    makeSpace,
    takeSpaceBack,
    announce: (notice, { env }) => getHead(env, notice.id).announce(notice),
    mergeChangeRequest: (merge, { env, connection }) =>
      connection.callWorker(() => getHead(env, merge.space).merge(merge)),
    updateChangeRequest: (move, { env, connection }) =>
      connection.callWorker(() => getHead(env, move.space).pull(move)),
    makeFilesPermanent,
    makePages,
  },
});
