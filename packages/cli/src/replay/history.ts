import { readFile } from 'node:fs/promises';
import { gunzipSync } from 'node:zlib';
import { Failure } from '../failure.ts';

export interface Commit {
  commit: string;
  changes: { path: string; content: string | null }[];
}

/** Texts by path at the start, the commits, and the SHA-256 of each text by path at the end. */
export interface History {
  start: Map<string, string>;
  commits: Commit[];
  end: Map<string, string>;
}

/** Reads a history of one JSON object a line, packed by gzip or not. */
export async function readHistory(file: string): Promise<History> {
  const bytes = await readFile(file).catch(() => {
    throw new Failure(`The file ${file} cannot be read.`);
  });
  const lines = decode(bytes, file)
    .split('\n')
    .map((line, index) => ({ line, where: `${file}, line ${index + 1}` }))
    .filter(({ line }) => line.trim() !== '');
  const values = lines.map(({ line, where }) => ({ where, value: parseLine(line, where) }));
  const [first, last] = [values[0]?.value, values.slice(1).at(-1)?.value];
  if (!first || !isTexts(first.start)) throw new Failure(`The first line of ${file} has no start.`);
  if (!last || !isTexts(last.end)) throw new Failure(`The last line of ${file} has no end, so the file is not whole.`);
  const commits = values.slice(1, -1).map(({ value, where }) => readCommit(value, where));
  return { start: new Map(Object.entries(first.start)), commits, end: new Map(Object.entries(last.end)) };
}

function decode(bytes: Buffer, file: string): string {
  try {
    const plain = bytes[0] === 0x1f && bytes[1] === 0x8b ? gunzipSync(bytes) : bytes;
    return new TextDecoder('utf-8', { fatal: true }).decode(plain);
  } catch {
    throw new Failure(`The file ${file} is neither UTF-8 text nor such text packed by gzip.`);
  }
}

function parseLine(line: string, where: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(line);
    if (isObject(value)) return value;
  } catch {}
  throw new Failure(`${where} is not a JSON object.`);
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const isTexts = (value: unknown): value is Record<string, string> =>
  isObject(value) && Object.values(value).every((text) => typeof text === 'string');

function readCommit({ commit, changes }: Record<string, unknown>, where: string): Commit {
  const isChange = (each: unknown): each is Commit['changes'][number] =>
    isObject(each) && typeof each.path === 'string' && (each.content === null || typeof each.content === 'string');
  if (typeof commit === 'string' && Array.isArray(changes) && changes.every(isChange)) return { commit, changes };
  throw new Failure(`${where} is not a commit with changes of a path and a content.`);
}
