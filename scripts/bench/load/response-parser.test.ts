import { expect, test } from 'vitest';
import { type ParsedAnswer, responseParser } from './response-parser.ts';

/** Parses a text in pieces of so many bytes; each piece is overwritten once it was pushed. */
function parse(text: string, pieceBytes = text.length, kept = 8): ParsedAnswer[] {
  const answers: ParsedAnswer[] = [];
  const parser = responseParser(kept, (answer) => answers.push(answer));
  const bytes = Buffer.from(text);
  for (let from = 0; from < bytes.length; from += pieceBytes) {
    const piece = Buffer.from(bytes.subarray(from, from + pieceBytes));
    parser.push(piece);
    piece.fill('x');
  }
  parser.end();
  return answers;
}

const withLength = 'HTTP/1.1 200 OK\r\nContent-Length: 11\r\n\r\nhello world';
const chunked =
  'HTTP/1.1 201 Created\r\ntransfer-encoding: chunked\r\n\r\n5;x=y\r\nhello\r\nA\r\n wonderful\r\n0\r\nsum: 1\r\n\r\n';
const empty = 'HTTP/1.1 404 Not Found\r\ncontent-length: 0\r\n\r\n';
const without = 'HTTP/1.1 204 No Content\r\n\r\n';
const expected = [
  { status: 200, start: 'hello wo', isLast: false },
  { status: 201, start: 'hello wo', isLast: false },
  { status: 404, start: '', isLast: false },
  { status: 204, start: '', isLast: false },
];

test.each([1, 2, 3, 7, 64, 1000])('answers that follow each other are told apart in pieces of %i bytes', (bytes) => {
  expect(parse(withLength + chunked + empty + without, bytes)).toEqual(expected);
});

test('a body without a length ends with the connection', () => {
  expect(parse('HTTP/1.0 200 OK\r\n\r\nto the end', 3)).toEqual([{ status: 200, start: 'to the e', isLast: true }]);
});

test('an answer after which the connection is closed says so', () => {
  const answer = 'HTTP/1.1 500 Oh\r\nConnection: close\r\nContent-Length: 2\r\n\r\nno';

  expect(parse(answer)).toEqual([{ status: 500, start: 'no', isLast: true }]);
});

test('what is told before the answer is none', () => {
  expect(parse(`HTTP/1.1 100 Continue\r\n\r\n${withLength}`)).toEqual([expected[0]]);
});

test('a body that looks like an answer is none', () => {
  const inner = 'HTTP/1.1 500 Oh\r\n\r\n';
  const text = `HTTP/1.1 200 OK\r\ncontent-length: ${inner.length}\r\n\r\n${inner}`;

  expect(parse(text + empty, 5, 0).map(({ status }) => status)).toEqual([200, 404]);
});

test('half an answer is none', () => {
  expect(parse(withLength.slice(0, -1))).toEqual([]);
});
