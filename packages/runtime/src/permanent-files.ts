import type { Connection } from '@octavo/db';
import type { ContentService, FileUse, Issue } from '@octavo/schema';
import { invalid, maxPermanentFiles } from '@octavo/schema';
import type { Urls } from './respond.ts';

interface FileContext {
  env: { CONTENT: Pick<ContentService, 'makeFilesPermanent'> };
  callWorker: Connection['callWorker'];
  urls: Urls;
}

/**
 * Copies the files to which a request body links with signed URLs of this server, and replaces these URLs, which
 * expire, with permanent ones. If the body has no such URLs, no service is called.
 *
 * @throws ApiError invalid, with the path of a URL that has expired or isn't an image or a font
 */
export async function makeFileUrlsPermanent<Body extends object>(
  body: Body,
  owner: FileUse['owner'],
  { env, callWorker, urls }: FileContext,
): Promise<Body> {
  const paths = findFileUrls(body, urls);
  if (paths.size === 0) return body;
  const signed = [...paths.keys()];
  if (signed.length > maxPermanentFiles)
    throw invalid([{ path: 'body', message: `must contain at most ${maxPermanentFiles} URLs of files` }]);
  const results = await callWorker(() => env.CONTENT.makeFilesPermanent({ owner, urls: signed }));
  const permanent = new Map<unknown, string>();
  const issues: Issue[] = [];
  results.forEach((result, index) => {
    const url = signed[index] ?? '';
    if ('url' in result) permanent.set(url, result.url);
    else issues.push({ path: paths.get(url) ?? 'body', message: result.fault });
  });
  if (issues.length > 0) throw invalid(issues);
  return replaceValues(body, permanent);
}

/**
 * Returns the signed URLs of downloads and uploads in a body, with the path of each. Permanent URLs have no `file`
 * parameter.
 */
function findFileUrls(body: object, urls: Urls): Map<string, string> {
  const signedUrls = new Map<string, string>();
  const [downloads, uploads] = [urls.page('/files/'), urls.page('/uploads/')];
  const isSigned = (url: string): boolean =>
    url.startsWith(uploads) || (url.startsWith(downloads) && new URL(url).searchParams.has('file'));
  const visit = (value: unknown, path: string): void => {
    if (typeof value === 'string') {
      if (isSigned(value)) signedUrls.set(value, path);
    } else if (typeof value === 'object' && value !== null)
      for (const [name, each] of Object.entries(value)) visit(each, `${path}.${name}`);
  };
  visit(body, 'body');
  return signedUrls;
}

const replaceValues = <Body extends object>(body: Body, replacements: Map<unknown, string>): Body =>
  JSON.parse(JSON.stringify(body, (_, value: unknown) => replacements.get(value) ?? value)) as Body;
