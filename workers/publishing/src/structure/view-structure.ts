import type { CallerRecord, Database, SiteRecord } from '@octavo/db';
import type { Urls } from '@octavo/runtime';
import type { Visitor } from '@octavo/schema';
import type { StructureView } from '../site-spaces/present-site-space.ts';
import { shownStructure } from './shown-structure.ts';
import type { StructureRecord } from './structure-record.ts';
import { readStructure, structureReader } from './structure-record.ts';

interface Looking {
  db: Database;
  site: SiteRecord;
  actor?: CallerRecord | undefined;
  visitor?: Visitor | undefined;
  urls: Urls;
}

export interface ViewedStructure {
  shown: StructureRecord;
  view: StructureView;
  /** Also where none of them is shown. */
  hasSections: boolean;
}

/** What the caller, a member or a visitor, is shown of the site's structure, and how. One round trip. */
export async function viewStructure(
  { db, site, actor, visitor, urls }: Looking,
  shareKey: string | undefined,
): Promise<ViewedStructure> {
  const isVisitor = visitor !== undefined;
  const all = await readStructure(db, { site, actor: structureReader(site, { actor, visitor }) });
  return {
    shown: shownStructure(all, visitor),
    view: { site, urls, shareKey, isVisitor },
    hasSections: all.sections.length > 0,
  };
}
