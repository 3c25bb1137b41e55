import { expect, test } from 'vitest';
import { providedAt } from './providers.ts';
import { titleIn } from './title-in.ts';

test.each([
  ['{"title": " A\\n talk "}', 'A  talk'],
  ['{"title": "abcdef"}', 'abcde'],
  ['{"title": 1}', null],
  ['{}', null],
  ['null', null],
  ['<html>', null],
])('of %j the title is %j', (answer, title) => {
  expect(titleIn(answer, title?.includes('talk') ? 100 : 5)).toBe(title);
});

test.each([
  ['https://youtu.be/dQw4w9WgXcQ?t=3', 'https://www.youtube.com/watch?v=dQw4w9WgXcQ'],
  ['https://www.youtube.com/watch?list=x&v=dQw4w9WgXcQ', 'https://www.youtube.com/watch?v=dQw4w9WgXcQ'],
  ['https://player.vimeo.com/video/1234', 'https://vimeo.com/1234'],
  [
    'https://open.spotify.com/embed/track/4uLU6hMCjMI75M1A2tKUQC',
    'https://open.spotify.com/track/4uLU6hMCjMI75M1A2tKUQC',
  ],
  ['https://www.figma.com/design/abc/A-name', 'https://www.figma.com/design/abc'],
  ['https://codepen.io/ann/full/abc', 'https://codepen.io/ann/pen/abc'],
])('%s is known as %s', (address, url) => {
  expect(providedAt(new URL(address))).toMatchObject({ url });
});

test.each([
  'https://www.youtube.com/watch?v="><script>',
  'https://www.youtube.com/redirect?q=https://example.com',
  'https://youtube.com.example.com/watch?v=dQw4w9WgXcQ',
  'https://vimeo.com/1/../../x',
  'https://codepen.io/ann/pen/..%2f..',
])('%s is nothing that is known', (address) => {
  expect(providedAt(new URL(address))).toBeUndefined();
});
