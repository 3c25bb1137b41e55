import type { Database, Statement } from '@octavo/db';
import { installations, integrations, siteInstallations, spaceInstallations, subscriptions } from '@octavo/db';
import type { Column, SQL } from 'drizzle-orm';
import { sql } from 'drizzle-orm';

/** A column of sealed values. */
export interface SealedColumn {
  column: Column;
  /** The primary key of its table, of texts. */
  key: Column[];
  /** Whom its values are sealed for. */
  owner: SQL;
  write(db: Database, sealed: string, where: SQL): Statement;
}

/** Every column that holds sealed values: what a former secret sealed is found in these. */
export const sealedColumns: SealedColumn[] = [
  {
    column: integrations.secrets,
    key: [integrations.name],
    owner: sql`name`,
    write: (db, secrets, where) => db.update(integrations).set({ secrets }).where(where),
  },
  {
    column: integrations.signingSecret,
    key: [integrations.name],
    owner: sql`name`,
    write: (db, signingSecret, where) => db.update(integrations).set({ signingSecret }).where(where),
  },
  {
    column: subscriptions.secret,
    key: [subscriptions.id],
    owner: sql`sealed_for`,
    write: (db, secret, where) => db.update(subscriptions).set({ secret }).where(where),
  },
  {
    column: subscriptions.previousSecret,
    key: [subscriptions.id],
    owner: sql`sealed_for`,
    write: (db, previousSecret, where) => db.update(subscriptions).set({ previousSecret }).where(where),
  },
  {
    column: installations.configuration,
    key: [installations.id],
    owner: sql`id`,
    write: (db, configuration, where) => db.update(installations).set({ configuration }).where(where),
  },
  {
    column: installations.signingSecret,
    key: [installations.id],
    owner: sql`id`,
    write: (db, signingSecret, where) => db.update(installations).set({ signingSecret }).where(where),
  },
  {
    column: spaceInstallations.configuration,
    key: [spaceInstallations.installation, spaceInstallations.space],
    owner: sql`installation || '/' || space`,
    write: (db, configuration, where) => db.update(spaceInstallations).set({ configuration }).where(where),
  },
  {
    column: siteInstallations.configuration,
    key: [siteInstallations.installation, siteInstallations.site],
    owner: sql`installation || '/' || site`,
    write: (db, configuration, where) => db.update(siteInstallations).set({ configuration }).where(where),
  },
];
