import decoder from '@jsquash/webp/codec/dec/webp_dec.wasm';
import decode, { init } from '@jsquash/webp/decode.js';
import type { PdfRecord } from '@octavo/db';
import type { Includable } from '@octavo/markdown';
import { removeAnchor } from '@octavo/markdown';
import { createUrls, ExternalFetchError, fetchExternal } from '@octavo/runtime';
import type { BookPageText, BookPart, BookReading, BookText, OutlineEntry } from '@octavo/schema';
import type { Assets, Book, BookPage, FontName, Pixels } from '@octavo/typeset';
import type { PublishingEnvironment } from '../environment.ts';

/** Maximum number of requests to other servers for one PDF. */
const maxExternalImages = 100;
const externalLimits = { milliseconds: 5_000, bytes: 5 * 1024 * 1024, accept: 'image/*' };

/** Holds bytes rather than promises, since a promise of another job may never settle. */
const fonts = new Map<FontName, Uint8Array>();

/** Limit for cached images, which pages may repeat. */
const maxCachedBytes = 8 * 1024 * 1024;

type Image = Awaited<ReturnType<Assets['image']>>;

/** Gives access to the installation's fonts, the revision's files and public images of other servers. */
export function createAssets(env: PublishingEnvironment, { space, revision }: PdfRecord): Assets {
  const cachedImages = new Map<string, Image>();
  let cachedBytes = 0;
  let fetchedBytes = 0;

  /** Reads a file of the revision by id, or an image by URL. */
  async function readImage(from: { file: string } | { address: string }): Promise<Image> {
    if ('file' in from) {
      const { value } = await env.CONTENT.readBookFile({ space, revision, file: from.file });
      return value === null ? undefined : { bytes: value.bytes, type: value.contentType };
    }
    fetchedBytes += 1;
    return fetchedBytes > maxExternalImages ? undefined : fetchImage(env, from.address);
  }

  return {
    font: (name) => readFont(env, name),
    readWebp: decodeWebp,
    async image(page: BookPage, source: string) {
      const file = getOwnValue((page as FilledPage).files, source);
      if (file === undefined && !/^https?:\/\//i.test(source)) return undefined;
      const key = file ?? source;
      if (cachedImages.has(key)) return cachedImages.get(key);
      const image = await readImage(file === undefined ? { address: source } : { file });
      const size = image?.bytes.length ?? 0;
      if (cachedBytes + size > maxCachedBytes) return image;
      cachedBytes += size;
      cachedImages.set(key, image);
      return image;
    },
  };
}

async function fetchImage(env: PublishingEnvironment, address: string): Promise<Image> {
  try {
    const { bytes, headers } = await fetchExternal(env, address, externalLimits);
    return { bytes, type: headers.get('content-type') ?? '' };
  } catch (error) {
    if (error instanceof ExternalFetchError) return undefined;
    throw error;
  }
}

async function readFont({ FILES }: PublishingEnvironment, name: FontName): Promise<Uint8Array> {
  const cached = fonts.get(name);
  if (cached !== undefined) return cached;
  const response = await FILES.fetch(`http://files/fonts/${name}.ttf`);
  if (!response.ok) throw new Error(`The font "${name}" cannot be read: ${response.status}.`);
  const bytes = new Uint8Array(await response.arrayBuffer());
  fonts.set(name, bytes);
  return bytes;
}

/** Number of pages per request. The response may contain fewer. */
const pagesAtOnce = 20;

/** A page of a book. `files` maps the URLs in its text to file ids. */
export interface FilledPage extends BookPage {
  files: Record<string, string>;
}

interface Reading {
  env: PublishingEnvironment;
  pdf: PdfRecord;
  outline: OutlineEntry[];
}

export const toReading = ({ space, revision, page, only }: PdfRecord): BookReading => ({
  space,
  revision,
  only,
  ...(page === '' ? {} : { page }),
});

/** Creates the book of a PDF. Its pages are read in chunks while it is typeset. */
export function createBook({ env, pdf, outline }: Reading): Book {
  return {
    title: pdf.title,
    ...(pdf.subtitle === '' ? {} : { subtitle: pdf.subtitle }),
    date: new Date(pdf.createdAt).toISOString().slice(0, 10),
    hasContents: !pdf.only,
    outline,
    pages: readPages({ env, pdf, outline }),
  };
}

async function* readPages(context: Reading): AsyncGenerator<FilledPage> {
  const { env, pdf, outline } = context;
  const entries = new Map(outline.map((entry) => [entry.id, entry]));
  const urls = createUrlResolver(context, entries);
  let rest = outline.map(({ id }) => id);
  while (rest.length > 0) {
    const pages = rest.slice(0, pagesAtOnce);
    const { value: part } = await env.CONTENT.readBookPart({ ...toReading(pdf), pages });
    const last = part.pages.at(-1);
    if (last === undefined) throw new Error(`The revision ${pdf.revision} does not contain the page ${pages[0]}.`);
    const contents = new Map(part.contents.map((content) => [content.id, toIncludable(content)]));
    for (const page of part.pages) {
      const entry = entries.get(page.id);
      if (entry !== undefined) yield toFilledPage(page, { entry, part, contents, urls });
    }
    rest = rest.slice(rest.indexOf(last.id) + 1);
  }
}

/** Returns functions that link files, and pages outside of the book, to the application. */
function createUrlResolver({ env, pdf }: Reading, entries: ReadonlyMap<string, OutlineEntry>): PageContext['urls'] {
  const base = `/spaces/${pdf.space}${pdf.changeRequest === null ? '' : `/change-requests/${pdf.changeRequest}`}`;
  const { app } = createUrls(env);
  return {
    page: (prefix) => {
      const [id = ''] = prefix.split('#', 1);
      const isOutside = !entries.has(id) && !/^[a-z][a-z\d+.-]*:/i.test(prefix);
      return isOutside ? app(`${base}/content/page/${id}`) : prefix;
    },
    file: (id) => app(`${base}/content/files/${id}`),
  };
}

interface PageContext {
  entry: OutlineEntry;
  part: BookPart;
  contents: ReadonlyMap<string, Includable>;
  urls: { page(prefix: string): string; file(id: string): string };
}

function toFilledPage(page: BookPageText, { entry, part, contents, urls }: PageContext): FilledPage {
  const texts = [...findIncluded(page, part.contents), page];
  const files = merge(texts.map((text) => text.files));
  const links = mapValues(merge(texts.map((text) => text.links)), urls.page);
  const { description, emoji, href, markdown } = page;
  return {
    ...entry,
    markdown,
    ...(description === undefined ? {} : { description }),
    ...(emoji === undefined ? {} : { emoji }),
    ...(href === undefined ? {} : { href: urls.page(href) }),
    links: merge([mapValues(files, urls.file), links]),
    files,
    evaluation: {
      scope: { space: { vars: part.variables }, page: { vars: page.variables }, visitor: { claims: {} } },
      findTarget: findTargets(page),
      contents,
    },
  };
}

/** Returns the reusable contents that a page includes directly or indirectly. */
function findIncluded(page: BookText, contents: BookText[]): BookText[] {
  const contentsById = new Map(contents.map((content) => [content.id, content]));
  const reachedTexts = new Set<BookText>();
  const visit = ({ includes }: BookText): void => {
    for (const id of Object.values(includes)) {
      const content = contentsById.get(id);
      if (content === undefined || reachedTexts.has(content)) continue;
      reachedTexts.add(content);
      visit(content);
    }
  };
  visit(page);
  return [...reachedTexts];
}

const toIncludable = (content: BookText): Includable => ({
  markdown: content.markdown,
  findTarget: findTargets(content),
});

const findTargets =
  ({ includes }: BookText) =>
  (address: string): string | undefined =>
    getOwnValue(includes, address) ?? getOwnValue(includes, removeAnchor(address));

/** Keys are user input and must not match inherited properties. */
const getOwnValue = (record: Record<string, string>, key: string): string | undefined =>
  Object.hasOwn(record, key) ? record[key] : undefined;

const merge = (records: Record<string, string>[]): Record<string, string> =>
  Object.assign(Object.create(null) as Record<string, string>, ...records);

const mapValues = (record: Record<string, string>, change: (value: string) => string): Record<string, string> =>
  merge([Object.fromEntries(Object.entries(record).map(([key, value]) => [key, change(value)]))]);

/** Decodes a WebP image. Each call uses a separate decoder, so that its memory is freed. */
async function decodeWebp(bytes: Uint8Array): Promise<Pixels> {
  await init(decoder);
  const { width, height, data } = await decode(bytes.slice().buffer);
  return { width, height, rgba: new Uint8Array(data.buffer, data.byteOffset, data.byteLength) };
}
