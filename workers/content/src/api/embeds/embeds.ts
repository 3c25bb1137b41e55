import type { Database, Parameter } from '@octavo/db';
import { embeds, prepareQuery, readRow, selection } from '@octavo/db';
import type { ProvidedResource } from '@octavo/embeds';
import { findEmbed } from '@octavo/embeds';
import { fetchExternal } from '@octavo/runtime';
import type { Embed } from '@octavo/schema';
import { aliasedTable, eq } from 'drizzle-orm';
import type { ContentEnvironment } from '../../environment.ts';
import { handler } from '../../handler.ts';

export const getEmbedByUrl = handler('getEmbedByUrl', ({ query }, context) => readEmbed(query.url, context));

export const getEmbedByUrlInSpace = handler('getEmbedByUrlInSpace', ({ query }, context) =>
  readEmbed(query.url, context),
);

const minute = 60_000;

/** Limits how many titles are requested in a minute: a caller may name any number of addresses. */
export class RateLimit {
  readonly #most: number;
  #count = 0;
  #ends = 0;

  constructor(most: number) {
    this.#most = most;
  }

  /** Counts a request. Returns false if the limit of this minute is already reached. */
  allow(now: number): boolean {
    if (now >= this.#ends || now < this.#ends - minute) [this.#count, this.#ends] = [0, now + minute];
    this.#count += 1;
    return this.#count <= this.#most;
  }
}

const limits = { milliseconds: 3000, bytes: 256 * 1024, redirects: 2, accept: 'application/json' };
const hour = 3_600_000;
/** Time in milliseconds after which a missing title is requested again. */
const untitledMilliseconds = hour;
const maxTitleLength = 256;
/** The limit of title requests in this isolate. Beyond it, an embed is shown without a title. */
const titleRequests = new RateLimit(120);

/** Returns the embed for an address. The title of a resource of a known provider is requested once and then stored. */
async function readEmbed(address: string, { db, env }: Reading): Promise<Embed> {
  const url = new URL(address);
  const provided = findEmbed(url);
  if (provided === undefined) return { type: 'link', title: getDisplayName(url), site: url.hostname };
  const title = (await readTitle(provided, { db, env })) ?? getDisplayName(new URL(provided.url));
  const { site, frame } = provided;
  return frame === undefined ? { type: 'link', title, site } : { type: 'rich', title, site, html: toIframe(frame) };
}

interface Reading {
  db: Database;
  env: Pick<ContentEnvironment, 'OCTAVO_IMPORT_ALLOW_PRIVATE'>;
}

const getDisplayName = ({ hostname, pathname, search }: URL): string =>
  `${hostname}${`${pathname}${search}`.replace(/\/$/, '')}`.slice(0, maxTitleLength);

/** The address is built from the table of providers, so it is safe to embed. */
const toIframe = (address: string): string =>
  `<iframe src="${address.replaceAll('&', '&amp;').replaceAll('"', '&quot;')}" loading="lazy" allowfullscreen referrerpolicy="strict-origin-when-cross-origin" sandbox="allow-scripts allow-same-origin allow-popups allow-presentation"></iframe>`;

const e = aliasedTable(embeds, 'e');
const embedRow = selection({ title: e.title, readAt: e.readAt });
const findStoredEmbed = prepareQuery(embedRow, (select, url: Parameter<string>) =>
  select.from(e).where(eq(e.url, url)),
);

async function readTitle({ url, oembed }: ProvidedResource, { db, env }: Reading): Promise<string | null> {
  if (oembed === undefined) return null;
  const storedEmbed = await readRow(db, findStoredEmbed(url));
  if (
    storedEmbed !== undefined &&
    (storedEmbed.title !== null || storedEmbed.readAt > Date.now() - untitledMilliseconds)
  )
    return storedEmbed.title;
  if (!titleRequests.allow(Date.now())) return storedEmbed?.title ?? null;
  const title = await fetchTitle(env, oembed);
  const values = { url, title, readAt: Date.now() };
  await db.insert(embeds).values(values).onConflictDoUpdate({ target: embeds.url, set: values });
  return title;
}

/** Fetches the title of an embed from its provider. Returns null if the provider returns no title in time. */
async function fetchTitle(env: Reading['env'], address: string): Promise<string | null> {
  const resource = await fetchExternal(env, address, limits).catch(() => undefined);
  return resource === undefined ? null : parseTitle(new TextDecoder().decode(resource.bytes), maxTitleLength);
}

/**
 * Returns the title in a provider's response (oembed.com) as one line of at most `maxLength` characters, or null if it
 * has none.
 */
export function parseTitle(body: string, maxLength: number): string | null {
  const title = parseTitleField(body)
    ?.toWellFormed()
    .replace(/\p{Cc}+/gu, ' ')
    .trim();
  return title ? [...title].slice(0, maxLength).join('') : null;
}

function parseTitleField(body: string): string | undefined {
  try {
    const { title } = JSON.parse(body) as { title?: unknown };
    return typeof title === 'string' ? title : undefined;
  } catch {
    return undefined;
  }
}
