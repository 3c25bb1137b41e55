const tracking = /^(?:utm_\w+|fbclid|gclid|dclid|msclkid|mc_cid|mc_eid|igshid|_ga|_gl|yclid)$/i;
const indexName = /\/(?:index|default)(?:\.(?:html?|php))?$/i;
const ending = /\.html?$/i;
const maxLength = 2048;
const noPage =
  /\.(?:png|jpe?g|gif|svgz?|webp|avif|ico|bmp|tiff?|pdf|zip|gz|tgz|tar|bz2|xz|7z|rar|mp[34]|webm|mov|avi|wav|ogg|css|m?js|map|json|xml|rss|atom|txt|csv|md|exe|dmg|pkg|deb|rpm|iso|woff2?|ttf|eot|docx?|xlsx?|pptx?)$/i;

/**
 * The one name of an address, under which it is imported once: without its fragment, the queries of trackers, the name of
 * an index page, `.html` and a slash at the end. It is not what is fetched.
 */
export function addressKey(address: string): string {
  const url = new URL(address);
  url.hash = '';
  for (const name of [...url.searchParams.keys()]) if (tracking.test(name)) url.searchParams.delete(name);
  url.pathname = url.pathname.replace(indexName, '/').replace(ending, '');
  url.pathname = url.pathname.replace(/%[\da-f]{2}/gi, plainly);
  if (url.pathname.length > 1) url.pathname = url.pathname.replace(/\/+$/, '') || '/';
  return url.href.replace(/\?$/, '');
}

/** One spelling of an escape: letters, digits and `-._~` need none. */
function plainly(escaped: string): string {
  const letter = String.fromCharCode(Number.parseInt(escaped.slice(1), 16));
  return /[\w.~-]/.test(letter) ? letter : escaped.toUpperCase();
}

/** Whether an address says more exactly what to fetch than another of its name: sites link to `page` and have `page.html`. */
export const isMoreExact = (address: string, other: string): boolean =>
  ending.test(new URL(address).pathname) && !ending.test(new URL(other).pathname);

/** The part of a site that an import of an address takes: what stands in the address's folder and below. */
export const folderOf = (address: string): string => {
  const { origin, pathname } = new URL(address);
  return origin + pathname.slice(0, pathname.lastIndexOf('/') + 1);
};

/** Whether an address is in the folder, or names the folder itself without its slash. */
export const isInFolder = (address: string, folder: string): boolean =>
  address.startsWith(folder) || address.replace(/[?#].*$/s, '') === folder.slice(0, -1);

/** Whether an address may be a page of the site, by its form. */
export const mayBePage = (address: string): boolean =>
  address.length <= maxLength && !noPage.test(new URL(address).pathname);

/** The last part of an address's path, as the name of a file. */
export function fileNameOf(address: string): string {
  const last = decoded(new URL(address).pathname).split('/').at(-1) ?? '';
  return cleanName(last) || 'file';
}

/** The path of an address, as the path of a file in its repository. */
export const gitPathOf = (address: string): string => decoded(new URL(address).pathname).replace(/^\/+/, '');

const cleanName = (name: string): string =>
  name
    .replace(/[\p{Cc}\\/]/gu, '')
    .slice(-200)
    .toWellFormed();

function decoded(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
}
