/** Writes one structured line. Never pass tokens, keys or documents. */
export function log(level: 'info' | 'error', message: string, fields: Record<string, unknown>): void {
  const line = JSON.stringify({ time: new Date().toISOString(), level, message, ...fields });
  if (level === 'error') console.error(line);
  else console.log(line);
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
