import { WorkerEntrypoint } from 'cloudflare:workers';
import { meteredService } from '@octavo/runtime';
import type { ContentService as Service } from '@octavo/schema';
import { resolvePages } from './api/addresses/resolve-page.ts';
import { findPageTitle } from './api/books/find-page-title.ts';
import { readBookFile } from './api/books/read-book-file.ts';
import { readBookOutline } from './api/books/read-book-outline.ts';
import { readBookPart } from './api/books/read-book-part.ts';
import { makePages } from './api/made-pages/write-made-pages.ts';
import { readShownDocuments, readShownTexts } from './api/pages/read-shown-texts.ts';
import { searchOrganization } from './api/search/search-organization.ts';
import { searchSite } from './api/search/search-site.ts';
import { makeSpace } from './api/spaces/make-space.ts';
import { takeSpaceBack } from './api/spaces/take-space-back.ts';
import { areShown } from './api/targets/are-shown.ts';
import { readTargets } from './api/targets/read-targets.ts';
import type { HeadEnvironment } from './heads/space-head.ts';
import { headOf } from './heads/space-head.ts';

export const ContentService = meteredService<Service, HeadEnvironment>(WorkerEntrypoint, {
  makeSpace,
  takeSpaceBack,
  mergeChangeRequest: async (merge, { env, connection }) =>
    connection.absorb(await headOf(env, merge.space).merge(merge)),
  updateChangeRequest: async (move, { env, connection }) => connection.absorb(await headOf(env, move.space).pull(move)),
  searchOrganization,
  searchSite,
  findPageTitle,
  resolvePages,
  areShown,
  readBookOutline,
  readBookPart,
  readShownTexts,
  readShownDocuments,
  readBookFile,
  makePages,
  readTargets,
});
