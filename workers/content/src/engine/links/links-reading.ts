import type { CallerRecord, ChangeRequestRecord, Database, RecordOf, RevisionPoint, SpaceRecord } from '@octavo/db';
import { documentLinks, readRows, selection } from '@octavo/db';
import type { Urls } from '@octavo/runtime';
import { presentChangeRequest } from '@octavo/runtime';
import type { Role, VersionContext } from '@octavo/schema';
import { aliasedTable } from 'drizzle-orm';
import type { ContentEnvironment } from '../../environment.ts';
import type { CollectedLink } from './collect-links.ts';
import { otherSpacesOf, readOtherSpaces } from './surroundings.ts';

/** Who reads links, where, and at which revision. */
export interface LinksReading {
  db: Database;
  env: Pick<ContentEnvironment, 'OCTAVO_SECRET'>;
  urls: Urls;
  space: SpaceRecord;
  role: Role | null;
  actor: CallerRecord;
  point: RevisionPoint;
  /** The change request that is read; else the references name the revision. */
  context?: VersionContext;
}

/** The reading of an operation, at any point. */
export const linksReading = ({
  changeRequest,
  ...reading
}: Omit<LinksReading, 'context'> & { changeRequest?: ChangeRequestRecord }): LinksReading => ({
  ...reading,
  ...(changeRequest && {
    context: { type: 'changeRequest', changeRequest: presentChangeRequest(changeRequest, reading.urls) },
  }),
});

const d = aliasedTable(documentLinks, 'd');

/** A link as it is stored, of `document_links d`. */
export const linkRow = selection({ hash: d.hash, relation: d.relation, target: d.target });
export type LinkRow = RecordOf<typeof linkRow>;

/** Other spaces that links name, as far as the caller may view them. */
export async function otherSpaces({ db, space, actor, urls }: LinksReading, links: CollectedLink[]) {
  const named = links.flatMap(({ resolved }) => resolved.space ?? []).filter((id) => id !== space.id);
  if (named.length === 0) return new Map();
  const rows = await readRows(db, readOtherSpaces([...new Set(named)], actor));
  return otherSpacesOf(rows, { actor, urls });
}
