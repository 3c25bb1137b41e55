import { invalid } from '@octavo/schema';

export const appPath = '/app';
const maxLength = 1000;
/**
 * The path cannot contain encoded characters, `\`, or control characters. The query and the fragment can contain what
 * browsers do not encode there: they do not change which page is opened.
 */
const pattern = /^\/app(?:\/[\w~.-]+)*\/?(?:\?[\w~.%!$&'()*+,;=:@/?-]*)?(?:#[\w~.%!$&'()*+,;=:@/?-]*)?$/;

const isSafe = (value: string): boolean =>
  value.length <= maxLength && pattern.test(value) && !/\/\.{1,2}(?:[/?#]|$)/.test(value);

/** Returns the path with which the sign-in page was opened, or the path of the app if it is missing or not accepted. */
export const findDestination = (value: string | null): string => (value !== null && isSafe(value) ? value : appPath);

/**
 * Reads the path in the app that a sign-in opens. Only paths below `/app` are accepted, so that a link to the sign-in
 * page can never redirect to another site. @throws ApiError invalid
 */
export function readDestination(value: string | null | undefined, field: string): string {
  if (value === null || value === undefined || value === '') return appPath;
  if (!isSafe(value)) throw invalid([{ path: field, message: 'must be a path below /app' }]);
  return value;
}

/** Returns the query that passes the destination to a page of the sign-in. */
export const createDestinationQuery = (destination: string): string =>
  destination === appPath ? '' : `?to=${encodeURIComponent(destination)}`;
