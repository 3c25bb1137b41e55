import { expect, test } from 'vitest';
import { RuntimeLines } from './log.ts';

const formatLogLine = (level: string, message: string) => `${JSON.stringify({ timestamp: 1, level, message })}\n`;
const parseLogLines = (lines: string) =>
  lines
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as Record<string, unknown>);

test('forwards a JSON log line of a worker unchanged, and wraps plain text in one', () => {
  const line = '{"level":"info","message":"request","path":"/v1/größe"}';

  expect(new RuntimeLines().readLines(formatLogLine('log', line))).toBe(`${line}\n`);
  expect(parseLogLines(new RuntimeLines().readLines(formatLogLine('warn', 'two\nlines')))).toEqual([
    { time: expect.any(String), level: 'warn', message: 'two\nlines' },
  ]);
});

test('joins a line that arrives in chunks', () => {
  const [lines, whole] = [new RuntimeLines(), formatLogLine('log', '{"message":"in pieces"}')];

  expect([...whole].map((piece) => lines.readLines(piece)).join('')).toBe('{"message":"in pieces"}\n');
});

test.each([
  'kj/async-io-unix.c++:778: error: bind failed',
  '*** Fatal uncaught kj::Exception: out of memory',
  '[]',
  'null',
])("logs the runtime's message %s as an error", (line) => {
  expect(parseLogLines(new RuntimeLines().readLines(`${line}\n`))).toEqual([
    { time: expect.any(String), level: 'error', message: line },
  ]);
});

test('omits messages for developers of the runtime', () => {
  expect(new RuntimeLines().readLines('Not symbolizing stack traces because $LLVM_SYMBOLIZER is not set.\n\n')).toBe(
    '',
  );
});

test('truncates an endless line', () => {
  const lines = new RuntimeLines();
  for (let piece = 0; piece < 100; piece += 1) expect(lines.readLines('x'.repeat(65_536))).toBe('');
  const [only] = parseLogLines(lines.end());

  expect(String(only?.message)).toHaveLength(256 * 1024);
  expect(parseLogLines(lines.readLines(formatLogLine('log', '{"message":"after"}')))).toEqual([{ message: 'after' }]);
});
