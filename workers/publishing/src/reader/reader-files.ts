import type { AssetAddresses } from '@octavo/reader';
import { buildContentPolicy, toWebOrigin } from '@octavo/schema';
import type { PublishingEnvironment } from '../environment.ts';

interface FileList {
  /** Identifies the build of the software. */
  build: string;
  files: Record<string, string>;
  icons: Record<string, string[]>;
}

/** Path of the files in a site. No path of a page begins with a tilde. */
export const filesPath = '~/assets/';

let fileList: FileList | undefined;

/** Reads the list of files that the build wrote. */
async function readList({ FILES }: PublishingEnvironment): Promise<FileList> {
  if (fileList !== undefined) return fileList;
  const response = await FILES.fetch('http://files/reader/files.json');
  if (!response.ok) throw new Error(`The list of reader files could not be read: ${response.status}.`);
  fileList = (await response.json()) as FileList;
  return fileList;
}

export const readBuildId = async (env: PublishingEnvironment): Promise<string> => (await readList(env)).build;

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

/** Returns the URLs of the files that pages load, relative to the site's URL. */
export async function createAssetUrls(env: PublishingEnvironment): Promise<AssetAddresses> {
  const { files, icons } = await readList(env);
  const getFilePath = (name: string) => (Object.hasOwn(files, name) ? `${filesPath}${files[name]}` : undefined);
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
      return availableStyle === undefined ? undefined : `${filesPath}icons/${availableStyle}/${name}.svg`;
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

/** Serves a file below `~/assets/`. Its name contains a hash of its content, so it never changes. */
export async function serveReaderFile(request: Request, env: PublishingEnvironment, path: string): Promise<Response> {
  const type = types[path.split('.').at(-1) ?? ''];
  if (type === undefined || !/^[\w-]+(?:[./][\w-]+)*$/.test(path)) return new Response(null, { status: 404 });
  const isPacked = !path.startsWith('icons/') && !path.endsWith('.woff2');
  const coding = isPacked ? (['br', 'gzip'] as const).find((each) => acceptsEncoding(request, each)) : undefined;
  const ending = { br: '.br', gzip: '.gz', none: '' }[coding ?? 'none'];
  const { body, status } = await env.FILES.fetch(`http://files/reader/${path}${ending}`);
  if (status !== 200) return new Response(null, { status: 404 });
  return new Response(body, {
    headers: {
      'content-type': type,
      'cache-control': 'public, max-age=31536000, immutable',
      vary: 'accept-encoding',
      // The files are public; the sandboxed frame loads them from an opaque origin.
      'access-control-allow-origin': '*',
      ...(path.endsWith('.html') ? { 'content-security-policy': createFramePolicy(request.url) } : {}),
      ...(coding === undefined ? {} : { 'content-encoding': coding }),
    },
    encodeBody: 'manual',
  });
}
