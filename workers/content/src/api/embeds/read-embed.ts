import type { Database } from '@octavo/db';
import { embeds, readRow, selection, statement } from '@octavo/db';
import { type Provided, providedAt } from '@octavo/embeds';
import { fetchOutside } from '@octavo/runtime';
import type { Embed } from '@octavo/schema';
import type { SQL } from 'drizzle-orm';
import { aliasedTable, sql } from 'drizzle-orm';
import type { ContentEnvironment } from '../../environment.ts';
import { Asks } from './asks.ts';
import { titleIn } from './title-in.ts';

const limits = { milliseconds: 3000, bytes: 256 * 1024, redirects: 2, accept: 'application/json' };
const hour = 3_600_000;
/** What was not told may be told later. */
const untoldMilliseconds = hour;
const maxTitleLength = 256;
/** Of this isolate, in a minute; what is beyond is shown by its address. */
const asks = new Asks(120);

/** How an address is shown. Only providers that are known are asked, once, for what only they know: its title. */
export async function readEmbed(address: string, { db, env }: Reading): Promise<Embed> {
  const url = new URL(address);
  const provided = providedAt(url);
  if (provided === undefined) return { type: 'link', title: nameOf(url), site: url.hostname };
  const title = (await knownTitle(provided, { db, env })) ?? nameOf(new URL(provided.url));
  const { site, frame } = provided;
  return frame === undefined ? { type: 'link', title, site } : { type: 'rich', title, site, html: frameOf(frame) };
}

interface Reading {
  db: Database;
  env: Pick<ContentEnvironment, 'OCTAVO_IMPORT_ALLOW_PRIVATE'>;
}

const nameOf = ({ hostname, pathname, search }: URL): string =>
  `${hostname}${`${pathname}${search}`.replace(/\/$/, '')}`.slice(0, maxTitleLength);

/** The address is one of ours, made of what the table of providers lets through. */
const frameOf = (address: string): string =>
  `<iframe src="${address.replaceAll('&', '&amp;').replaceAll('"', '&quot;')}" loading="lazy" allowfullscreen referrerpolicy="strict-origin-when-cross-origin" sandbox="allow-scripts allow-same-origin allow-popups allow-presentation"></iframe>`;

const e = aliasedTable(embeds, 'e');
const keptRow = selection({ title: e.title, readAt: e.readAt });
const keptOf = statement((url: SQL<string>) =>
  keptRow.query(sql`SELECT ${keptRow} FROM embeds e WHERE e.url = ${url}`),
);

async function knownTitle({ url, oembed }: Provided, { db, env }: Reading): Promise<string | null> {
  if (oembed === undefined) return null;
  const kept = await readRow(db, keptOf(url));
  if (kept !== undefined && (kept.title !== null || kept.readAt > Date.now() - untoldMilliseconds)) return kept.title;
  if (!asks.take(Date.now())) return kept?.title ?? null;
  const title = await askTitle(env, oembed);
  const values = { url, title, readAt: Date.now() };
  await db.insert(embeds).values(values).onConflictDoUpdate({ target: embeds.url, set: values });
  return title;
}

/** The title that a provider tells; null where it tells none, or not in time. */
async function askTitle(env: Reading['env'], address: string): Promise<string | null> {
  const answer = await fetchOutside(env, address, limits).catch(() => undefined);
  return answer === undefined ? null : titleIn(new TextDecoder().decode(answer.bytes), maxTitleLength);
}
