import type { ChangeRequestId, OrganizationId, RevisionId, SiteId, SpaceId } from '@octavo/schema';
import { PdfVisit } from '@octavo/schema';
import { integer, sqliteTable, text } from 'drizzle-orm/sqlite-core';
import { storedJson } from './fields.ts';

/** PDFs that somebody asked for. The bytes are the object of the PDF's id in the bucket. Times are milliseconds. */
export const pdfs = sqliteTable('pdfs', {
  id: text('id').primaryKey(),
  organization: text('organization').$type<OrganizationId>().notNull(),
  space: text('space').$type<SpaceId>().notNull(),
  /** Null for live content. */
  changeRequest: text('change_request').$type<ChangeRequestId>(),
  revision: text('revision').$type<RevisionId>().notNull(),
  /** The page that it begins with; '' for all pages. */
  page: text('page').notNull().default(''),
  /** Whether it is of that page alone, without those below. */
  only: integer('only', { mode: 'boolean' }).notNull().default(false),
  title: text('title').notNull(),
  subtitle: text('subtitle').notNull().default(''),
  /** One that is refused is too large, and stays so: the same content is not tried again. */
  state: text('state').$type<'waiting' | 'ready' | 'failed' | 'refused'>().notNull().default('waiting'),
  bytes: integer('bytes'),
  pages: integer('pages'),
  /** The upload of parts that the last run began. */
  upload: text('upload'),
  error: text('error'),
  /** The scripts of which no font has some letters, with commas between. */
  missing: text('missing').notNull().default(''),
  /** Where a visitor asked for it; null for members. */
  site: text('site').$type<SiteId>(),
  /** Tells the visitors apart to whom different things are shown; '' for members. */
  visit: text('visit').notNull().default(''),
  /** Of a visitor, until it is made. */
  visitor: storedJson('visitor', PdfVisit),
  createdAt: integer('created_at').notNull(),
  askedAt: integer('asked_at').notNull(),
});

export type PdfRecord = typeof pdfs.$inferSelect;
