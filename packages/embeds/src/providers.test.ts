import { expect, test } from 'vitest';
import { findEmbed } from './index.ts';

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
  ['https://stackblitz.com/edit/a-b?file=c.ts', 'https://stackblitz.com/edit/a-b'],
  ['https://www.google.com/maps/embed?pb=!1m18!2d-122.4&hl=de', 'https://www.google.com/maps/embed?pb=!1m18!2d-122.4'],
])('%s is recognized as %s', (address, url) => {
  expect(findEmbed(new URL(address))).toMatchObject({ url });
});

test.each([
  'https://www.youtube.com/watch?v="><script>',
  'https://www.youtube.com/watch?v="><script>alert',
  'https://www.youtube.com/redirect?q=https://example.com',
  'https://youtube.com.example.com/watch?v=dQw4w9WgXcQ',
  'https://vimeo.com/1/../../x',
  'https://codepen.io/ann/pen/..%2f..',
  'https://www.google.com/maps/embed?pb="><b>',
  'https://www.google.com/maps?pb=!1m18',
  'https://stackblitz.com/edit/a/../../b?embed=1&x',
])('%s is not recognized', (address) => {
  expect(findEmbed(new URL(address))).toBeUndefined();
});
