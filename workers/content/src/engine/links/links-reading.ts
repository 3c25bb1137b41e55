import type { CallerRecord, ChangeRequestRecord, Database, RevisionPoint, Row, SpaceRecord } from '@octavo/db';
import { readRows, text } from '@octavo/db';
import type { Urls } from '@octavo/runtime';
import { presentChangeRequest } from '@octavo/runtime';
import type { Role, VersionContext } from '@octavo/schema';
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

export const readLinkRow = (row: Row) => ({
  hash: text(row, 'hash'),
  relation: text(row, 'relation') as 'reference' | 'dependsOn',
  target: text(row, 'target'),
});

/** Other spaces that links name, as far as the caller may view them. */
export async function otherSpaces({ db, space, actor, urls }: LinksReading, links: CollectedLink[]) {
  const named = links.flatMap(({ resolved }) => resolved.space ?? []).filter((id) => id !== space.id);
  if (named.length === 0) return new Map();
  const rows = await readRows(db, readOtherSpaces([...new Set(named)], actor));
  return otherSpacesOf(rows, urls);
}
