import type { RowsOf } from '@octavo/db';
import { runBatch } from '@octavo/db';
import type { SiteSection } from '@octavo/schema';
import { notFound } from '@octavo/schema';
import { presentSection } from '../structure/present-structure.ts';
import { selectSection } from '../structure/structure-record.ts';
import type { StructureContext } from '../structure/write-structure.ts';
import { managersView } from '../structure/write-structure.ts';

/** A section, as a batch gave it that changed it. */
export function presentChangedSection(
  { sections: [section], siteSpaces }: RowsOf<ReturnType<typeof selectSection>>,
  context: StructureContext,
): SiteSection {
  if (section === undefined) throw notFound('section');
  const seen = siteSpaces.filter(({ role }) => role !== null);
  return presentSection({ ...section, kind: 'section', siteSpaces: seen }, managersView(context));
}

/** A section after a change of it. */
export const readChangedSection = async (context: StructureContext, id: string): Promise<SiteSection> =>
  presentChangedSection(await runBatch(context.db, selectSection(context, id)), context);
