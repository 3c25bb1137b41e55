import { WorkerEntrypoint } from 'cloudflare:workers';
import { metered, urlsOf } from '@octavo/runtime';
import type {
  BookFile,
  BookPart,
  BookReading,
  ChangeRequestMove,
  List,
  MadePageInput,
  MadePageText,
  Merge,
  MergeResult,
  Metered,
  OrganizationSearch,
  OutlineEntry,
  PageReading,
  ContentService as Promised,
  ResolvedPage,
  RevisionId,
  ShownDocuments,
  ShownTexts,
  SiteSearch,
  SoughtTarget,
  SpaceCreation,
  SpaceId,
  SpaceSearchResult,
  SpaceTakenBack,
  TargetReading,
  TargetState,
  UpdateResult,
  Visitor,
} from '@octavo/schema';
import { resolvePages } from './api/addresses/resolve-page.ts';
import { findPageTitle } from './api/books/find-page-title.ts';
import { readBookFile } from './api/books/read-book-file.ts';
import { readBookOutline } from './api/books/read-book-outline.ts';
import { readBookPart } from './api/books/read-book-part.ts';
import { writeMadePages } from './api/made-pages/write-made-pages.ts';
import { readShownDocuments, readShownTexts } from './api/pages/read-shown-texts.ts';
import { searchOrganization } from './api/search/search-organization.ts';
import { searchSite } from './api/search/search-site.ts';
import { makeSpace } from './api/spaces/make-space.ts';
import { takeSpaceBack } from './api/spaces/take-space-back.ts';
import { areShown } from './api/targets/are-shown.ts';
import { readTargets } from './api/targets/read-targets.ts';
import type { HeadEnvironment } from './heads/space-head.ts';
import { headOf } from './heads/space-head.ts';

export class ContentService extends WorkerEntrypoint<HeadEnvironment> implements Promised {
  async makeSpace(creation: SpaceCreation): Promise<Metered<void>> {
    return metered(this.env, (connection) => makeSpace(creation, { env: this.env, background: this.ctx, connection }));
  }

  async takeSpaceBack(taken: SpaceTakenBack): Promise<Metered<void>> {
    return metered(this.env, (connection) => takeSpaceBack(taken, { env: this.env, background: this.ctx, connection }));
  }

  async mergeChangeRequest(merge: Merge): Promise<Metered<MergeResult | null>> {
    return headOf(this.env, merge.space).merge(merge);
  }

  async updateChangeRequest(move: ChangeRequestMove): Promise<Metered<UpdateResult>> {
    return headOf(this.env, move.space).pull(move);
  }

  async searchOrganization(search: OrganizationSearch): Promise<Metered<List<SpaceSearchResult>>> {
    return metered(this.env, ({ db }) => searchOrganization(db, search, urlsOf(this.env)));
  }

  async searchSite(search: SiteSearch): Promise<Metered<List<SpaceSearchResult>>> {
    return metered(this.env, ({ db }) => searchSite(db, search, urlsOf(this.env)));
  }

  async findPageTitle(reading: {
    space: SpaceId;
    revision: RevisionId;
    page: string;
  }): Promise<Metered<string | null>> {
    return metered(this.env, ({ db }) => findPageTitle(db, reading));
  }

  async resolvePages(readings: PageReading[]): Promise<Metered<(ResolvedPage | null)[]>> {
    return metered(this.env, ({ db }) => resolvePages(db, readings));
  }

  async areShown({ visitor, targets }: { visitor: Visitor; targets: SoughtTarget[] }): Promise<Metered<boolean[]>> {
    return metered(this.env, ({ db }) => areShown(targets, { db, env: this.env, urls: urlsOf(this.env), visitor }));
  }

  async readBookOutline(reading: BookReading): Promise<Metered<OutlineEntry[] | null>> {
    return metered(this.env, ({ db }) => readBookOutline(db, reading, urlsOf(this.env)));
  }

  async readBookPart(reading: BookReading & { pages: string[] }): Promise<Metered<BookPart>> {
    return metered(this.env, ({ db }) => readBookPart(db, reading, urlsOf(this.env)));
  }

  async readShownTexts(texts: ShownTexts): Promise<Metered<(string | null)[]>> {
    return metered(this.env, ({ db }) => readShownTexts(texts, { db, env: this.env }));
  }

  async readShownDocuments(documents: ShownDocuments): Promise<Metered<(string | null)[]>> {
    return metered(this.env, ({ db }) => readShownDocuments(documents, { db, env: this.env }));
  }

  async readBookFile(reading: {
    space: SpaceId;
    revision: RevisionId;
    file: string;
  }): Promise<Metered<BookFile | null>> {
    return metered(this.env, ({ db }) => readBookFile(db, reading, this.env.FILES));
  }

  async makePages(pages: MadePageInput[]): Promise<Metered<MadePageText[] | { fault: string }>> {
    return metered(this.env, async () => writeMadePages(pages));
  }

  async readTargets(reading: TargetReading): Promise<Metered<TargetState[]>> {
    return metered(this.env, ({ db }) => readTargets(db, reading));
  }
}
