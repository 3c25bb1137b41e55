import type { ChangeRequestRecord, Check } from '@octavo/db';
import { conflict, notFound } from '@octavo/schema';
import { sql } from 'drizzle-orm';

/** That a change request is neither merged nor archived, now and while something is written. @throws ApiError conflict */
export function undecided({ id, space, status }: ChangeRequestRecord, done: string): Check {
  const refusal = (now: string | null) =>
    now === null ? notFound('change request') : conflict(`The change request is ${now} and cannot be ${done}.`);
  if (status === 'merged' || status === 'archived') throw refusal(status);
  const row = sql`FROM change_requests WHERE id = ${id} AND space = ${space}`;
  return {
    holds: sql`EXISTS (SELECT 1 ${row} AND status IN ('draft', 'open'))`,
    culprit: sql`(SELECT status ${row})`,
    otherwise: refusal,
  };
}
