import { WorkerEntrypoint } from 'cloudflare:workers';
import { createMeteredService } from '@octavo/runtime';
import type { ContentService as Service } from '@octavo/schema';
import { findPageTitle, readBookFile, readBookOutline, readBookPart } from './api/books/books.ts';
import { makeFilesPermanent } from './api/files/permanent-files.ts';
import { makePages } from './api/generated-pages/generated-pages.ts';
import { resolvePages } from './api/page-paths/page-paths.ts';
import { readShownDocuments, readShownTexts } from './api/pages/pages.ts';
import { searchOrganization, searchSite, suggestInOrganization, suggestInSite } from './api/search/search.ts';
import { makeSpace, takeSpaceBack } from './api/spaces/site-spaces.ts';
import { areTargetsVisible, readTargets } from './api/targets/targets.ts';
import type { HeadEnvironment } from './heads/space-head.ts';
import { getHead } from './heads/space-head.ts';

export const ContentService = createMeteredService<Service, HeadEnvironment>(WorkerEntrypoint, {
  makeSpace,
  takeSpaceBack,
  mergeChangeRequest: async (merge, { env, connection }) =>
    connection.absorb(await getHead(env, merge.space).merge(merge)),
  updateChangeRequest: async (move, { env, connection }) =>
    connection.absorb(await getHead(env, move.space).pull(move)),
  searchOrganization,
  searchSite,
  suggestInOrganization,
  suggestInSite,
  findPageTitle,
  resolvePages,
  areShown: areTargetsVisible,
  makeFilesPermanent,
  readBookOutline,
  readBookPart,
  readShownTexts,
  readShownDocuments,
  readBookFile,
  makePages,
  readTargets,
});
