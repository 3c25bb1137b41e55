import type { Handlers } from '@octavo/runtime';
import type { content } from '@octavo/schema';
import * as bookmarks from './api/bookmarks/bookmarks.ts';
import * as suggestions from './api/changes/apply-suggestion.ts';
import * as blockChanges from './api/changes/block-changes.ts';
import * as changes from './api/changes/changes.ts';
import * as edits from './api/changes/edit-content.ts';
import * as collections from './api/collections/collections.ts';
import * as documents from './api/documents/documents.ts';
import * as embeds from './api/embeds/embeds.ts';
import * as files from './api/files/files.ts';
import * as imports from './api/imports/imports.ts';
import * as links from './api/links/links.ts';
import * as live from './api/live/live.ts';
import * as pages from './api/pages/pages.ts';
import * as reusableContents from './api/reusable-contents/reusable-contents.ts';
import * as history from './api/revisions/history.ts';
import * as revisions from './api/revisions/revisions.ts';
import * as search from './api/search/search.ts';
import * as spaces from './api/spaces/spaces.ts';
import * as trash from './api/trash/trash.ts';
import * as uploads from './api/uploads/uploads.ts';
import * as urls from './api/urls/urls.ts';
import type { HeadEnvironment } from './heads/space-head.ts';

export const handlers: Handlers<typeof content, HeadEnvironment> = {
  ...bookmarks,
  ...blockChanges,
  ...suggestions,
  ...changes,
  ...edits,
  ...collections,
  ...documents,
  ...embeds,
  ...files,
  ...imports,
  ...links,
  createLiveConnection: live.createLiveConnection,
  ...pages,
  ...reusableContents,
  ...history,
  ...revisions,
  ...search,
  ...spaces,
  ...trash,
  ...uploads,
  ...urls,
};
