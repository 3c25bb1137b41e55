import type { AssetAddresses } from '@octavo/reader';
import { LruMap } from '@octavo/runtime';
import type { PolicySource } from '@octavo/schema';
import { buildContentPolicy, toWebOrigin } from '@octavo/schema';
import type { PublishingEnvironment } from '../environment.ts';

interface FileList {
  files: Record<string, string>;
  icons: Record<string, string[]>;
  appScripts: string[];
}

/** Path of the files in a site. No path of a page begins with a tilde. */
export const filesPath = '~/assets/';

/** Reads the list of files that the build wrote. */
async function readList({ FILES }: PublishingEnvironment): Promise<FileList> {
  const response = await FILES.fetch('http://files/reader/files.json');
  if (!response.ok) throw new Error(`The list of reader files could not be read: ${response.status}.`);
  return response.json<FileList>();
}

const iconStyles = ['solid', 'regular', 'brands'];

/** Parses an icon name as authors write it: `gear`, `fa-gear`, `fa-regular fa-bell`. */
function parseIcon(iconName: string, style: string): { name: string; order: string[] } {
  const parts = iconName
    .toLowerCase()
    .split(/[\s:/]+/)
    .map((part) => part.replace(/^fa-/, ''));
  const name = parts.at(-1) ?? '';
  const namedStyle = parts.slice(0, -1).find((part) => iconStyles.includes(part)) ?? style;
  return { name, order: iconStyles.toSorted((a, b) => Number(b === namedStyle) - Number(a === namedStyle)) };
}

/** The URLs of the files that pages load. */
interface AssetUrls {
  /** At the root of the host, where Cloudflare serves static files without calling a worker. */
  ofHost: AssetAddresses;
  /**
   * Relative to the site's URL, for organizations that share a host, and for proxies that forward only requests below
   * that URL. At the root of a shared host, a directory could not find the cell.
   */
  ofSite: AssetAddresses;
  /** The scripts that every screen of the app needs, at the root of the host. The first one starts the app. */
  appScripts: string[];
}

let assetUrls: AssetUrls | undefined;

export async function readAssetUrls(env: PublishingEnvironment): Promise<AssetUrls> {
  if (assetUrls !== undefined) return assetUrls;
  const list = await readList(env);
  assetUrls = {
    ofHost: createAssetUrls(list, `/${filesPath}`),
    ofSite: createAssetUrls(list, filesPath),
    appScripts: list.appScripts.map((name) => `/${filesPath}${name}`),
  };
  return assetUrls;
}

function createAssetUrls({ files, icons }: FileList, folder: string): AssetAddresses {
  const getFilePath = (name: string) => (Object.hasOwn(files, name) ? `${folder}${files[name]}` : undefined);
  const iconsByStyle = Object.entries(icons).map(([style, names]) => [style, new Set(names)] as const);
  return {
    style: getFilePath('site.css') ?? '',
    script: getFilePath('site.js') ?? '',
    file: getFilePath,
    icon: (iconName, style) => {
      const { name, order } = parseIcon(iconName, style);
      const availableStyle = order.find((each) =>
        iconsByStyle.some(([iconStyle, names]) => iconStyle === each && names.has(name)),
      );
      return availableStyle === undefined ? undefined : `${folder}icons/${availableStyle}/${name}.svg`;
    },
  };
}

/** Content security policy of the frame that draws diagrams: sandboxed, with inline styles. */
const createFramePolicy = (address: string): string => {
  const origin = toWebOrigin(address);
  return buildContentPolicy({
    'default-src': ["'none'"],
    'script-src': ["'self'", ...(origin === undefined ? [] : [origin])],
    'style-src': ["'unsafe-inline'"],
    'base-uri': ["'none'"],
    'form-action': ["'none'"],
    'frame-ancestors': ["'self'"],
    sandbox: ['allow-scripts'],
  });
};

const types: Record<string, string> = {
  html: 'text/html; charset=utf-8',
  css: 'text/css; charset=utf-8',
  js: 'text/javascript; charset=utf-8',
  mjs: 'text/javascript; charset=utf-8',
  svg: 'image/svg+xml',
  woff2: 'font/woff2',
};

const acceptsEncoding = (request: Request, coding: string): boolean =>
  (request.headers.get('accept-encoding') ?? '').split(',').some((each) => each.trim().split(';')[0] === coding);

/**
 * Serves a file below `~/assets/`. Its name contains a hash of its content, so it never changes. On Cloudflare, the
 * gateway's static files have most files with the same headers, so only HTML and files of former builds are served here.
 */
export async function serveReaderFile(request: Request, env: PublishingEnvironment, path: string): Promise<Response> {
  const type = types[path.split('.').at(-1) ?? ''];
  if (type === undefined || !/^[\w-]+(?:[./][\w-]+)*$/.test(path)) return new Response(null, { status: 404 });
  const isPacked = !path.startsWith('icons/') && !path.endsWith('.woff2');
  const coding = isPacked ? (['br', 'gzip'] as const).find((each) => acceptsEncoding(request, each)) : undefined;
  const ending = { br: '.br', gzip: '.gz', none: '' }[coding ?? 'none'];
  const headers = new Headers({
    'content-type': type,
    'cache-control': 'public, max-age=31536000, immutable',
    vary: 'accept-encoding',
    // The files are public; the sandboxed frame loads them from an opaque origin.
    'access-control-allow-origin': '*',
    ...(path.endsWith('.html') ? { 'content-security-policy': createFramePolicy(request.url) } : {}),
  });
  const { body, status } = await env.FILES.fetch(`http://files/reader/${path}${ending}`);
  if (status !== 200) {
    const stored = await env.RENDERED.get(`${storedFolder}${path}`);
    return stored === null ? new Response(null, { status: 404 }) : new Response(stored.body, { headers });
  }
  if (coding !== undefined) headers.set('content-encoding', coding);
  return new Response(body, { headers, encodeBody: 'manual' });
}

/** The folder of the bucket with the files of all builds. */
const storedFolder = 'assets/';

/** Each copy takes two subrequests, and an invocation may have 1,000. */
const maxCopiesPerRun = 100;

let areFilesStored = false;

/**
 * Copies the files of this build to the bucket, in several runs. The next deployment replaces these files, but pages
 * that this build has rendered still load them. On one machine, the next build keeps the former files instead.
 */
export async function storeReaderFiles({ FILES, RENDERED, OCTAVO_ONE_ISOLATE }: PublishingEnvironment): Promise<void> {
  if (areFilesStored || OCTAVO_ONE_ISOLATE === '1') return;
  const names = await readNames(FILES);
  const stored = await listStoredFiles(RENDERED);
  const missing = names.filter((name) => !stored.has(name));
  for (const name of missing.slice(0, maxCopiesPerRun)) {
    const file = await FILES.fetch(`http://files/reader/${name}`);
    if (!file.ok) throw new Error(`The file ${name} could not be read: ${file.status}.`);
    await RENDERED.put(`${storedFolder}${name}`, await file.arrayBuffer());
  }
  areFilesStored = missing.length <= maxCopiesPerRun;
}

const readNames = async (files: PublishingEnvironment['FILES']): Promise<string[]> =>
  (await files.fetch('http://files/reader/names.json')).json<string[]>();

/** The object with the stored files that the build does not have, and the time at which the sweep first found each. */
const unusedFilesKey = 'unused-assets.json';

/** Pages of a former build are cached for 30 days (`sharedMaxAgeSeconds`), and readers can have them open for longer. */
const unusedMilliseconds = 60 * 24 * 3_600_000;
/** R2 deletes at most this many objects in one call. */
const maxDeletedPerRun = 1000;

/** Deletes stored files that no build has had for 60 days. */
export async function sweepReaderFiles({ FILES, RENDERED, OCTAVO_ONE_ISOLATE }: PublishingEnvironment): Promise<void> {
  if (OCTAVO_ONE_ISOLATE === '1') return;
  const now = Date.now();
  const stored = await listStoredFiles(RENDERED);
  const unused = [...stored.difference(new Set(await readNames(FILES)))];
  const record = await RENDERED.get(unusedFilesKey);
  const former = (await record?.json<Record<string, number>>()) ?? {};
  const times = new Map(unused.map((name) => [name, former[name] ?? now]));
  const expired = unused
    .filter((name) => (times.get(name) ?? now) <= now - unusedMilliseconds)
    .slice(0, maxDeletedPerRun);
  if (expired.length > 0) await RENDERED.delete(expired.map((name) => `${storedFolder}${name}`));
  for (const name of expired) times.delete(name);
  await RENDERED.put(unusedFilesKey, JSON.stringify(Object.fromEntries(times)));
}

async function listStoredFiles(bucket: R2Bucket): Promise<Set<string>> {
  const names = new Set<string>();
  let cursor: string | undefined;
  do {
    const page = await bucket.list({ prefix: storedFolder, ...(cursor === undefined ? {} : { cursor }) });
    for (const { key } of page.objects) names.add(key.slice(storedFolder.length));
    cursor = page.truncated ? page.cursor : undefined;
  } while (cursor !== undefined);
  return names;
}

const maxHashSources = 100;
const hashSources = new LruMap<PolicySource>(maxHashSources);

/** Returns the CSP source of an inline script or style. Most pages have the same ones. */
export async function getHashSource(text: string): Promise<PolicySource> {
  const source = hashSources.get(text) ?? (await createHashSource(text));
  hashSources.set(text, source);
  return source;
}

async function createHashSource(text: string): Promise<PolicySource> {
  const digest = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(text));
  return `'sha256-${btoa(String.fromCharCode(...new Uint8Array(digest)))}'`;
}
