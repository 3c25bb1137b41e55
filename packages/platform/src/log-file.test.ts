import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { LogFile } from './log.ts';

const folder = mkdtempSync(path.join(tmpdir(), 'octavo-log-'));
afterEach(() => rmSync(folder, { recursive: true, force: true }));

test('a deleted log file is created again once the log reaches its maximum size', () => {
  const file = path.join(folder, 'octavo.log');
  const log = new LogFile(file);
  log.append('x'.repeat(10_000_001));
  rmSync(file);
  log.append('after\n');
  log.close();

  expect(readFileSync(file, 'utf8')).toBe('after\n');
});
