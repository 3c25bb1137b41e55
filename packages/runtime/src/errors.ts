import type { ErrorType } from '@octavo/schema';
import { ApiError, errorStatus, isApiError } from '@octavo/schema';

let gather: ((line: string) => void) | undefined;

/** Has lines of the log that tell of no error gathered, by whoever writes many at once, instead of written one by one. */
export function gatherLog(into: (line: string) => void): void {
  gather = into;
}

/** Writes one structured line. Never pass tokens, keys or documents. */
export function log(level: 'info' | 'warn' | 'error', message: string, fields: Record<string, unknown>): void {
  const line = JSON.stringify({ time: new Date().toISOString(), level, message, ...fields });
  if (level === 'error') console.error(line);
  else if (gather === undefined) console.log(line);
  else gather(line);
}

/** The chain of causes as text, without the statements and parameters that the database layer puts in its messages. */
export function describe(error: unknown): string {
  const parts: string[] = [];
  for (let each: unknown = error; each instanceof Error && parts.length < 5; each = each.cause) {
    parts.push(
      each.message.startsWith('Failed query') ? 'failed query' : `${each.name}: ${each.message.slice(0, 500)}`,
    );
  }
  return parts.length > 0 ? parts.join(' < ') : String(error).slice(0, 500);
}

/** The errors that any endpoint may answer, whatever its contract lists. */
const common: ReadonlySet<ErrorType> = new Set<ErrorType>([
  'invalid',
  'unauthenticated',
  'forbidden',
  'not_found',
  'too_large',
  'unsupported_media_type',
  'rate_limited',
  'unknown_method',
  'internal',
  'unavailable',
]);

export const mayAnswer = (type: ErrorType, declared: readonly ErrorType[] = []): boolean =>
  common.has(type) || declared.includes(type);

/** The one place that turns anything thrown into a response. What is not ours to tell is logged, and answered fixed. */
export function errorResponse(error: unknown, requestId: string): Response {
  const known = isApiError(error) ? error : new ApiError('internal', 'Something went wrong on our side.');
  if (known !== error) log('error', 'unexpected error', { requestId, cause: describe(error), stack: stackOf(error) });
  const code = errorStatus[known.type];
  const body = {
    code,
    message: known.message,
    type: known.type,
    requestId,
    ...(known.issues === undefined ? {} : { issues: known.issues }),
    ...(known.conflicts === undefined ? {} : { conflicts: known.conflicts }),
  };
  return Response.json({ error: body }, { status: code, headers: headersOf(known) });
}

function headersOf({ type, retryAfter }: ApiError): Record<string, string> {
  if (type === 'unauthenticated') return { 'www-authenticate': 'Bearer' };
  return retryAfter !== undefined ? { 'retry-after': String(retryAfter) } : {};
}

const stackOf = (error: unknown): string | undefined =>
  error instanceof Error ? error.stack?.split('\n').slice(1, 6).join(' | ').slice(0, 800) : undefined;
