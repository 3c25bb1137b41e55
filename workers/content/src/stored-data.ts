import type { Row, StoredTable } from '@octavo/db';
import {
  comments,
  computedContents,
  computedEntries,
  getStoredTable,
  getText,
  imports,
  installations,
  integrationEvents,
  integrations,
  integrationTasks,
  organizations,
  outbox,
  pdfs,
  revisions,
  samlRequests,
  siteAdaptiveSchemas,
  siteCustomizations,
  siteInstallations,
  siteRedirects,
  spaceInstallations,
  spaces,
  subscriptions,
  tokens,
  translationLanguages,
  uploads,
  versions,
} from '@octavo/db';
import type { EventType } from '@octavo/schema';
import { getEventSchema } from '@octavo/schema';
import { normalizeData } from './engine/store/nodes.ts';

const normalizeEvent = (storedEvent: unknown, row: Row): unknown =>
  getEventSchema(getText(row, 'type') as EventType).parse(storedEvent);

/** All JSON columns of the database, of every worker, for `octavo doctor --data`. */
export const storedData: StoredTable[] = [
  ...[
    organizations,
    tokens,
    translationLanguages,
    samlRequests,
    spaces,
    revisions,
    imports,
    comments,
    siteRedirects,
    siteCustomizations,
    siteAdaptiveSchemas,
    subscriptions,
    installations,
    spaceInstallations,
    siteInstallations,
    integrationEvents,
    integrations,
    integrationTasks,
    computedContents,
    computedEntries,
    uploads,
    pdfs,
  ].map((table) => getStoredTable(table)),
  getStoredTable(outbox, { data: normalizeEvent }),
  getStoredTable(versions, { data: normalizeData }),
];
