import type { CallerRecord } from '@octavo/db';
import type { Role } from '@octavo/schema';
import { forbidden } from '@octavo/schema';

/** An admin may do what no scope gives, so a token that is limited by scopes makes none. @throws ApiError forbidden */
export function requireFullToken({ scopes }: CallerRecord, ...given: (Role | null | undefined)[]): void {
  if (scopes !== null && given.includes('admin')) {
    throw forbidden('A token that is limited by scopes cannot make admins.');
  }
}
