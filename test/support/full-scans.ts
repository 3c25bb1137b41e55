import type { DatabaseSync } from 'node:sqlite';

interface Instruction {
  opcode: string;
  p1: number;
  p2: number;
}

/**
 * Returns the tables and indexes that a statement scans from end to end, without a seek. Scans of temporary tables are
 * ignored.
 */
export function getFullScans(database: DatabaseSync, sql: string): string[] {
  const program = database.prepare(`EXPLAIN ${sql}`).all() as unknown as Instruction[];
  const opened = new Map(program.flatMap(({ opcode, p1, p2 }) => (opcode === 'OpenRead' ? [[p1, p2]] : [])));
  const begun = program.flatMap(({ opcode, p1 }) => (/^(?:Rewind|Last|Count)$/.test(opcode) ? [opened.get(p1)] : []));
  const name = database.prepare('SELECT name FROM sqlite_master WHERE rootpage = ?');
  return [...new Set(begun)].flatMap((root) => (root === undefined ? [] : [String(name.get(root)?.name)]));
}
