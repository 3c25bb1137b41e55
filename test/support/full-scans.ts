import type { DatabaseSync } from 'node:sqlite';

interface Instruction {
  opcode: string;
  p1: number;
  p2: number;
}

/**
 * The tables and indexes that a statement would read from end to end: those that it opens and goes through from the first
 * or the last row on, without a seek. What it gathers itself on the way is none.
 */
export function fullScansOf(database: DatabaseSync, sql: string): string[] {
  const program = database.prepare(`EXPLAIN ${sql}`).all() as unknown as Instruction[];
  const opened = new Map(program.flatMap(({ opcode, p1, p2 }) => (opcode === 'OpenRead' ? [[p1, p2]] : [])));
  const begun = program.flatMap(({ opcode, p1 }) => (/^(?:Rewind|Last|Count)$/.test(opcode) ? [opened.get(p1)] : []));
  const name = database.prepare('SELECT name FROM sqlite_master WHERE rootpage = ?');
  return [...new Set(begun)].flatMap((root) => (root === undefined ? [] : [String(name.get(root)?.name)]));
}
