import { createHash } from 'node:crypto';
import { createId, createRandomString } from '@octavo/schema';

export const createFirstToken = (): string => `octavo_${createRandomString(40)}`;

const quote = (text: string): string => `'${text.replaceAll("'", "''")}'`;

/** Returns the statements that create the first user, unless the database has a user. Both run in one transaction. */
export function createFirstUser(email: string, token: string): string {
  const [user, now] = [createId('user'), Date.now()];
  const name = email.split('@')[0] ?? email;
  const hash = createHash('sha256').update(token).digest('hex');
  return `INSERT INTO users (id, email, display_name, created_at, email_verified_at)
  SELECT ${quote(user)}, ${quote(email)}, ${quote(name)}, ${now}, ${now} WHERE NOT EXISTS (SELECT 1 FROM users);
INSERT INTO tokens (id, user, label, hash, created_at)
  SELECT ${quote(createId('token'))}, id, 'First token', ${quote(hash)}, ${now} FROM users WHERE id = ${quote(user)};`;
}
